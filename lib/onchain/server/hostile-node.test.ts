import type { ServerResponse } from 'node:http';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest';
import { ownRoute } from '@/lib/access/reply';
import { configure, FakeService } from '@/lib/gateway/gateway-harness';
import { type Onchain, readOnchain } from '@/lib/onchain/onchain-response';
import { networksFor } from '@/lib/services/network-directory';
import { currentHealth, probeFailingServices } from '@/lib/services/service-report';
import { closeServices, services } from '@/lib/services/services';
import { pollChains } from './network-watch';
import {
  CONTRACT,
  ENTROPY_CALLBACK,
  NodeError,
  noRequest,
  olderNode,
  olderReveal,
  openRequest,
  PROVIDER,
  provider,
  REQUEST_BLOCK,
  REVEAL_WITH_CALLBACK,
  REVEALED_WITH_CALLBACK,
  returnOf,
  SENDER,
  SEQUENCE,
  soundNode,
  startNode,
  type TestNode,
  TX,
} from './node-fixture';
import { replyWithOnchain } from './onchain-endpoint';

const log = new FakeService();
let node: TestNode;

const ROW = {
  chain_id: 'base',
  network_id: '8453',
  provider: PROVIDER,
  sequence: Number(SEQUENCE),
  created_at: new Date(Date.now() - 600_000).toISOString(),
  last_updated_at: new Date(Date.now() - 600_000).toISOString(),
  request_block_number: REQUEST_BLOCK,
  request_tx_hash: TX,
  gas_limit: '500000',
  user_random_number: '11'.repeat(32),
  sender: SENDER,
  state: { state: 'pending' },
};
let rows: Record<string, unknown>[];
const WALLET = `0x${'3a'.repeat(20)}`;
/** `Error("Game: round is over")`. */
const GAME_OVER = `0x08c379a0${'20'.padStart(64, '0')}${'13'.padStart(64, '0')}${Buffer.from('Game: round is over').toString('hex').padEnd(64, '0')}`;
const REVELATION = '22'.repeat(32);

beforeAll(() => log.start());
afterAll(() => log.stop());
beforeEach(async () => {
  log.reset();
  rows = [ROW];
  log.answer = (res, { url }) => {
    if (url.includes('/configs'))
      res.end(JSON.stringify([{ network_id: 8453, name: 'base', contract_addr: CONTRACT }]));
    else if (url.includes('/revelations/'))
      res.end(JSON.stringify({ value: { encoding: 'hex', data: REVELATION } }));
    else res.end(JSON.stringify({ requests: rows, total_results: rows.length }));
  };
  node = await startNode();
  await live(`8453=${node.origin}/v2/secret-key-in-a-path`);
});
afterEach(async () => {
  await closeServices();
  await node.stop();
});

const live = (rpcUrls: string) => configure({ LOGS_URL: log.origin, RPC_URLS: rpcUrls });

async function replied(query = ''): Promise<Response> {
  const address = `http://localhost:3000/api/view/requests/onchain?network=8453&sequence=${SEQUENCE}${query}`;
  return ownRoute(replyWithOnchain)(new Request(address, { headers: { host: 'localhost:3000' } }));
}

async function onchain(): Promise<Onchain> {
  const text = await (await replied()).text();
  expect(text).not.toContain('secret-key');
  const answer = readOnchain(text);
  if (!answer.ok) throw new Error(text);
  return answer.value;
}

const page = (status: number, body: string, headers: Record<string, string> = {}) => {
  node.raw = (_request, response: ServerResponse) => response.writeHead(status, headers).end(body);
};

describe('a sound node', () => {
  test('reports in two HTTP calls that the request is open, and how much gas a reveal would take', async () => {
    expect(await onchain()).toMatchObject({
      asked: true,
      host: new URL(node.origin).host,
      contract: CONTRACT,
      verdict: {
        kind: 'reveal-succeeds',
        headline: 'Still open; a reveal now would succeed with 200,000 gas',
      },
      transaction: { state: 'mined', block: String(REQUEST_BLOCK) },
      request: { state: 'open', numHashes: 5, maxNumHashes: 500, gasLimit: '500000' },
      randomNumbersLeft: '910',
      reveal: { kind: 'succeeds', gas: '200000' },
    });
    expect(node.calls).toHaveLength(2);
    expect(node.calls.map(({ url }) => url)).toEqual(Array(2).fill('/v2/secret-key-in-a-path'));
  });

  test('does not count as stopped if its clock and blocks are an hour behind ours', async () => {
    node.aheadMs = -3_600_000;
    node.answers.eth_getBlockByNumber = () => ({
      number: `0x${(REQUEST_BLOCK + 300).toString(16)}`,
      timestamp: `0x${Math.floor((Date.now() + node.aheadMs) / 1000).toString(16)}`,
    });
    expect(await onchain()).toMatchObject({ verdict: { kind: 'reveal-succeeds' } });
  });

  test('is queried about the contract that its keeper serves, and pages get the same contract', async () => {
    expect(await onchain()).toMatchObject({ contract: CONTRACT });
    expect(networksFor(['8453'])).toMatchObject([{ contracts: { main: CONTRACT } }]);
    expect(networksFor(['42161'])[0]).not.toHaveProperty('contracts');
  });

  test('is queried once for a hundred viewers', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, onchain));
    expect(new Set(answers.map((answer) => answer.atMs)).size).toBe(1);
    expect(node.calls).toHaveLength(2);
  });

  test('is not queried without an RPC, or before the first viewer', async () => {
    await live('1=http://127.0.0.1:9/');
    expect(node.calls).toEqual([]);
    expect(await onchain()).toMatchObject({
      asked: false,
      because: 'unconfigured',
      why: 'No RPC is set for network 8453: add 8453=https://… to RPC_URLS to query the chain.',
    });
  });
});

describe('an unusable node', () => {
  test('is named and never used if it serves another chain', async () => {
    node.answers = soundNode(1);
    const host = new URL(node.origin).host;
    expect(await onchain()).toMatchObject({
      asked: false,
      because: 'failed',
      why: `The chain was not queried: RPC ${host} is of chain 1, not of 8453: it is not used. Check RPC_URLS.`,
    });
    expect(node.calls).toHaveLength(1);
    expect(currentHealth().services[`rpc:${host}`]).toMatchObject({ ok: false, kind: 'wrong-chain' });
  });

  test('counts as failing while one of its URLs serves another chain, whatever the others return', async () => {
    await live(`8453=${node.origin}/a,1=${node.origin}/b`);
    const isOk = () => currentHealth().services[`rpc:${new URL(node.origin).host}`]?.ok;
    const call = (networkId: string) => services().rpc.get(networkId)?.[0]?.call([], 'user');
    await call('1');
    await call('8453');
    expect(isOk()).toBe(false);
    node.answers = soundNode(1);
    await call('1');
    expect(isOk()).toBe(true);
  });

  test('counts as failing if it does not report its chain', async () => {
    node.answers.eth_chainId = () => {
      throw new NodeError(-32_601, 'no such method');
    };
    expect(await onchain()).toMatchObject({ asked: false, because: 'failed' });
    const host = new URL(node.origin).host;
    expect(currentHealth().services[`rpc:${host}`]).toMatchObject({ ok: false, kind: 'malformed' });
  });

  test('is probed once a minute until it works', async () => {
    page(503, '');
    await onchain();
    const host = new URL(node.origin).host;
    expect(currentHealth().services[`rpc:${host}`]).toMatchObject({ ok: false });
    node.raw = undefined;
    node.calls.length = 0;
    await probeFailingServices(services(), () => Date.now() + 55_000);
    expect(node.calls).toEqual([]);
    await probeFailingServices(services(), () => Date.now() + 61_000);
    expect(node.calls.map(({ methods }) => methods)).toEqual([['eth_chainId']]);
    expect(currentHealth().services[`rpc:${host}`]).toMatchObject({ ok: true });
  });

  const bodies: [string, () => void, RegExp][] = [
    ['sends a web page', () => page(200, '<html><h1>hi</h1></html>'), /web page, not JSON/],
    [
      'sends one error in place of a list',
      () => page(200, '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no <b>luck</b>"}}'),
      /does not report its chain id: no <b>luck<\/b>/,
    ],
    ['sends something else', () => page(200, '{"hello":1}'), /no answer to a batch/],
    ['sends an empty list', () => page(200, '[]'), /does not report its chain id/],
    ['sends nothing', () => page(200, ''), /it is empty/],
    [
      'redirects',
      () => page(302, '', { location: 'http://127.0.0.1:9/elsewhere' }),
      /redirect \(302\), which is not followed/,
    ],
    ['fails', () => page(500, 'oops'), /returned 500/],
    [
      'limits the rate',
      () => page(429, '', { 'retry-after': '7' }),
      /rate-limited us \(429\)\. Retry in 7 s/,
    ],
    [
      'rejects the key',
      () => page(401, 'bad key secret-key-in-a-path'),
      /rejected the API key \(401\). Check RPC_URLS/,
    ],
    ['repeats the key', () => page(400, 'no project secret-key-in-a-path'), /no project \[key\]/],
  ];
  test.each(bodies)('%s', async (_what, arrange, why) => {
    arrange();
    const answer = await onchain();
    expect(answer).toMatchObject({ asked: false, because: 'failed' });
    expect(answer.asked ? '' : answer.why).toMatch(why);
  });

  test('gets no calls during a pause that it requests, and its row of health says so', async () => {
    page(429, '', { 'retry-after': '60' });
    await onchain();
    const { host } = new URL(node.origin);
    expect(currentHealth().services[`rpc:${host}`]).toMatchObject({ ok: false, kind: 'rate-limited' });
    const { sent } = (services().rpc.get('8453')?.[0]?.http.status().calls ?? {}) as { sent: number };
    expect(sent).toBe(1);
  });

  test('costs at most 5 s if it does not answer', async () => {
    node.raw = () => undefined;
    const startedAt = performance.now();
    expect(await onchain()).toMatchObject({ asked: false, because: 'failed' });
    expect(performance.now() - startedAt).toBeLessThan(9000);
  });
});

describe('a node that limits the rate in words of JSON-RPC', () => {
  const limits: [string, unknown][] = [
    ['code 429', { code: 429, message: 'Your app has exceeded its compute units per second capacity' }],
    ['code -32005', { code: -32_005, message: 'limit exceeded' }],
    ['words alone', { code: -32_007, message: '50/second request limit reached' }],
    ['other words', { code: -32_000, message: 'Too Many Requests' }],
  ];
  const forms = limits.flatMap(([name, error]) => [
    [`one error with ${name}`, { jsonrpc: '2.0', id: null, error }] as const,
    [`a list of errors with ${name}`, [{ jsonrpc: '2.0', id: 0, error }]] as const,
  ]);
  test.each(forms)('gets no calls for 30 s, and batches afterwards: %s', async (_form, body) => {
    node.rawBatch = (response) => response.writeHead(200).end(JSON.stringify(body));
    const answer = await onchain();
    expect(answer.asked ? '' : answer.why).toMatch(/rate-limited us \(429\)\. Retry in 30 s/);
    expect(node.calls).toHaveLength(1);
    const { host } = new URL(node.origin);
    expect(currentHealth().services[`rpc:${host}`]).toMatchObject({ ok: false, kind: 'rate-limited' });
  });

  test('gets no calls for 30 s even while it gets single calls', async () => {
    node.rawBatch = (response) => response.writeHead(400).end();
    node.answers.eth_getCode = () => {
      throw new NodeError(429, 'slow down');
    };
    const answer = await onchain();
    expect(answer.asked ? '' : answer.why).toMatch(/rate-limited us \(429\)/);
  });

  test('an error about the size of batches or logs does not count as a rate limit', async () => {
    const error = { code: -32_005, message: 'batch limit exceeded' };
    node.rawBatch = (response) =>
      response.writeHead(200).end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
    node.answers.eth_getLogs = () => {
      throw new NodeError(-32_005, 'query returned more than 10000 results');
    };
    expect(await onchain()).toMatchObject({ asked: true, verdict: { kind: 'reveal-succeeds' } });
  });
});

describe('a node that takes no batches', () => {
  const error = { code: -32_600, message: 'batches are not supported' };
  const refusals: [string, number, unknown][] = [
    ['an error object', 200, { jsonrpc: '2.0', id: null, error }],
    ['a list of one error', 200, [{ jsonrpc: '2.0', id: null, error }]],
    ['an object without error', 200, { message: 'Batch of more than 3 requests are not allowed', code: 31 }],
    ['the answer to its first query', 200, { jsonrpc: '2.0', id: 0, result: '0x2105' }],
    ['400', 400, { error: 'invalid request' }],
    ['403', 403, 'batches are not in your plan'],
    ['405', 405, ''],
    ['500', 500, 'cannot unmarshal array'],
  ];
  test.each(refusals)('gets single calls if it answers a batch with %s', async (_what, status, body) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    node.rawBatch = (response) => response.writeHead(status).end(text);
    expect(await onchain()).toMatchObject({
      asked: true,
      verdict: { kind: 'reveal-succeeds' },
      request: { state: 'open', gasLimit: '500000' },
      reveal: { kind: 'succeeds', gas: '200000' },
      notes: [],
    });
    const batches = node.calls.filter(({ methods }) => methods.length > 1);
    expect(batches).toHaveLength(1);
    expect(currentHealth().services[`rpc:${new URL(node.origin).host}`]).toMatchObject({ ok: true });
  });

  test('gets a batch again ten minutes after it refused one, however often it is called meanwhile', async () => {
    const batches = () => node.calls.filter(({ methods }) => methods.length > 1).length;
    const [endpoint] = services().rpc.get('8453') ?? [];
    const callAfter = async (minutes: number) => {
      const now = performance.now.bind(performance);
      const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + minutes * 60_000);
      onTestFinished(() => clock.mockRestore());
      await endpoint?.call([{ method: 'eth_blockNumber', params: [] }], 'user');
      clock.mockRestore();
    };
    node.rawBatch = (response) => response.writeHead(405).end();
    await callAfter(0);
    await callAfter(6);
    expect(batches()).toBe(1);
    await callAfter(11);
    expect(batches()).toBe(2);
  });

  test('is named and never used if it serves another chain', async () => {
    node.answers = soundNode(1);
    node.rawBatch = (response) => response.writeHead(405).end();
    const answer = await onchain();
    expect(answer.asked ? '' : answer.why).toContain('is of chain 1, not of 8453: it is not used');
    expect(node.calls.map(({ methods }) => methods.length > 1 || methods[0])).toEqual([true, 'eth_chainId']);
  });

  test('leaves only the query unanswered whose method it refuses', async () => {
    node.rawBatch = (response) => response.writeHead(400).end();
    node.answers.eth_getCode = () => {
      throw new NodeError(-32_601, 'no such method');
    };
    expect(await onchain()).toMatchObject({ asked: true, verdict: { kind: 'reveal-succeeds' } });
  });
});

describe('malformed answers', () => {
  test('numbers beyond 2^53 keep their digits, and a JSON number is not accepted', async () => {
    const huge = `0x${(2n ** 60n + 1n).toString(16)}`;
    node.answers.eth_getBlockByNumber = () => ({
      number: huge,
      timestamp: `0x${Math.floor(Date.now() / 1000).toString(16)}`,
    });
    node.answers.eth_estimateGas = () => 200_000;
    expect(await onchain()).toMatchObject({
      head: { block: '1152921504606846977' },
      reveal: { kind: 'succeeds' },
      verdict: { headline: 'Still open; a reveal now would succeed' },
    });
  });

  test('a node without the method for simulations leaves the reveal unsimulated', async () => {
    node.answers.eth_call = ([call]) => {
      const { data } = call as { data: string };
      if (returnOf(data) === '0x') throw new NodeError(-32_601, 'the method is not available');
      return returnOf(data);
    };
    expect(await onchain()).toMatchObject({
      verdict: { kind: 'open' },
      reveal: { kind: 'not-simulated', why: 'the method is not available' },
    });
  });

  test('a contract address without code is named', async () => {
    node.answers.eth_getCode = () => '0x';
    node.answers.eth_call = () => '0x';
    expect(await onchain()).toMatchObject({ verdict: { kind: 'no-contract' } });
  });

  test('a node that is behind the request does not say that it was never mined', async () => {
    node.answers.eth_getBlockByNumber = () => ({ number: '0x1', timestamp: '0x1' });
    node.answers.eth_getTransactionReceipt = () => null;
    node.answers.eth_getTransactionByHash = () => null;
    node.answers.eth_call = ([call]) => returnOf((call as { data: string }).data, noRequest);
    expect(await onchain()).toMatchObject({ verdict: { kind: 'rpc-behind', tone: 'unknown' } });
  });

  const old = new Date(Date.now() - 400 * 86_400_000).toISOString();
  const failed = { state: 'failed', reason: 'x' };
  test.each([
    ['an old one', { created_at: old, last_updated_at: old, state: failed }, 'not-told', 'not-indexed'],
    ['a recent one', { state: failed }, 'never-mined', 'missing'],
    ['a pending one', { created_at: old, last_updated_at: old }, 'never-mined', 'missing'],
  ])(
    'a node that does not know the transaction of %s may have dropped it from its index or not',
    async (_, row, kind, state) => {
      rows = [{ ...ROW, ...row }];
      node.answers.eth_getTransactionReceipt = () => null;
      node.answers.eth_getTransactionByHash = () => null;
      node.answers.eth_call = ([call]) => returnOf((call as { data: string }).data, noRequest);
      expect(await onchain()).toMatchObject({ verdict: { kind }, transaction: { state } });
    },
  );

  test('a node that is a block behind does not overrule the newest node', async () => {
    const other = await startNode();
    try {
      await live(`8453=${node.origin},8453=${other.origin}`);
      const head = (node.answers.eth_getBlockByNumber as () => { number: string; timestamp: string })();
      const number = `0x${(BigInt(head.number) - 1n).toString(16)}`;
      node.answers.eth_getBlockByNumber = () => ({ ...head, number });
      node.answers.eth_getTransactionReceipt = () => null;
      node.answers.eth_getTransactionByHash = () => ({ hash: TX, blockNumber: null });
      expect(await onchain()).toMatchObject({ transaction: { state: 'mined' } });
    } finally {
      await other.stop();
    }
  });

  test('a transaction that one of two nodes knows is on the chain', async () => {
    const other = await startNode();
    try {
      await live(`8453=${node.origin},8453=${other.origin}`);
      node.answers.eth_getBlockByNumber = () => ({ number: '0x206cd05', timestamp: '0x1' });
      node.answers.eth_getTransactionReceipt = () => null;
      node.answers.eth_getTransactionByHash = () => null;
      node.answers.eth_call = ([call]) => returnOf((call as { data: string }).data, noRequest);
      expect(await onchain()).toMatchObject({ transaction: { state: 'mined' } });
    } finally {
      await other.stop();
    }
  });

  test('a node that prunes its archive gets a limited number of calls, and the answer names the blocks searched', async () => {
    node.answers.eth_call = ([call]) => returnOf((call as { data: string }).data, noRequest);
    node.answers.eth_getLogs = () => {
      throw new NodeError(-32_000, 'history has been pruned for this block');
    };
    const answer = await onchain();
    expect(answer).toMatchObject({
      verdict: { kind: 'gone', headline: 'No longer open on chain' },
      search: { complete: false, nodeMessage: 'history has been pruned for this block' },
    });
    expect(node.calls.length).toBeLessThanOrEqual(6);
  });

  test('a node that accepts only small ranges gets small ranges, within six calls', async () => {
    node.answers.eth_call = ([call]) => returnOf((call as { data: string }).data, noRequest);
    node.answers.eth_getLogs = ([filter]) => {
      const { fromBlock, toBlock } = filter as { fromBlock: string; toBlock: string };
      if (toBlock === 'latest' || Number(toBlock) - Number(fromBlock) > 10)
        throw new NodeError(-32_602, 'up to a 10 block range');
      return [];
    };
    expect(await onchain()).toMatchObject({
      verdict: { kind: 'gone' },
      search: { fromBlock: '34000000', toBlock: '34000128', complete: true },
    });
    expect(node.calls.length).toBeLessThanOrEqual(6);
  });

  test('a revert string of a stranger stays text, clipped and without controls', async () => {
    const text = Buffer.from(`<img src=x onerror=alert(1)>\u202e${'x'.repeat(900)}`).toString('hex');
    const word = (value: number) => value.toString(16).padStart(64, '0');
    const data = `0x08c379a0${word(32)}${word(text.length / 2)}${text.padEnd(Math.ceil(text.length / 64) * 64, '0')}`;
    node.answers.eth_call = ([call]) => {
      const returned = returnOf((call as { data: string }).data);
      if (returned === '0x') throw new NodeError(3, 'execution reverted', data);
      return returned;
    };
    const answer = await onchain();
    const reason = answer.asked ? (answer.reveal?.reason ?? '') : '';
    expect(reason).toContain('<img src=x onerror=alert(1)>⟨202E⟩');
    expect(reason.length).toBeLessThan(260);
  });

  test('a request with too many hashes is named as such if its reveal is not simulated', async () => {
    const allows = (data: string) =>
      data.startsWith('0x2f9b787b') ? provider(900n, 1000n, 3) : returnOf(data, openRequest(1, 400));
    node.answers.eth_call = ([call]) => {
      const { data } = call as { data: string };
      if (data.startsWith(REVEAL_WITH_CALLBACK)) throw new NodeError(-32_601, 'the method is not available');
      return allows(data);
    };
    expect(await onchain()).toMatchObject({
      verdict: {
        kind: 'too-many-hashes',
        headline: 'Still open; it needs 400 hashes, and the contract allows 3',
      },
    });
  });
});

describe('a contract of the first generation', () => {
  const OTHER_TX = `0x${'cc'.repeat(32)}`;
  const REVEAL_TX = `0x${'dd'.repeat(32)}`;

  test('has the request open, and a reveal would succeed', async () => {
    node.answers = olderNode();
    expect(await onchain()).toMatchObject({
      verdict: { kind: 'reveal-succeeds' },
      request: { state: 'open', block: String(REQUEST_BLOCK), requester: SENDER, numHashes: 5 },
      reveal: { kind: 'succeeds', gas: '200000' },
      callback: { kind: 'succeeds' },
    });
  });

  test('has an answer that the log lacks, found among the reveals of others', async () => {
    node.answers = olderNode([olderReveal(SEQUENCE - 1n, OTHER_TX), olderReveal(SEQUENCE, REVEAL_TX)]);
    expect(await onchain()).toMatchObject({
      verdict: { kind: 'answered-unlogged' },
      request: { state: 'gone' },
      answer: { tx: REVEAL_TX, block: String(REQUEST_BLOCK + 5), from: SENDER, callback: 'ok' },
    });
    expect(node.calls.length).toBeLessThanOrEqual(6);
  });

  test('has a requester that refuses the callback: the reveal reverts with it, and the callback is to blame', async () => {
    const sound = olderNode();
    node.answers = {
      ...sound,
      eth_call: ([call, block]) => {
        const { data } = call as { data: string };
        const isRun = data.startsWith(REVEAL_WITH_CALLBACK) || data.startsWith(ENTROPY_CALLBACK);
        if (isRun) throw new NodeError(3, 'execution reverted', GAME_OVER);
        return sound.eth_call?.([call, block]);
      },
    };
    expect(await onchain()).toMatchObject({
      verdict: {
        kind: 'callback-reverts',
        headline: 'Still open; its callback would revert now: Game: round is over',
      },
    });
  });
});

describe('a contract that was upgraded since the request', () => {
  const REVEAL_TX = `0x${'dd'.repeat(32)}`;
  const asked: { older: boolean; blocks: number }[] = [];
  /** The present contract lacks the request, but has these events from before its upgrade. */
  const upgraded = (reveals: readonly unknown[]) => {
    asked.length = 0;
    node.answers.eth_call = ([call]) => returnOf((call as { data: string }).data, noRequest);
    node.answers.eth_getLogs = ([filter]) => {
      const { topics, fromBlock, toBlock } = filter as {
        topics: [string[]];
        fromBlock: string;
        toBlock: string;
      };
      const blocks = Number(toBlock) - Number(fromBlock);
      const older = topics[0].includes(REVEALED_WITH_CALLBACK);
      asked.push({ older, blocks });
      return older ? reveals : [];
    };
  };

  test('has an answer, found among the events of the first generation', async () => {
    upgraded([olderReveal(SEQUENCE - 1n, `0x${'cc'.repeat(32)}`), olderReveal(SEQUENCE, REVEAL_TX)]);
    expect(await onchain()).toMatchObject({
      verdict: { kind: 'answered-unlogged' },
      answer: { tx: REVEAL_TX, from: SENDER, callback: 'ok' },
    });
    expect(node.calls.length).toBeLessThanOrEqual(6);
    expect(asked.filter(({ older }) => older).every(({ blocks }) => blocks <= 999)).toBe(true);
  });

  test('has no answer that can be found, and the result says how far either form of events was searched', async () => {
    upgraded([]);
    expect(await onchain()).toMatchObject({
      verdict: { kind: 'gone' },
      search: { toBlock: '34000128', complete: true, older: { toBlock: '34000128', complete: true } },
    });
    expect(node.calls.length).toBeLessThanOrEqual(6);
  });
});

describe('a simulated reveal', () => {
  /** Accepts the number only from a transaction of this sender. */
  const takesFrom = (sender: string) => {
    node.answers.eth_call = ([call]) => {
      const { data, from } = call as { data: string; from?: string };
      if (data.startsWith(REVEAL_WITH_CALLBACK) && from !== sender)
        throw new NodeError(3, 'execution reverted', GAME_OVER);
      return returnOf(data);
    };
  };

  test('is sent by the provider if no wallet of the keeper is known', async () => {
    takesFrom(PROVIDER);
    expect(await onchain()).toMatchObject({ verdict: { kind: 'reveal-succeeds' } });
  });

  test('is sent by the wallet that sent the keeper’s last reveals', async () => {
    const done = {
      ...ROW,
      sequence: 70,
      state: { state: 'completed', reveal_tx_hash: `0x${'ee'.repeat(32)}`, gas_used: '100000' },
    };
    rows = [ROW, done];
    node.answers.eth_getTransactionReceipt = () => ({
      blockNumber: '0x206cc80',
      from: WALLET,
      status: '0x1',
      gasUsed: '0x5208',
      effectiveGasPrice: '0x1',
    });
    node.answers.eth_gasPrice = () => '0x1';
    node.answers.eth_getBalance = () => '0xffff';
    node.answers.eth_getTransactionCount = () => '0x1';
    takesFrom(WALLET);
    services().sync.start();
    await services().sync.caughtUp();
    await pollChains();
    expect(await onchain()).toMatchObject({ verdict: { kind: 'reveal-succeeds' } });
  });

  test('gives its callback the whole gas limit of the request, beside the gas of the call itself', async () => {
    const simulations: { gas?: string }[] = [];
    node.answers.eth_call = ([call]) => {
      const { data } = call as { data: string };
      if (data.startsWith(ENTROPY_CALLBACK)) simulations.push(call as { gas?: string });
      return returnOf(data);
    };
    await onchain();
    // 21,000 for a transaction, and at most 16 for each of 100 bytes.
    const [{ gas = '0x0' } = {}] = simulations;
    expect(Number(gas)).toBeGreaterThan(521_000);
    expect(Number(gas)).toBeLessThanOrEqual(522_600);
  });

  test('does not exist for a request without callback, which its requester reveals', async () => {
    node.answers.eth_call = ([call]) => returnOf((call as { data: string }).data, openRequest(0));
    expect(await onchain()).toMatchObject({
      verdict: { kind: 'open' },
      reveal: { kind: 'not-simulated', why: 'it requested no callback: its requester reveals it' },
    });
  });
});

describe('two URLs of one network', () => {
  let other: TestNode;
  beforeEach(async () => {
    other = await startNode();
    await live(`8453=${node.origin}/a,8453=${other.origin}/b`);
  });
  afterEach(() => other.stop());

  test('disagree: the newer block counts, and a note says so', async () => {
    node.answers.eth_getBlockByNumber = () => ({ number: '0x2000000', timestamp: '0x1' });
    const answer = await onchain();
    expect(answer).toMatchObject({ asked: true, host: new URL(other.origin).host });
    const [mine, theirs] = [new URL(node.origin).host, new URL(other.origin).host];
    expect(answer.asked ? answer.notes : []).toEqual([
      `RPC ${mine} is ${0x206cd00 - 0x2000000} blocks behind ${theirs}, whose answer this is.`,
    ]);
  });

  test('have a first one that is down: the second answers, and a note names the failure', async () => {
    page(503, '');
    const answer = await onchain();
    expect(answer).toMatchObject({ asked: true, host: new URL(other.origin).host });
    expect(answer.asked ? answer.notes.join() : '').toContain('503');
  });
});

test('the route refuses parameters that name no request, and says when there is no such request', async () => {
  const headers = { host: 'localhost:3000' };
  const address = 'http://localhost:3000/api/view/requests/onchain?network=x&sequence=1';
  const refused = await ownRoute(replyWithOnchain)(new Request(address, { headers }));
  expect([refused.status, (await refused.json()).kind]).toEqual([400, 'bad-request']);
  const none = await replied('&tx=0x01');
  expect([none.status, (await none.json()).kind]).toEqual([404, 'missing']);
  expect(node.calls).toEqual([]);
});
