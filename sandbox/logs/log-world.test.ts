import { expect, test } from 'vitest';
import { type LogRow, requestHash, rowText } from './log-row';
import { LogWorld } from './log-world';
import { KEEPERS, LANES } from './networks';

const START = Date.UTC(2026, 10, 20, 8);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** All rows of both keepers, newest first within each. */
function allRows(world: LogWorld): LogRow[] {
  return KEEPERS.flatMap((keeper) => world.list(keeper));
}

function texts(world: LogWorld): string[] {
  return allRows(world).map((row) =>
    rowText(
      world.mixer,
      { row, ...world.getState(row), shownCreatedMs: row.createdMs, shownUpdatedMs: 0 },
      'text',
    ),
  );
}

function groups<K>(rows: readonly LogRow[], keyOf: (row: LogRow) => K): LogRow[][] {
  const found = new Map<K, LogRow[]>();
  for (const row of rows) found.set(keyOf(row), [...(found.get(keyOf(row)) ?? []), row]);
  return [...found.values()];
}

test('50,000 rows of 14 days: states come in their shares, lanes in the order of their sequences, and twins as pairs', () => {
  const world = new LogWorld(1, 50_000, START);
  const rows = allRows(world);
  expect(rows.length).toBe(50_000);
  const ages = rows.map(({ createdMs }) => START - createdMs);
  expect(Math.min(...ages)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...ages)).toBeLessThan(14 * DAY);
  const share = (state: string) => rows.filter((row) => world.getState(row).state === state).length / 50_000;
  for (const [state, low, high] of [
    ['Pending', 0.0003, 0.0024],
    ['Completed', 0.96, 0.99],
    ['CallbackErrored', 0.01, 0.025],
    ['Failed', 0.004, 0.012],
  ] as const) {
    expect([state, share(state) > low, share(state) < high]).toEqual([state, true, true]);
  }
  const lanes = groups(rows, ({ network, provider }) => `${network}/${provider}`);
  expect(lanes.length).toBe(LANES.length);
  for (const lane of lanes) {
    lane.forEach((row, place) => {
      const gap = (lane[place - 1]?.sequence ?? row.sequence) - row.sequence;
      expect(gap >= 0 && gap <= 5).toBe(true);
    });
  }
  const twins = rows.filter(({ k, contribution }) => k !== contribution);
  expect(twins.length).toBeGreaterThan(0);
  for (const twin of twins) {
    const first = rows.find(({ k }) => k === twin.contribution) as LogRow;
    const stuck = [Number.POSITIVE_INFINITY, twin.sender, twin.sequence];
    expect([first.finishMs, first.sender, first.sequence]).toEqual(stuck);
    expect(requestHash(first)).not.toBe(requestHash(twin));
  }
});

test('the same seed gives the same rows whatever the steps of the clock, another seed other ones', () => {
  const [one, stepwise, other] = [1, 1, 2].map((seed) => new LogWorld(seed, 800, START)) as LogWorld[];
  one?.moveTo(START + HOUR);
  other?.moveTo(START + HOUR);
  for (let minute = 1; minute <= 60; minute++) stepwise?.moveTo(START + minute * 60_000);
  const found = texts(one as LogWorld);
  expect(texts(stepwise as LogWorld)).toEqual(found);
  expect(texts(other as LogWorld).filter((text) => found.includes(text))).toEqual([]);
});

test('a sandbox that is started an hour later has the same past', () => {
  const early = new Set(texts(new LogWorld(1, 3000, START)));
  const late = texts(new LogWorld(1, 3000, START + HOUR));
  expect(late.filter((text) => early.has(text)).length).toBeGreaterThan(2900);
});

test('live rows arrive every 2 s; all but the stuck ones are finished some hours later', () => {
  const world = new LogWorld(1, 0, START);
  world.moveTo(START + HOUR);
  const rows = allRows(world);
  expect(rows.length).toBe(1800);
  world.moveTo(START + 12 * HOUR);
  for (const row of rows) {
    expect(world.getState(row).state === 'Pending').toBe(row.finishMs === Number.POSITIVE_INFINITY);
  }
});

test('a failed row can become completed later, and is dated by that', () => {
  const world = new LogWorld(1, 0, START);
  world.moveTo(START + 6 * HOUR);
  const row = allRows(world).find(({ secondMs }) => secondMs < START + 6 * HOUR) as LogRow;
  const at = (ms: number) => {
    world.moveTo(ms);
    return world.getState(row);
  };
  expect(at(row.finishMs - 1)).toEqual({ state: 'Pending', updatedMs: row.createdMs });
  expect(at(row.secondMs - 1)).toEqual({ state: 'Failed', updatedMs: row.finishMs });
  expect(at(row.secondMs)).toEqual({ state: 'Completed', updatedMs: row.secondMs });
});

test('a clock that is set back shows what was there then; a very long way builds the past anew', () => {
  const world = new LogWorld(1, 500, START);
  const before = texts(world);
  world.moveTo(START + HOUR);
  const later = texts(world);
  world.moveTo(START + 3 * HOUR);
  world.moveTo(START + HOUR);
  expect(texts(world)).toEqual(later);
  world.moveTo(START);
  expect(texts(world)).toEqual(before);
  for (const ms of [START - 40 * DAY, START + 365 * DAY]) {
    world.moveTo(ms);
    expect(allRows(world).length).toBe(500);
    expect(Math.max(...allRows(world).map(({ createdMs }) => createdMs))).toBeLessThanOrEqual(ms);
  }
});

test('before its time a scenario is not there, later it is again, and a restart ends it', () => {
  const world = new LogWorld(3, 4000, START);
  const untouched = new LogWorld(3, 4000, START);
  world.setScenario('mixed-outage-and-contract', START + HOUR);
  const there = texts(world);
  world.moveTo(START + HOUR / 2);
  untouched.moveTo(START + HOUR / 2);
  expect(texts(world)).toEqual(texts(untouched));
  world.moveTo(START + HOUR);
  expect(texts(world)).toEqual(there);
  world.moveTo(START + HOUR + 245_000);
  const stuck = world.scenario?.parts.filter(({ role, row }) => {
    return role === 'stuck' && world.getState(row).state === 'Pending';
  });
  // 41 and 9, and one that came in the outage.
  expect(stuck?.length).toBe(51);
  world.restart(START);
  untouched.restart(START);
  expect(texts(world)).toEqual(texts(untouched));
});
