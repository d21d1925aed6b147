import { expect, test } from 'vitest';
import { FaultBoard } from './faults';

function boardAt() {
  const real = { now: 0 };
  return { board: new FaultBoard(() => real.now), real };
}

test('a fault without a count or a time holds until it is taken away', () => {
  const { board, real } = boardAt();
  board.add({ service: 'router', fault: { kind: 'html' } });
  real.now = 1e9;
  expect(board.take('router', 'price')).toEqual({ kind: 'html' });
  expect(board.take('router', 'symbols')).toEqual({ kind: 'html' });
  board.clear();
  expect(board.take('router', 'price')).toBeUndefined();
});

test('a count is used up by the requests it hits, and by no others', () => {
  const { board } = boardAt();
  board.add({ service: 'updates', route: 'latest', fault: { kind: 'drop' }, count: 2 });
  expect(board.take('updates', 'stream')).toBeUndefined();
  expect(board.take('upgraded', 'latest')).toBeUndefined();
  expect(board.take('updates', 'latest')).toBeDefined();
  expect(board.active()).toMatchObject([{ service: 'updates', route: 'latest', remaining: 1 }]);
  expect(board.take('updates', 'latest')).toBeDefined();
  expect(board.take('updates', 'latest')).toBeUndefined();
});

test('a time ends in real milliseconds', () => {
  const { board, real } = boardAt();
  board.add({ service: '*', fault: { kind: 'hang' }, forMs: 1000 });
  real.now = 999;
  expect(board.take('logs:main', 'logs')).toBeDefined();
  expect(board.active()).toMatchObject([{ endsInMs: 1 }]);
  real.now = 1000;
  expect(board.take('logs:main', 'logs')).toBeUndefined();
  expect(board.active()).toEqual([]);
});

test('of several faults the oldest is used first', () => {
  const { board } = boardAt();
  board.add({ service: '*', fault: { kind: 'html' }, count: 1 });
  board.add({ service: 'router', fault: { kind: 'drop' } });
  expect(board.take('router', 'price')?.kind).toBe('html');
  expect(board.take('router', 'price')?.kind).toBe('drop');
});
