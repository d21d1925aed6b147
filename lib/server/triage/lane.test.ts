import { expect, it } from 'vitest';
import { USUAL_SETTINGS } from '@/lib/domain/diagnosis/diagnosis-settings';
import { parseIsoTime } from '@/lib/domain/units';
import { createLogSource } from '@/lib/server/explorer/log-source';
import { laneAnswer, laneRows, readLaneAsked } from './lane';
import { FakeLog, finished, PROVIDER, START_MS } from './triage-fakes';

const known = { settings: USUAL_SETTINGS, finished: undefined, nowMs: START_MS };

async function lane(count: number, fromMs?: number) {
  const log = new FakeLog('main', finished('8453', count, START_MS, 1000));
  const asked = { networkId: '8453', ...(fromMs === undefined ? {} : { fromMs }) };
  const page = await laneRows(asked, createLogSource('main', log.client));
  if (!page.ok) throw new Error(page.failure.detail);
  return laneAnswer(asked, page.value, known);
}

it('of 5000 rows of a stretch shows every one', async () => {
  const answer = await lane(5000, 0);
  expect(answer.items).toHaveLength(5000);
  expect(answer).toMatchObject({ provider: PROVIDER, unseen: 0, unreadable: 0, missingNumbers: '0' });
});

it('says how many rows of a longer stretch it does not show', async () => {
  const answer = await lane(7000, 0);
  expect(answer.items.length + answer.unseen).toBe(7000);
});

it('without times shows the newest rows', async () => {
  const answer = await lane(3000);
  expect(answer.items).toHaveLength(1000);
  expect(answer).toMatchObject({ unseen: 0, fromMs: START_MS - 999_000, toMs: START_MS });
});

it.each([
  ['network=8453', { networkId: '8453' }],
  [
    'network=1&provider=0xAB&from=2026-11-20T08:00:00Z',
    {
      networkId: '1',
      provider: '0xAB',
      fromMs: Date.UTC(2026, 10, 20, 8),
    },
  ],
  ['network=', undefined],
  ['network=0x1', undefined],
  ['network=1&to=soon', undefined],
  ['network=1&from=2026-11-20&to=2026-11-19', undefined],
])('%s is read as %j', (query, asked) => {
  const read = readLaneAsked(new URLSearchParams(query), parseIsoTime);
  expect(read.ok ? read.value : undefined).toEqual(asked);
});
