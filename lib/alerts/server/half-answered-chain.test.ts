import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { configure, FakeService } from '@/lib/gateway/gateway-harness';
import { chainStates, pollChains } from '@/lib/onchain/server/network-watch';
import {
  CONTRACT,
  NodeError,
  PROVIDER,
  provider,
  REQUEST_BLOCK,
  returnOf,
  SENDER,
  soundNode,
  startNode,
  type TestNode,
} from '@/lib/onchain/server/node-fixture';
import { closeServices, services } from '@/lib/services/services';
import { replyToAcknowledge, replyWithAcknowledgements } from './acknowledgements';
import { isUncheckable, uncheckedEvents } from './conditions';
import { recordIncidents } from './incident-watch';

/** The node leaves some queries unanswered. */

const WALLET = `0x${'3a'.repeat(20)}`;
const log = new FakeService();
let node: TestNode;

const ROW = {
  chain_id: 'base',
  network_id: '8453',
  provider: PROVIDER,
  sequence: 70,
  created_at: new Date(Date.now() - 600_000).toISOString(),
  last_updated_at: new Date(Date.now() - 600_000).toISOString(),
  request_block_number: REQUEST_BLOCK,
  request_tx_hash: `0x${'ab'.repeat(32)}`,
  gas_limit: '500000',
  user_random_number: '11'.repeat(32),
  sender: SENDER,
  state: { state: 'completed', reveal_tx_hash: `0x${'ee'.repeat(32)}`, gas_used: '100000' },
};

/** A wallet with 1 wei and a hanging transaction, and a provider without random numbers. */
const poorNode = () => ({
  ...soundNode(),
  eth_getTransactionReceipt: () => ({
    blockNumber: '0x206cc80',
    from: WALLET,
    status: '0x1',
    gasUsed: '0x5208',
    effectiveGasPrice: '0x1',
  }),
  eth_gasPrice: () => '0x1',
  eth_getBalance: () => '0x1',
  eth_getTransactionCount: ([, at]: readonly unknown[]) => (at === 'pending' ? '0x5' : '0x4'),
  eth_call: ([call]: readonly unknown[]) => {
    const { data } = call as { data: string };
    return data.startsWith('0x2f9b787b') ? provider(90n, 90n) : returnOf(data);
  },
});

beforeEach(async () => {
  await log.start();
  log.reset();
  log.answer = (res, { url }) => {
    if (url.includes('/configs'))
      res.end(JSON.stringify([{ network_id: 8453, name: 'base', contract_addr: CONTRACT }]));
    else res.end(JSON.stringify({ requests: [ROW], total_results: 1 }));
  };
  node = await startNode(poorNode());
  await configure({ LOGS_URL: log.origin, RPC_URLS: `8453=${node.origin}` });
  services().sync.start();
  await services().sync.caughtUp();
  await pollChains();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await closeServices();
  await node.stop();
  await log.stop();
});

const IDS = {
  wallet: `wallet/main/8453/${WALLET}`,
  nonce: `nonce/main/8453/${WALLET}`,
  numbers: `numbers/main/8453/${PROVIDER}`,
};

async function acknowledge(...ids: string[]): Promise<void> {
  const body = JSON.stringify({ action: 'acknowledge', targets: ids.map((id) => ({ kind: 'chain', id })) });
  const headers = { 'content-type': 'application/json' };
  const request = new Request('http://localhost/api/view/acknowledge', { method: 'POST', headers, body });
  expect((await replyToAcknowledge(request, {} as never)).status).toBe(200);
}

/** Items still acknowledged after the next query of the chain. */
async function stillAcknowledged(): Promise<string[]> {
  await pollChains();
  await recordIncidents();
  const answer = await (await replyWithAcknowledgements()).json();
  expect(
    services()
      .incidents.acknowledgements.map(({ id }) => id)
      .sort(),
  ).toEqual(answer.acknowledgements.map(({ id }: { id: string }) => id).sort());
  return services().incidents.acknowledgements.map(({ id }) => id);
}

function later(ms: number): void {
  const atMs = Date.now() + ms;
  vi.spyOn(services().index, 'now').mockReturnValue(atMs);
}

async function nextTriage(): Promise<void> {
  const atMs = services().index.now();
  await expect.poll(async () => (await recordIncidents()).atMs, { timeout: 20_000 }).toBe(atMs);
}

const refuse = () => {
  throw new NodeError(-32_000, 'try again later');
};

test.each([
  ['a wallet', IDS.wallet, 'eth_getBalance'],
  ['random numbers', IDS.numbers, 'eth_call'],
])('a problem of %s stays acknowledged while the node does not answer that query', async (_, id, method) => {
  await acknowledge(id);
  node.answers[method] = refuse;
  expect(await stillAcknowledged()).toEqual([id]);
  node.answers = poorNode();
  expect(await stillAcknowledged()).toEqual([id]);
  expect(chainStates()).toHaveLength(1);
});

test('what a node does not tell is unknown to the alerts, not over', async () => {
  const compared = { compared: { networks: 1, of: 1 } };
  const unknown = async () => {
    await pollChains();
    const ids = Object.values(IDS).filter((id) => isUncheckable(id, compared, services()));
    return [ids, uncheckedEvents(compared, services())];
  };
  expect(await unknown()).toEqual([[], []]);
  node.answers = { ...poorNode(), eth_getBalance: refuse };
  expect(await unknown()).toEqual([[IDS.wallet, IDS.nonce], []]);
  node.answers = { ...poorNode(), eth_getBlockByNumber: refuse };
  const ofChains = ['chain.wallet', 'chain.nonce', 'chain.random-numbers'];
  expect(await unknown()).toEqual([Object.values(IDS), ofChains]);
  node.answers = poorNode();
  expect(await unknown()).toEqual([[], []]);
  later(400_000);
  expect(isUncheckable(IDS.wallet, compared, services())).toBe(true);
});

test('a problem of a wallet stays acknowledged while no receipt of a reveal is known, as after a restart', async () => {
  await acknowledge(IDS.wallet);
  const stored = services().incidents.acknowledgements;
  await configure({ LOGS_URL: log.origin, RPC_URLS: `8453=${node.origin}` });
  services().sync.start();
  await services().sync.caughtUp();
  await services().incidents.change({ acknowledge: [...stored], events: [] });
  node.answers.eth_getTransactionReceipt = refuse;
  expect(await stillAcknowledged()).toEqual([IDS.wallet]);
});

test('hanging transactions stay acknowledged while the node does not report the pending count, and end once mined', async () => {
  later(130_000);
  await pollChains();
  await acknowledge(IDS.nonce);
  node.answers.eth_getTransactionCount = ([, at]) => (at === 'pending' ? refuse() : '0x4');
  expect(await stillAcknowledged()).toEqual([IDS.nonce]);
  node.answers.eth_getTransactionCount = () => '0x5';
  expect(await stillAcknowledged()).toEqual([]);
});

test('an acknowledgement ends an hour after the chain last reported its wallet', async () => {
  await acknowledge(IDS.wallet);
  node.answers.eth_getBalance = refuse;
  expect(await stillAcknowledged()).toEqual([IDS.wallet]);
  later(59 * 60_000);
  // The state of pending requests is cached for a moment.
  await nextTriage();
  expect(await stillAcknowledged()).toEqual([IDS.wallet]);
  later(61 * 60_000);
  await nextTriage();
  expect(await stillAcknowledged()).toEqual([]);
});
