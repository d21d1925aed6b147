import 'server-only';
import { failed, type Outcome, ok } from '@/lib/core/outcome';
import { DAY_MS } from '@/lib/core/time';
import { calls, randomNumberOf, revealTopics, type StoredRequest } from '@/lib/onchain/contract';
import type { ChainFacts, ChainQuery, Simulated } from '@/lib/onchain/facts';
import type { Block } from '@/lib/onchain/read';
import type { CallPriority } from '@/lib/upstream/rate-limiter';
import type { RpcEndpoint } from '@/lib/upstream/rpc';
import { blockIntervalMs } from './block-interval';
import { endpointBatches, LimitedCaller, PARALLEL_ENDPOINTS } from './limited-caller';
import {
  codePart,
  eventsPart,
  headPart,
  hex,
  NOTHING,
  type Part,
  providerPart,
  type ReadOf,
  simulatePart,
  storedPart,
  transactionPart,
} from './parts';
import { searchReveal } from './reveal-search';

/** Blocks by which two nodes may differ without a disagreement, because they answer a moment apart. */
const NEAR_BLOCKS = 20n;
/** Age of a head from which the interval between blocks is measured too. */
const OLD_HEAD_MS = 30_000;

/** Age of a transaction that every node still has in its index. */
const INDEXED_MS = DAY_MS;

type Options = {
  priority: CallPriority;
  /** The clock that log and chain use. */
  now: () => number;
  /** Milliseconds by which a node's clock is behind that clock. By its own clock, its newest block is not that old. */
  behindMs: (endpoint: RpcEndpoint) => number;
  /** Anyone may reveal, but a callback may check the transaction's sender. */
  wallet?: string | undefined;
  /** 32 bytes of hex with `0x`; undefined if the keeper's host does not return it. */
  revelation: () => Promise<`0x${string}` | undefined>;
};

function firstParts({ contract, provider, sequence, requestTx, requestBlock }: ChainQuery) {
  const id = { provider, sequence };
  return {
    head: headPart,
    hasCode: codePart(contract),
    transaction: transactionPart(requestTx),
    stored: storedPart(contract, id),
    provider: providerPart(contract, provider),
    // Most answers come soon, so the first call finds them if the node accepts the whole range.
    early:
      requestBlock === undefined
        ? NOTHING
        : eventsPart(contract, revealTopics(id).present, requestBlock, 'latest'),
  };
}

type Parts = ReturnType<typeof firstParts>;
type FirstAnswers = { [K in keyof Parts]: ReadOf<Parts[K]> } & { head: Block };

/**
 * Queries the chain with at most 6 HTTP calls, each limited to 5 s, none begun after 5 s. URLs are tried in turn, two
 * at a time. If both answer, the newer block is used, and a note reports the difference. If none answers, it fails as
 * the first URL did.
 */
export async function queryChain(
  endpoints: readonly RpcEndpoint[],
  query: ChainQuery,
  options: Options,
): Promise<Outcome<ChainFacts>> {
  const caller = new LimitedCaller(options.priority);
  const answered = await queryFirst(caller, endpoints, query);
  if (!answered.ok) return answered;
  const { endpoint, first, notes } = answered.value;
  const { head, hasCode, provider, stored, early } = first;
  const isIndexed = query.logged === 'pending' || options.now() - query.createdMs < INDEXED_MS;
  const transaction: ChainFacts['transaction'] =
    first.transaction?.kind === 'missing' && !isIndexed ? { kind: 'not-indexed' } : first.transaction;
  const { request, isOlder } = stored;
  const reported = withoutUndefined({ hasCode, transaction, request, provider });
  const facts: ChainFacts = {
    host: endpoint.host,
    atMs: options.now() - options.behindMs(endpoint),
    head,
    notes,
    ...reported,
  };
  const isMined = transaction?.kind === 'mined';
  if (hasCode === false || (isMined && transaction.isReverted)) return ok(facts);
  if (request !== undefined && request !== 'gone') {
    const simulated = await simulate(caller, endpoint, query, request, options);
    Object.assign(facts, simulated);
  } else {
    const fromBlock = query.requestBlock ?? (isMined ? transaction.block : undefined);
    if (fromBlock !== undefined && fromBlock <= head.number)
      facts.search = await searchReveal({ caller, endpoint, query, head, fromBlock, isOlder, early });
  }
  if (facts.atMs - head.timeMs > OLD_HEAD_MS) facts.blockMs = await blockIntervalMs(caller, endpoint, head);
  return ok(facts);
}

function withoutUndefined<T extends object>(members: T): Partial<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>;
}

type FirstAnswer = { endpoint: RpcEndpoint; first: FirstAnswers; notes: string[] };

async function queryFirst(
  caller: LimitedCaller,
  endpoints: readonly RpcEndpoint[],
  query: ChainQuery,
): Promise<Outcome<FirstAnswer>> {
  const notes: string[] = [];
  let failure = failed({ kind: 'unconfigured', service: 'rpc', detail: 'No RPC is set for this network.' });
  for (const [index, batch] of endpointBatches(endpoints).entries()) {
    if (!caller.mayCall(PARALLEL_ENDPOINTS - 1)) break;
    const answers = await Promise.all(batch.map((endpoint) => queryEndpoint(caller, endpoint, query)));
    for (const answer of answers) if (!answer.ok) notes.push(answer.failure.detail);
    const firstFailed = answers.find((answer) => !answer.ok);
    if (index === 0 && firstFailed && !firstFailed.ok) failure = firstFailed;
    const good = answers.flatMap((answer) => (answer.ok ? [answer.value] : []));
    const [newest, older] = good.toSorted((a, b) => Number(b.first.head.number - a.first.head.number));
    if (newest === undefined) continue;
    const behind = older === undefined ? 0n : newest.first.head.number - older.first.head.number;
    if (older !== undefined && behind > NEAR_BLOCKS) {
      const { host } = newest.endpoint;
      notes.push(`RPC ${older.endpoint.host} is ${behind} blocks behind ${host}, whose answer this is.`);
    }
    const transaction = transactionOf(newest.first, good);
    return ok({ ...newest, first: { ...newest.first, transaction }, notes });
  }
  return failure;
}

type KnownTransaction = { transaction: ChainFacts['transaction'] | undefined };

/** A transaction that the newest node lacks is on the chain if another node knows it. */
function transactionOf({ transaction }: KnownTransaction, all: readonly { first: KnownTransaction }[]) {
  if (transaction !== undefined && transaction.kind !== 'missing') return transaction;
  const others = all.flatMap(({ first }) => first.transaction ?? []);
  const firstOf = (kind: 'mined' | 'waiting') => others.find((other) => other.kind === kind);
  return firstOf('mined') ?? firstOf('waiting') ?? transaction;
}

async function queryEndpoint(caller: LimitedCaller, endpoint: RpcEndpoint, query: ChainQuery) {
  const answer = await caller.call(endpoint, firstParts(query));
  if (!answer.ok) return answer;
  const { head, ...others } = answer.value;
  if (head !== undefined) return ok({ endpoint, first: { head, ...others } });
  const detail = `RPC ${endpoint.host} does not report its newest block.`;
  return failed({ kind: 'malformed' as const, service: 'rpc' as const, detail });
}

async function simulate(
  caller: LimitedCaller,
  endpoint: RpcEndpoint,
  query: ChainQuery,
  request: StoredRequest,
  { revelation, wallet }: Options,
): Promise<Pick<ChainFacts, 'reveal' | 'callback'>> {
  const { contract, user } = query;
  const notSimulated = (why: string): { reveal: Simulated } => ({ reveal: { kind: 'not-simulated', why } });
  if (request.callback === 'none') return notSimulated('it requested no callback: its requester reveals it');
  if (user === undefined) return notSimulated('the log has no user contribution');
  const provider = query.contribution ?? (await revelation());
  if (provider === undefined) return notSimulated('the keeper’s contribution is not available');
  if (!caller.mayCall()) return notSimulated('the RPC took too long');
  const id = { provider: query.provider, sequence: query.sequence };
  const numbers = { user, provider };
  // If the random number includes the hash of the block, it is not known before the reveal.
  const isKnown = request.callback === 'not-started' && !request.useBlockhash;
  const data = calls.entropyCallback(id, randomNumberOf(numbers));
  // The gas of a call includes that of a transaction, which the contract does not pay when it calls the
  // requester.
  const gas =
    request.gasLimit === undefined ? {} : { gas: hex(request.gasLimit + BigInt(intrinsicGas(data))) };
  const callback: Part<Simulated | undefined> = isKnown
    ? simulatePart({ from: contract, to: request.requester, data, ...gas })
    : NOTHING;
  const sender = wallet ?? query.provider;
  const reveal = simulatePart({ from: sender, to: contract, data: calls.revealWithCallback(id, numbers) });
  const answer = await caller.call(endpoint, { reveal, callback });
  if (!answer.ok) return notSimulated(answer.failure.detail);
  return withoutUndefined(answer.value);
}

/** 21,000, plus 16 or 4 for each byte of the data (EIP-2028). */
function intrinsicGas(data: string): number {
  const bytes = data.slice(2).match(/../g) ?? [];
  return bytes.reduce((gas, byte) => gas + (byte === '00' ? 4 : 16), 21_000);
}
