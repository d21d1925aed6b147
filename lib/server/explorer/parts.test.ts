import { expect, test } from 'vitest';
import type { RequestsView } from '@/lib/requests/view';
import { FakeKeeper, listingSources, NOW_MS, viewOf } from './listing-fakes';
import { partsOf } from './parts';

const { sources } = listingSources([new FakeKeeper('main', []), new FakeKeeper('test', [])]);

function filters(change: Partial<RequestsView>): unknown {
  const parts = partsOf(viewOf(change), NOW_MS, sources);
  return parts.ok ? parts.value.map(({ source, filter }) => ({ keeper: source.keeper, ...filter })) : parts;
}

test('without a choice there is one part, of the default keeper', () => {
  expect(filters({})).toEqual([{ keeper: 'main' }]);
});

test('keepers, networks and states make a part each, in this order, nothing twice', () => {
  expect(
    filters({ keepers: ['test', 'main', 'test'], networks: ['1', '10'], states: ['callback-failed', 'Odd'] }),
  ).toEqual(
    ['test', 'main'].flatMap((keeper) =>
      ['1', '10'].flatMap((networkId) =>
        ['CallbackErrored', 'Odd'].map((state) => ({ keeper, networkId, state })),
      ),
    ),
  );
});

test('time, snapshot and search text are those of every part', () => {
  const time = { kind: 'last', range: '1h' } as const;
  const asof = '2026-11-20T07:00:00.500Z';
  const shared = { min: '2026-11-20T06:00:00.000Z', max: asof, query: `0x${'ab'.repeat(32)}` };
  expect(filters({ networks: ['1', '2'], q: 'AB'.repeat(32), time, asof })).toEqual([
    { keeper: 'main', networkId: '1', ...shared },
    { keeper: 'main', networkId: '2', ...shared },
  ]);
});

test('what can only be refused is refused without a call', () => {
  const refused = (detail: string) => ({
    failure: { kind: 'bad-request', detail: expect.stringContaining(detail) },
  });
  expect(filters({ keepers: ['main', 'other'] })).toMatchObject(refused('keeper must be one of main, test.'));
  expect(filters({ q: 'what is this' })).toMatchObject(refused('nothing was asked'));
  expect(partsOf(viewOf({}), NOW_MS, new Map())).toMatchObject({ failure: { kind: 'unconfigured' } });
});

test('more combinations than anybody could wait for are refused before any is made', () => {
  const numbers = (count: number) => Array.from({ length: count }, (_, at) => String(at));
  const refused = {
    ok: false,
    failure: { kind: 'bad-request', detail: expect.stringContaining('more than 500 combinations') },
  };
  expect(filters({ networks: numbers(500) })).toHaveLength(500);
  expect(filters({ networks: numbers(501) })).toMatchObject(refused);
  expect(filters({ networks: numbers(101), states: ['a', 'b', 'c', 'd', 'e'] })).toMatchObject(refused);
  expect(
    filters({ keepers: ['main', 'test'], networks: numbers(51), states: ['a', 'b', 'c', 'd', 'e'] }),
  ).toMatchObject(refused);
});
