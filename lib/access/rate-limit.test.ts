import { expect, it } from 'vitest';
import { RequestLimits } from './principal';

it('allows a burst, then a rate, and says when to retry', () => {
  let nowMs = 0;
  const limits = new RequestLimits(() => nowMs);
  const passed = () =>
    Array.from({ length: 2000 }, () => limits.consume(['10.0.0.1'])).filter((s) => s === undefined);
  expect(passed()).toHaveLength(1000);
  expect(limits.consume(['10.0.0.1'])).toBe(1);
  nowMs += 1000;
  expect(passed()).toHaveLength(100);
});

it('counts by user as well as by address, and leaves others alone', () => {
  const limits = new RequestLimits(() => 0);
  for (let n = 0; n < 1000; n += 1) limits.consume([`10.0.0.${n % 250}`, 'user ann']);
  expect(limits.consume(['10.9.9.9', 'user ann'])).toBe(1);
  expect(limits.consume(['10.9.9.9', 'user bob'])).toBeUndefined();
});

it('changes no allowance when the clock is set back', () => {
  let nowMs = 1_000_000;
  const limits = new RequestLimits(() => nowMs);
  for (let n = 0; n < 1000; n += 1) limits.consume(['a']);
  nowMs = 0;
  expect(limits.consume(['a'])).toBe(1);
});

it('charges more for expensive requests, and nothing where the allowance is too small', () => {
  let nowMs = 0;
  const limits = new RequestLimits(() => nowMs);
  for (let n = 0; n < 999; n += 1) limits.consume(['a']);
  expect(limits.consume(['a'], 250)).toBe(3);
  expect(limits.consume(['a'])).toBeUndefined();
  nowMs += 2500;
  expect(limits.consume(['a'], 250)).toBeUndefined();
  expect(limits.consume(['a'])).toBe(1);
});
