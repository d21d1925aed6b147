import { describe, expect, test } from 'vitest';
import type { Listing } from '@/lib/contract/codec/listing';
import type { Outcome } from '@/lib/domain/outcome';
import { formatIsoMillis, unixMillis } from '@/lib/domain/units';
import type { RequestsView } from '@/lib/requests/view';
import { listingOf } from './listing';
import { FakeKeeper, type FakeRow, idsOf, listingSources, NOW_MS, viewOf, wholeList } from './listing-fakes';

const iso = (ms: number) => formatIsoMillis(unixMillis(ms));
const ago = (ms: number) => iso(NOW_MS - ms);
const row = (id: number, createdAt: string, networkId = '1', state = 'Pending'): FakeRow => {
  return { id, networkId, state, createdAt };
};

function got<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(outcome.failure.detail);
  return outcome.value;
}

/** A row a second, on two networks in turn. */
const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, id) => row(id, ago(1000 * (id + 1)), id % 2 === 0 ? '1' : '10'));
const keeperOf = (count: number) => new FakeKeeper('main', rowsOf(count));
const BOTH = { networks: ['1', '10'] };

describe('a listing that is not pinned yet', () => {
  test('is pinned to the moment it was asked for', async () => {
    const keeper = keeperOf(5);
    expect(got(await listingOf(viewOf({}), listingSources([keeper])))).toMatchObject({ asof: iso(NOW_MS) });
    expect(keeper.calls).toHaveLength(1);
    expect(keeper.calls[0]?.query.has('max_timestamp')).toBe(false);
  });

  test('is pinned to its newest row, rounded up, where the clock of the service is ahead', async () => {
    const ahead = `${iso(NOW_MS + 600_000).slice(0, -1)}4Z`;
    const others = [row(8, iso(NOW_MS + 500_000)), row(9, iso(NOW_MS + 400_000))];
    for (const view of [viewOf({}), viewOf(BOTH), viewOf({ ...BOTH, page: 2, size: 1 })]) {
      const keeper = new FakeKeeper('main', [row(7, ahead, '10'), ...others, ...rowsOf(1)]);
      const shown = got(await listingOf(view, listingSources([keeper])));
      expect(shown).toMatchObject({ asof: iso(NOW_MS + 600_001), total: '4' });
      if (view.page === 1) expect(idsOf(shown.rows)).toEqual([7, 8, 9, 0]);
    }
  });

  test.each([30_000, 10_800_000, 86_000_000, 86_400_000 * 1000])(
    'does not follow a single row of the future, and shows it (%d ms)',
    async (aheadMs) => {
      for (const change of [{}, BOTH, { states: ['pending', 'failed'] }]) {
        const keeper = new FakeKeeper('main', [row(700, iso(NOW_MS + aheadMs)), ...rowsOf(20)]);
        const given = listingSources([keeper]);
        const view = viewOf({ ...change, time: { kind: 'last', range: '1h' }, size: 8 });
        const shown = got(await listingOf(view, given));
        expect([shown.asof, shown.total, idsOf(shown.rows)]).toEqual([
          iso(NOW_MS),
          '21',
          [700, 0, 1, 2, 3, 4, 5, 6],
        ]);
        const next = got(await listingOf({ ...view, page: 2, asof: shown.asof }, given, shown.cursor));
        expect([next.changed, next.total, idsOf(next.rows)]).toEqual([
          0,
          '20',
          [7, 8, 9, 10, 11, 12, 13, 14],
        ]);
        const oldest = got(await listingOf({ ...view, sort: 'created.asc' }, given));
        expect([oldest.asof, oldest.total]).toEqual([iso(NOW_MS), '20']);
      }
    },
  );

  test.each([
    ['one part', {}],
    ['several parts', BOTH],
  ])('has the rows of its moment and their total, however long the service took (%s)', async (_, change) => {
    let elapsedMs = 0;
    const keeper = keeperOf(10);
    keeper.beforeAnswer = () => {
      elapsedMs += 4000;
      keeper.rows.push(row(100 + keeper.calls.length, iso(NOW_MS + elapsedMs - 5), '10'));
    };
    const given = listingSources([keeper], NOW_MS, () => elapsedMs);
    const shown = got(await listingOf(viewOf({ ...change, size: 4 }), given));
    const whole = wholeList([keeper], viewOf(change), shown.asof);
    expect(shown.total).toBe(String(whole.length));
    expect(idsOf(shown.rows)).toEqual(whole.slice(0, 4).map(({ id }) => id));
  });

  test('of several parts leaves out what was logged after the first of them was asked', async () => {
    const keeper = keeperOf(10);
    keeper.beforeAnswer = () => {
      keeper.rows.push(row(100 + keeper.calls.length, iso(NOW_MS + 5), '10'));
    };
    const given = listingSources([keeper]);
    const view = viewOf({ ...BOTH, size: 4 });
    const first = got(await listingOf(view, given));
    expect([first.asof, first.total, idsOf(first.rows)]).toEqual([iso(NOW_MS), '10', [0, 1, 2, 3]]);
    const calls = keeper.calls.length;
    const next = got(await listingOf({ ...view, asof: first.asof }, given, first.cursor));
    expect(idsOf(next.rows)).toEqual([4, 5, 6, 7]);
    expect(keeper.calls.length - calls).toBe(2);
  });

  test('counts a range back from the moment that it is pinned to', async () => {
    const view = viewOf({ time: { kind: 'last', range: '1h' } });
    const ahead = [1, 2, 3].map((id) => row(id, iso(NOW_MS + 2_000_000 - id)));
    const keeper = new FakeKeeper('main', [...ahead, row(4, ago(3_000_000))]);
    expect(idsOf(got(await listingOf(view, listingSources([keeper]))).rows)).toEqual([1, 2, 3]);
  });
});

describe('a cursor', () => {
  const given = () => listingSources([keeperOf(40), new FakeKeeper('test', [])]);
  const view = viewOf({ ...BOTH, size: 10, asof: ago(0) });
  const cursorOf = async (of: RequestsView) => got(await listingOf(of, given())).cursor;

  test('of another list, order or moment, or of nobody, is refused', async () => {
    const refused = { failure: { kind: 'bad-request', detail: expect.stringContaining('cursor') } };
    const cursor = await cursorOf(view);
    const changes: Partial<RequestsView>[] = [
      { networks: ['1'] },
      { states: ['pending'] },
      { q: '17' },
      { keepers: ['test'] },
      { time: { kind: 'last', range: '1h' } },
      { asof: ago(1) },
      { sort: 'created.asc' },
    ];
    for (const change of changes) {
      expect(await listingOf({ ...view, ...change }, given(), cursor)).toMatchObject(refused);
    }
    expect(await listingOf(view, given(), 'nonsense')).toMatchObject(refused);
    expect(await listingOf(view, given(), '')).toMatchObject(refused);
  });

  test('pins the list that names no moment', async () => {
    const cursor = await cursorOf(view);
    const { asof: _asof, ...unpinned } = view;
    expect(got(await listingOf(unpinned, given(), cursor))).toMatchObject({ asof: view.asof, offset: '10' });
  });

  test('says how many rows left or entered above it', async () => {
    const keeper = keeperOf(40);
    const from = listingSources([keeper]);
    const pending = { ...view, states: ['pending'] };
    const { cursor } = got(await listingOf(pending, from));
    for (const one of keeper.rows.slice(0, 3)) one.state = 'Completed';
    const next = got(await listingOf(pending, from, cursor));
    expect(next).toMatchObject({ changed: 3, offset: '7', total: '37' });
    expect(idsOf(next.rows)).toEqual(Array.from({ length: 10 }, (_, at) => at + 10));
  });

  test('still finds its place when nearly all rows above it have left', async () => {
    const keeper = keeperOf(3000);
    const from = listingSources([keeper]);
    const pending = { ...view, states: ['pending'], size: 1000 };
    const { cursor } = got(await listingOf({ ...pending, page: 2 }, from));
    for (const one of keeper.rows.slice(0, 1990)) one.state = 'Completed';
    const next = got(await listingOf(pending, from, cursor));
    expect(next).toMatchObject({ changed: 1990, offset: '10', total: '1010' });
    expect(idsOf(next.rows)).toEqual(Array.from({ length: 1000 }, (_, at) => at + 2000));
  });
});

describe('a service that gives no totals', () => {
  const silent = (count: number) => {
    const keeper = keeperOf(count);
    keeper.givesTotals = false;
    return listingSources([keeper]);
  };
  const listed = (change: Partial<RequestsView>): Promise<Outcome<Listing>> =>
    listingOf(viewOf({ asof: ago(0), size: 100, ...change }), silent(12_000));

  test('is listed as far as merging goes, without a total', async () => {
    const page = got(await listed({ ...BOTH, page: 50 }));
    expect(page.total).toBeUndefined();
    expect(idsOf(page.rows).slice(0, 2)).toEqual([4900, 4901]);
    expect(page.offset).toBe('4900');
  });

  test('is listed at any depth from a single query', async () => {
    expect(idsOf(got(await listed({ page: 120 })).rows).at(-1)).toBe(11_999);
  });

  test('fails in so many words where only a total could help', async () => {
    for (const change of [{ ...BOTH, page: 110 }, { sort: 'created.asc' as const }]) {
      expect(await listed(change)).toMatchObject({
        failure: { kind: 'malformed', detail: expect.stringContaining('does not say how many') },
      });
    }
  });
});

test('one part that fails fails the listing, however many others answer', async () => {
  const broken = new FakeKeeper('test', []);
  broken.failure = { kind: 'failing', service: 'logs', detail: 'It is down.' };
  const view = viewOf({ keepers: ['main', 'test'] });
  const outcome = await listingOf(view, listingSources([keeperOf(5), broken]));
  expect(outcome).toEqual({ ok: false, failure: broken.failure });
});
