import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownRoute } from '@/lib/access/reply';
import { type Onchain, readOnchain } from '@/lib/onchain/onchain-response';
import { dashboard, play, type Report } from '@/lib/pending/server/pending-harness';
import { replaceSettings } from '@/lib/platform/settings-fixture';
import { closeServices, services } from '@/lib/services/services';
import type { ScenarioName } from '@/sandbox/scenarios/catalogue';
import { replyWithOnchain } from './onchain-endpoint';

beforeAll(() => dashboard('healthy'));
afterAll(async () => {
  await closeServices();
  replaceSettings(undefined);
});

type Of = { keeper: string; network_id: string; provider: string };
type Request = Report['incidents'][0]['requests'][0];

async function onchain({ keeper, network_id, provider }: Of, of: Request): Promise<Onchain> {
  const query = new URLSearchParams({ network: network_id, sequence: String(of.sequence) });
  const more = { keeper, provider, tx: of.request_tx_hash, fresh: '1' };
  for (const [name, value] of Object.entries(more)) query.set(name, value);
  const headers = { host: 'localhost:3000' };
  const request = new Request(`http://localhost:3000/api/view/requests/onchain?${query}`, { headers });
  const text = await (await ownRoute(replyWithOnchain)(request)).text();
  const answer = readOnchain(text);
  if (!answer.ok) throw new Error(text);
  return answer.value;
}

/** Verdicts about the first stuck request of each scenario. */
const VERDICTS: Partial<Record<ScenarioName, string>> = {
  'gave-up': 'reveal-succeeds',
  'reorg-twin': 'replaced',
  'rpc-outage': 'reveal-succeeds',
  'bad-contract': 'callback-reverts',
  overtaken: 'reveal-succeeds',
  silence: 'reveal-succeeds',
  'gas-unusual': 'reveal-reverts',
  'gas-over-maximum': 'request-reverted',
  gap: 'reveal-succeeds',
  batch: 'reveal-succeeds',
};

describe('the simulated chain agrees with the log', () => {
  test.each(Object.entries(VERDICTS))('in %s: %s', async (scenario, verdict) => {
    const report = await play(scenario);
    const [incident] = report.incidents;
    const [request] = incident?.requests ?? [];
    if (incident === undefined || request === undefined) throw new Error('no stuck request');
    const answer = await onchain(incident, request);
    expect(answer).toMatchObject({ asked: true, verdict: { kind: verdict } });
    const { rpc } = services();
    const sent = rpc.get(incident.network_id)?.[0]?.http.status().calls.sent ?? 0;
    expect(sent).toBeGreaterThan(0);
  });
});
