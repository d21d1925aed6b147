import { expect, it } from 'vitest';
import { ConcurrencyLimit } from './request-body';

/** Work that is done, or fails, when the test says so. */
function work() {
  let resolve: (value: string) => void = () => {};
  const promise = new Promise<string>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

it('has room for so many of one key, and again when one of them is over', async () => {
  const underWay = new ConcurrencyLimit({ mostOfOne: 2, most: 10 });
  const [first, second] = [work(), work()];
  const one = underWay.run('a', () => first.promise);
  const other = underWay.run('a', () => second.promise);
  expect(await underWay.run('a', async () => 'no')).toBeUndefined();
  expect(await underWay.run('b', async () => 'yes')).toEqual({ done: 'yes' });
  first.resolve('first');
  expect(await one).toEqual({ done: 'first' });
  expect(await underWay.run('a', async () => 'yes')).toEqual({ done: 'yes' });
  second.resolve('second');
  await other;
});

it('has room for so many altogether', async () => {
  const underWay = new ConcurrencyLimit({ mostOfOne: 2, most: 3 });
  const all = ['a', 'a', 'b'].map((key) => {
    const { promise, resolve } = work();
    return { over: underWay.run(key, () => promise), resolve };
  });
  expect(await underWay.run('c', async () => 'no')).toBeUndefined();
  for (const { resolve } of all) resolve('done');
  await Promise.all(all.map(({ over }) => over));
  expect(await underWay.run('c', async () => 'yes')).toEqual({ done: 'yes' });
});

it('has room again after work that failed', async () => {
  const underWay = new ConcurrencyLimit({ mostOfOne: 1, most: 1 });
  await expect(underWay.run('a', () => Promise.reject(new Error('left')))).rejects.toThrow('left');
  expect(await underWay.run('a', async () => 'yes')).toEqual({ done: 'yes' });
});
