import { expect, test } from 'vitest';
import { FakeKeeper, type FakeRow, listingSources, NOW_MS, viewOf } from './listing-fakes';
import { newRowsTotal } from './new-rows';

const times = [
  '2026-11-20T07:59:59Z',
  '2026-11-20T07:59:59.999Z',
  '2026-11-20T07:59:59.999Z',
  '2026-11-20T07:59:59.9991Z',
  '2026-11-20T08:00:01Z',
];
const rows = times.map((createdAt, id): FakeRow => ({ id, networkId: '1', state: 'Pending', createdAt }));

function newer(since: string, change: Parameters<typeof viewOf>[0] = {}) {
  const main = new FakeKeeper('main', rows);
  const test = new FakeKeeper('test', rows.slice(3));
  test.networks = ['2'];
  const answer = newRowsTotal(viewOf(change), since, NOW_MS, listingSources([main, test]).sources);
  return answer.then((total) => ({ total: total.ok ? total.value : total.failure.kind, calls: main.calls }));
}

test('rows of the moment itself are not new, those a fraction of a millisecond later are', async () => {
  expect((await newer('2026-11-20T07:59:59.999Z')).total).toBe('2');
  expect((await newer('2026-11-20T07:59:58Z')).total).toBe('5');
});

test('the counts of all parts are added up, in the background; an unserved network adds none', async () => {
  const { total, calls } = await newer('2026-11-20T07:59:59.9992Z', {
    keepers: ['main', 'test'],
    networks: ['1'],
  });
  expect(total).toBe('1');
  expect(calls.every(({ priority }) => priority === 'background')).toBe(true);
});

test('nothing new takes one call, and a range that is over none', async () => {
  const none = await newer('2026-11-20T09:00:00Z');
  expect([none.total, none.calls.length]).toEqual(['0', 1]);
  const time = { kind: 'between', to: '2026-11-20T08:00:00Z' } as const;
  const over = await newer('2026-11-20T08:00:00Z', { time });
  expect([over.total, over.calls.length]).toEqual(['0', 0]);
});

test('the snapshot of the view does not bound what is new, its range does', async () => {
  const asof = '2026-11-20T08:00:00Z';
  expect((await newer(asof, { asof })).total).toBe('1');
  const time = { kind: 'between', from: '2026-11-20T08:00:00Z' } as const;
  expect((await newer('2026-11-20T07:00:00Z', { time })).total).toBe('1');
});

test('what is no time is refused', async () => {
  expect((await newer('yesterday')).total).toBe('bad-request');
});

test('a row that is dated hours ahead is not new each time, unless the clock of the service is ahead', async () => {
  const main = new FakeKeeper('main', [
    ...rows,
    { id: 9, networkId: '1', state: 'Pending', createdAt: '2026-11-20T11:00:00Z' },
  ]);
  const { sources } = listingSources([main]);
  expect(await newRowsTotal(viewOf({}), '2026-11-20T08:00:00Z', NOW_MS, sources)).toMatchObject({
    value: '1',
  });
  expect(await newRowsTotal(viewOf({}), '2026-11-20T10:00:00Z', NOW_MS, sources)).toMatchObject({
    value: '1',
  });
});
