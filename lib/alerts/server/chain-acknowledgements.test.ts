import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AcknowledgeOrder } from '@/lib/alerts/acknowledge';
import { problemsNow } from '@/lib/insights/server/problems';
import { chainStates, pollChains } from '@/lib/onchain/server/network-watch';
import { control, dashboard } from '@/lib/pending/server/pending-harness';
import { replaceSettings } from '@/lib/platform/settings-fixture';
import { closeServices, services } from '@/lib/services/services';
import { replyToAcknowledge, replyWithAcknowledgements } from './acknowledgements';
import { recordIncidents } from './incident-watch';

beforeAll(() => dashboard('healthy'));
afterAll(async () => {
  await closeServices();
  replaceSettings(undefined);
});

const NETWORK = '8453';
let spentPerDayWei: bigint;
const state = () => chainStates().find(({ keeper, networkId }) => keeper === 'main' && networkId === NETWORK);

/** Lets the wallet last this many days at the present spending. Resolves once the chain has been queried. */
async function lasts(days: number): Promise<void> {
  const wei = (spentPerDayWei * BigInt(Math.round(days * 100))) / 100n;
  await control('POST', '/wallet', { network_id: NETWORK, wei: String(wei) });
  await pollChains();
}

beforeEach(async () => {
  await control('POST', '/wallet', { network_id: NETWORK, wei: null });
  await pollChains();
  spentPerDayWei = BigInt(state()?.wallets[0]?.spentPerDayWei ?? '0');
  expect(spentPerDayWei).toBeGreaterThan(0n);
});

async function send(action: AcknowledgeOrder['action'], id: string): Promise<number> {
  const body = JSON.stringify({ action, targets: [{ kind: 'chain', id }], note: 'refill is on its way' });
  const headers = { 'content-type': 'application/json' };
  const url = 'http://localhost/api/view/acknowledge';
  return (await replyToAcknowledge(new Request(url, { method: 'POST', headers, body }), {} as never)).status;
}
const problems = async () => {
  const answer = await problemsNow();
  return {
    acknowledged: answer?.acknowledged,
    reported: (answer?.problems ?? [])
      .filter(({ kind }) => kind === 'chain')
      .map(({ id, level }) => `${level} ${id}`),
  };
};
const listed = async () => (await (await replyWithAcknowledgements()).json()).acknowledgements;

test('a low wallet is no problem once it is acknowledged, until it becomes critical', async () => {
  await lasts(2);
  const id = `wallet/main/${NETWORK}/${state()?.wallets[0]?.address}`;
  expect(await problems()).toEqual({ acknowledged: 0, reported: [`warning ${id}`] });
  expect(await send('acknowledge', id)).toBe(200);
  expect(await problems()).toEqual({ acknowledged: 1, reported: [] });
  expect(await listed()).toMatchObject([{ kind: 'chain', id, note: 'refill is on its way' }]);

  expect(await send('undo', id)).toBe(200);
  expect(await problems()).toEqual({ acknowledged: 0, reported: [`warning ${id}`] });

  await send('acknowledge', id);
  await lasts(0.5);
  expect(await problems()).toEqual({ acknowledged: 0, reported: [`bad ${id}`] });
  await recordIncidents();
  expect(services().incidents.acknowledgements).toEqual([]);
});

test('an acknowledgement ends with its problem, and not while the chain is unreachable', async () => {
  await lasts(2);
  const id = `wallet/main/${NETWORK}/${state()?.wallets[0]?.address}`;
  await send('acknowledge', id);
  await control('POST', '/faults', { service: 'rpc', fault: { kind: 'html' } });
  await pollChains();
  await recordIncidents();
  expect(await listed()).toMatchObject([{ id }]);
  await control('DELETE', '/faults');
  await lasts(30);
  await recordIncidents();
  expect(services().incidents.acknowledgements).toEqual([]);
  await lasts(2);
  expect((await problems()).reported).toEqual([`warning ${id}`]);
});

test('only an existing problem can be acknowledged', async () => {
  expect(await send('acknowledge', `wallet/main/${NETWORK}/0x00`)).toBe(400);
});
