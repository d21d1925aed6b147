import { afterAll, beforeAll, expect, test } from 'vitest';
import { dashboard } from '@/lib/pending/server/pending-harness';
import { replaceSettings } from '@/lib/platform/settings-fixture';
import { closeServices } from '@/lib/services/services';
import { incidentHistory } from './history';

beforeAll(() => dashboard('bad-contract'));
afterAll(async () => {
  await closeServices();
  replaceSettings(undefined);
});

test('an open incident has the cause from the chain and the cause from the log', async () => {
  const open = async () =>
    (await incidentHistory({ range: '24h' })).incidents.find(({ closedMs }) => closedMs === null);
  await expect
    .poll(open, { timeout: 20_000 })
    .toMatchObject({ rules: ['R7'], chain: { cause: { title: 'Callback reverts' } } });
});
