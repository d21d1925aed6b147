import { expect, test } from 'vitest';
import { SandboxClock } from './clock';

function clockAt(now: number) {
  const real = { now };
  return { clock: new SandboxClock(() => real.now), real };
}

test('a stopped clock stands still and can be set', () => {
  const { clock, real } = clockAt(1000);
  clock.set({ stopped: true });
  real.now = 9000;
  expect(clock.now()).toBe(1000);
  clock.set({ ms: 5000 });
  real.now = 10_000;
  expect(clock.now()).toBe(5000);
  clock.set({ stopped: false });
  real.now = 10_250;
  expect(clock.now()).toBe(5250);
});

test('a new speed counts from now on, and outlives a stop', () => {
  const { clock, real } = clockAt(0);
  real.now = 100;
  clock.set({ speed: 10 });
  real.now = 200;
  expect(clock.now()).toBe(1100);
  clock.set({ stopped: true });
  clock.set({ stopped: false });
  real.now = 300;
  expect(clock.now()).toBe(2100);
});
