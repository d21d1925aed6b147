import { afterAll, beforeAll, expect, test } from 'vitest';
import { dashboard } from '@/lib/pending/server/pending-harness';
import { replaceSettings } from '@/lib/platform/settings-fixture';
import { closeServices, services } from '@/lib/services/services';
import { incidentHistory } from './history';
import { alertsAnswer } from './webhook';

beforeAll(() => dashboard('slow-network'));
afterAll(async () => {
  await closeServices();
  replaceSettings(undefined);
});

test('a network that is slow is in the history, with its worst p95, and is no incident of stuck requests', async () => {
  const slow = async () =>
    (await incidentHistory({ range: '24h' })).incidents.filter(({ rules }) => rules[0] === 'slow');
  await expect.poll(async () => (await slow()).length, { timeout: 20_000 }).toBe(1);
  const [one] = await slow();
  expect(one).toMatchObject({ closedMs: null, headline: expect.stringMatching(/^p95 .+\. Usually /) });
  expect(one?.events.map(({ kind }) => kind)).toEqual(['opened']);
  // 55 s, in microseconds.
  expect(one?.peak).toBeGreaterThan(50_000_000);
  const { openDegraded, openIncidents } = services().incidents;
  expect(openDegraded.map(({ key }) => key)).toEqual([one?.key]);
  expect(openIncidents).toEqual([]);
  expect((await alertsAnswer()).example.isReal).toBe(false);
});
