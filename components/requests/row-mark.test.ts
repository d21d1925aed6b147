import { expect, it } from 'vitest';
import { markOf } from './row-mark';

it('a row that has been seen is not marked once more when it is drawn again', () => {
  const marks = new Map([
    ['a', 'new'],
    ['b', 'changed'],
  ] as const);
  const round = { number: 1, marks, seen: new Set<string>() };
  expect([markOf(round, 'a'), markOf(round, 'b'), markOf(round, 'c')]).toEqual(['new', 'changed', undefined]);
  round.seen.add('a');
  expect([markOf(round, 'a'), markOf(round, 'b')]).toEqual([undefined, 'changed']);
});
