import { expect, it } from 'vitest';
import { loadAgain } from './load-again';

it('loads a part that can’t be had at first as soon as it can, with growing waits', async () => {
  const waits: number[] = [];
  let attempts = 0;
  const load = async () => {
    attempts += 1;
    if (attempts <= 6) throw new Error('no network');
    return 'chart';
  };
  const setTimer = (run: () => void, ms: number) => {
    waits.push(ms);
    run();
  };
  expect(await loadAgain(load, setTimer)).toBe('chart');
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
});

it('does not wait for what is there', async () => {
  expect(await loadAgain(async () => 1)).toBe(1);
});
