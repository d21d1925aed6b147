import { afterAll, beforeAll, expect, test } from 'vitest';
import { dashboard } from '@/lib/pending/server/pending-harness';
import { replaceSettings } from '@/lib/platform/settings-fixture';
import { closeServices, services } from '@/lib/services/services';
import { alertsAnswer } from './alerts-endpoint';
import { incidentHistory } from './history';

beforeAll(() => dashboard('slow-network'));
afterAll(async () => {
  await closeServices();
  replaceSettings(undefined);
});

test('a slow network is recorded in the history with its worst p95, and not as an incident of stuck requests', async () => {
  const slow = async () =>
    (await incidentHistory({ range: '24h' })).incidents.filter(({ rules }) => rules[0] === 'slow');
  await expect.poll(async () => (await slow()).length, { timeout: 20_000 }).toBe(1);
  const [record] = await slow();
  expect(record).toMatchObject({ closedMs: null, headline: expect.stringMatching(/^p95 .+\. Usually /) });
  expect(record?.events.map(({ kind }) => kind)).toEqual(['opened']);
  // 55 s, in microseconds.
  expect(record?.peak).toBeGreaterThan(50_000_000);
  const degradedFromMs = async () => (await incidentHistory({ range: '24h' })).degradedFromMs;
  await expect.poll(degradedFromMs).toBeLessThanOrEqual(record?.openedMs ?? Number.NaN);
  const history = await incidentHistory({ range: '24h' });
  // Lanes mark the time before the dashboard began.
  expect(history.unrecorded.fromLog[0]).toEqual({
    fromMs: history.axis.fromMs,
    toMs: history.recordedFromMs,
  });
  const { openDegraded, openIncidents } = services().incidents;
  expect(openDegraded.map(({ key }) => key)).toEqual([record?.key]);
  expect(openIncidents).toEqual([]);
  expect((await alertsAnswer()).example.isReal).toBe(false);
});
