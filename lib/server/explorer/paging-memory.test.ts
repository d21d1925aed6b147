import { expect, test } from 'vitest';
import { createPagingMemory } from './paging-memory';

const at = (rank: number) => ({ rank, positions: [rank], total: 9000n });

test('the nearest place before a rank is found for a minute', () => {
  const memory = createPagingMemory();
  for (const rank of [0, 500, 1200, 3000]) memory.note('list', at(rank), 0);
  expect(memory.find('list', 1500, 1000, 59_999)).toMatchObject(at(1200));
  expect(memory.find('list', 1200, 1000, 0)).toMatchObject(at(1200));
  expect(memory.find('list', 2900, 1000, 0)).toBeUndefined();
  expect(memory.find('other', 1200, 1000, 0)).toBeUndefined();
  expect(memory.find('list', 1200, 1000, 60_000)).toBeUndefined();
});

test('a list that has moved is forgotten', () => {
  const memory = createPagingMemory();
  memory.note('list', at(0), 0);
  memory.forget('list');
  expect(memory.find('list', 0, 1000, 0)).toBeUndefined();
});

test('only the latest lists, and the latest places of each, are kept', () => {
  const memory = createPagingMemory();
  for (let rank = 0; rank < 60; rank += 1) memory.note('list', at(rank * 2000), 0);
  expect(memory.find('list', 9 * 2000, 0, 0)).toBeUndefined();
  expect(memory.find('list', 10 * 2000, 0, 0)).toBeDefined();
  for (let list = 0; list < 100; list += 1) memory.note(`list ${list}`, at(0), 0);
  expect(memory.find('list', 59 * 2000, 0, 0)).toBeUndefined();
  expect(memory.find('list 0', 0, 0, 0)).toBeDefined();
});
