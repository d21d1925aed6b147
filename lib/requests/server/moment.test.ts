import { expect, it } from 'vitest';
import { requestDuration } from '@/lib/core/request-record';
import { formatIsoMillis as isoOf } from '@/lib/core/time';
import { type InsightDeps, replyWithInsights } from '@/lib/insights/server/insights-endpoint';
import { readListing, readSummary } from '@/lib/requests/requests-response';
import { type StuckRowsAt, stuckByAge } from '@/lib/store/queries/insights';
import { type RunningIndex, storedRows } from '@/lib/store/sync/keeper-fixture';
import { eventually, fillKeeper, syncBench } from '@/lib/store/sync/sync-harness';
import { type ExportDeps, replyWithExport } from './export';
import { readExportEnd } from './export-end-fixture';
import { type RequestsDeps, replyWithListing, summaryReply } from './requests-endpoint';

const bench = syncBench();

const exportDeps = ({ store }: RunningIndex): ExportDeps => ({
  store,
  now: () => store.now(),
  networks: async () => [],
  networkNames: async () => new Map(),
  isStillAuthorized: async () => true,
});

const exported = async (index: RunningIndex, query: string) => {
  const request = new Request(`http://x/api/view/requests/export?format=ndjson&${query}`);
  const response = await replyWithExport(request, { deps: exportDeps(index) });
  const text = await response.text();
  const lines = text.trimEnd().split('\n');
  const { meta } = JSON.parse(lines.pop() ?? '') as { meta: { asof: string; readUpTo: string | null } };
  const sequences = new Set(lines.map((line) => (JSON.parse(line) as { sequence: number }).sequence));
  return { meta, lines, sequences, end: readExportEnd('ndjson', text) };
};

const stuckRows: StuckRowsAt = (momentMs) => stuckByAge({ fallback: 60, networks: {} }, momentMs);
const replyWithSummary = summaryReply(stuckRows);

const depsOf = ({ store }: RunningIndex): RequestsDeps & InsightDeps => ({
  store,
  networks: async () => [],
  clocks: () => [],
  queryLogs: async () => ({ ok: true, value: { rows: [], total: undefined } }) as never,
  stuckRows,
});

// Twenty exports take ten seconds, and minutes on a shared machine.
it('has in each of 20 successive exports all rows that the keeper had served before its moment, at 20 rows a second', {
  timeout: 240_000,
}, async () => {
  const { keeper, start } = await bench(4);
  fillKeeper(keeper, 2000, 50);
  const index = await start();
  await index.sync.caughtUp();
  let served = keeper.nowMs();
  const adding = setInterval(() => {
    for (; served + 50 <= keeper.nowMs(); served += 50) keeper.add(served + 50, 'pending');
  }, 2);
  let complete = 0;
  // A machine that stalls for seconds makes some exports incomplete, and they are marked so.
  for (let file = 0; file < 20 || complete < 5; file += 1) {
    const before = keeper.rows.length;
    const syncedMs = index.store.status()[0]?.syncedAtMs ?? 0;
    await eventually(() => expect(keeper.rows.length).toBeGreaterThan(before + 30));
    const { meta, sequences, end } = await exported(index, 'range=10m');
    const momentMs = Date.parse(meta.asof);
    if (end?.complete !== true) continue;
    complete += 1;
    expect(Date.parse(meta.readUpTo ?? '')).toBeGreaterThanOrEqual(momentMs);
    expect(syncedMs - momentMs).toBeLessThan(60_000);
    const lacking = keeper.rows.filter(
      ({ createdMs, sequence }) => createdMs < momentMs && !sequences.has(sequence),
    );
    expect(lacking.length).toBe(0);
  }
  clearInterval(adding);
});

it('uses one moment for a page, its counts and its link: that up to which the keeper was read', async () => {
  const { keeper, start } = await bench(20);
  fillKeeper(keeper, 300, 1000);
  const index = await start();
  await index.sync.caughtUp();
  const deps = depsOf(index);
  keeper.add(keeper.nowMs(), 'pending');
  const textOf = async (reply: Promise<Response>) => (await reply).text();
  const url = 'http://x/api/view/requests?range=1h';
  const listing = async () => readListing(await textOf(replyWithListing(new Request(url), deps)));
  // The moment of a view follows the write of a row.
  await eventually(async () => expect(await listing()).toMatchObject({ value: { total: '301' } }));
  const page = await listing();
  const summary = readSummary(
    await textOf(replyWithSummary(new Request('http://x/api/view/requests/summary?range=1h'), deps)),
  );
  if (!page.ok || !summary.ok) throw new Error('no answer');
  const { asof, total, index: statuses } = page.value;
  expect(total).toBe('301');
  expect(statuses[0]?.syncedAtMs).toBeGreaterThanOrEqual(Date.parse(asof));
  expect(summary.value.total).toBe(301);
  keeper.add(keeper.nowMs(), 'pending');
  await eventually(async () => expect(await listing()).toMatchObject({ value: { total: '302' } }));
  const pinned = readListing(await textOf(replyWithListing(new Request(`${url}&asof=${asof}`), deps)));
  expect(pinned.ok && pinned.value.total).toBe('301');
});

it('calls no export complete whose time range includes the moment at which a keeper lost its rows', async () => {
  const { keeper, start } = await bench(50);
  fillKeeper(keeper, 2000, 1000);
  const index = await start();
  await index.sync.caughtUp();
  const beforeMs = keeper.nowMs() - 60_000;
  keeper.rows = [];
  await eventually(() => expect(index.store.status()[0]?.lost).not.toBeNull());
  await eventually(() => expect(index.store.status()[0]?.gone).toBeGreaterThan(1500));
  const { end, sequences } = await exported(index, 'range=24h');
  const { fromMs, sinceMs } = index.store.status()[0]?.lost ?? { fromMs: 0, sinceMs: 0 };
  expect(end).toMatchObject({
    complete: false,
    problem: `Keeper main lost its rows: requests that it took between ${isoOf(fromMs)} and ${isoOf(sinceMs)} may be missing.`,
  });
  expect(sequences.size).toBe(2000);
  const earlier = await exported(index, `to=${new Date(beforeMs).toISOString()}`);
  expect(earlier.end).toMatchObject({ complete: true });
});

it('marks no export complete whose rows vanished from the index before they were read again', async () => {
  const { keeper, start } = await bench(5);
  fillKeeper(keeper, 2000, 1000);
  const index = await start();
  await index.sync.caughtUp();
  await index.store.engine.write((session) => session.run('delete from requests where sequence % 2 = 0'));
  keeper.add(keeper.nowMs());
  await eventually(() => expect(index.store.status()[0]?.vanished).not.toBeNull());
  expect((await exported(index, 'range=1h')).end).toMatchObject({ complete: false });
  await eventually(() => expect(index.store.status()[0]).toMatchObject({ vanished: null, rows: 2001 }));
  const { end, sequences } = await exported(index, 'range=1h');
  expect(end).toMatchObject({ complete: true });
  expect(sequences.size).toBe(2001);
});

it('reports the number and time of missing rows if the keeper no longer serves the vanished ones', async () => {
  const { keeper, start } = await bench(5);
  fillKeeper(keeper, 2000, 1000);
  const index = await start();
  await index.sync.caughtUp();
  keeper.rows = keeper.rows.filter(({ sequence }) => sequence % 4 !== 0);
  await index.store.engine.write((session) => session.run('delete from requests where sequence % 4 = 0'));
  keeper.add(keeper.nowMs());
  await eventually(() =>
    expect(index.store.status()[0]).toMatchObject({ vanished: { left: 500 }, history: null }),
  );
  const { end, sequences } = await exported(index, 'range=1h');
  const { sinceMs = 0 } = index.store.status()[0]?.vanished ?? {};
  expect(end).toMatchObject({
    complete: false,
    problem: `500 requests of keeper main, created before ${isoOf(sinceMs)}, vanished from the index and are no longer served: those of this view are missing.`,
  });
  expect(sequences.size).toBe(1501);
  const later = await exported(index, `from=${isoOf(sinceMs + 1)}`);
  expect(later.end).toMatchObject({ complete: true });
});

it('calls no export complete whose rows vanished from the index and are no longer served', async () => {
  const { keeper, start } = await bench(50);
  fillKeeper(keeper, 2000, 1000);
  const index = await start();
  await index.sync.caughtUp();
  const oldest = Number(keeper.rows[0]?.sequence);
  keeper.rows.splice(0, 200);
  await index.store.engine.write((session) =>
    session.run(`delete from requests where sequence < ${oldest + 500}`),
  );
  keeper.add(keeper.nowMs());
  await eventually(() =>
    expect(index.store.status()[0]).toMatchObject({ vanished: { left: 200 }, coversAll: true, rows: 1801 }),
  );
  expect((await exported(index, 'range=24h')).end).toMatchObject({ complete: false, problem: /vanished/ });
});

it('shows the first finish of a row everywhere, beside the present time of its keeper', async () => {
  const { keeper, start } = await bench(100);
  const createdMs = keeper.nowMs() - 5000;
  const row = keeper.add(createdMs, 'completed', { updatedMs: createdMs + 9800 });
  const index = await start();
  await index.sync.caughtUp();
  row.updatedMs = createdMs + 318_000;
  const updatedUs = async () =>
    (await index.store.engine.all<{ us: number }>('select updated_us as us from requests'))[0]?.us;
  await eventually(async () => expect(await updatedUs()).toBe((createdMs + 318_000) * 1000));
  const url = 'http://x/api/view/requests?range=all';
  const page = readListing(await (await replyWithListing(new Request(url), depsOf(index))).text());
  const [listed] = page.ok ? page.value.rows : [];
  if (listed?.kind !== 'record') throw new Error('no row');
  expect(requestDuration(listed, 0)).toEqual({ kind: 'duration', ms: 9800 });
  expect(listed.updatedAt?.ms).toBe(createdMs + 318_000);
  const csv = await replyWithExport(
    new Request('http://x/api/view/requests/export?format=csv&range=all&cols=duration,updated'),
    { deps: exportDeps(index) },
  );
  const [headers = '', cells = ''] = (await csv.text()).split('\n');
  expect(headers).toContain('duration_ms');
  expect(cells.split(',')).toContain('9800');
  const { lines } = await exported(index, 'range=all');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    first_finished_at: new Date(createdMs + 9800).toISOString(),
    last_updated_at: new Date(createdMs + 318_000).toISOString(),
  });
});

it('does not count a finish with fewer digits as a later one, and keeps the finish of a row that lost it', async () => {
  const { keeper, start } = await bench(100);
  const createdMs = keeper.nowMs() - 50_000;
  for (const at of [0, 1]) keeper.add(createdMs + at, 'completed', { updatedMs: createdMs + 9800 });
  const index = await start();
  await index.sync.caughtUp();
  await index.store.engine.write((session) =>
    session.run(`update requests set duration_us = duration_us + 456,
      updated_us = case when created_us = ${createdMs * 1000} then updated_us end`),
  );
  const { lines } = await exported(index, 'range=all');
  const finishes = lines.flatMap(
    (line) => (JSON.parse(line) as { first_finished_at?: string }).first_finished_at ?? [],
  );
  expect(finishes).toEqual([`${new Date(createdMs + 9800).toISOString().slice(0, -1)}456Z`]);
});

it('reports no count before the first read of a keeper, and 0 after it if there are no rows', async () => {
  const { keeper, start } = await bench(50);
  let answer: (() => void) | undefined;
  keeper.instead = (response) => {
    if (answer !== undefined) return false;
    answer = () => response.end('{"requests":[],"total_results":0}');
    return true;
  };
  const index = await start();
  await eventually(() => expect(answer).toBeDefined());
  const deps = depsOf(index);
  const jsonOf = async (reply: Promise<Response>) => (await (await reply).json()) as object;
  const listing = () => jsonOf(replyWithListing(new Request('http://x/api/view/requests?range=24h'), deps));
  const summary = () =>
    jsonOf(replyWithSummary(new Request('http://x/api/view/requests/summary?range=24h'), deps));
  const insights = () => jsonOf(replyWithInsights(new Request('http://x/api/view/insights?range=24h'), deps));
  for (const counts of [listing, summary]) {
    expect(await counts()).toMatchObject({ counting: true });
    expect(await counts()).not.toHaveProperty('total');
  }
  expect(await insights()).toMatchObject({ counting: true });
  expect(await insights()).not.toHaveProperty('figures');
  const { revision } = index.store;
  answer?.();
  await eventually(() => expect(index.store.revision).toBeGreaterThan(revision));
  expect(await listing()).toMatchObject({ total: '0' });
  expect(await summary()).toMatchObject({ total: 0 });
  expect(await insights()).toMatchObject({ figures: { now: { requests: 0 } } });
});

const STEP_MS = 2000;

it('counts ranges back from now after our clock was an hour ahead, and shows rows read meanwhile', async () => {
  const { keeper, start } = await bench(4);
  fillKeeper(keeper, 700, 10_000);
  let aheadMs = 3_600_000;
  const index = await start({ nowMs: () => keeper.nowMs() + aheadMs });
  await index.sync.caughtUp();
  keeper.add(keeper.nowMs());
  await eventually(async () => expect((await storedRows(index)).size).toBe(701));
  aheadMs = 0;
  await eventually(() =>
    expect(index.store.status()[0]?.syncedAtMs ?? Infinity).toBeLessThanOrEqual(keeper.nowMs()),
  );
  // The hour of an answer ends after the last read before it, not after its arrival.
  const countSince = (ms: number) =>
    keeper.rows.filter(({ createdMs }) => createdMs >= ms - 3_600_000 - STEP_MS).length;
  const readMs = index.store.status()[0]?.syncedAtMs ?? 0;
  const isOfHour = (count: number) =>
    expect(count >= countSince(keeper.nowMs() + 2 * STEP_MS) && count <= countSince(readMs)).toBe(true);
  const { sequences, end } = await exported(index, 'range=1h');
  expect(end).toMatchObject({ complete: true });
  isOfHour(sequences.size);
  expect(sequences.size).toBeGreaterThan(100);
  expect(sequences.has(701)).toBe(true);
  const answer = await replyWithInsights(
    new Request('http://x/api/view/insights?range=1h&panel=figures'),
    depsOf(index),
  );
  const { figures } = (await answer.json()) as { figures: { now: { requests: number } } };
  isOfHour(figures.now.requests);
});
