import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { readPage, rowText } from '@/lib/core/log-row-fixture';
import { failureGroup } from '@/lib/core/request-failure';
import { stateWord } from '@/lib/core/request-record';
import { type Insights, PANELS, readInsights } from '@/lib/insights/insights-response';
import type { ListedRecord } from '@/lib/requests/requests-response';
import {
  addRows,
  emptyLog,
  NOW_MS,
  type SampleLog,
  sampleRow,
  seededRandom,
} from '@/lib/requests/server/sample-log-fixture';
import { IndexUnavailableError } from '@/lib/store/engine';
import { stuckByAge } from '@/lib/store/queries/insights';
import type { IndexStore } from '@/lib/store/store';
import { type InsightDeps, replyWithInsights } from './insights-endpoint';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const COUNT = 2000;

const open: SampleLog[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ store }) => store.close()));
});

/** Sixty days of rows, most of them late; nearly all of `main`. */
async function filledLog(): Promise<SampleLog> {
  const log = await emptyLog();
  open.push(log);
  const roll = seededRandom(11);
  const rows = Array.from({ length: COUNT }, (_, index) =>
    sampleRow(roll, index + 1, NOW_MS - Math.floor((index / COUNT) ** 3 * 60 * DAY) - 1000),
  );
  await addRows(log, 'main', rows.slice(0, 1800), 'history');
  await addRows(log, 'test', rows.slice(1800), 'history');
  for (const keeper of ['main', 'test']) {
    log.store.report(keeper, { state: 'live', syncedAtMs: log.store.now(), coversAll: true });
  }
  return log;
}

/** Keepers that were read but have no rows. */
async function readLog(): Promise<SampleLog> {
  const log = await emptyLog();
  open.push(log);
  for (const keeper of ['main', 'test']) log.store.report(keeper, { syncedAtMs: log.store.now() });
  return log;
}

const iso = (ms: number) => new Date(ms).toISOString();
const depsOf = (store: IndexStore): InsightDeps => ({
  store,
  stuckRows: (momentMs) => stuckByAge({ fallback: 3600, networks: { '1': 7 * 86_400 } }, momentMs),
});
const get = ({ store }: SampleLog, query: string, headers = {}) =>
  replyWithInsights(new Request(`http://x/api/view/insights?${query}`, { headers }), depsOf(store));

async function insights(log: SampleLog, query: string): Promise<Insights> {
  const response = await get(log, query);
  expect(response.status).toBe(200);
  const text = await response.text();
  const answer = readInsights(text);
  if (!answer.ok) throw new Error(answer.failure.detail);
  expect(answer.value).toEqual(JSON.parse(text));
  return answer.value;
}

const inState = (rows: readonly ListedRecord[], ...states: string[]) =>
  rows.filter((row) => states.includes(stateWord(row.state)));
const counts = (rows: readonly ListedRecord[]) => ({
  requests: rows.length,
  completed: inState(rows, 'completed').length,
  callbackFailed: inState(rows, 'callback-failed').length,
  failed: inState(rows, 'failed').length,
  pending: inState(rows, 'pending').length,
});
const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);

let shared: SampleLog;
beforeAll(async () => {
  shared = await filledLog();
  open.splice(0);
});
afterAll(() => shared.store.close());

describe.each([
  ['1h', ''],
  ['24h', ''],
  ['30d', ''],
  ['7d', 'keeper=main&network=8453&network=1'],
  ['24h', 'keeper=test'],
  ['24h', `from=${iso(NOW_MS - 50 * HOUR)}&to=${iso(NOW_MS - 20 * HOUR)}`],
])('over %s %s', (range, scope) => {
  it('every figure equals a count from the rows', async () => {
    const log = shared;
    const answer = await insights(log, `range=${range}&${scope}`);
    const { startMs, endMs, figures, networks, failures, senders, buckets, covered } = answer;
    const params = new URLSearchParams(scope);
    expect(answer.range).toBe(params.has('from') ? null : range);
    const isOf = (name: string, value: string) => !params.has(name) || params.getAll(name).includes(value);
    const all = log.records.filter((row) => isOf('keeper', row.keeper) && isOf('network', row.networkId));
    const isIn = ({ createdAt }: ListedRecord) =>
      createdAt.ms >= startMs && (createdAt.ms <= endMs || !params.has('to'));
    const rows = all.filter(isIn);
    const lengthMs = endMs - startMs;
    const before = all.filter(
      ({ createdAt }) => createdAt.ms < startMs && createdAt.ms >= startMs - lengthMs,
    );
    expect(covered).toEqual({ span: true, before: true, week: true });
    expect(figures?.now).toMatchObject(counts(rows));
    expect(figures?.before).toMatchObject(counts(before));
    const pending = inState(all, 'pending');
    const stuck = pending.filter(
      ({ networkId, createdAt }) =>
        createdAt.ms <= Date.parse(answer.asof) - (networkId === '1' ? 7 * DAY : HOUR) &&
        // Older requests are parked.
        createdAt.ms >= Date.parse(answer.asof) - DAY,
    );
    expect(figures?.pending).toMatchObject({ pending: pending.length, stuck: stuck.length });
    expect(figures?.pendingOverTime.at(-1)).toBe(pending.length);
    expect(figures?.overTime).toHaveLength(buckets.count);
    expect(sum(figures?.overTime.map(({ requests }) => requests) ?? [])).toBe(rows.length);

    const shown = networks?.filter(({ now }) => now.requests > 0) ?? [];
    const keys = new Set(rows.map(({ keeper, networkId }) => `${keeper} ${networkId}`));
    expect(new Set(shown.map(({ keeper, networkId }) => `${keeper} ${networkId}`))).toEqual(keys);
    for (const { keeper, networkId, now, overTime, ...network } of shown) {
      const countsOf = (some: readonly ListedRecord[]) =>
        some.filter((row) => row.keeper === keeper && row.networkId === networkId);
      expect(now).toMatchObject(counts(countsOf(rows)));
      expect(network.before).toMatchObject(counts(countsOf(before)));
      expect(network.pending).toMatchObject({
        pending: countsOf(pending).length,
        stuck: countsOf(stuck).length,
      });
      expect(sum(overTime)).toBe(now.requests);
      expect(Math.floor(network.lastUs / 1000)).toBe(
        Math.max(...countsOf(all).map(({ createdAt }) => createdAt.ms)),
      );
    }

    const failed = rows.filter((row) => failureGroup(row) !== undefined);
    expect(failures).toMatchObject({ rows: failed.length, others: { groups: 0, rows: 0 } });
    expect(new Set(failures?.groups.map(({ group }) => group))).toEqual(new Set(failed.map(failureGroup)));
    const week = all.filter(({ createdAt }) => createdAt.ms < startMs && createdAt.ms >= startMs - 7 * DAY);
    for (const { group, isNew } of failures?.groups ?? [])
      expect(isNew).toBe(!week.some((row) => failureGroup(row) === group));

    const sent = rows.filter(({ sender }) => sender !== undefined);
    expect(senders?.count).toBe(new Set(sent.map(({ sender }) => sender?.toLowerCase())).size);
  });
});

describe('a view', () => {
  it('is computed once in ten seconds, however fast rows arrive', async () => {
    const log = await filledLog();
    const first = await get(log, 'range=1h');
    const text = await first.text();
    const roll = seededRandom(3);
    await addRows(log, 'main', [sampleRow(roll, 9_000_001, NOW_MS - 500)], 'new');
    log.pass(9999);
    expect(await (await get(log, 'range=1h')).text()).toBe(text);
    const etag = first.headers.get('etag') ?? '';
    const again = await get(log, 'range=1h', { 'if-none-match': `"other", ${etag}` });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    log.pass(1);
    const later = await get(log, 'range=1h', { 'if-none-match': etag });
    expect(later.status).toBe(200);
    expect(await later.text()).not.toBe(text);
  });

  it('has the same moment in every panel', async () => {
    const log = await filledLog();
    const whole = await insights(log, 'range=6h');
    await addRows(log, 'main', [sampleRow(seededRandom(3), 9_000_001, NOW_MS - 500)], 'new');
    for (const panel of PANELS) {
      const alone = await insights(log, `panel=${panel}&range=6h`);
      expect(alone[panel]).toEqual(whole[panel]);
      expect(PANELS.filter((name) => alone[name] !== undefined)).toEqual([panel]);
      expect([alone.asof, alone.revision]).toEqual([whole.asof, whole.revision]);
    }
    const etags = await Promise.all(
      ['panel=figures', 'panel=senders', ''].map(async (query) =>
        (await get(log, query)).headers.get('etag'),
      ),
    );
    expect(new Set(etags).size).toBe(3);
  });

  it('is not whole, and compared with nothing, while one of its keepers was not read up to its end', async () => {
    const log = await filledLog();
    log.store.report('test', { state: 'failing', syncedAtMs: NOW_MS - 3 * HOUR });
    const answer = await insights(log, 'range=24h');
    expect(answer.covered).toEqual({ span: false, before: false, week: true });
    expect(answer.figures).toMatchObject({ before: null, pendingAtStart: null });
    expect((await insights(log, 'range=1h')).covered.week).toBe(false);
    const earlier = `from=${iso(NOW_MS - 9 * HOUR)}&to=${iso(NOW_MS - 4 * HOUR)}`;
    for (const query of [earlier, 'range=24h&keeper=main'])
      expect((await insights(log, query)).covered).toEqual({ span: true, before: true, week: true });
  });

  it('has no comparison while the index does not reach far enough back', async () => {
    const log = await filledLog();
    log.store.report('main', { coversAll: false, coveredFromMs: NOW_MS - 30 * HOUR });
    const answer = await insights(log, 'range=24h');
    expect(answer.covered).toEqual({ span: true, before: false, week: false });
    expect(answer.figures).toMatchObject({ before: null, pendingAtStart: null });
    expect(answer.networks?.every(({ before }) => before === null)).toBe(true);
    expect(answer.failures?.groups.every(({ isNew }) => isNew === null)).toBe(true);
    expect((await insights(log, 'range=24h&keeper=test')).covered.week).toBe(true);
  });

  it('calls no failure new that is only in logs that began within the days compared', async () => {
    const log = await readLog();
    const roll = seededRandom(11);
    const rows = Array.from({ length: 60 }, (_, index) =>
      sampleRow(roll, index + 1, NOW_MS - index * 60_000 - 1000),
    );
    await addRows(log, 'main', rows, 'history');
    const newness = async (range: string, mainBeginsMs: number) => {
      const old = { coversAll: true, coveredFromMs: NOW_MS - 60 * DAY };
      log.store.report('test', { ...old, state: 'live', syncedAtMs: NOW_MS });
      log.store.report('main', { ...old, state: 'live', syncedAtMs: NOW_MS, coveredFromMs: mainBeginsMs });
      return new Set((await insights(log, `range=${range}`)).failures?.groups.map(({ isNew }) => isNew));
    };
    expect(await newness('24h', NOW_MS - 3 * HOUR)).toEqual(new Set([null]));
    expect(await newness('1h', NOW_MS - 8 * DAY)).toEqual(new Set([true]));
  });

  it('names the start of the log, and ends now if its span has not ended', async () => {
    const log = await filledLog();
    const oldest = Math.min(...log.records.map(({ createdAt }) => createdAt.ms));
    log.store.report('main', { coversAll: true, coveredFromMs: oldest });
    log.store.report('test', { coversAll: true, coveredFromMs: NOW_MS - 30 * HOUR });
    expect((await insights(log, 'range=24h')).logBeginsMs).toBe(NOW_MS - 30 * HOUR);
    expect((await insights(log, 'keeper=main')).logBeginsMs).toBe(oldest);
    log.store.report('test', { coversAll: false });
    expect((await insights(log, 'range=1h&keeper=test')).logBeginsMs).toBeNull();
    const running = await insights(log, `from=${iso(NOW_MS - 5 * HOUR)}&to=${iso(NOW_MS + 50 * HOUR)}`);
    expect(running).toMatchObject({ startMs: NOW_MS - 5 * HOUR, endMs: NOW_MS });
    expect(running.figures?.now.requests).toBe(
      (await insights(log, `from=${iso(NOW_MS - 5 * HOUR)}&to=${iso(NOW_MS)}`)).figures?.now.requests,
    );
    const future = await insights(log, `from=${iso(NOW_MS + HOUR)}&to=${iso(NOW_MS + 2 * HOUR)}`);
    expect(future).toMatchObject({ endMs: NOW_MS + 2 * HOUR, covered: { span: false } });
  });

  it('reports possibly missing pending requests until the keeper was queried for them or its history is read', async () => {
    const unreadAfter = async (change: Parameters<IndexStore['report']>[1]) => {
      const log = await filledLog();
      log.store.report('main', { pendingAtMs: null, coversAll: false, ...change });
      return (await insights(log, 'range=24h&keeper=main')).pendingUnread;
    };
    expect(await unreadAfter({})).toBe(true);
    expect(await unreadAfter({ pendingAtMs: NOW_MS })).toBeUndefined();
    expect(await unreadAfter({ coversAll: true })).toBeUndefined();
  });

  it('of an empty index has empty figures', async () => {
    const log = await readLog();
    const answer = await insights(log, '');
    expect(answer).toMatchObject({
      range: '24h',
      covered: { span: false, before: false, week: false },
      figures: { now: { requests: 0, p95Us: null }, before: null, pending: { pending: 0, oldestUs: null } },
      networks: [],
      failures: { groups: [], rows: 0 },
      senders: { count: 0, byRequests: [], byFailures: [] },
    });
  });

  it('leaves out rows that were seen after its moment', async () => {
    const log = await filledLog();
    const { asof } = await insights(log, 'range=1h&panel=figures');
    const recent = log.records.filter(({ createdAt }) => createdAt.ms >= Date.parse(asof) - HOUR);
    await addRows(log, 'main', [sampleRow(seededRandom(3), 9_000_001, NOW_MS - 500)], 'new');
    const { networks } = await insights(log, 'range=1h&panel=networks');
    expect(sum(networks?.map(({ now }) => now.requests) ?? [])).toBe(recent.length);
  });
});

it('gets a time to retry if too many views are requested at once', async () => {
  const log = await readLog();
  const replies = await Promise.all(Array.from({ length: 15 }, (_, index) => get(log, `network=${index}`)));
  expect(replies.map(({ status }) => status)).toEqual([...Array(10).fill(200), ...Array(5).fill(429)]);
  expect(replies.at(-1)?.headers.get('retry-after')).toBe('2');
  expect((await get(log, 'network=14')).status).toBe(200);
});

describe('unreadable input is refused', () => {
  it.each([
    ['range=2h', 'range: A range is one of 1h, 6h, 24h, 7d, 30d.'],
    ['network=base', 'network: A network is its id, decimal digits; 100 at most.'],
    ['keeper=none', 'keeper must be one of main, test.'],
    ['panel=weather', 'panel must be one of figures, networks, failures, senders.'],
    ['rnage=1h', 'rnage: No such parameter.'],
  ])('%s', async (query, detail) => {
    const log = await emptyLog();
    open.push(log);
    const response = await get(log, query);
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await response.json()).toMatchObject({ kind: 'bad-request', detail });
  });

  it('an unreadable index is a failure, and is retried', async () => {
    const log = await readLog();
    open.pop();
    await log.store.close();
    const response = await get(log, '');
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ kind: 'index-unavailable' });
    expect((await get(log, '')).status).toBe(503);
  });
});

it('a slow network is dated by the first slow request, not by the ten minutes in which it came', async () => {
  const log = await emptyLog();
  open.push(log);
  const roll = seededRandom(5);
  const BEGAN_MS = NOW_MS - 45 * 60_000 - 17_000;
  const durationMs = (createdMs: number) =>
    createdMs < BEGAN_MS ? 4000 + roll() * 3000 : 15_000 + roll() * 9000;
  const rows = Array.from({ length: 9 * 24 * 30 }, (_, index) => {
    const createdMs = NOW_MS - 60_000 - index * 120_000;
    return { createdMs, updatedAt: Math.round(createdMs + durationMs(createdMs)) };
  });
  await log.store.ingest(
    1,
    readPage(
      rows.map(({ createdMs, updatedAt }, index) =>
        rowText({
          network_id: '8453',
          sequence: String(index + 1),
          created_at: JSON.stringify(iso(createdMs)),
          last_updated_at: JSON.stringify(iso(updatedAt)),
          request_tx_hash: JSON.stringify(`0x${String(index).padStart(64, '0')}`),
          state: '{"state":"completed","callback_failed":false}',
        }),
      ),
    ).rows,
    'history',
  );
  log.store.report('main', { state: 'live', syncedAtMs: log.store.now(), coversAll: true });
  const { networks = [] } = await insights(log, 'range=24h&panel=networks');
  const slow = networks.flatMap(({ unusual }) => unusual).find(({ kind }) => kind === 'slow');
  const sinceMs = (slow?.sinceUs ?? Number.NaN) / 1000;
  // Requests come every two minutes.
  expect(sinceMs).toBeGreaterThanOrEqual(BEGAN_MS);
  expect(sinceMs).toBeLessThanOrEqual(BEGAN_MS + 120_000);
});

it('a lasting problem keeps its start, however often and whenever it is searched for', async () => {
  const log = await emptyLog();
  open.push(log);
  const roll = seededRandom(21);
  const BEGAN_MS = NOW_MS + 11 * 60_000;
  let createdMs = NOW_MS - 12 * DAY;
  let sequence = 0;
  /** Sixteen requests an hour; one callback in eighty fails, and nearly half of them since the change. */
  const rowsUntil = (untilMs: number) => {
    const texts: string[] = [];
    for (;;) {
      const nextMs = createdMs + (-Math.log(1 - roll()) * HOUR) / 16;
      if (nextMs > untilMs) return readPage(texts).rows;
      createdMs = nextMs;
      sequence += 1;
      const hasFailed = roll() < (createdMs < BEGAN_MS ? 0.0125 : 0.45);
      texts.push(
        rowText({
          network_id: '42161',
          sequence: String(sequence),
          created_at: JSON.stringify(iso(Math.floor(createdMs))),
          last_updated_at: JSON.stringify(iso(Math.floor(createdMs) + 4000)),
          request_tx_hash: JSON.stringify(`0x${String(sequence).padStart(64, '0')}`),
          state: `{"state":"completed","callback_failed":${hasFailed}}`,
        }),
      );
    }
  };
  await log.store.ingest(1, rowsUntil(NOW_MS - 1000), 'history');
  const starts: (number | null)[] = [];
  for (let look = 0; look < 50; look += 1) {
    log.pass(170_000);
    await log.store.ingest(1, rowsUntil(log.store.now() - 5000), 'new');
    log.store.report('main', { state: 'live', syncedAtMs: log.store.now(), coversAll: true });
    const { networks = [] } = await insights(log, 'range=24h&panel=networks');
    const anomaly = networks
      .flatMap(({ unusual }) => unusual)
      .find(({ kind }) => kind === 'callbacks-failing');
    if (anomaly !== undefined) starts.push(anomaly.sinceUs === null ? null : anomaly.sinceUs / 1000);
  }
  expect(starts.length).toBeGreaterThan(20);
  expect([...new Set(starts)]).toEqual([expect.any(Number)]);
  expect(starts[0]).toBeGreaterThanOrEqual(BEGAN_MS);
  expect(starts[0]).toBeLessThanOrEqual(BEGAN_MS + 15 * 60_000);
}, 60_000);

it('a network is quiet after seven of its usual intervals', async () => {
  const log = await emptyLog();
  open.push(log);
  // A hundred requests in 24 hours make an interval of 14.4 minutes.
  const rowsOf = (networkId: string, lastMinutesAgo: number) =>
    Array.from({ length: 100 }, (_, index) =>
      rowText({
        network_id: networkId,
        sequence: String(index + 1),
        created_at: JSON.stringify(iso(NOW_MS - (lastMinutesAgo + index) * 60_000)),
        request_tx_hash: JSON.stringify(`0x${String(index).padStart(64, networkId.slice(0, 1))}`),
      }),
    );
  await log.store.ingest(1, readPage([...rowsOf('8453', 101), ...rowsOf('42161', 100)]).rows, 'history');
  log.store.report('main', { state: 'live', syncedAtMs: log.store.now(), coversAll: true });
  const { networks = [] } = await insights(log, 'panel=networks');
  const quiet = networks.map(({ networkId, isQuiet }) => [networkId, isQuiet]);
  expect(Object.fromEntries(quiet)).toEqual({ '42161': false, '8453': true });
});

describe('many networks in trouble at once', () => {
  /** A request per hour for nine days. All of the last hour failed; the first network has the most. */
  async function troubledLog(): Promise<SampleLog> {
    const log = await emptyLog();
    open.push(log);
    let sequence = 0;
    for (let network = 0; network < 30; network += 1) {
      const rowOf = (createdMs: number, state: string) => {
        sequence += 1;
        return rowText({
          network_id: String(1000 + network),
          sequence: String(sequence),
          created_at: JSON.stringify(iso(createdMs)),
          last_updated_at: JSON.stringify(iso(createdMs + 5000)),
          request_tx_hash: JSON.stringify(`0x${String(sequence).padStart(64, '0')}`),
          state,
        });
      };
      const usual = Array.from({ length: 9 * 24 }, (_, index) =>
        rowOf(NOW_MS - 3_660_000 - index * 3_600_000, '{"state":"completed","callback_failed":false}'),
      );
      const failed = Array.from({ length: 60 - network }, (_, index) =>
        rowOf(NOW_MS - 3_000_000 + index * 40_000, '{"state":"failed","reason":"out of gas"}'),
      );
      await log.store.ingest(1, readPage([...usual, ...failed]).rows, 'history');
    }
    log.store.report('main', { state: 'live', syncedAtMs: log.store.now(), coversAll: true });
    return log;
  }
  const failing = ({ networks = [] }: Insights) =>
    networks.flatMap(({ networkId, unusual }) =>
      unusual.flatMap((anomaly) => (anomaly.kind === 'failing' ? [{ networkId, ...anomaly }] : [])),
    );

  it('the hour compared ends at the last read of the keeper, if that was long ago', async () => {
    const log = await troubledLog();
    const ends = async () => new Set(failing(await insights(log, 'panel=networks')).map((a) => a.hourEndUs));
    log.pass(20_000);
    expect(await ends()).toEqual(new Set([undefined]));
    log.pass(5 * 3_600_000);
    expect(await ends()).toEqual(new Set([NOW_MS * 1000]));
  });

  it('the twenty worst with most requests are dated, each by a separate snapshot, and the others are marked as undated', async () => {
    const log = await troubledLog();
    const { engine } = log.store;
    const snapshot = engine.snapshot.bind(engine);
    const queryCounts: number[] = [];
    const spy = vi.spyOn(engine, 'snapshot').mockImplementation((work) => {
      const at = queryCounts.push(0) - 1;
      return snapshot((from) =>
        work({
          all: (statement) => {
            queryCounts[at] = (queryCounts[at] ?? 0) + 1;
            return from.all(statement);
          },
        }),
      );
    });
    // Examinations have no time limit, so that a slow machine passes.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
    const anomaly = failing(await insights(log, 'range=24h&panel=networks'));
    clock.mockRestore();
    spy.mockRestore();
    const isDated = ({ sinceUs, undated }: (typeof anomaly)[number]) =>
      sinceUs !== null && undated === undefined;
    expect(anomaly.map(isDated)).toEqual([...Array(20).fill(true), ...Array(10).fill(false)]);
    expect(anomaly.slice(20).every(({ sinceUs, undated }) => sinceUs === null && undated)).toBe(true);
    expect(anomaly.map(({ networkId }) => networkId)).toEqual(
      Array.from({ length: 30 }, (_, index) => `${1000 + index}`),
    );
    expect(queryCounts).toHaveLength(21);
    // The figures of all networks of two keepers, then each network by itself.
    expect(Math.max(...queryCounts.slice(0, 1))).toBeLessThanOrEqual(10);
    expect(Math.max(...queryCounts.slice(1))).toBeLessThanOrEqual(4);
  });

  it('a network that the index can’t examine does not affect the others', async () => {
    const log = await troubledLog();
    const { engine } = log.store;
    const snapshot = engine.snapshot.bind(engine);
    let snapshots = 0;
    const spy = vi.spyOn(engine, 'snapshot').mockImplementation((work) => {
      snapshots += 1;
      return snapshots === 3 ? Promise.reject(new IndexUnavailableError('locked')) : snapshot(work);
    });
    const anomaly = failing(await insights(log, 'range=24h&panel=networks'));
    spy.mockRestore();
    expect(anomaly.slice(0, 4).map(({ undated }) => undated)).toEqual([
      undefined,
      true,
      undefined,
      undefined,
    ]);
    expect(anomaly.slice(0, 4).map(({ sinceUs }) => sinceUs === null)).toEqual([false, true, false, false]);
  });
});

describe('the contract that causes a problem', () => {
  /**
   * The problems of a log in which, after nine days without a failure, one contract fails this often in an hour, and this
   * many others once each.
   */
  async function failingOf(oneSender: number, others: number) {
    const log = await emptyLog();
    open.push(log);
    let sequence = 0;
    const rowOf = (createdMs: number, sender: number, state: string) => {
      sequence += 1;
      return rowText({
        network_id: '8453',
        sequence: String(sequence),
        created_at: JSON.stringify(iso(createdMs)),
        last_updated_at: JSON.stringify(iso(createdMs + 5000)),
        request_tx_hash: JSON.stringify(`0x${String(sequence).padStart(64, '0')}`),
        sender: JSON.stringify(`0x${String(sender).padStart(40, '0')}`),
        state,
      });
    };
    const usual = Array.from({ length: 9 * 24 }, (_, index) =>
      rowOf(NOW_MS - 3_660_000 - index * 3_600_000, 1, '{"state":"completed","callback_failed":false}'),
    );
    const failed = Array.from({ length: oneSender + others }, (_, index) =>
      rowOf(
        NOW_MS - 3_000_000 + index * 5000,
        index < oneSender ? 7 : 1000 + index,
        '{"state":"failed","reason":"out of gas"}',
      ),
    );
    await log.store.ingest(1, readPage([...usual, ...failed]).rows, 'history');
    log.store.report('main', { state: 'live', syncedAtMs: log.store.now(), coversAll: true });
    const { networks = [] } = await insights(log, 'range=24h&panel=networks');
    return networks.flatMap(({ unusual }) => unusual).find(({ kind }) => kind === 'failing')?.sender;
  }

  it('is named if nearly all failures are its own', async () => {
    expect(await failingOf(40, 9)).toBe(`0x${'7'.padStart(40, '0')}`);
  });

  it('is not named if it has a tenth of the failures, even if all others have one each', async () => {
    expect(await failingOf(40, 400)).toBeNull();
  });
});
