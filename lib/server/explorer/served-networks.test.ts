import { expect, test } from 'vitest';
import { failed, type Outcome, ok } from '@/lib/domain/outcome';
import { createServedNetworks } from './served-networks';

const NONE: Outcome<string[]> = failed({ kind: 'missing', service: 'logs', detail: 'no such route' });

function setUp(
  lists: Record<string, Outcome<string[]>>,
  standings: Record<string, 'served' | 'unserved'> = {},
) {
  const asked: string[] = [];
  let nowMs = 0;
  const served = createServedNetworks({
    ask: async (keeper) => {
      asked.push(keeper);
      return lists[keeper] ?? NONE;
    },
    memory: { standing: (keeper, id) => standings[`${keeper}/${id}`] },
    offered: async () => ['1', '2'],
    now: () => nowMs,
  });
  return { served, asked, wait: (ms: number) => (nowMs += ms) };
}

test('several keepers together serve what one of them does', async () => {
  const { served } = setUp({ main: ok(['1', '7']), test: ok(['2', '1']) });
  expect(await served.of(['main'])).toEqual(['1', '7']);
  expect(await served.of(['main', 'test'])).toEqual(['1', '7', '2']);
});

test('a list is asked for once in ten minutes, however many ask, and a missing one once a minute', async () => {
  const { served, asked, wait } = setUp({ main: ok(['1']) });
  await Promise.all([served.of(['main']), served.of(['main', 'test'])]);
  wait(59_999);
  await served.of(['main', 'test']);
  expect(asked).toEqual(['main', 'test']);
  wait(1);
  await served.of(['main', 'test']);
  wait(540_000);
  await served.of(['main']);
  expect(asked).toEqual(['main', 'test', 'test', 'main']);
});

test('without a list or with an empty one it is not known, unless every offered network was answered', async () => {
  expect(await setUp({}).served.of(['main'])).toBeUndefined();
  expect(await setUp({ main: ok([]) }).served.of(['main'])).toBeUndefined();
  expect(await setUp({ test: ok(['1']) }).served.of(['main', 'test'])).toBeUndefined();
  expect(await setUp({}, { 'main/1': 'served' }).served.of(['main'])).toBeUndefined();
  const all = setUp({}, { 'main/1': 'unserved', 'main/2': 'served' });
  expect(await all.served.of(['main'])).toEqual(['2']);
});

test('a keeper whose list meets an error of ours is asked again like one without a list', async () => {
  let asked = 0;
  let nowMs = 0;
  const served = createServedNetworks({
    ask: async () => {
      asked += 1;
      if (asked === 1) throw new RangeError('no reader expected that');
      return ok(['1']);
    },
    memory: { standing: () => undefined },
    offered: async () => ['1'],
    now: () => nowMs,
  });
  expect(await served.of(['main'])).toBeUndefined();
  nowMs = 60_000;
  expect(await served.of(['main'])).toEqual(['1']);
});
