import { expect, it } from 'vitest';
import { ok } from '@/lib/domain/outcome';
import { createLogSource, type LogSource } from '@/lib/server/explorer/log-source';
import type { CallPriority } from '@/lib/upstream/call-budget';
import { ManualTimers } from '@/lib/upstream/manual-timers';
import { Asking } from './asking';
import { type PendingRows, walkPending } from './pending-walk';
import { FAILING, FakeLog, type FakeRequest, requests, START_MS, settle } from './triage-fakes';

const LARGE = 'x'.repeat(30_000);

function walk(log: FakeLog, onPage?: (found: PendingRows) => void) {
  return walkOf(createLogSource(log.keeper, log.client), onPage);
}

async function walkOf(source: LogSource, onPage?: (found: PendingRows) => void) {
  const timers = new ManualTimers();
  const priority: CallPriority = 'background';
  const asking = new Asking({ priority, timers, isWanted: () => true }, 'test');
  return settle(walkPending(source, asking, onPage), timers);
}

const pending = (count: number, everyMs = 40) => requests('8453', count, START_MS, everyMs);
const numbers = (found: PendingRows) =>
  found.rows.map(({ sequence }) => Number(sequence)).sort((a, b) => a - b);
const all = (rows: readonly FakeRequest[]) => rows.map(({ sequence }) => sequence).sort((a, b) => a - b);

function hiddenOf(found: PendingRows, expected: readonly number[]): number[] {
  const seen = new Set(numbers(found));
  return expected.filter((sequence) => !seen.has(sequence));
}

it.each([
  [0, 1],
  [1000, 1],
  [1001, 2],
  [10_000, 11],
])('sees %d pending requests, each once, with %d calls at most', async (count, calls) => {
  const log = new FakeLog('main', pending(count));
  const { found, failure } = await walk(log);
  expect(failure).toBeUndefined();
  expect(found).toMatchObject({ missing: 0, unreadable: 0 });
  expect(numbers(found)).toEqual(all(log.rows));
  expect(log.calls.length).toBeLessThanOrEqual(calls);
});

it('ends where the rows are so large that they would fill the memory', async () => {
  const log = new FakeLog('main', pending(100_000));
  const source = createLogSource(log.keeper, log.client);
  const page: typeof source.page = async (...asked) => {
    const found = await source.page(...asked);
    if (!found.ok) return found;
    return ok({ ...found.value, rows: found.value.rows.map((row) => ({ ...row, rawJson: LARGE })) });
  };
  const { found, failure } = await walkOf({ ...source, page });
  expect(failure).toMatchObject({ kind: 'too-many' });
  expect(found.rows.length).toBeLessThanOrEqual(80_000_000 / LARGE.length + 1000);
  expect(found.missing).toBeGreaterThan(90_000);
});

it('sees the oldest before those between them and the newest', async () => {
  const seen: PendingRows[] = [];
  await walk(new FakeLog('main', pending(5000)), (found) => seen.push(found));
  expect(numbers(seen[0] as PendingRows)[0]).toBe(4000);
  expect(numbers(seen[1] as PendingRows)[0]).toBe(0);
  expect(seen.map(({ missing }) => missing)).toEqual(
    seen.map(({ missing }) => missing).toSorted((a, b) => b - a),
  );
});

it.each([
  ['from the newest on', (log: FakeLog) => log.rows.splice(-150)],
  ['from the oldest on', (log: FakeLog) => log.rows.splice(0, 150)],
  [
    'here and there',
    (log: FakeLog) => {
      log.rows = log.rows.filter(({ sequence }) => sequence % 17 !== 3);
    },
  ],
])('rows that leave %s between the calls hide none and double none', async (_, leave) => {
  const log = new FakeLog('main', pending(8000));
  log.beforeAnswer = (call) => {
    if (call > 1) leave(log);
  };
  const { found, failure } = await walk(log);
  expect(failure).toBeUndefined();
  expect(found.missing).toBe(0);
  const seen = numbers(found);
  expect(new Set(seen).size).toBe(seen.length);
  expect(hiddenOf(found, all(log.rows))).toEqual([]);
});

it('rows that come meanwhile hide none of those that were there', async () => {
  const log = new FakeLog('main', pending(6000));
  const before = all(log.rows);
  log.beforeAnswer = (call) => {
    const createdMs = START_MS + call;
    for (let more = 0; more < 300; more += 1) {
      log.rows.push({ networkId: '8453', sequence: 100_000 + call * 1000 + more, createdMs });
    }
  };
  expect(hiddenOf((await walk(log)).found, before)).toEqual([]);
});

it('thousands of rows of the same moment end the walk as well', async () => {
  const log = new FakeLog('main', [...pending(500), ...requests('1', 4500, START_MS - 60_000, 0)]);
  const { found } = await walk(log);
  expect(found.rows).toHaveLength(5000);
  expect(found.missing).toBe(0);
});

it('rows that can’t be read are counted once', async () => {
  const odd = { networkId: '1', createdMs: START_MS + 1, unreadable: true } as const;
  const log = new FakeLog('main', [
    ...pending(3000),
    { ...odd, sequence: 70_000 },
    { ...odd, sequence: 70_001 },
  ]);
  expect((await walk(log)).found).toMatchObject({ missing: 0, unreadable: 2 });
});

it('a failure in the middle leaves what was seen, and how much is missing', async () => {
  const log = new FakeLog('main', pending(10_000));
  log.fault = (_, call) => (call >= 5 ? FAILING : undefined);
  const { found, failure } = await walk(log);
  expect(failure).toEqual(FAILING);
  expect(found.rows).toHaveLength(found.rows.length);
  expect(found.rows.length + found.missing).toBeGreaterThanOrEqual(10_000);
  expect(found.rows.length + found.missing).toBeLessThan(10_010);
  expect(numbers(found)[0]).toBe(0);
});

it('a call that fails by chance is made once more', async () => {
  const log = new FakeLog('main', pending(4000));
  log.fault = (_, call) => (call % 3 === 0 ? FAILING : undefined);
  expect(await walk(log)).toMatchObject({ found: { missing: 0 } });
});
