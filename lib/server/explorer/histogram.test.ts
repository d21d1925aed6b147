import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sumOf } from '@/lib/contract/codec/histogram';
import { defaultRequestsView, type RequestsView } from '@/lib/requests/view';
import { FakeLog, type FakeRow, listOf, nanosOf, settled, UNSUPPORTED, viewBetween } from './counts-fakes';
import { bruteForce, FROM, manyRows, NOW, readLines, run, TO, totalsOf } from './histogram-fakes';
import { partsOf } from './parts';

const row = fc.record({
  at: fc
    .tuple(fc.integer({ min: NOW - 7_200_000, max: NOW - 1000 }), fc.nat(999_999_999))
    .map(([ms, nanos]) => `${new Date(ms).toISOString().slice(0, 19)}.${String(nanos).padStart(9, '0')}Z`),
  state: fc.constantFrom('Pending', 'Completed', 'CallbackErrored', 'Failed', 'Revealing'),
  networkId: fc.constantFrom('1', '2'),
});

describe('the histogram', () => {
  const choice = fc.record({
    networks: fc.subarray(['1', '2']),
    states: fc.subarray(['pending', 'completed', 'callback-failed', 'failed']),
    buckets: fc.integer({ min: 10, max: 120 }),
  });

  it('gives what counting the rows one by one gives, from rows and from counts', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 60 }),
        choice,
        fc.constantFrom(1, 200),
        async (some, { networks, states, buckets }, times) => {
          const rows = Array.from({ length: times }, () => some).flat();
          const log = new FakeLog(rows);
          const view = viewBetween(FROM, TO, { networks, states });
          const found = readLines(await listOf(run({ view, logs: [log], buckets }).lines));
          const chosen = partsOf(view, NOW, new Map([['main', log]]));
          const matching = chosen.ok ? chosen.value.flatMap(({ filter }) => log.matches(filter)) : [];
          expect(found.buckets).toEqual(bruteForce(matching, found.head));
          expect(sumOf(totalsOf(found.buckets))).toBe(matching.length);
          expect(found.head.total).toBe(String(matching.length));
          expect(found.head.exact).toBe(matching.length <= 5000 ? 'rows' : 'counts');
          expect(found.end).toBe('complete');
        },
      ),
      { numRuns: 40 },
    );
  });

  it('merges networks, states and keepers', async () => {
    const logs = [new FakeLog(manyRows(8000)), new FakeLog(manyRows(900), 'test')];
    const view = viewBetween(FROM, TO, {
      keepers: ['main', 'test'],
      networks: ['0', '2'],
      states: ['pending', 'failed'],
    });
    const { buckets, head } = readLines(await listOf(run({ view, logs }).lines));
    const isChosen = ({ state, networkId }: FakeRow) =>
      ['Pending', 'Failed'].includes(state) && networkId !== '1';
    const matching = logs.flatMap(({ rows }) => rows).filter(isChosen);
    expect(buckets).toEqual(bruteForce(matching, head));
  });

  it('begins with the oldest row where the view has no beginning', async () => {
    for (const count of [100, 8000]) {
      const log = new FakeLog(manyRows(count));
      const view: RequestsView = { ...defaultRequestsView(), time: { kind: 'all' } };
      const { head, buckets } = readLines(await listOf(run({ view, logs: [log] }).lines));
      expect(head.startMs).toBe(Number(nanosOf(log.matches({}).at(-1)?.at ?? '') / 1_000_000n));
      expect(head.endMs).toBe(NOW);
      expect(sumOf(totalsOf(buckets))).toBe(count);
    }
  });

  it('ends where the view is pinned, and counts a range back from there', async () => {
    const log = new FakeLog(manyRows(7200));
    const asof = '2026-11-20T07:30:00.500Z';
    const view: RequestsView = { ...defaultRequestsView(), time: { kind: 'last', range: '1h' }, asof };
    const { head, buckets } = readLines(await listOf(run({ view, logs: [log] }).lines));
    expect(new Date(head.endMs).toISOString()).toBe(asof);
    expect(new Date(head.startMs).toISOString()).toBe('2026-11-20T06:30:00.000Z');
    expect(sumOf(totalsOf(buckets))).toBe(3601);
  });

  it('of nothing has empty buckets, or none where there is no beginning', async () => {
    const between = readLines(
      await listOf(run({ view: viewBetween(FROM, TO), logs: [new FakeLog()] }).lines),
    );
    expect(sumOf(totalsOf(between.buckets))).toBe(0);
    expect(between.buckets).not.toContain(undefined);
    const all: RequestsView = { ...defaultRequestsView(), time: { kind: 'all' } };
    const none = readLines(await listOf(run({ view: all, logs: [new FakeLog()] }).lines));
    expect([none.head.buckets, none.end]).toEqual([0, 'complete']);
  });

  it('says how many rows have no place in time', async () => {
    const rows = [...manyRows(10), { at: '2026-11-20T07:00:00Z', state: 'unreadable' }];
    const found = readLines(
      await listOf(run({ view: viewBetween(FROM, TO), logs: [new FakeLog(rows)] }).lines),
    );
    expect(found.unplaced).toBe(1);
    expect(sumOf(totalsOf(found.buckets))).toBe(10);
  });

  it('takes no row from a keeper that does not serve the network', async () => {
    const [main, test] = [new FakeLog(manyRows(90)), new FakeLog([], 'test')];
    test.answer = async () => ({ ok: false, failure: UNSUPPORTED });
    const view = viewBetween(FROM, TO, { keepers: ['main', 'test'], networks: ['1'] });
    const { head, end } = readLines(await listOf(run({ view, logs: [main, test] }).lines));
    expect([head.total, end]).toEqual(['30', 'complete']);
  });
});

describe('a row that is answered while its bucket is counted', () => {
  it('is counted once, whenever that happens', async () => {
    for (let n = 1; n <= 44; n += 1) {
      const rows = manyRows(6000, ['Completed']).map((one, at) =>
        at < 2 ? { ...one, state: 'Pending' } : one,
      );
      const log = new FakeLog(rows);
      log.answer = async () => {
        if (log.asked.length === n) log.rows = rows.map((one) => ({ ...one, state: 'Completed' }));
        return undefined;
      };
      const { buckets } = readLines(await listOf(run({ view: viewBetween(FROM, TO), logs: [log] }).lines));
      const { pending, completed, ...others } = totalsOf(buckets);
      expect([n, pending + completed, others.unknown]).toEqual([n, 6000, 0]);
    }
  });
});

describe('what a histogram costs', () => {
  it('is a few pages up to 5,000 rows, and no count of a bucket', async () => {
    const log = new FakeLog(manyRows(5000));
    const { head } = readLines(await listOf(run({ view: viewBetween(FROM, TO), logs: [log] }).lines));
    expect(head.exact).toBe('rows');
    expect([log.asked.length, log.pages]).toEqual([1, 1]);
  });

  it('is one count per bucket where most states are rare: those are placed by their rows', async () => {
    const rows = manyRows(8000, ['Completed']).map((one, n) =>
      n % 100 === 99 ? { ...one, state: n % 200 === 99 ? 'Failed' : 'CallbackErrored' } : one,
    );
    const log = new FakeLog(rows);
    const { head, buckets } = readLines(
      await listOf(run({ view: viewBetween(FROM, TO), logs: [log] }).lines),
    );
    expect(buckets).toEqual(bruteForce(rows, head));
    expect(log.asked).toHaveLength(1 + 4 + head.buckets);
    expect(log.pages).toBe(3);
  });

  it('is more only for the buckets in which states may still change', async () => {
    const rows = manyRows(8000, ['Completed']).map((one, n) => (n < 3 ? { ...one, state: 'Pending' } : one));
    const log = new FakeLog(rows);
    const { head, buckets } = readLines(
      await listOf(run({ view: viewBetween(FROM, TO), logs: [log] }).lines),
    );
    expect(buckets).toEqual(bruteForce(rows, head));
    // The newest row stands in the last bucket, which holds nothing but the end itself.
    expect(log.asked.length).toBeLessThanOrEqual(1 + 4 + head.buckets + 2 * 4);
  });

  it('is one count for an empty bucket and up to five for the others, where none is rare', async () => {
    const rows = manyRows(5001, ['Pending']).map((one) => ({ ...one, at: '2026-11-20T06:30:00Z' }));
    const log = new FakeLog(rows);
    const { head } = readLines(await listOf(run({ view: viewBetween(FROM, TO), logs: [log] }).lines));
    expect(log.asked).toHaveLength(1 + 4 + head.buckets + 4);
  });

  it('is bounded for a view of many parts, which gets fewer buckets', async () => {
    const rows = manyRows(24_000).map((one, n) => ({ ...one, networkId: String(n % 20) }));
    const networks = Array.from({ length: 20 }, (_, n) => String(n));
    const log = new FakeLog(rows);
    const view = viewBetween(FROM, TO, { networks });
    const { head, buckets } = readLines(await listOf(run({ view, logs: [log], buckets: 120 }).lines));
    expect(head.buckets).toBeLessThanOrEqual(30);
    expect(buckets).toEqual(bruteForce(rows, head));
    expect(log.asked.length).toBeLessThan(20 * 31 * 5);
  });

  it('ends with the reader', async () => {
    const log = new FakeLog(manyRows(6000));
    const leaving = new AbortController();
    let buckets = 0;
    const lines = run({ view: viewBetween(FROM, TO), logs: [log], signal: leaving.signal }).lines;
    const reading = (async () => {
      for await (const line of lines) {
        if (line.kind === 'bucket') buckets += 1;
        if (buckets === 2) leaving.abort();
      }
    })();
    await expect(reading).rejects.toThrow();
    await settled();
    const asked = log.asked.length;
    await settled();
    expect(log.asked.length).toBe(asked);
    expect(asked).toBeLessThan(24 * 5);
  });
});
