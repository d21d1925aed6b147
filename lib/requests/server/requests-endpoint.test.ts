import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPage } from '@/lib/core/log-row-fixture';
import { ok } from '@/lib/core/outcome';
import { failureGroup } from '@/lib/core/request-failure';
import { stateWord } from '@/lib/core/request-record';
import { barsOfHistogram } from '@/lib/requests/bar-parts';
import { COLUMN_IDS } from '@/lib/requests/columns';
import {
  type ColumnValues,
  HISTOGRAM_STATES,
  histogramState,
  type ListedRecord,
  type Listing,
  readListing,
  type Summary,
} from '@/lib/requests/requests-response';
import { defaultRequestsView, type RequestsView } from '@/lib/requests/view';
import { formatRequestsUrl } from '@/lib/requests/view-url';
import { countedBy, holds, ORDERED_BY } from './counted-by-hand-fixture';
import { replyWithFind, replyWithListing, replyWithValues } from './requests-endpoint';
import {
  addRows,
  emptyLog,
  NETWORK_IDS,
  NOW_MS,
  PROVIDERS,
  REASONS,
  replyWithSummary,
  type SampleLog,
  SENDERS,
  sampleLog,
  sampleRow,
  sampleRows,
} from './sample-log-fixture';

const COUNT = 900;
const ALL = { kind: 'all' } as const;
const view = (change: Partial<RequestsView> = {}): RequestsView => ({ ...defaultRequestsView(), ...change });
const viewQuery = (requested: RequestsView) =>
  new URL(formatRequestsUrl(requested), 'http://x').search.slice(1);
const requestFor = (path: string, query: string, headers = {}) =>
  new Request(`http://x/api/view/requests${path}?${query}`, { headers });

async function list(log: SampleLog, requested: RequestsView, cursor?: string): Promise<Listing> {
  const more = cursor === undefined ? '' : `&cursor=${cursor}`;
  const response = await replyWithListing(requestFor('', viewQuery(requested) + more), log.deps);
  const answer = readListing(await response.text());
  if (!answer.ok) throw new Error(answer.failure.detail);
  return answer.value;
}

async function summary(log: SampleLog, requested: RequestsView): Promise<Summary> {
  return (await replyWithSummary(requestFor('/summary', viewQuery(requested)), log.deps)).json();
}

const keysOf = ({ rows }: Listing) => rows.map(({ key }) => key);
const asCounts = (values: { value: string; count: number }[]) =>
  Object.fromEntries(values.map(({ value, count }) => [value, count]));

let log: SampleLog;
beforeAll(async () => {
  log = await sampleLog(COUNT);
});
afterAll(() => log.store.close());

const few = <T>(values: readonly T[]) => fc.subarray([...values], { maxLength: 2 });
const bounds = (most: number) =>
  fc.oneof(
    fc.nat(most).map((min) => ({ min: String(min) })),
    fc.nat(most).map((max) => ({ max: String(max) })),
    fc.constant({ min: String(most >> 2), max: String(most >> 1) }),
  );
const states = ['pending', 'completed', 'callback-failed', 'failed', 'Revealing'];
const groups = ['Insufficient balance: # of #', 'InsufficientGas', 'no such group'];
const anyFilter: fc.Arbitrary<RequestsView> = fc
  .record(
    {
      networks: few(NETWORK_IDS),
      states: few(states),
      keepers: few(['main', 'test']),
      senders: few(SENDERS),
      providers: few(PROVIDERS),
      failures: few([...groups, ...REASONS]),
      duration: bounds(90).map((range) => range),
      gasLimit: bounds(600_000),
      gasUsed: bounds(600_000),
      block: bounds(1000),
      not: few([
        { column: 'network' as const, value: '8453' },
        { column: 'state' as const, value: 'completed' },
        { column: 'keeper' as const, value: 'main' },
        { column: 'sender' as const, value: SENDERS[0] ?? '' },
        { column: 'failure' as const, value: 'InsufficientGas' },
        { column: 'gas-limit' as const, value: '500000' },
        { column: 'sequence' as const, value: '17' },
      ]),
      q: fc.constantFrom(
        '',
        '17',
        SENDERS[1] ?? '',
        PROVIDERS[0] ?? '',
        'balance',
        '%',
        '50% off_',
        'arbitrum',
        "'",
      ),
      time: fc.constantFrom<RequestsView['time']>(
        ALL,
        { kind: 'last', range: '6h' },
        { kind: 'between', from: '2026-11-20T03:00:00Z' },
        { kind: 'between', from: '2026-11-20T02:00:00.5Z', to: '2026-11-20T07:30:00.123456Z' },
      ),
    },
    { requiredKeys: [] },
  )
  .map((change) => view({ time: ALL, ...change }));

function figuresOf(rows: readonly ListedRecord[]) {
  const inState = (state: string) => rows.filter((row) => stateWord(row.state) === state);
  const isStuck = ({ createdAt, networkId }: ListedRecord) =>
    createdAt.ms <= NOW_MS - (networkId === '8453' ? 7_200_000 : 3_600_000);
  return {
    completed: inState('completed').length,
    callbackFailed: inState('callback-failed').length,
    failed: inState('failed').length,
    pending: inState('pending').length,
    stuck: inState('pending').filter(isStuck).length,
    pendingGone: 0,
    failureGroups: new Set(rows.flatMap((row) => failureGroup(row) ?? [])).size,
  };
}

it('a time range holds the rows at both of its ends, to the microsecond', async () => {
  const separateLog = await emptyLog();
  const created = ['08:00:00.000001', '08:00:01.000002', '08:00:02.000003'].map((at) => `2026-11-20T${at}Z`);
  const rows = created.map((at, index) =>
    sampleRow(() => 0.5, index + 1, 0).replace(/"created_at":"[^"]*"/, `"created_at":"${at}"`),
  );
  await addRows(separateLog, 'main', rows, 'new');
  const [first = '', second = '', third = ''] = created;
  const within = async (from: string, to: string) => {
    const { total, rows: listed } = await list(separateLog, view({ time: { kind: 'between', from, to } }));
    return [total, listed.length];
  };
  expect(await within(first, third)).toEqual(['3', 3]);
  expect(await within(first, second)).toEqual(['2', 2]);
  expect(await within(second, third)).toEqual(['2', 2]);
  expect(await within(second, second)).toEqual(['1', 1]);
  expect(await within(first, '2026-11-20T08:00:01.000001Z')).toEqual(['1', 1]);
  await separateLog.store.close();
});

describe('every count of a view equals a count from the rows', () => {
  it('whatever is filtered: total, facets, histogram and values', async () => {
    await fc.assert(
      fc.asyncProperty(anyFilter, async (requested) => {
        const matches = log.records.filter((record) => holds(requested, record));
        const without = (dimension: Parameters<typeof holds>[2]) =>
          log.records.filter((record) => holds(requested, record, dimension));
        const [page, counted] = await Promise.all([list(log, requested), summary(log, requested)]);
        expect(page.total).toBe(String(matches.length));
        expect(counted.total).toBe(matches.length);
        expect(asCounts(counted.facets.network)).toEqual(
          countedBy(without('network'), (row) => row.networkId),
        );
        expect(asCounts(counted.facets.state)).toEqual(
          countedBy(without('state'), (row) => stateWord(row.state)),
        );
        expect(asCounts(counted.facets.keeper)).toEqual(countedBy(without('keeper'), (row) => row.keeper));
        expect(counted.figures).toMatchObject(figuresOf(matches));
        const { buckets, fromMs, bucketMs } = counted.histogram;
        const bars = buckets.flatMap((bucket, index) =>
          HISTOGRAM_STATES.flatMap((state) =>
            Array.from({ length: bucket[state] }, () => `${index} ${state}`),
          ),
        );
        expect(countedBy(bars, (bar) => bar)).toEqual(
          countedBy(matches, (row) => {
            const at = Math.floor((row.createdAt.ms - fromMs) / bucketMs);
            return `${at} ${histogramState(stateWord(row.state))}`;
          }),
        );
        const response = await replyWithValues(
          requestFor('/values', `${viewQuery(requested)}&column=sender`),
          log.deps,
        );
        const { values, more }: ColumnValues = await response.json();
        expect(more).toBe(0);
        expect(asCounts(values)).toEqual(countedBy(without('sender'), (row) => row.sender?.toLowerCase()));
      }),
      { numRuns: 30 },
    );
  });

  it('also of failures, by their group', async () => {
    const response = await replyWithValues(requestFor('/values', 'range=all&column=failure'), log.deps);
    const { values }: ColumnValues = await response.json();
    const mine = log.records.filter((record) => holds(view({ time: ALL }), record));
    expect(asCounts(values)).toEqual(countedBy(mine, failureGroup));
    const reply = await replyWithValues(
      requestFor('/values', 'range=all&column=failure&find=BALANCE'),
      log.deps,
    );
    expect(((await reply.json()) as ColumnValues).values.map(({ value }) => value)).toEqual([
      'Insufficient balance: # of #',
    ]);
  });
});

it.each(COLUMN_IDS)(
  'an order by %s is that of the whole index, both ways, those without a value last',
  async (column) => {
    const requested = view({ time: ALL, keepers: ['main', 'test'], size: 1000 });
    const { length } = log.records;
    for (const way of ['asc', 'desc'] as const) {
      const rows: Listing['rows'] = [];
      for (let page = 1; rows.length < length; page += 1) {
        const { rows: more } = await list(log, { ...requested, page, sort: `${column}.${way}` });
        expect(more.length).toBeGreaterThan(0);
        rows.push(...more);
      }
      expect(new Set(rows.map(({ key }) => key)).size).toBe(length);
      const values = rows.map((row) => (row.kind === 'record' ? ORDERED_BY[column](row) : undefined));
      const present = values.filter((value) => value !== undefined);
      expect(values.slice(present.length).every((value) => value === undefined)).toBe(true);
      const sorted = present.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
      expect(present).toEqual(way === 'asc' ? sorted : sorted.reverse());
    }
  },
);

describe('pages', () => {
  it('show every row once by their cursors, forward and back, in any order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...COLUMN_IDS),
        fc.constantFrom('asc' as const, 'desc' as const),
        anyFilter,
        async (column, way, filter) => {
          const requested = { ...filter, size: 250, sort: `${column}.${way}` as const };
          const onwards = [await list(log, requested)];
          for (let { cursor } = onwards[0] ?? {}; cursor !== undefined; ) {
            const page = await list(log, requested, cursor);
            onwards.push(page);
            cursor = page.cursor;
          }
          const keys = onwards.flatMap(keysOf);
          const matches = log.records.filter((record) => holds(requested, record));
          expect([...keys].sort()).toEqual(matches.map(({ key }) => key).sort());
          const back = [onwards.at(-1)];
          for (let previous = back[0]?.previous; previous !== undefined; ) {
            const page = await list(log, requested, previous);
            back.unshift(page);
            previous = page.previous;
          }
          expect(back.flatMap((page) => (page === undefined ? [] : keysOf(page)))).toEqual(keys);
          const numbered = await list(log, { ...requested, page: onwards.length });
          expect(keysOf(numbered)).toEqual(keysOf(onwards.at(-1) ?? numbered));
        },
      ),
      { numRuns: 8 },
    );
  });

  it('show every row once while rows arrive and change their state', async () => {
    const moving = await emptyLog();
    await addRows(moving, 'main', sampleRows(7, 600), 'history');
    const requested = view({ time: ALL, size: 50 });
    const first = await list(moving, requested);
    const seen = keysOf(first);
    let sequence = 10_000;
    for (let { cursor } = first; cursor !== undefined; ) {
      moving.pass(300);
      await addRows(moving, 'main', sampleRows(sequence, 13, sequence), 'new');
      const open = moving.records.find(({ state }) => state.kind === 'pending');
      if (open !== undefined) {
        await addRows(
          moving,
          'main',
          [open.rawJson.replace('{"state":"pending"}', '{"state":"failed"}')],
          'new',
        );
      }
      sequence += 1000;
      const page = await list(moving, requested, cursor);
      expect(page.total).toBe('600');
      seen.push(...keysOf(page));
      cursor = page.cursor;
    }
    expect(seen).toHaveLength(600);
    expect(new Set(seen).size).toBe(600);
    expect((await list(moving, requested)).total).toBe(String(moving.records.length));
    await moving.store.close();
  });

  it('of a pinned list count the requests of before its moment that were read only later', async () => {
    const late = await emptyLog();
    await addRows(late, 'main', sampleRows(9, 40), 'history');
    const pinned = view({ time: ALL, asof: new Date(NOW_MS - 60_000).toISOString() });
    await late.store.engine.write((session) =>
      session.run(
        `update requests set visible_us = ${NOW_MS * 1000} where created_us < ${(NOW_MS - 900_000) * 1000}`,
      ),
    );
    const count = late.records.filter(({ createdAt }) => createdAt.ms < NOW_MS - 900_000).length;
    expect(count).toBeGreaterThan(0);
    expect((await list(late, pinned)).late).toBe(count);
    expect((await list(late, view({ time: ALL }))).late).toBeUndefined();
    await late.store.close();
  });

  it('name pending rows that are no longer served, which the overview does not count as pending', async () => {
    const log = await emptyLog();
    await addRows(log, 'main', sampleRows(5, 40), 'history');
    const pending = log.records.filter(({ state }) => stateWord(state) === 'pending').length;
    await log.store.engine.write((session) => session.run('update requests set gone_us = 1'));
    const view = { ...defaultRequestsView(), time: { kind: 'all' as const } };
    const { facets, figures, histogram } = await summary(log, view);
    expect(pending).toBeGreaterThan(0);
    const bars = barsOfHistogram(histogram);
    expect(bars.map((bar) => bar.pending)).toEqual(bars.map(() => 0));
    expect(bars.reduce((sum, { unserved }) => sum + unserved, 0)).toBe(pending);
    expect(facets.state).toContainEqual({ value: 'pending', count: pending, gone: pending });
    expect(figures).toMatchObject({ pending, pendingGone: pending });
    // The list of states tells them apart, whichever states the view has.
    const failed = await summary(log, { ...view, states: ['failed'] });
    expect(failed.facets.state).toContainEqual({ value: 'pending', count: pending, gone: pending });
    expect(failed.figures).toMatchObject({ pending: 0, pendingGone: 0 });
    await log.store.close();
  });

  it('carry rows as the service wrote them, including those no longer served', async () => {
    const separateLog = await emptyLog();
    const [wire = ''] = sampleRows(3, 1);
    await addRows(separateLog, 'main', [wire, '{"sequence":"x","odd":1.0}'], 'history');
    await separateLog.store.engine.write((session) => session.run('update requests set gone_us = 1'));
    const response = await replyWithListing(requestFor('', 'range=all'), separateLog.deps);
    const text = await response.text();
    expect(text).toContain(
      JSON.stringify([
        { keeper: 'main', row: '{"sequence":"x","odd":1.0}' },
        { keeper: 'main', row: wire, gone: true },
      ]),
    );
    expect(JSON.parse(text)).toMatchObject({ total: '1', index: [{ keeper: 'main' }, {}] });
    expect(
      (await list(separateLog, view({ time: ALL, states: ['pending'] }))).rows.map(({ kind }) => kind),
    ).not.toContain('unreadable');
    await separateLog.store.close();
  });

  it('limits pages by number, and refuses malformed cursors', async () => {
    const get = async (query: string) => replyWithListing(requestFor('', query), log.deps);
    expect((await get('range=all&page=20001&size=50')).status).toBe(200);
    const far = await get('range=all&page=20002&size=50');
    expect([far.status, await far.json()]).toMatchObject([400, { kind: 'bad-request', detail: /1000000/ }]);
    const { cursor = '' } = await list(log, view({ time: ALL }));
    const forged = Buffer.from(
      JSON.stringify({
        ...JSON.parse(String(Buffer.from(cursor, 'base64url'))),
        place: ['1; drop table', 'x'],
      }),
    );
    for (const bad of ['x', `${cursor}xx`, forged.toString('base64url')]) {
      expect((await get(`range=all&cursor=${bad}`)).status).toBe(400);
    }
    expect((await get(`range=all&sort=state.asc&cursor=${cursor}`)).status).toBe(400);
  });
});

describe('a moment', () => {
  it('pins a list to the rows seen by then, for as long as it is requested', async () => {
    const separateLog = await emptyLog();
    await addRows(separateLog, 'main', sampleRows(4, 20), 'history');
    separateLog.pass(10_000);
    const before = await list(separateLog, view({ time: ALL }));
    separateLog.pass(5000);
    await addRows(separateLog, 'main', sampleRows(5, 7, 500), 'new');
    expect((await list(separateLog, view({ time: ALL }))).total).toBe('27');
    expect((await list(separateLog, view({ time: ALL, asof: before.asof }))).total).toBe('20');
    await separateLog.store.close();
  });

  it('stays the same for two seconds without new rows, so the answer is cached', async () => {
    const separateLog = await emptyLog();
    await addRows(separateLog, 'main', sampleRows(4, 20), 'history');
    const get = (etag = '') =>
      replyWithListing(requestFor('', '', { 'if-none-match': etag }), separateLog.deps);
    const first = await get();
    const etag = first.headers.get('etag') ?? '';
    separateLog.pass(1500);
    expect((await get(etag)).status).toBe(304);
    expect(await (await get()).json()).toMatchObject({ asof: new Date(NOW_MS).toISOString() });
    separateLog.pass(1000);
    expect((await get(etag)).status).toBe(200);
    await addRows(separateLog, 'main', sampleRows(5, 1, 500), 'new');
    expect(await (await get()).json()).toMatchObject({ total: '21' });
    await separateLog.store.close();
  });
});

describe('a search', () => {
  it('finds a transaction, a sequence and an address everywhere', async () => {
    const find = async (q: string) => {
      const response = await replyWithFind(requestFor('/find', `q=${encodeURIComponent(q)}`), {
        ...log.deps,
        queryLogs: async () => ok({ rows: [], total: '0' }),
      });
      return response.json();
    };
    const record = log.records.find(({ keeper, state }) => keeper === 'test' && state.kind === 'completed');
    const of = (q: string) =>
      log.records.filter((row) => holds(view({ time: ALL, keepers: ['main', 'test'], q }), row));
    for (const q of [record?.requestTxHash ?? '', record?.sequence ?? '', SENDERS[3] ?? '']) {
      const { total, rows } = await find(` ${q.toUpperCase().replace('X', 'x')} `);
      expect(total).toBe(String(of(q).length));
      expect(rows).toHaveLength(Math.min(20, of(q).length));
    }
    expect(await find('nothing of that kind')).toMatchObject({ kind: 'none', total: '0', rows: [] });
    expect(await find(`0x${'7'.repeat(64)}`)).toMatchObject({
      total: '0',
      queriedService: true,
      complete: true,
    });
  });

  it('queries the services of keepers whose history is not read, if the index has nothing', async () => {
    const separateLog = await emptyLog();
    separateLog.store.report('test', { coversAll: true, syncedAtMs: NOW_MS });
    const [wire = '', other = ''] = sampleRows(8, 2, 41);
    const queries: string[] = [];
    const find = async () => {
      const response = await replyWithFind(requestFor('/find', 'q=41'), {
        ...separateLog.deps,
        queryLogs: async (keeper, query) => {
          queries.push(`${keeper} ${query}`);
          return ok(readPage([wire, other]));
        },
      });
      return response.json();
    };
    expect(await find()).toMatchObject({
      kind: 'sequence',
      total: '1',
      rows: [{ keeper: 'main', row: expect.stringContaining('"sequence":41,') }],
      queriedService: true,
    });
    expect(queries).toEqual(['main query=41&limit=20']);
    separateLog.store.report('main', { coversAll: true, syncedAtMs: NOW_MS });
    expect(await find()).toMatchObject({ total: '0', complete: true, queriedService: false });
    await separateLog.store.close();
  });
});

describe('user input', () => {
  const attacks = [
    "'",
    '"',
    "'; drop table requests; --",
    "' or '1'='1",
    '$1',
    '%',
    '\\',
    '0x00',
    ';',
    ')',
    'x'.repeat(3000),
  ];
  const params =
    'network state keeper q sender provider failure duration gas_limit block not sort asof from cursor find column buckets';
  const replies = {
    '': replyWithListing,
    '/summary': replyWithSummary,
    '/values': replyWithValues,
  };

  it('is data, and never a statement', async () => {
    for (const name of params.split(' ')) {
      for (const attack of attacks) {
        for (const [path, reply] of Object.entries(replies)) {
          const value = name === 'not' ? `sender:${attack}` : attack;
          const params = { range: 'all', column: 'sender', [name]: value };
          if (path !== '/values') params.column = undefined as never;
          const query = new URLSearchParams(Object.entries(params).filter(([, text]) => text !== undefined));
          const response = await reply(requestFor(path, String(query)), log.deps);
          expect([200, 400], `${path}?${query}`).toContain(response.status);
        }
      }
    }
    expect((await summary(log, view({ time: ALL, keepers: ['main', 'test'] }))).total).toBe(
      log.records.length,
    );
  });

  it('refuses an unknown keeper', async () => {
    const response = await replyWithListing(requestFor('', 'keeper=gone'), log.deps);
    expect(await response.json()).toMatchObject({
      kind: 'bad-request',
      detail: 'keeper must be one of main, test.',
    });
  });

  it('refuses a view pinned to a future moment', async () => {
    const pinned = (ms: number) => `range=1h&asof=${new Date(ms).toISOString()}`;
    for (const reply of [replyWithListing, replyWithSummary]) {
      const get = (ms: number) => reply(requestFor('', pinned(ms)), log.deps);
      expect(await (await get(NOW_MS + 3_600_000)).json()).toMatchObject({
        kind: 'bad-request',
        detail: expect.stringMatching(/^asof: .* has not come yet/),
      });
      // Clocks of two dashboards on one database may differ by seconds.
      expect((await get(NOW_MS + 5000)).status).not.toBe(400);
    }
  });
});

it('counts rows that arrived after new ones were requested', async () => {
  const early = await sampleLog(30);
  early.store.isCounting = () => true;
  try {
    const requested = view({ time: ALL });
    const { rows, total, counting } = await list(early, requested);
    expect(rows.length).toBeGreaterThan(0);
    expect({ total, counting }).toEqual({ total: String(rows.length), counting: undefined });
    expect(await summary(early, requested)).toMatchObject({ total: rows.length });
    const none = view({ time: ALL, q: `0x${'ef'.repeat(32)}` });
    expect(await list(early, none)).toMatchObject({ counting: true });
  } finally {
    await early.store.close();
  }
});
