import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { configure, FakeService } from '@/lib/gateway/gateway-harness';
import { chainProblems } from '@/lib/onchain/network-state';
import { closeServices, services } from '@/lib/services/services';
import { chainStates, isChainUnknown, pollChains } from './network-watch';
import {
  CONTRACT,
  NodeError,
  PROVIDER,
  provider,
  returnOf,
  SENDER,
  soundNode,
  startNode,
  type TestNode,
} from './node-fixture';

const [RICH, POOR] = [`0x${'aa'.repeat(20)}`, `0x${'bb'.repeat(20)}`];
const log = new FakeService();
let node: TestNode;
/** Senders of the logged reveals, newest first. */
let senders: string[] = [];
/** Gas of the logged reveals. */
let gasOf: (index: number) => string | undefined = () => '100000';
/** Time between two requests. */
let stepMs = 60_000;
let l1Fee: string | undefined;

const hash = (at: number) => `0x${String(at).padStart(64, '0')}`;

/** The newer a request, the lower its number. */
const rows = () =>
  senders.map((_, index) => ({
    chain_id: 'base',
    network_id: '8453',
    provider: PROVIDER,
    sequence: 100 - index,
    created_at: new Date(Date.now() - 600_000 - index * stepMs).toISOString(),
    last_updated_at: new Date(Date.now() - 590_000 - index * stepMs).toISOString(),
    request_block_number: 1,
    request_tx_hash: hash(1000 + index),
    gas_limit: '500000',
    user_random_number: '11'.repeat(32),
    sender: SENDER,
    state: { state: 'completed', reveal_tx_hash: hash(index), gas_used: gasOf(index) },
  }));

beforeEach(async () => {
  await log.start();
  log.reset();
  log.answer = (res, { url }) => {
    if (url.includes('/configs'))
      res.end(JSON.stringify([{ network_id: 8453, name: 'base', contract_addr: CONTRACT }]));
    else res.end(JSON.stringify({ requests: rows(), total_results: senders.length }));
  };
  node = await startNode({
    ...soundNode(),
    eth_getTransactionReceipt: ([tx]: readonly unknown[]) => ({
      blockNumber: '0x206cc80',
      from: senders[Number(tx)],
      status: '0x1',
      gasUsed: '0x5208',
      effectiveGasPrice: '0x1',
      ...(l1Fee && { l1Fee }),
    }),
    eth_gasPrice: () => '0x1',
    eth_getBalance: ([address]: readonly unknown[]) => (address === POOR ? '0x1' : '0xffffffffffff'),
    eth_getTransactionCount: () => '0x4',
    eth_call: ([call]: readonly unknown[]) => {
      const { data } = call as { data: string };
      return data.startsWith('0x2f9b787b') ? provider(90n, 1_000_000n) : returnOf(data);
    },
  });
});
afterEach(async () => {
  gasOf = () => '100000';
  stepMs = 60_000;
  l1Fee = undefined;
  await closeServices();
  await node.stop();
  await log.stop();
});

/** Anyone may reveal, and a wallet that was replaced is swept. */
test.each([
  ['one reveal of a stranger', [...Array<string>(7).fill(RICH), POOR], [RICH]],
  ['a newest reveal of a stranger', [POOR, ...Array<string>(7).fill(RICH)], [RICH]],
  ['a wallet that was replaced', [...Array<string>(4).fill(RICH), ...Array<string>(4).fill(POOR)], [RICH]],
  ['two wallets by turns', [RICH, POOR, RICH, POOR, RICH, POOR, RICH, POOR], [RICH, POOR]],
  ['the only reveal', [POOR], [POOR]],
])('wallets shown to be the keeper’s: %s', async (_, newestFirst, expected) => {
  senders = newestFirst;
  await configure({ LOGS_URL: log.origin, RPC_URLS: `8453=${node.origin}` });
  services().sync.start();
  await services().sync.caughtUp();
  await pollChains();
  const [state] = chainStates();
  expect(state?.failure).toBeNull();
  expect(state?.wallets.map(({ address }) => address)).toEqual(expected);
  const problems = state === undefined ? [] : chainProblems(state, state.atMs);
  expect(problems.map(({ address }) => address)).toEqual(expected.filter((address) => address === POOR));
});

const headAt = (of: TestNode, number: number, ageS: number) => {
  const timestamp = `0x${(Math.floor(Date.now() / 1000) - ageS).toString(16)}`;
  of.answers.eth_getBlockByNumber = () => ({ number: `0x${number.toString(16)}`, timestamp });
};

test('of two URLs the newer block counts, and the first one while it is at most a minute behind', async () => {
  senders = Array<string>(8).fill(RICH);
  const other = await startNode({ ...node.answers });
  try {
    await configure({ LOGS_URL: log.origin, RPC_URLS: `8453=${node.origin},8453=${other.origin}` });
    services().sync.start();
    await services().sync.caughtUp();
    const hostOf = async () => {
      await pollChains();
      return chainStates()[0]?.host;
    };
    const [first, second] = [new URL(node.origin).host, new URL(other.origin).host];
    headAt(node, 1000, 10_800);
    headAt(other, 1003, 2);
    expect(await hostOf()).toBe(second);
    headAt(node, 2000, 3);
    headAt(other, 2001, 2);
    expect(await hostOf()).toBe(first);
    headAt(other, 2024, 0);
    expect(await hostOf()).toBe(first);
    headAt(node, 2000, 70);
    expect(await hostOf()).toBe(second);
    headAt(node, 2300, 1);
    other.raw = (_request, response) => response.writeHead(503).end();
    expect(await hostOf()).toBe(first);
    expect(chainStates()[0]?.failure).toBeNull();
  } finally {
    await other.stop();
  }
});

test('a gap lasts while another node has no pending transactions, until its own has none, or for an hour', async () => {
  senders = [RICH];
  const other = await startNode({ ...node.answers });
  onTestFinished(() => other.stop());
  let pending = '0x6';
  node.answers.eth_getTransactionCount = ([, at]) => (at === 'pending' ? pending : '0x4');
  await configure({ LOGS_URL: log.origin, RPC_URLS: `8453=${node.origin},8453=${other.origin}` });
  services().sync.start();
  await services().sync.caughtUp();
  const startMs = services().index.now();
  const clock = vi.spyOn(services().index, 'now');
  onTestFinished(() => clock.mockRestore());
  const gapAt = async (minutes: number, behindS: number) => {
    clock.mockReturnValue(startMs + minutes * 60_000);
    headAt(node, 1000, behindS + 2);
    headAt(other, 1001, 2);
    await pollChains();
    const [state] = chainStates();
    const { nonceGap, gapSinceMs } = state?.wallets[0] ?? {};
    const sinceMin = gapSinceMs === null ? null : Math.round(((gapSinceMs ?? 0) - startMs) / 60_000);
    return [state?.host === new URL(node.origin).host, nonceGap, sinceMin];
  };
  expect(await gapAt(0, 0)).toEqual([true, 2, 0]);
  expect(await gapAt(50, 0)).toEqual([true, 2, 0]);
  expect(await gapAt(51, 100)).toEqual([false, 2, 0]);
  expect(await gapAt(52, 0)).toEqual([true, 2, 0]);
  expect(await gapAt(113, 100)).toEqual([false, 0, null]);
  expect(await gapAt(114, 0)).toEqual([true, 2, 114]);
  pending = '0x4';
  expect(await gapAt(115, 0)).toEqual([true, 0, null]);
});

test.each([
  ['six hours without a block do not lengthen it', 2, (back: number) => back * 2 + (back >= 7 ? 21_600 : 0)],
  ['two such stops do not', 2, (back: number) => back * 2 + (back >= 12 ? 43_200 : back >= 7 ? 21_600 : 0)],
  ['a quiet hour does', 60, (back: number) => Math.min(back, 60) * 58 + back * 2],
])('the usual interval of the last twenty blocks: %s', async (_, expectedS, ageOf) => {
  senders = [RICH];
  node.answers.eth_getBlockByNumber = ([block]) => {
    const ageS = ageOf(block === 'latest' ? 0 : 5000 - Number(block));
    const timestamp = `0x${(Math.floor(Date.now() / 1000) - ageS).toString(16)}`;
    return { number: block === 'latest' ? '0x1388' : block, timestamp };
  };
  await configure({ LOGS_URL: log.origin, RPC_URLS: `8453=${node.origin}` });
  services().sync.start();
  await services().sync.caughtUp();
  await pollChains();
  const blockS = (chainStates()[0]?.blockMs ?? 0) / 1000;
  // A stop is in the mean of 2,000 blocks too, with a 2,000th of its time.
  expect(blockS).toBeGreaterThanOrEqual(expectedS);
  expect(blockS).toBeLessThanOrEqual(expectedS + 22);
});

test('the usual interval is that of the longest span of blocks, and measured again after an hour', async () => {
  senders = [RICH];
  let quietS = 600;
  node.answers.eth_getBlockByNumber = ([block]) => {
    const back = block === 'latest' ? 0 : 5000 - Number(block);
    // The last 20 blocks took a second each.
    const ageS = back <= 20 ? back : 20 + (back - 20) * quietS;
    const timestamp = `0x${(Math.floor(Date.now() / 1000) - ageS).toString(16)}`;
    return { number: block === 'latest' ? '0x1388' : block, timestamp };
  };
  await configure({ LOGS_URL: log.origin, RPC_URLS: `8453=${node.origin}` });
  services().sync.start();
  await services().sync.caughtUp();
  const intervalS = async () => {
    await pollChains();
    return Math.round((chainStates()[0]?.blockMs ?? 0) / 1000);
  };
  expect(await intervalS()).toBe(594);
  quietS = 1;
  expect(await intervalS()).toBe(594);
  const nowMs = services().index.now() + 3_600_000;
  const clock = vi.spyOn(services().index, 'now').mockReturnValue(nowMs);
  onTestFinished(() => clock.mockRestore());
  expect(await intervalS()).toBe(1);
});

test('a node that does not report the pending count tells no gap', async () => {
  senders = [RICH];
  node.answers.eth_getTransactionCount = ([, at]) => {
    if (at === 'pending') throw new NodeError(-32_000, 'not supported');
    return '0x4';
  };
  await configure({ LOGS_URL: log.origin, RPC_URLS: `8453=${node.origin}` });
  services().sync.start();
  await services().sync.caughtUp();
  await pollChains();
  expect(chainStates()[0]?.wallets).toMatchObject([{ nonceGap: null, gapSinceMs: null }]);
});

test('what an old block says of wallets is unknown, and no problem', async () => {
  senders = [POOR];
  const lane = 'main/8453';
  await configure({ LOGS_URL: log.origin, RPC_URLS: `8453=${node.origin}` });
  services().sync.start();
  await services().sync.caughtUp();
  await pollChains();
  expect(isChainUnknown(lane, services(), 'wallets')).toBe(false);
  const timestamp = `0x${(Math.floor(Date.now() / 1000) - 10_800).toString(16)}`;
  node.answers.eth_getBlockByNumber = () => ({ number: '0x3e8', timestamp });
  await pollChains();
  const [state] = chainStates();
  expect(state && chainProblems(state, state.atMs)).toEqual([]);
  expect(isChainUnknown(lane, services(), 'wallets')).toBe(true);
});

test('a reveal costs the mean plausible gas and the fee of the layer below, and spending counts all reveals', async () => {
  senders = Array<string>(8).fill(RICH);
  stepMs = 6 * 3_600_000;
  l1Fee = '0x1000';
  gasOf = (index) => (index < 4 ? '200000' : index < 6 ? undefined : '9'.repeat(38));
  await configure({ LOGS_URL: log.origin, RPC_URLS: `8453=${node.origin}` });
  services().sync.start();
  await services().sync.caughtUp();
  await pollChains();
  const [state] = chainStates();
  expect(state?.failure).toBeNull();
  expect(state?.revealWei).toBe(String(200_000 + 0x1000));
  const { spentPerDayWei, spanMs } = state?.wallets[0] ?? {};
  expect((Number(spentPerDayWei) * (spanMs ?? 0)) / 86_400_000).toBeCloseTo(8 * (200_000 + 0x1000), -4);
});
