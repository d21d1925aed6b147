import { afterAll, beforeAll, expect, test } from 'vitest';
import { ownRoute } from '@/lib/access/reply';
import { CHAIN_CAUSE_PATH, readChainEvidence } from '@/lib/pending/chain-cause';
import { incidentAddress, readIncident } from '@/lib/pending/pending-response';
import { RULE } from '@/lib/pending/rules/rule-ids';
import { replaceSettings } from '@/lib/platform/settings-fixture';
import { closeServices } from '@/lib/services/services';
import { replyWithChainEvidence } from './chain-evidence';
import {
  control,
  dashboard,
  diagnosis,
  getAndRead,
  group,
  play,
  type Report,
  triage,
} from './pending-harness';

let report: Report;
beforeAll(async () => {
  report = await dashboard('bad-contract');
});
afterAll(async () => {
  await closeServices();
  replaceSettings(undefined);
});

async function evidence(query: Record<string, string>) {
  const url = `http://localhost:3000${CHAIN_CAUSE_PATH}?${new URLSearchParams(query)}`;
  const reply = await ownRoute(replyWithChainEvidence)(
    new Request(url, { headers: { host: 'localhost:3000' } }),
  );
  const answer = readChainEvidence(await reply.text());
  if (!answer.ok) throw new Error(answer.failure.detail);
  return answer.value;
}

const NEXT = 'Send the contract’s owner these requests';
const rpcCalls = async () => ((await control('GET', '/calls?service=rpc')) as { total: number }).total;

test('list and report name the cause found on the chain, which is queried once for all viewers', async () => {
  const [before] = (await triage()).incidents;
  expect(before?.chain).toBeUndefined();
  await expect
    .poll(async () => (await triage()).incidents[0]?.chain, { timeout: 20_000 })
    .toMatchObject({
      isOpen: true,
      cause: { title: 'Callback reverts', next: NEXT },
    });
  const calls = await rpcCalls();
  await Promise.all(Array.from({ length: 100 }, triage));
  expect(await rpcCalls()).toBe(calls);
  const { markdown, incident } = await getAndRead(incidentAddress(before?.id ?? ''), readIncident);
  expect(incident?.chain?.cause?.title).toBe('Callback reverts');
  expect(markdown).toContain('**Likely cause, on-chain**: Callback reverts.');
  expect(markdown).toContain(`**Next step**: ${NEXT}.`);
});

test('the report of a request follows the chain once the chain was queried about it', async () => {
  const [incident] = report.incidents;
  const [request] = incident?.requests ?? [];
  if (incident === undefined || request === undefined) throw new Error('no stuck request');
  expect((await diagnosis(incident, request)).markdown).not.toContain('cause, on-chain');
  const { keeper, network_id: network, provider } = incident;
  await evidence({
    keeper,
    network,
    provider,
    sequence: String(request.sequence),
    tx: request.request_tx_hash,
  });
  expect((await diagnosis(incident, request)).markdown).toContain(
    '**Likely cause, on-chain**: Callback reverts.',
  );
});

test('a single request in the list has the cause found on the chain once the chain was queried', async () => {
  const { incidents } = await play('gas-over-maximum');
  const only = async () => (await triage()).groups[0]?.only;
  expect(await only()).toMatchObject({ rule: RULE.unusualGas });
  expect(await only()).not.toHaveProperty('chain');
  const [{ keeper, network_id: network, provider, requests } = {}] = incidents;
  const [{ sequence, request_tx_hash: tx } = {}] = requests ?? [];
  await evidence({ keeper, network, provider, sequence: String(sequence), tx } as Record<string, string>);
  await expect.poll(only).toMatchObject({ chain: { cause: { title: 'Reverted on chain' } } });
  const [{ id = '' } = {}] = (await triage()).groups;
  expect((await group(id)).requests).toMatchObject([{ chain: { cause: { title: 'Reverted on chain' } } }]);
});
