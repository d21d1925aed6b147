import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Listing } from '@/lib/contract/codec/listing';
import { formatIsoMillis, unixMillis } from '@/lib/domain/units';
import type { RequestsView } from '@/lib/requests/view';
import { type ListingSources, listingOf } from './listing';
import { chance, FakeKeeper, type FakeRow, idsOf, listingSources, NOW_MS, viewOf } from './listing-fakes';
import { momentOf } from './time-order';

const NETWORKS = ['1', '10'];
const isoAgo = (ms: number) => formatIsoMillis(unixMillis(NOW_MS - Math.floor(ms)));

/** Where requests go from a state. */
const NEXT: Record<string, string[]> = { Pending: ['Completed', 'Failed'], Failed: ['Completed'] };

type World = { keepers: FakeKeeper[]; statesOf: (id: number) => Set<string> };

/** Keepers whose rows change state now and then, before any answer, and which log new rows meanwhile. */
function movingWorld(seed: number, size: number, times: number, perAnswer: number): World {
  const random = chance(seed);
  const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)] ?? '';
  const row = (id: number, createdAt: string, state: string): FakeRow => {
    return { id, networkId: pick(NETWORKS), state, createdAt };
  };
  const some = (offset: number) =>
    Array.from({ length: size }, (_, at) =>
      row(offset + at, isoAgo(Math.floor(random() * times) * 10), pick(['Pending', 'Failed', 'Completed'])),
    );
  const keepers = [new FakeKeeper('main', some(0)), new FakeKeeper('test', some(100_000))];
  let fresh = 200_000;
  const history = new Map<number, Set<string>>();
  const statesOf = (id: number) => history.get(id) ?? new Set();
  for (const keeper of keepers) {
    keeper.beforeAnswer = () => {
      for (let i = 0; i < perAnswer; i += 1) {
        const moving = keeper.rows[Math.floor(random() * keeper.rows.length)];
        const next = NEXT[moving?.state ?? ''];
        if (!moving || !next) continue;
        moving.state = pick(next);
        history.set(moving.id, statesOf(moving.id).add(moving.state));
      }
      fresh += 1;
      keeper.rows.push(row(fresh, isoAgo(-1000), pick(['Pending', 'Completed'])));
    };
  }
  return { keepers, statesOf };
}

async function walk(view: RequestsView, given: ListingSources): Promise<Listing[]> {
  const pages: Listing[] = [];
  let cursor: string | undefined;
  let asof = view.asof;
  do {
    const page = await listingOf({ ...view, asof }, given, cursor);
    if (!page.ok) throw new Error(page.failure.detail);
    pages.push(page.value);
    ({ cursor, asof } = page.value);
  } while (cursor !== undefined);
  return pages;
}

function matchingIds(keepers: readonly FakeKeeper[], view: RequestsView, asof: string): Set<number> {
  const states = view.states;
  const rows = keepers
    .filter(({ name }) => view.keepers.includes(name))
    .flatMap((keeper) => keeper.rows)
    .filter((row) => states.includes(row.state) && momentOf(row.createdAt) <= momentOf(asof));
  return new Set(rows.map(({ id }) => id));
}

describe('a listing of requests in a state, while they change', () => {
  test('shows every row that stays, none twice, in order of time', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          seed: fc.integer(),
          size: fc.integer({ min: 0, max: 700 }),
          times: fc.constantFrom(40, 5000, 100_000),
          perAnswer: fc.constantFrom(0, 1, 5, 60),
        }),
        fc.subarray(['Pending', 'Failed', 'Completed'], { minLength: 1 }),
        fc.constantFrom([], NETWORKS),
        fc.constantFrom<string[]>(['main'], ['test', 'main']),
        fc.constantFrom<RequestsView['sort']>('created.desc', 'created.asc'),
        fc.integer({ min: 20, max: 120 }),
        async ({ seed, size, times, perAnswer }, states, networks, names, sort, pageSize) => {
          const { keepers, statesOf } = movingWorld(seed, size, times, perAnswer);
          const asof = isoAgo(0);
          const view = viewOf({ states, networks, keepers: names, sort, size: pageSize, asof });
          const atFirst = matchingIds(keepers, view, asof);
          const seen = (await walk(view, listingSources(keepers))).flatMap(({ rows }) => rows);
          const ids = idsOf(seen);
          expect(new Set(ids).size).toBe(ids.length);
          const stayed = [...atFirst].filter((id) =>
            [...statesOf(id)].every((state) => states.includes(state)),
          );
          expect(stayed.filter((id) => !ids.includes(id))).toEqual([]);
          const moments = seen.map((row) => (row.kind === 'record' ? momentOf(row.createdAt.text) : ''));
          const sorted = moments.toSorted();
          expect(moments).toEqual(sort === 'created.asc' ? sorted : sorted.toReversed());
        },
      ),
      { numRuns: 60 },
    );
  });
});
