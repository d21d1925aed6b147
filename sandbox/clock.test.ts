import { expect, test } from 'vitest';
import { SandboxClock } from './clock';

function clockAt(start: number) {
  const real = { now: start };
  const ticks: (() => void)[] = [];
  const cancelled: number[] = [];
  const clock = new SandboxClock(
    () => real.now,
    (ms, run) => {
      ticks.push(run);
      return () => cancelled.push(ms);
    },
  );
  return { clock, real, ticks, cancelled };
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

test('reset brings it back to the real time at speed 1', () => {
  const { clock, real } = clockAt(1000);
  clock.set({ ms: 77, speed: 5, stopped: true });
  real.now = 4000;
  clock.reset();
  real.now = 4001;
  expect([clock.now(), clock.speed, clock.stopped]).toEqual([4001, 1, false]);
});

test('listeners hear of ticks and of every change', () => {
  const { clock, ticks } = clockAt(0);
  const heard: number[] = [];
  clock.onTick(() => heard.push(clock.now()));
  ticks[0]?.();
  clock.set({ ms: 10 });
  clock.set({ stopped: true });
  expect(heard).toEqual([0, 10, 10]);
});

test('the timer runs only while somebody listens', () => {
  const { clock, ticks, cancelled } = clockAt(0);
  expect(ticks).toHaveLength(0);
  const first = clock.onTick(() => {});
  const second = clock.onTick(() => {});
  expect(ticks).toHaveLength(1);
  first();
  expect(cancelled).toHaveLength(0);
  second();
  expect(cancelled).toEqual([50]);
});
