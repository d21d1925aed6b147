import 'server-only';
import { jsonReply } from '@/lib/access/reply';
import { groupedBy } from '@/lib/core/grouped';
import { failed, type Outcome, ok } from '@/lib/core/outcome';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@/lib/core/time';
import {
  type ChainState,
  type ChainsAnswer,
  daysAtPace,
  hasOldHead,
  keeperWallets,
  MAX_STATE_AGE_MS,
  type Pace,
  spendingPace,
} from '@/lib/onchain/network-state';
import { type Block, readBytes, readQuantity, readReceipt } from '@/lib/onchain/read';
import { log } from '@/lib/platform/log';
import { processWideOf } from '@/lib/platform/process-wide';
import { randomnessContract } from '@/lib/services/network-directory';
import { nodeBehindMs, type Services, services, startedServices } from '@/lib/services/services';
import { IndexClosedError } from '@/lib/store/engine';
import {
  type LastReveal,
  lastReveals,
  type ProviderRequests,
  providerRequests,
  type RevealGas,
  revealGas,
} from '@/lib/store/queries/reveals';
import type { RpcEndpoint } from '@/lib/upstream/rpc';
import { blockIntervalMs } from './block-interval';
import { endpointBatches, LimitedCaller } from './limited-caller';
import { callPart, headPart, listPart, type Part, providerPart } from './parts';

/** Polls once a minute for all viewers. */

const EVERY_MS = MINUTE_MS;
/** The index is filled before the first calls. */
const FIRST_MS = 5000;
const SPAN_MS = 7 * DAY_MS;
/** Reveals per keeper and network whose senders and prices are queried. Enough for eight wallets by turns. */
const SAMPLED_REVEALS = 24;
/** Providers per keeper and network. */
const MAX_PROVIDERS = 4;
/** Age from which the interval between blocks is measured again. */
const INTERVAL_MS = HOUR_MS;
/** Time by which the heads of two nodes may differ. Not in blocks: 20 may be 5 s. */
const NEAR_MS = MINUTE_MS;
/** Time for which a gap lasts that only other nodes than its own do not have: some nodes have no pending transactions. */
const FOREIGN_GAP_MS = HOUR_MS;

/** `l1Fee`: wei on top of the gas, 0 on most networks. */
type Sample = { from: string; gasPrice: bigint; l1Fee: bigint };
type ChainWatch = {
  state: ChainState | undefined;
  failure: string | null;
  samples: ReadonlyMap<string, Sample>;
  /** Usual time between two blocks, and when it was measured. */
  interval: { blockMs: number; atMs: number } | undefined;
  /** Keys are addresses of wallets. */
  gaps: Map<string, NonceGap>;
};
/** `latest`: the count at which it was first seen, at `sinceMs`. `seenMs`: when `endpoint` last reported it. */
type NonceGap = { latest: bigint; gap: bigint; sinceMs: number; endpoint: RpcEndpoint; seenMs: number };

const watchedOf = processWideOf('chain-states', (_: Services) => new Map<string, ChainWatch>());

/** Starts the watch, which lasts as long as the process uses these services. */
export function watchChains(deps: Services = services(), waitMs = FIRST_MS): void {
  if (deps.rpc.size === 0) return;
  setTimeout(() => {
    if (startedServices() !== deps) return;
    pollChains(deps)
      .catch((error: unknown) => {
        if (!(error instanceof IndexClosedError))
          log().error({ error }, 'polling of chains failed, retrying');
      })
      .finally(() => watchChains(deps, EVERY_MS));
  }, waitMs).unref();
}

/** Does not call the chains. */
export function chainStates(deps: Services = services()): ChainState[] {
  return [...watchedOf(deps).values()].flatMap(({ state, failure }) =>
    state ? [{ ...state, failure }] : [],
  );
}

/**
 * Whether nothing current is known of a chain: its nodes do not answer, were not queried yet, or have an old head.
 * @param lane `<keeper>/<network id>`
 * @param accounts that a node must have told too
 */
export function isChainUnknown(lane: string, deps: Services, accounts?: 'wallets' | 'providers'): boolean {
  const watched = watchedOf(deps);
  if (watched.size === 0) return deps.rpc.size > 0;
  const chain = watched.get(lane);
  if (chain === undefined) return false;
  const { state, failure } = chain;
  if (state === undefined || failure !== null || deps.index.now() - state.atMs > MAX_STATE_AGE_MS)
    return true;
  if (hasOldHead(state)) return true;
  return accounts !== undefined && state[accounts].length === 0;
}

export const hasUnknownChain = (deps: Services) =>
  [...watchedOf(deps).keys()].some((lane) => isChainUnknown(lane, deps));

/** `GET /api/view/chains`. */
export function replyWithChains(): Response {
  const deps = services();
  return jsonReply({ atMs: Math.round(deps.index.now()), chains: chainStates(deps) } satisfies ChainsAnswer);
}

/** Queries the chains that had reveals or requests within the last days. */
export async function pollChains(deps: Services = services()): Promise<void> {
  const { index, rpc } = deps;
  const networkIds = [...rpc.keys()];
  const nowMs = Math.round(index.now());
  const sinceUs = (nowMs - SPAN_MS) * 1000;
  const [reveals, gas, requests] = await Promise.all([
    lastReveals(index.engine, networkIds, sinceUs, SAMPLED_REVEALS),
    revealGas(index.engine, networkIds, sinceUs),
    providerRequests(index.engine, networkIds, sinceUs),
  ]);
  const laneOf = ({ keeperId, networkId }: { keeperId: number; networkId: string }) =>
    `${keeperId}/${networkId}`;
  const [revealsOf, gasOf] = [groupedBy(reveals, laneOf), groupedBy(gas, laneOf)];
  const lanes = [...groupedBy(requests, laneOf)].flatMap(([lane, [first, ...others]]): Lane[] => {
    const keeper = first && index.keeperName(first.keeperId);
    if (!first || !keeper) return [];
    const lists = {
      reveals: revealsOf.get(lane) ?? [],
      gas: gasOf.get(lane)?.[0],
      requests: [first, ...others],
    };
    return [{ keeper, networkId: first.networkId, nowMs, ...lists }];
  });
  const watched = watchedOf(deps);
  await Promise.all(
    lanes.map(async (lane) => {
      const key = `${lane.keeper}/${lane.networkId}`;
      const before = watched.get(key) ?? {
        state: undefined,
        failure: null,
        samples: new Map(),
        interval: undefined,
        gaps: new Map(),
      };
      watched.set(key, await pollLane(deps, lane, before));
    }),
  );
}

type Lane = {
  keeper: string;
  networkId: string;
  nowMs: number;
  reveals: LastReveal[];
  gas: RevealGas | undefined;
  requests: ProviderRequests[];
};

/** Queries the lane's nodes two at a time, until one answers. */
async function pollLane(deps: Services, lane: Lane, before: ChainWatch): Promise<ChainWatch> {
  const contract = readBytes(await randomnessContract(lane.keeper, lane.networkId));
  if (contract === undefined) return { ...before, failure: 'The contract of the network is not known.' };
  let failure: string | null = null;
  const endpoints = deps.rpc.get(lane.networkId) ?? [];
  for (const batch of endpointBatches(endpoints)) {
    const answers = await Promise.all(batch.map((endpoint) => readNode(endpoint, lane, contract, before)));
    for (const answer of answers) if (!answer.ok) failure ??= answer.failure.detail;
    const read = currentNode(answers.flatMap((answer) => (answer.ok ? [answer.value] : [])));
    if (read === undefined) continue;
    const { endpoint, caller, samples, head, gasPrice, wallets, providers } = read;
    let { interval } = before;
    if (interval === undefined || lane.nowMs - interval.atMs >= INTERVAL_MS) {
      const blockMs = await blockIntervalMs(caller, endpoint, head);
      if (blockMs !== undefined) interval = { blockMs, atMs: lane.nowMs };
    }
    const state: ChainState = {
      networkId: lane.networkId,
      keeper: lane.keeper,
      host: endpoint.host,
      atMs: lane.nowMs,
      failure: null,
      headBlock: String(head.number),
      headMs: head.timeMs + nodeBehindMs(endpoint, deps),
      blockMs: interval?.blockMs ?? null,
      gasPriceWei: String(gasPrice),
      revealWei: revealCost(lane.gas, gasPrice, [...samples.values()]),
      wallets: wallets.map(([address, wallet]) => {
        const gap = nonceGap(before.gaps.get(address), wallet, endpoint, lane.nowMs);
        if (gap === undefined) before.gaps.delete(address);
        else before.gaps.set(address, gap);
        return walletState(address, wallet, gap, lane, samples);
      }),
      providers: providers.map(([provider, info]) => providerState(provider, info, lane.nowMs)),
    };
    return { state, failure: null, samples, interval, gaps: before.gaps };
  }
  return { ...before, failure };
}

type Node = { endpoint: RpcEndpoint; caller: LimitedCaller };
type Samples = ReadonlyMap<string, Sample>;

async function readNode(endpoint: RpcEndpoint, lane: Lane, contract: string, before: ChainWatch) {
  const node = { endpoint, caller: new LimitedCaller('background') };
  const samples = await sampleReveals(node, lane, before);
  if (!samples.ok) return samples;
  const read = await readAccounts(node, lane, contract, samples.value);
  return read.ok ? ok({ ...node, samples: samples.value, ...read.value }) : read;
}

/**
 * The node with the newest block. An earlier one of the list stays if it is about as new, because the counts of pending
 * transactions of two nodes are not comparable.
 */
function currentNode<T extends { head: Block }>(nodes: readonly T[]): T | undefined {
  const [newest] = nodes.toSorted((a, b) => Number(b.head.number - a.head.number));
  return nodes.find(({ head }) => newest !== undefined && newest.head.timeMs - head.timeMs <= NEAR_MS);
}

/** Queries only samples that are not known yet. */
async function sampleReveals(
  { endpoint, caller }: Node,
  { reveals }: Lane,
  before: ChainWatch,
): Promise<Outcome<Samples>> {
  const samples = new Map([...before.samples].filter(([tx]) => reveals.some((reveal) => reveal.tx === tx)));
  const unknown = reveals.filter(({ tx }) => !samples.has(tx));
  if (unknown.length === 0) return ok(samples);
  const parts = unknown.map(({ tx }) => callPart('eth_getTransactionReceipt', [tx], readReceipt));
  const answer = await caller.call(endpoint, Object.fromEntries(parts.entries()));
  if (!answer.ok) return answer;
  for (const [at, { tx }] of unknown.entries()) {
    const { from, gasPrice, l1Fee = 0n } = answer.value[at] ?? {};
    if (from !== undefined && gasPrice !== undefined) samples.set(tx, { from, gasPrice, l1Fee });
  }
  return ok(samples);
}

async function readAccounts(
  { endpoint, caller }: Node,
  { reveals, requests }: Lane,
  contract: string,
  samples: Samples,
) {
  const wallets = keeperWallets(reveals.flatMap(({ tx }) => samples.get(tx)?.from ?? []));
  const providers = requests
    .toSorted((a, b) => Number(b.requests) - Number(a.requests))
    .slice(0, MAX_PROVIDERS);
  const answer = await caller.call(endpoint, {
    head: headPart,
    gasPrice: callPart('eth_gasPrice', [], readQuantity),
    wallets: listPart(wallets.map(walletPart)),
    providers: listPart(providers.map(({ provider }) => providerPart(contract, provider as `0x${string}`))),
  });
  if (!answer.ok) return answer;
  const { head, gasPrice } = answer.value;
  if (head === undefined || gasPrice === undefined) {
    const detail = `RPC ${endpoint.host} does not report its newest block.`;
    return failed({ kind: 'malformed', service: 'rpc', detail });
  }
  return ok({
    head,
    gasPrice,
    wallets: wallets.flatMap((address, index) => {
      const wallet = answer.value.wallets[index];
      return wallet === undefined ? [] : [[address, wallet] as const];
    }),
    providers: providers.flatMap((provider, index) => {
      const info = answer.value.providers[index];
      return info === undefined || info.nextSequence === 0n ? [] : [[provider, info] as const];
    }),
  });
}

/** `pending`: undefined if the node does not report that count. */
type WalletAnswer = { balance: bigint; latest: bigint; pending: bigint | undefined };

function walletPart(address: string): Part<WalletAnswer | undefined> {
  const parts = [
    callPart('eth_getBalance', [address, 'latest'], readQuantity),
    callPart('eth_getTransactionCount', [address, 'latest'], readQuantity),
    callPart('eth_getTransactionCount', [address, 'pending'], readQuantity),
  ];
  const all = listPart(parts);
  return {
    requests: all.requests,
    read: (answers) => {
      const [balance, latest, pending] = all.read(answers);
      if (balance === undefined || latest === undefined) return undefined;
      return { balance, latest, pending };
    },
  };
}

function revealCost(gas: RevealGas | undefined, gasPrice: bigint, samples: readonly Sample[]): string | null {
  return gas?.gas ? String(BigInt(gas.gas) * gasPrice + meanOf(samples, 'l1Fee')) : null;
}

function meanOf(samples: readonly Sample[], amount: 'gasPrice' | 'l1Fee'): bigint {
  const sum = samples.reduce((total, sample) => total + sample[amount], 0n);
  return samples.length === 0 ? 0n : sum / BigInt(samples.length);
}

function nonceGap(
  previous: NonceGap | undefined,
  { latest, pending }: WalletAnswer,
  endpoint: RpcEndpoint,
  nowMs: number,
): NonceGap | undefined {
  // A gap ends once one of its transactions is mined.
  const before = previous?.latest === latest ? previous : undefined;
  if (pending === undefined) return before;
  if (pending > latest)
    return { latest, gap: pending - latest, sinceMs: before?.sinceMs ?? nowMs, endpoint, seenMs: nowMs };
  const isForeign = before !== undefined && before.endpoint !== endpoint;
  return isForeign && nowMs - before.seenMs < FOREIGN_GAP_MS ? before : undefined;
}

function walletState(
  address: string,
  { balance, pending }: WalletAnswer,
  gap: NonceGap | undefined,
  { gas, nowMs }: Lane,
  samples: Samples,
): ChainState['wallets'][number] {
  const spent = spendingOf(address, gas, nowMs, [...samples.values()]);
  return {
    address,
    sentReveals: [...samples.values()].filter(({ from }) => from === address).length,
    sampledReveals: samples.size,
    balanceWei: String(balance),
    nonceGap: pending === undefined && gap === undefined ? null : Number(gap?.gap ?? 0n),
    gapSinceMs: gap?.sinceMs ?? null,
    spentPerDayWei: spent && String(spent.perDay),
    spanMs: spent?.spanMs ?? null,
    daysLeft: daysAtPace(balance, spent),
  };
}

/** All reveals at their mean gas and the mean sampled price and fee, times the wallet's share of the sample. Null without a sample. */
function spendingOf(
  address: string,
  gas: RevealGas | undefined,
  nowMs: number,
  samples: readonly Sample[],
): Pace | null {
  if (!gas?.gas || samples.length === 0) return null;
  const count = BigInt(samples.length);
  const cost = BigInt(gas.gas) * meanOf(samples, 'gasPrice') + meanOf(samples, 'l1Fee');
  const sentByWallet = BigInt(samples.filter(({ from }) => from === address).length);
  const spent = (cost * BigInt(gas.reveals) * sentByWallet) / count;
  return spendingPace(spent, Number(gas.oldestUs) / 1000, nowMs);
}

type Info = {
  endSequence: bigint;
  nextSequence: bigint;
  revealedSequence: bigint;
  maxNumHashes: number;
  accruedFeesWei: bigint;
};

function providerState(
  { provider, requests, oldestUs }: ProviderRequests,
  info: Info,
  nowMs: number,
): ChainState['providers'][number] {
  const { endSequence, nextSequence, revealedSequence, maxNumHashes, accruedFeesWei } = info;
  const left = endSequence > nextSequence ? endSequence - nextSequence : 0n;
  const hashes = nextSequence > revealedSequence ? nextSequence - revealedSequence : 0n;
  // In thousandths, so that a few requests a week don't round to none a day.
  const pace = spendingPace(BigInt(requests) * 1000n, Number(oldestUs) / 1000, nowMs);
  return {
    address: provider,
    numbersLeft: String(left),
    requestsPerDay: pace && Number(pace.perDay) / 1000,
    spanMs: pace?.spanMs ?? null,
    daysLeft: daysAtPace(left * 1000n, pace),
    feesWei: String(accruedFeesWei),
    hashes: String(hashes),
    maxHashes: maxNumHashes,
  };
}
