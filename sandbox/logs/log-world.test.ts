import { beforeAll, describe, expect, test } from 'vitest';
import { LogWorld } from './log-world';
import { LANES, NETWORKS } from './networks';
import { STATE } from './row-table';
import { rowText } from './row-writer';
import { OUTCOME } from './schedule';

const START = Date.UTC(2026, 10, 20, 8);
const HOUR = 3_600_000;

/** All rows as text, newest first. */
function texts(world: LogWorld): string[] {
  return Array.from({ length: world.table.length }, (_, row) =>
    rowText(world.mixer, world.wireRow(row), 'text'),
  ).reverse();
}

function counts(world: LogWorld): number[] {
  const found = [0, 0, 0, 0];
  for (let row = 0; row < world.table.length; row++) {
    const state = world.table.state(row);
    found[state] = (found[state] ?? 0) + 1;
  }
  return found;
}

/** The newest pending row that is going to finish. */
function pendingRow(world: LogWorld): number {
  for (let row = world.table.length - 1; row >= 0; row--) {
    if (world.table.state(row) === STATE.pending && Number.isFinite(world.table.finishAt(row))) return row;
  }
  throw new Error('no pending row');
}

describe('50,000 rows', () => {
  let world: LogWorld;
  beforeAll(() => {
    world = new LogWorld(1, 50_000, START);
  });

  test('they lie within the 14 days before the start', () => {
    expect(world.table.length).toBe(50_000);
    expect(START - world.table.createdAt(0)).toBeLessThan(14 * 24 * HOUR);
    expect(START - world.table.createdAt(0)).toBeGreaterThan(13.5 * 24 * HOUR);
    expect(world.table.createdAt(49_999)).toBeLessThanOrEqual(START);
  });

  test('nights are quieter than days', () => {
    const hours = new Array<number>(24).fill(0);
    for (let row = 0; row < 50_000; row++) {
      const hour = new Date(world.table.createdAt(row)).getUTCHours();
      hours[hour] = (hours[hour] ?? 0) + 1;
    }
    expect((hours[15] ?? 0) / (hours[3] ?? 1)).toBeGreaterThan(2.5);
  });

  test('the states have plausible rates', () => {
    const [pending = 0, completed = 0, callbackFailed = 0, failed = 0] = counts(world);
    expect(pending).toBeGreaterThan(15);
    expect(pending).toBeLessThan(120);
    expect(completed).toBeGreaterThan(48_000);
    expect(callbackFailed / 50_000).toBeGreaterThan(0.01);
    expect(callbackFailed / 50_000).toBeLessThan(0.025);
    expect(failed / 50_000).toBeGreaterThan(0.004);
    expect(failed / 50_000).toBeLessThan(0.012);
  });

  test('most finish within seconds, the 95th percentile is tens of seconds', () => {
    const durations: number[] = [];
    for (let row = 0; row < 50_000; row++) {
      const duration = world.table.finishAt(row) - world.table.createdAt(row);
      if (Number.isFinite(duration)) durations.push(duration / 1000);
    }
    durations.sort((a, b) => a - b);
    const at = (share: number) => durations[Math.floor(durations.length * share)] ?? 0;
    expect(at(0)).toBeGreaterThan(0);
    expect(at(0.5)).toBeGreaterThan(2);
    expect(at(0.5)).toBeLessThan(10);
    expect(at(0.95)).toBeGreaterThan(10);
    expect(at(0.95)).toBeLessThan(60);
  });

  test('some have been pending for days on both keepers', () => {
    for (const keeper of ['main', 'test'] as const) {
      const { rows } = world.index.page({ keeper, state: STATE.pending, maxMs: START - 48 * HOUR }, 0, 100);
      expect(rows.length).toBeGreaterThan(0);
    }
  });

  test('a lane counts its sequence numbers up, with small gaps only', () => {
    const last = new Map<number, number>();
    for (let row = 0; row < 50_000; row++) {
      const sequence = world.table.sequence(row);
      const before = last.get(world.table.lane(row));
      if (before !== undefined) {
        expect(sequence).toBeGreaterThanOrEqual(before);
        expect(sequence - before).toBeLessThanOrEqual(5);
      }
      last.set(world.table.lane(row), sequence);
    }
    expect(last.size).toBe(LANES.length);
  });

  test('networks and providers share sequence numbers', () => {
    const places = new Map<number, Set<number>>();
    for (let row = 0; row < 50_000; row++) {
      const lanes = places.get(world.table.sequence(row)) ?? new Set();
      places.set(world.table.sequence(row), lanes.add(world.table.lane(row)));
    }
    const shared = [...places.values()].filter((lanes) => lanes.size > 1);
    expect(shared.length).toBeGreaterThan(1000);
    const onOneNetwork = shared.some((lanes) => {
      const networks = [...lanes].map((lane) => LANES[lane]?.network);
      return new Set(networks).size < networks.length;
    });
    expect(onOneNetwork).toBe(true);
  });

  test('a few reorganisation twins repeat a stuck request', () => {
    const seen = new Map<string, number[]>();
    for (let row = 0; row < 50_000; row++) {
      const key = `${world.table.lane(row)}/${world.table.sequence(row)}`;
      seen.set(key, [...(seen.get(key) ?? []), row]);
    }
    const twins = [...seen.values()].filter((rows) => rows.length > 1);
    expect(twins.length).toBeGreaterThan(0);
    for (const [first = 0, second = 0] of twins) {
      expect(world.table.outcome(first)).toBe(OUTCOME.never);
      expect(world.table.sender(second)).toBe(world.table.sender(first));
      expect(world.requestHash(world.identityOf(second))).not.toBe(
        world.requestHash(world.identityOf(first)),
      );
    }
  });

  test('there are heavy and rare senders', () => {
    const bySender = new Map<number, number>();
    for (let row = 0; row < 50_000; row++) {
      const sender = world.table.sender(row);
      bySender.set(sender, (bySender.get(sender) ?? 0) + 1);
    }
    const sizes = [...bySender.values()].sort((a, b) => b - a);
    expect(sizes[0]).toBeGreaterThan(1000);
    expect(sizes.filter((size) => size === 1).length).toBeGreaterThan(3000);
  });

  test('a batch shares its request transaction', () => {
    const rows = new Map<string, number>();
    for (let row = 45_000; row < 50_000; row++) {
      const hash = world.requestHash(world.identityOf(row));
      rows.set(hash, (rows.get(hash) ?? 0) + 1);
    }
    const batches = [...rows.entries()].filter(([, count]) => count > 1);
    expect(batches.length).toBeGreaterThan(3);
    for (const [hash, count] of batches) {
      expect(world.rowsOfTransaction(hash).length).toBeGreaterThanOrEqual(count);
    }
  });
});

describe('the same seed', () => {
  test('gives the same rows, another seed other ones', () => {
    const [one, same, other] = [1, 1, 2].map((seed) => texts(new LogWorld(seed, 800, START)));
    expect(same).toEqual(one);
    expect(one?.filter((text) => other?.includes(text))).toEqual([]);
  });

  test('gives the same past to a sandbox that is started an hour later', () => {
    const early = texts(new LogWorld(1, 3000, START));
    const late = texts(new LogWorld(1, 3000, START + HOUR));
    const shared = late.filter((text) => early.includes(text));
    expect(shared.length).toBeGreaterThan(2900);
  });

  test('gives the same live rows after the same time', () => {
    const [one, same] = [0, 0].map(() => {
      const world = new LogWorld(1, 100, START);
      return world;
    });
    one?.moveTo(START + HOUR);
    for (let minute = 1; minute <= 60; minute++) same?.moveTo(START + minute * 60_000);
    expect(one && texts(one)).toEqual(same && texts(same));
  });
});

describe('time', () => {
  test('live rows arrive about every 2 s, on both keepers', () => {
    const world = new LogWorld(1, 100, START);
    world.moveTo(START + 600_000);
    expect(world.table.length).toBe(400);
    for (const keeper of ['main', 'test'] as const) {
      expect(world.index.page({ keeper, minMs: START }, 0, 1000).total).toBeGreaterThan(50);
    }
  });

  test('a pending row finishes, and its last update is the time of that', () => {
    const world = new LogWorld(1, 100, START);
    world.moveTo(START + 60_000);
    const row = pendingRow(world);
    const before = JSON.parse(rowText(world.mixer, world.wireRow(row), 'text')) as Record<string, unknown>;
    expect([before.state, before.last_updated_at]).toEqual([{ state: 'pending' }, before.created_at]);
    world.moveTo(world.table.finishAt(row));
    const after = JSON.parse(rowText(world.mixer, world.wireRow(row), 'text')) as Record<string, unknown>;
    expect(after.state).not.toEqual({ state: 'pending' });
    expect(after.last_updated_at).toBe(new Date(world.table.finishAt(row)).toISOString());
    expect(after.created_at).toBe(before.created_at);
  });

  test('all rows but the stuck ones are finished some hours later', () => {
    const world = new LogWorld(1, 2000, START);
    world.moveTo(START + HOUR);
    const newest = world.table.length;
    world.moveTo(START + 4 * HOUR);
    for (let row = 0; row < newest; row++) {
      const isStuck = world.table.outcome(row) === OUTCOME.never;
      expect(world.table.state(row) === STATE.pending).toBe(isStuck);
    }
  });

  test('a failed row can become completed later', () => {
    const world = new LogWorld(1, 0, START);
    world.moveTo(START + 6 * HOUR);
    let row = 0;
    while (world.table.outcome(row) !== OUTCOME.failedThenCompleted) row += 1;
    world.moveTo(world.table.finishAt(row));
    expect(world.table.state(row)).toBe(STATE.failed);
    expect(rowText(world.mixer, world.wireRow(row), 'text')).toContain('"state":"failed"');
    const later = world.secondFinishMs(row);
    world.moveTo(later - 1);
    expect(world.table.state(row)).toBe(STATE.failed);
    world.moveTo(later);
    expect(world.table.state(row)).toBe(STATE.completed);
    expect(rowText(world.mixer, world.wireRow(row), 'text')).toContain(
      `"last_updated_at":"${new Date(later).toISOString()}"`,
    );
  });

  test('a clock that is set back shows what was there then', () => {
    const world = new LogWorld(1, 500, START);
    const before = texts(world);
    world.moveTo(START + HOUR);
    const later = texts(world);
    world.moveTo(START + 3 * HOUR);
    world.moveTo(START + HOUR);
    expect(texts(world)).toEqual(later);
    world.moveTo(START);
    expect(texts(world)).toEqual(before);
    world.moveTo(START - 40 * 24 * HOUR);
    expect(world.table.length).toBe(500);
    expect(world.table.createdAt(499)).toBeLessThanOrEqual(START - 40 * 24 * HOUR);
  });

  test('after a very long way the past is built anew, so that memory stays bounded', () => {
    const world = new LogWorld(1, 500, START);
    world.moveTo(START + 365 * 24 * HOUR);
    expect(world.table.length).toBe(500);
    expect(START + 365 * 24 * HOUR - world.table.createdAt(0)).toBeLessThan(14 * 24 * HOUR);
  });

  test('no rows and one row are possible', () => {
    for (const records of [0, 1]) {
      const world = new LogWorld(9, records, START);
      expect(world.table.length).toBe(records);
      world.moveTo(START + 10_000);
      expect(world.table.length).toBe(records + 5);
    }
  });
});

test('there are networks enough, with true ids and different names', () => {
  const main = NETWORKS.filter(({ keeper }) => keeper === 'main');
  expect(main.length).toBeGreaterThanOrEqual(9);
  expect(NETWORKS.length - main.length).toBeGreaterThanOrEqual(5);
  expect(new Set(NETWORKS.map(({ networkId }) => networkId)).size).toBe(NETWORKS.length);
  expect(NETWORKS.find(({ chainName }) => chainName === 'base')?.networkId).toBe('8453');
});
