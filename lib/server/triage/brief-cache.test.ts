import { expect, it } from 'vitest';
import { BriefCache } from './brief-cache';

function cache(most = 10, mostUnderWay = 10) {
  let at = 0;
  const made: string[] = [];
  const cached = new BriefCache<string>({ elapsed: () => at, keptMs: 100, most, mostUnderWay });
  const get = (key: string, make = async () => key) =>
    cached.get(key, () => {
      made.push(key);
      return make();
    });
  const pass = (ms: number) => {
    at += ms;
  };
  return { get, made, pass };
}

function waiting() {
  let resolve = (_: string) => {};
  const promise = new Promise<string>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

it('makes a thing once for all who ask at the same time, and for a moment after', async () => {
  const { get, made, pass } = cache();
  await Promise.all([get('a'), get('a')]);
  pass(99);
  await get('a');
  expect(made).toEqual(['a']);
  pass(1);
  await get('a');
  expect(made).toEqual(['a', 'a']);
});

it('keeps no rejection, and no more than so many', async () => {
  const { get, made } = cache(2);
  await expect(get('bad', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await get('bad');
  for (const key of ['b', 'c']) await get(key);
  await get('bad');
  expect(made).toEqual(['bad', 'bad', 'b', 'c', 'bad']);
});

it('makes so many at a time: of others there is nothing, and the same ones are joined', async () => {
  const { get, made } = cache(2, 2);
  const slow = waiting();
  const [a, b] = [get('a', () => slow.promise), get('b', () => slow.promise)];
  expect([get('c'), get('a') === a, get('b') === b]).toEqual([undefined, true, true]);
  slow.resolve('there');
  await Promise.all([a, b]);
  expect(await get('c')).toBe('c');
  expect(made).toEqual(['a', 'b', 'c']);
});

it('makes others again after a failure, and never forgets what is under way', async () => {
  const { get, made } = cache(1, 2);
  const slow = waiting();
  const first = get('slow', () => slow.promise);
  await expect(get('bad', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  for (const key of ['b', 'c']) await get(key);
  expect(get('slow')).toBe(first);
  expect(made).toEqual(['slow', 'bad', 'b', 'c']);
});
