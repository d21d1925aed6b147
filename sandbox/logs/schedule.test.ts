import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LANES } from './networks';
import { Mixer } from './random';
import { activityUntil, BLOCK, historySeries, LIVE_SERIES, Schedule, timeOfActivity } from './schedule';

const NOON = Date.UTC(2026, 10, 20, 12);
const DAY = 86_400_000;

test('the rhythm has an inverse and comes back to the same place every day', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4e12 }), (ms) => {
      expect(Math.abs(timeOfActivity(activityUntil(ms)) - ms)).toBeLessThan(0.01);
      expect(activityUntil(ms + DAY) - activityUntil(ms)).toBeCloseTo(DAY, 2);
    }),
  );
});

test('rows are in order of time for every density', () => {
  for (const series of [historySeries(50), historySeries(50_000), historySeries(1_000_000), LIVE_SERIES]) {
    const schedule = new Schedule(new Mixer(3), series);
    const last = schedule.lastUntil(NOON);
    expect(schedule.createdMs(last)).toBeLessThanOrEqual(NOON);
    expect(schedule.createdMs(last + 1)).toBeGreaterThan(NOON);
    for (let k = last - 3000; k < last; k++) {
      expect(schedule.createdMs(k)).toBeLessThanOrEqual(schedule.createdMs(k + 1));
    }
  }
});

test('every block has each lane as often as its quota says', () => {
  expect(LANES.reduce((sum, { quota }) => sum + quota, 0)).toBe(BLOCK);
  const schedule = new Schedule(new Mixer(3), historySeries(50_000));
  const counts = LANES.map(() => 0);
  for (let k = 70_000_000; k < 70_000_000 + BLOCK; k++) {
    const lane = schedule.laneOf(k);
    counts[lane] = (counts[lane] ?? 0) + 1;
  }
  expect(counts).toEqual(LANES.map(({ quota }) => quota));
});

test('a burst is many rows of one network within about a minute or two', () => {
  const schedule = new Schedule(new Mixer(3), historySeries(50_000));
  const block = Math.floor(schedule.lastUntil(NOON) / BLOCK) * BLOCK;
  const found = new Set(Array.from({ length: BLOCK }, (_, place) => schedule.burstOf(block + place)));
  found.delete(undefined);
  expect(found.size).toBe(2);
  for (const burst of found) {
    if (!burst) continue;
    const last = burst.start + burst.length - 1;
    expect(burst.length).toBeGreaterThan(5);
    expect(schedule.createdMs(last) - schedule.createdMs(burst.start)).toBeLessThan(75_000 / 0.4);
    const networks = new Set<number | undefined>();
    for (let k = burst.start; k <= last; k++) networks.add(LANES[schedule.laneOf(k)]?.network);
    expect(networks.size).toBe(1);
  }
});

test('live rows come every 2 s', () => {
  const schedule = new Schedule(new Mixer(3), LIVE_SERIES);
  expect(schedule.lastUntil(NOON + 600_000) - schedule.lastUntil(NOON)).toBe(300);
});
