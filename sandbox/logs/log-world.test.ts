import { expect, test } from 'vitest';
import { type LogRow, requestHash, rowText } from './log-row';
import { LogWorld } from './log-world';
import { KEEPERS, LANES } from './networks';

const START = Date.UTC(2026, 10, 20, 8);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Newest first within each keeper. */
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
  const byKey = new Map<K, LogRow[]>();
  for (const row of rows) byKey.set(keyOf(row), [...(byKey.get(keyOf(row)) ?? []), row]);
  return [...byKey.values()];
}

test('50,000 rows of 10 days have states in their shares, lanes in the order of their sequences, and twins as pairs', () => {
  const world = new LogWorld(1, 50_000, START);
  const rows = allRows(world);
  expect(rows.length).toBe(50_000);
  const ages = rows.map(({ createdMs }) => START - createdMs);
  expect(Math.min(...ages)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...ages)).toBeLessThan(10 * DAY);
  const share = (state: string) => rows.filter((row) => world.getState(row).state === state).length / 50_000;
  for (const [state, low, high] of [
    ['Pending', 0.0001, 0.0005],
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

test('the same seed gives the same rows whatever the steps of the clock, and another seed gives others', () => {
  const [first, stepwise, other] = [1, 1, 2].map((seed) => new LogWorld(seed, 800, START)) as LogWorld[];
  first?.moveTo(START + HOUR);
  other?.moveTo(START + HOUR);
  for (let minute = 1; minute <= 60; minute++) stepwise?.moveTo(START + minute * 60_000);
  const lines = texts(first as LogWorld);
  expect(texts(stepwise as LogWorld)).toEqual(lines);
  expect(texts(other as LogWorld).filter((text) => lines.includes(text))).toEqual([]);
});

test('a sandbox that is started an hour later has the same past', () => {
  const early = new Set(texts(new LogWorld(1, 3000, START)));
  const late = texts(new LogWorld(1, 3000, START + HOUR));
  expect(late.filter((text) => early.has(text)).length).toBeGreaterThan(2900);
});

/** The hours include the quietest and the busiest. */
const STARTS = [3, 9, 15, 20].flatMap((hour) => [1, 2].map((seed) => [seed, hour] as const));

function runWorld(seed: number, hour: number, ranMs: number) {
  const startMs = Date.UTC(2026, 10, 20, hour);
  const world = new LogWorld(seed, 50_000, startMs);
  world.moveTo(startMs + ranMs);
  const rows = allRows(world);
  const within = (fromMs: number, lengthMs: number) =>
    rows.filter(({ createdMs }) => createdMs > startMs + fromMs && createdMs <= startMs + fromMs + lengthMs);
  return { world, startMs, within };
}

const quantile = (values: number[], share: number) =>
  values.sort((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;
const durations = (rows: LogRow[]) =>
  rows.filter(({ finishMs }) => finishMs < 1e15).map(({ createdMs, finishMs }) => finishMs - createdMs);

test.each(STARTS)(
  'seed %i, %i:00: the first hour has as many requests as this hour of the days before',
  (seed, hour) => {
    const { within } = runWorld(seed, hour, HOUR);
    const days = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    const hours = days.map((day) => within(-day * DAY, HOUR).length);
    const live = within(0, HOUR).length;
    expect(live).toBeGreaterThan(Math.min(...hours) * 0.85);
    expect(live).toBeLessThan(Math.max(...hours) * 1.15);
    // The 36 bars of the last 6 hours. Those of the live hour are neither higher nor lower.
    const bars = Array.from({ length: 36 }, (_, index) => within((index - 30) * 600_000, 600_000).length);
    const before = bars.slice(0, 30);
    const after = bars.slice(30);
    expect(Math.max(...after)).toBeLessThan(Math.max(...before) * 1.5);
    expect(Math.min(...after)).toBeGreaterThan(Math.min(...before) * 0.5);
    // A watched table moves.
    const times = within(0, HOUR)
      .map(({ createdMs }) => createdMs)
      .sort((a, b) => a - b);
    expect(Math.max(...times.slice(1).map((ms, index) => ms - (times[index] ?? 0)))).toBeLessThan(75_000);
  },
);

test.each([1, 2])(
  'seed %i: a day of running has networks, senders, outcomes and times of the week before',
  (seed) => {
    const { world, within } = runWorld(seed, 9, DAY);
    const past = within(-7 * DAY, 7 * DAY);
    const live = within(0, DAY);
    expect(Math.abs(live.length / (past.length / 7) - 1)).toBeLessThan(0.02);
    const near = (share: (rows: LogRow[]) => number, tolerance: number) =>
      expect(Math.abs(share(live) - share(past))).toBeLessThan(tolerance);
    const part = (matches: (row: LogRow) => boolean) => (rows: LogRow[]) =>
      rows.filter(matches).length / rows.length;
    for (const { network } of LANES)
      near(
        part((row) => row.network === network),
        0.01,
      );
    for (const state of ['Failed', 'CallbackErrored', 'Completed']) {
      near(
        part((row) => row.outcome === state && world.getState(row).state !== 'Pending'),
        0.006,
      );
    }
    near(
      part(({ sender }) => sender < 1000),
      0.03,
    );
    for (const [share, tolerance] of [
      [0.5, 0.04],
      [0.95, 0.12],
    ] as const) {
      const ratio = quantile(durations(live), share) / quantile(durations(past), share);
      expect(Math.abs(ratio - 1)).toBeLessThan(tolerance);
    }
  },
);

test('a running sandbox gets the rows that a later one has in its past', () => {
  const early = new LogWorld(1, 50_000, START);
  const late = new LogWorld(1, 50_000, START + 6 * HOUR);
  early.moveTo(START + 6 * HOUR);
  const hourOf = (world: LogWorld) =>
    KEEPERS.flatMap((keeper) => world.list(keeper, START + HOUR, START + 2 * HOUR)).map(requestHash);
  expect(hourOf(early).length).toBeGreaterThan(100);
  expect(hourOf(early)).toEqual(hourOf(late));
});

test.each(STARTS)(
  'seed %i, %i:00: at the start one contract is stuck, one runs out of gas, and few old ones are left',
  (seed, hour) => {
    const { world, startMs } = runWorld(seed, hour, 0);
    const rows = allRows(world);
    const stuck = rows.filter(({ finishMs }) => finishMs === Number.POSITIVE_INFINITY);
    const recent = stuck.filter(({ createdMs }) => createdMs > startMs - DAY);
    const old = stuck.length - recent.length;
    expect([recent.length, new Set(recent.map(({ sender }) => sender)).size]).toEqual([4, 1]);
    for (const { createdMs } of recent) {
      expect(startMs - createdMs).toBeGreaterThan(15 * 60_000);
      expect(startMs - createdMs).toBeLessThan(70 * 60_000);
    }
    expect(old).toBeGreaterThanOrEqual(3);
    expect(old).toBeLessThanOrEqual(7);
    // Other requests on that network have been answered since, so the contract is to blame.
    const [oldest] = recent.map(({ createdMs }) => createdMs).sort((a, b) => a - b);
    const others = rows.filter(
      ({ network, createdMs, sender }) =>
        network === recent[0]?.network && createdMs > (oldest ?? 0) && sender !== recent[0]?.sender,
    );
    expect(others.filter((row) => world.getState(row).state === 'Completed').length).toBeGreaterThanOrEqual(
      10,
    );
    const failing = rows.filter(
      (row) => row.createdMs > startMs - HOUR && world.getState(row).state === 'CallbackErrored',
    );
    const bySender = groups(failing, ({ sender }) => sender).sort((a, b) => b.length - a.length);
    expect(bySender[0]?.length).toBeGreaterThanOrEqual(6);
    for (const row of bySender[0] ?? []) {
      const shown = { row, ...world.getState(row), shownCreatedMs: 0, shownUpdatedMs: 0 };
      expect(rowText(world.mixer, shown, 'text')).toContain('"callback_return_value":"0x"');
    }
  },
);

test('at an ordered rate, 30 requests arrive a minute, and all but the stuck ones are finished some hours later', () => {
  const world = new LogWorld(1, 0, START);
  world.setRate(30, START);
  world.moveTo(START + HOUR);
  const rows = allRows(world);
  expect(rows.length).toBe(1800);
  world.moveTo(START + 12 * HOUR);
  for (const row of rows) {
    expect(world.getState(row).state === 'Pending').toBe(row.finishMs === Number.POSITIVE_INFINITY);
  }
});

test('a rate holds from its time on, and without it requests arrive as before', () => {
  const world = new LogWorld(1, 50_000, START);
  world.moveTo(START + HOUR);
  const first = texts(world);
  world.setRate(60, START + HOUR);
  expect(texts(world).sort()).toEqual(first.sort());
  const countAfter = (hours: number) => {
    const fromMs = START + hours * HOUR;
    world.moveTo(fromMs + HOUR);
    return allRows(world).filter(({ createdMs }) => createdMs > fromMs).length;
  };
  expect(countAfter(1)).toBe(3600);
  world.setRate(null, START + 2 * HOUR);
  expect(countAfter(2)).toBeLessThan(400);
  const lanes = groups(allRows(world), ({ network, provider }) => `${network}/${provider}`);
  for (const lane of lanes) {
    const numbers = lane.map(({ sequence }) => sequence);
    expect(numbers).toEqual(numbers.toSorted((a, b) => b - a));
  }
});

test('a high rate after hours of running keeps existing rows', () => {
  const world = new LogWorld(1, 50_000, START);
  world.moveTo(START + 6 * HOUR);
  const before = world.list('main').map(requestHash);
  world.setRate(6000, START + 6 * HOUR);
  world.moveTo(START + 6 * HOUR + 1000);
  const after = new Set(world.list('main').map(requestHash));
  expect(before.filter((hash) => !after.has(hash))).toEqual([]);
});

test('a failed row can become completed later, and is dated by its completion', () => {
  const world = new LogWorld(1, 0, START);
  world.setRate(30, START);
  world.moveTo(START + 6 * HOUR);
  const row = allRows(world).find(({ lateRevealMs }) => lateRevealMs < START + 6 * HOUR) as LogRow;
  const at = (ms: number) => {
    world.moveTo(ms);
    return world.getState(row);
  };
  expect(at(row.finishMs - 1)).toEqual({ state: 'Pending', updatedMs: row.createdMs });
  expect(at(row.lateRevealMs - 1)).toEqual({ state: 'Failed', updatedMs: row.finishMs });
  expect(at(row.lateRevealMs)).toEqual({ state: 'Completed', updatedMs: row.lateRevealMs });
});

test('a clock that is set back shows the rows of that time, and one set back very far rebuilds the past', () => {
  const world = new LogWorld(1, 500, START);
  world.setRate(30, START);
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

test('a scenario is absent before its time, returns later, and ends with a restart', () => {
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
  // 41 and 9 from the two problems, and one from the outage.
  expect(stuck?.length).toBe(51);
  world.restart(START);
  untouched.restart(START);
  expect(texts(world)).toEqual(texts(untouched));
});
