import { expect, test } from 'vitest';
import { createPacedWork } from './paced-work';

const LARGE = 1024 * 1024;
const SMALL = 1024;

/** An event loop that turns when the test says so, and work whose length the test decides. */
function loop() {
  let now = 0;
  let turns: (() => void)[] = [];
  const work = createPacedWork({ elapsed: () => now, nextTurn: (run) => turns.push(run) });
  const done: string[] = [];
  return {
    work,
    done,
    piece: (name: string, ms: number) => () => {
      now += ms;
      done.push(name);
      return name;
    },
    turn() {
      const due = turns;
      turns = [];
      for (const run of due) run();
      return due.length;
    },
  };
}

test('pieces run in the order in which they came, as many as fit into a turn', () => {
  const { work, done, piece, turn } = loop();
  for (const name of ['a', 'b', 'c', 'd']) void work.run(LARGE, piece(name, 1));
  expect(done).toEqual([]);
  turn();
  expect(done).toEqual(['a', 'b']);
  turn();
  expect(done).toEqual(['a', 'b', 'c', 'd']);
  expect(turn()).toBe(0);
});

test('a long piece has a turn for itself', () => {
  const { work, done, piece, turn } = loop();
  for (const name of ['a', 'b']) void work.run(LARGE, piece(name, 50));
  turn();
  expect(done).toEqual(['a']);
});

test('small pieces go first, and never hold the large ones up altogether', () => {
  const { work, done, piece, turn } = loop();
  for (const name of ['A', 'B']) void work.run(LARGE, piece(name, 2));
  for (const name of ['a', 'b', 'c']) void work.run(SMALL, piece(name, 1));
  turn();
  expect(done).toEqual(['a', 'b', 'A']);
  turn();
  expect(done).toEqual(['a', 'b', 'A', 'c', 'B']);
});

test('the result and the error of a piece reach whoever asked for it, and the line goes on', async () => {
  const { work, piece, turn } = loop();
  const bad = work.run(LARGE, () => {
    throw new Error('on purpose');
  });
  const good = work.run(LARGE, piece('a', 1));
  turn();
  await expect(bad).rejects.toThrow('on purpose');
  expect(await good).toBe('a');
});
