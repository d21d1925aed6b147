import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RunningMinimum } from './running-minimum';

it('gives the smallest value of the window, whatever came', () => {
  const steps = fc.array(fc.record({ afterMs: fc.nat(400), value: fc.integer({ min: -50, max: 50 }) }), {
    minLength: 1,
    maxLength: 200,
  });
  fc.assert(
    fc.property(steps, (all) => {
      const minimum = new RunningMinimum(1_000);
      const seen: { atMs: number; value: number }[] = [];
      let nowMs = 0;
      for (const { afterMs, value } of all) {
        nowMs += afterMs;
        minimum.add(nowMs, value);
        seen.push({ atMs: nowMs, value });
        const inside = seen.filter(({ atMs }) => atMs >= nowMs - 1_000);
        expect(minimum.value()).toBe(Math.min(...inside.map((one) => one.value)));
      }
    }),
  );
});

it('knows nothing before the first value, and stays bounded', () => {
  const minimum = new RunningMinimum(1e12);
  expect(minimum.value()).toBeUndefined();
  for (let at = 0; at < 10_000; at += 1) minimum.add(at, at);
  expect(minimum.value()).toBe(10_000 - 4_096);
});
