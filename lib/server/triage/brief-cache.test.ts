import { expect, it } from 'vitest';
import { BriefCache } from './brief-cache';

function cache(most = 10) {
  let at = 0;
  const made: string[] = [];
  const cached = new BriefCache<string>({ elapsed: () => at, keptMs: 100, most });
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
