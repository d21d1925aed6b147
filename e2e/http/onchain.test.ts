import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { CHAIN_ID, Evm, type SentRequest, WALLET } from '@/e2e/chain/evm';
import { startKeeper, type TestKeeper } from '@/e2e/chain/keeper';
import { type Dashboard, startDashboard } from '@/e2e/dashboard';

let evm: Evm;
let keeper: TestKeeper;
let dashboard: Dashboard;
/** While there is a viewer, new rows are read every 2 s. */
const viewer = new AbortController();

const settingsOf = (rpcUrl: string) => ({
  LOGS_URL: keeper.origin,
  RPC_URLS: `${CHAIN_ID}=${rpcUrl}`,
  LOGS_CALLS_PER_S: '100',
  RPC_CALLS_PER_S: '100',
});

beforeAll(async () => {
  evm = await Evm.start();
  keeper = await startKeeper(evm.contract);
  dashboard = await startDashboard(settingsOf(evm.url));
  await fetch(`${dashboard.origin}/api/view/revisions`, { signal: viewer.signal });
  // The compiler of the contracts is not a reduced one; it takes a minute on a busy machine.
}, 240_000);
afterAll(async () => {
  viewer.abort();
  await dashboard?.stop();
  keeper?.stop();
  await evm?.stop();
});
afterEach(async () => {
  keeper.hidesRevelations = false;
  await evm.setFails(false);
  await evm.register(1000, 0);
});

type OnchainAnswer = {
  asked: boolean;
  why?: string;
  host: string;
  verdict: { kind: string; headline: string };
  notes: string[];
  answer?: { tx: string; from: string; callback: string; reason?: string };
  reveal?: { kind: string; gas?: string; reason?: string };
};

/** Queries the chain as soon as the index has the request. */
async function onchain({ sequence, tx }: SentRequest, of = dashboard): Promise<OnchainAnswer> {
  const query = new URLSearchParams({
    network: String(CHAIN_ID),
    sequence: String(sequence),
    provider: WALLET,
    tx,
    fresh: '1',
  });
  let chain: unknown;
  const fetchAnswer = async () => {
    const answer = await fetch(`${of.origin}/api/view/requests/onchain?${query}`);
    chain = await answer.json();
    return answer.status;
  };
  await expect.poll(fetchAnswer).toBe(200);
  return chain as OnchainAnswer;
}

/** The first answer with this verdict. An answer younger than 2 s is repeated to every client. */
async function verdictBecomes(kind: string, request: SentRequest): Promise<OnchainAnswer> {
  let chain = await onchain(request);
  const fetchAnswer = async () => {
    chain = await onchain(request);
    return chain.verdict.kind;
  };
  await expect.poll(fetchAnswer, { timeout: 10_000 }).toBe(kind);
  return chain;
}

test('open and not answered: a reveal would succeed, with its gas, and the reveal then uses no more', async () => {
  const request = await evm.request();
  keeper.log(request);
  const chain = await onchain(request);
  expect(chain.verdict).toMatchObject({ kind: 'reveal-succeeds' });
  const receipt = await evm.reveal(request);
  expect(Number(chain.reveal?.gas)).toBeGreaterThanOrEqual(Number(receipt.gasUsed));
  expect(chain.verdict.headline).toContain(Number(chain.reveal?.gas).toLocaleString('en'));
});

test('answered but missing in the log: the transaction, its sender and that its callback ran', async () => {
  const request = await evm.request();
  const { transactionHash: tx } = await evm.reveal(request);
  keeper.log(request);
  const answered = `Answered on chain in ${tx.slice(0, 10)}…${tx.slice(-4)}`;
  expect((await onchain(request)).verdict.headline).toBe(`${answered}, not logged yet`);
  await evm.pass(300);
  const headline = async () => (await onchain(request)).verdict.headline;
  await expect.poll(headline, { timeout: 10_000 }).toBe(`${answered}, the keeper’s log missed it`);
  const chain = await onchain(request);
  expect(chain.answer).toMatchObject({ tx, from: WALLET, callback: 'ok' });
});

test('a failed callback: a retry would revert with the decoded reason, and would succeed once the cause is fixed', async () => {
  const request = await evm.request();
  await evm.setFails(true);
  await evm.reveal(request);
  const revealed = {
    state: 'completed',
    callback_failed: true,
    provider_random_number: request.contribution,
  };
  keeper.log(request, { state: revealed });
  const before = await onchain(request);
  expect(before.verdict).toMatchObject({
    kind: 'retry-reverts',
    headline: 'Callback failed and is open; a retry now would revert: Game: round is over',
  });
  await evm.setFails(false);
  const after = await verdictBecomes('retry-succeeds', request);
  const { gasUsed, transactionHash: tx } = await evm.reveal(request);
  expect(Number(after.reveal?.gas)).toBeGreaterThanOrEqual(Number(gasUsed));
  expect(await verdictBecomes('retried', request)).toMatchObject({ answer: { tx } });
});

test('open, and its callback would revert now', async () => {
  const request = await evm.request();
  await evm.setFails(true);
  keeper.log(request);
  expect((await onchain(request)).verdict).toMatchObject({
    kind: 'callback-reverts',
    headline: 'Still open; its callback would revert now: Game: round is over',
  });
});

test('without the contribution of the keeper it is open, and nothing is simulated', async () => {
  const request = await evm.request();
  keeper.log(request);
  keeper.hidesRevelations = true;
  expect(await onchain(request)).toMatchObject({
    verdict: { kind: 'open' },
    reveal: { kind: 'not-simulated', why: 'the keeper’s contribution is not available' },
  });
});

test('a request that was never mined', async () => {
  const request = await evm.request();
  const never: SentRequest = { ...request, sequence: 900, tx: `0x${'77'.repeat(32)}` };
  keeper.log(never);
  expect((await onchain(never)).verdict).toMatchObject({
    kind: 'never-mined',
    headline: expect.stringContaining('unknown to the chain up to block'),
  });
});

describe('a provider', () => {
  test('whose random numbers are used up: the request transaction reverted, and why', async () => {
    await evm.register(0, 0);
    const request = await evm.request();
    expect(request.isReverted).toBe(true);
    keeper.log(request);
    const chain = await onchain(request);
    expect(chain.verdict.kind).toBe('request-reverted');
    expect(chain.notes.join()).toContain(
      'random numbers are used up: every new request reverts (OutOfRandomness)',
    );
  });

  test('that is too many hashes behind: the request reverted, and why', async () => {
    await evm.request();
    await evm.request();
    await evm.register(1000, 1);
    const request = await evm.request();
    expect(request.isReverted).toBe(true);
    keeper.log(request);
    const chain = await onchain(request);
    expect(chain.verdict.kind).toBe('request-reverted');
    expect(chain.notes.join()).toMatch(
      /\d+ hashes since its last reveal, and 1 is allowed: every new request reverts \(LastRevealedTooOld\)/,
    );
  });
});

test('a contract of the first generation: open, with a callback that would revert, and answered unlogged', async () => {
  const old = await Evm.start([], 'TestEntropyV1');
  const oldKeeper = await startKeeper(old.contract);
  const other = await startDashboard({ ...settingsOf(old.url), LOGS_URL: oldKeeper.origin });
  try {
    const [first, second] = [await old.request(), await old.request()];
    oldKeeper.log(first);
    oldKeeper.log(second);
    const open = await onchain(second, other);
    expect(open.verdict).toMatchObject({ kind: 'reveal-succeeds' });
    await old.setFails(true);
    const failing = async () => (await onchain(second, other)).verdict;
    await expect.poll(failing).toMatchObject({
      kind: 'callback-reverts',
      headline: 'Still open; its callback would revert now: Game: round is over',
    });
    await old.setFails(false);
    await old.reveal(first);
    const { transactionHash: tx, gasUsed } = await old.reveal(second);
    expect(Number(open.reveal?.gas)).toBeGreaterThanOrEqual(Number(gasUsed));
    const answered = async () => (await onchain(second, other)).answer;
    await expect.poll(answered).toMatchObject({ tx, from: WALLET, callback: 'ok' });
  } finally {
    await other.stop();
    oldKeeper.stop();
    await old.stop();
  }
});

test('a chain without new blocks, and whether a reveal would succeed in the next one', async () => {
  const anHourAgo = String(Math.floor(Date.now() / 1000) - 3600);
  const old = await Evm.start(['--timestamp', anHourAgo]);
  const oldKeeper = await startKeeper(old.contract);
  const request = await old.request();
  oldKeeper.log(request);
  oldKeeper.hidesRevelations = true;
  const other = await startDashboard({ ...settingsOf(old.url), LOGS_URL: oldKeeper.origin });
  try {
    expect((await onchain(request, other)).verdict).toMatchObject({
      kind: 'chain-stopped',
      headline: expect.stringMatching(/^Newest block is (59|60) min|^Newest block is 1 h/),
    });
    oldKeeper.hidesRevelations = false;
    const verdict = async () => (await onchain(request, other)).verdict;
    await expect.poll(verdict, { timeout: 10_000 }).toMatchObject({
      kind: 'reveal-succeeds',
      headline: expect.stringMatching(/; newest block is .* old$/),
    });
  } finally {
    await other.stop();
    oldKeeper.stop();
    await old.stop();
  }
});

test('no page waits for an RPC that does not answer', async () => {
  let open = 0;
  const silent = createServer(() => {
    open += 1;
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const rpcUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const request = await evm.request();
  keeper.log(request, { created_at: new Date(Date.now() - 1_800_000).toISOString() });
  const query = `provider=${WALLET}&tx=${request.tx}`;
  const requestUrl = `/requests/${CHAIN_ID}/${request.sequence}?${query}`;
  const other = await startDashboard(settingsOf(rpcUrl));
  try {
    const address = `${other.origin}/api/view/requests/onchain?network=${CHAIN_ID}&sequence=${request.sequence}&${query}&fresh=1`;
    const queryChain = async () => ((await fetch(address)).status === 200 ? 'chain' : 'unknown request');
    await expect.poll(queryChain, { timeout: 20_000 }).toBe('chain');
    expect(open).toBeGreaterThan(0);
    await pause(2000);
    for (const path of ['/', '/requests', requestUrl, '/pending', '/services', '/pending/history']) {
      const ofChain = queryChain();
      const ofPage = fetch(other.origin + path, { headers: { accept: 'text/html' } }).then(async (page) => {
        await page.text();
        return page.status;
      });
      expect([path, await Promise.race([ofChain, ofPage])]).toEqual([path, 200]);
      await ofChain;
      // A younger answer is not queried anew.
      await pause(2000);
    }
  } finally {
    await other.stop();
    silent.closeAllConnections();
    silent.close();
  }
});

test('an RPC of another chain is refused by name and never used', async () => {
  const request = await evm.request();
  keeper.log({ ...request, sequence: 901 }, { network_id: '42161', sequence: 901 });
  const wrong = await startDashboard({ ...settingsOf(evm.url), RPC_URLS: `42161=${evm.url}` });
  try {
    const query = new URLSearchParams({ network: '42161', sequence: '901', provider: WALLET });
    const fetchAnswer = () => fetch(`${wrong.origin}/api/view/requests/onchain?${query}`);
    await expect.poll(async () => (await fetchAnswer()).status).toBe(200);
    const response = await fetchAnswer();
    const { host } = new URL(evm.url);
    expect(await response.json()).toMatchObject({
      asked: false,
      why: `The chain was not queried: RPC ${host} is of chain 8453, not of 42161: it is not used. Check RPC_URLS.`,
    });
  } finally {
    await wrong.stop();
  }
});
