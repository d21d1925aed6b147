import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Outcome } from '@/lib/domain/outcome';
import { FakeKeeper, type FakeRow, idsOf } from './listing-fakes';
import { createLogSource, isUnserved } from './log-source';

const rowsOf = (count: number): FakeRow[] =>
  Array.from({ length: count }, (_, id) => ({
    id,
    networkId: '7',
    state: 'Pending',
    createdAt: '2026-11-20',
  }));
const fake = (count: number) => {
  const keeper = new FakeKeeper('main', rowsOf(count));
  return { keeper, source: createLogSource('main', keeper.client) };
};

function got<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(outcome.failure.detail);
  return outcome.value;
}

describe('a page of a log', () => {
  test('names the keeper in its keys, which are not made unique', async () => {
    const { source } = fake(1);
    const { rows, total } = got(await source.page({ networkId: '7' }, 10, 0, 'user'));
    expect(rows).toMatchObject([{ key: 'main/7//0/', keeper: 'main' }]);
    expect(total).toBe('1');
  });

  test('makes the rows of an answer once for all who share it, and for each keeper its own', async () => {
    const { keeper } = fake(3);
    const shared = keeper.client.logs(new URLSearchParams({ limit: '3', offset: '0' }).toString(), 'user');
    const client = { logs: () => shared };
    const [one, other] = [createLogSource('main', client), createLogSource('main', client)];
    const rows = got(await one.page({}, 3, 0, 'user')).rows;
    const again = got(await other.page({}, 3, 0, 'user')).rows;
    expect(again.every((row, at) => row === rows[at])).toBe(true);
    const elsewhere = got(await createLogSource('test', client).page({}, 3, 0, 'user')).rows;
    expect(elsewhere.map((row) => row.keeper)).toEqual(['test', 'test', 'test']);
  });

  test('asks for what the filter says, in one call where one will do', async () => {
    const { keeper, source } = fake(5);
    const filter = {
      networkId: '7',
      state: 'Pending',
      query: '0xab',
      min: '2026-01-01Z',
      max: '2027-01-01Z',
    };
    await source.page(filter, 5, 2, 'background').catch(() => undefined);
    expect(keeper.calls.map(({ query, priority }) => [query.toString(), priority])).toEqual([
      [
        'network_id=7&state=Pending&query=0xab&min_timestamp=2026-01-01Z&max_timestamp=2027-01-01Z&limit=5&offset=2',
        'background',
      ],
    ]);
  });

  test('is whole however few rows the service gives at a time, with totals and without', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(2500),
        fc.nat(300),
        fc.integer({ min: 1, max: 2500 }),
        fc.constantFrom(90, 400, 1000),
        fc.boolean(),
        async (count, offset, limit, most, givesTotals) => {
          const { keeper, source } = fake(count);
          Object.assign(keeper, { mostRows: most, givesTotals });
          const { rows } = got(await source.page({}, limit, offset, 'user'));
          const all = rowsOf(count).map(({ id }) => id);
          expect(idsOf(rows)).toEqual(all.slice(offset, offset + limit));
        },
      ),
      { numRuns: 60 },
    );
  });

  test('neither repeats nor hides a row when some appear or leave between its calls', async () => {
    for (const change of ['appear', 'leave'] as const) {
      const { keeper, source } = fake(2000);
      keeper.beforeAnswer = () => {
        if (keeper.calls.length !== 2) return;
        const fresh = { id: 9999, networkId: '7', state: 'Pending', createdAt: '2026-11-21' };
        keeper.rows = change === 'appear' ? [fresh, ...keeper.rows] : keeper.rows.slice(3);
      };
      const ids = idsOf(got(await source.page({}, 1500, 0, 'user')).rows);
      expect(ids).toEqual(Array.from({ length: 1500 }, (_, at) => at));
    }
  });

  test('of a service that gives next to nothing is a failure, not an endless loop', async () => {
    const { keeper, source } = fake(1000);
    keeper.mostRows = 1;
    expect(await source.page({}, 1000, 0, 'user')).toMatchObject({ failure: { kind: 'malformed' } });
    expect(keeper.calls.length).toBeLessThan(100);
  });
});

test('a count takes one row and the total', async () => {
  const { keeper, source } = fake(12);
  expect(await source.count({}, 'background')).toEqual({ ok: true, value: '12' });
  expect(keeper.calls.map(({ query }) => query.toString())).toEqual(['limit=1&offset=0']);
  keeper.givesTotals = false;
  expect(await source.count({}, 'background')).toMatchObject({ failure: { kind: 'malformed' } });
});

test('only the refusal of a network says that it is not served', () => {
  const refusal = { kind: 'rejected', service: 'logs', upstreamStatus: 400 } as const;
  const unserved = { ...refusal, detail: 'The chain id is not supported' };
  expect(isUnserved(unserved, { networkId: '5' })).toBe(true);
  expect(isUnserved(unserved, {})).toBe(false);
  expect(isUnserved({ ...refusal, detail: 'unknown variant' }, { networkId: '5' })).toBe(false);
  expect(isUnserved({ ...unserved, kind: 'failing' }, { networkId: '5' })).toBe(false);
});
