import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Listing } from '@/lib/contract/codec/listing';
import type { Outcome } from '@/lib/domain/outcome';
import { formatIsoMillis, unixMillis } from '@/lib/domain/units';
import type { RequestsView } from '@/lib/requests/view';
import { type ListingSources, listingOf } from './listing';
import {
  chance,
  FakeKeeper,
  type FakeRow,
  idsOf,
  listingSources,
  NOW_MS,
  viewOf,
  wholeList,
} from './listing-fakes';

const ASOF = formatIsoMillis(unixMillis(NOW_MS));
const NETWORKS = ['1', '10', '8453'];
const STATES = ['Pending', 'Completed', 'Failed'];

type Spread = 'even' | 'few-times' | 'bursts' | 'skewed' | 'fine';

/** A time of the past in the manner of the spread; `fine` ones differ after the third digit of the fraction only. */
function timeOf(spread: Spread, random: () => number): string {
  const at = (ms: number) => formatIsoMillis(unixMillis(Math.floor(NOW_MS - ms)));
  if (spread === 'even') return at(random() * 86_400_000);
  if (spread === 'few-times') return at(Math.floor(random() * 5) * 1000);
  if (spread === 'bursts') return at(random() < 0.7 ? 5000 : random() * 10_000);
  if (spread === 'skewed') return at(86_400_000 * 400 * random() ** 12);
  const digits = Math.floor(random() * 1000);
  return `${at(1 + Math.floor(random() * 3)).slice(0, -1)}${String(digits).padStart(3, '0')}Z`;
}

function worldOf(seed: number, size: number, spread: Spread, odd: number): FakeKeeper[] {
  const random = chance(seed);
  const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)] ?? '';
  const rows = Array.from({ length: size }, (_, id): FakeRow => {
    const base = { id, networkId: pick(NETWORKS), state: pick(STATES), createdAt: timeOf(spread, random) };
    return random() < odd ? { ...base, unreadable: true } : base;
  });
  const main = rows.filter(({ id }) => id % 3 > 0);
  return [
    new FakeKeeper('main', main),
    new FakeKeeper(
      'test',
      rows.filter(({ id }) => id % 3 === 0),
    ),
  ];
}

async function listing(view: RequestsView, given: ListingSources, cursor?: string): Promise<Listing> {
  return got(await listingOf(view, given, cursor));
}

function got<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(outcome.failure.detail);
  return outcome.value;
}

const anyWorld = fc.record({
  seed: fc.integer(),
  size: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1500, max: 3000 })),
  spread: fc.constantFrom<Spread>('even', 'few-times', 'bursts', 'skewed', 'fine'),
  odd: fc.constantFrom(0, 0, 0.02, 0.4),
  mostRows: fc.constantFrom(1000, 1000, 37),
});
const anyFilter = fc.record({
  networks: fc.subarray(NETWORKS),
  states: fc.subarray(STATES),
  keepers: fc.constantFrom<string[]>([], ['main'], ['main', 'test'], ['test', 'main']),
  sort: fc.constantFrom<'created.desc' | 'created.asc'>('created.desc', 'created.asc'),
});

describe('a page of a listing', () => {
  test('by its number has the rows, order, offset and total of the whole list', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyWorld,
        anyFilter,
        fc.integer({ min: 1, max: 400 }),
        fc.array(fc.double({ min: 0, max: 1.05, noNaN: true }), { minLength: 1, maxLength: 4 }),
        async ({ seed, size, spread, odd, mostRows }, filter, pageSize, depths) => {
          const keepers = worldOf(seed, size, spread, odd);
          for (const keeper of keepers) keeper.mostRows = mostRows;
          const base = viewOf({ ...filter, size: pageSize, asof: ASOF });
          const whole = wholeList(keepers, base);
          const wanted = filter.sort === 'created.asc' ? whole.toReversed() : whole;
          const given = listingSources(keepers);
          for (const depth of depths) {
            const page = 1 + Math.floor((depth * wanted.length) / pageSize);
            const shown = await listing({ ...base, page }, given);
            const rank = (page - 1) * pageSize;
            const expected = wanted.slice(rank, rank + pageSize).map(({ id }) => id);
            expect(idsOf(shown.rows)).toEqual(expected);
            expect(shown.total).toBe(String(wanted.length));
            if (expected.length > 0) expect(shown.offset).toBe(String(rank));
            expect(shown.cursor === undefined).toBe(rank + pageSize >= wanted.length);
            expect(new Set(shown.rows.map(({ key }) => key)).size).toBe(shown.rows.length);
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  test('follows page after page by its cursor, from the first to the last row', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyWorld.filter(({ mostRows }) => mostRows === 1000),
        anyFilter,
        fc.integer({ min: 90, max: 400 }),
        async ({ seed, size, spread, odd }, filter, pageSize) => {
          const keepers = worldOf(seed, size, spread, odd);
          const view = viewOf({ ...filter, size: pageSize });
          const given = listingSources(keepers);
          const whole = wholeList(keepers, view).map(({ id }) => id);
          const seen: number[] = [];
          let page = await listing(view, given);
          for (;;) {
            expect(page.offset).toBe(String(seen.length));
            expect(page.changed).toBe(0);
            seen.push(...idsOf(page.rows));
            if (page.cursor === undefined) break;
            page = await listing({ ...view, asof: page.asof }, given, page.cursor);
          }
          expect(seen).toEqual(filter.sort === 'created.asc' ? whole.toReversed() : whole);
        },
      ),
      { numRuns: 25 },
    );
  });
});
