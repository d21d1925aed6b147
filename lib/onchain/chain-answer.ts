import type { StoredRequest } from './contract';
import type { ChainFacts, ChainQuery, SearchedBlocks, Simulated } from './facts';
import type { AnsweredOnchain, Onchain, SimulatedOnchain } from './onchain-response';
import { isOfAnother, onchainVerdict, providerWarnings, revertReason } from './verdict';

/** The answer as JSON: integers as digits, untrusted texts decoded and clipped. */
export function chainAnswer(query: ChainQuery, facts: ChainFacts): AnsweredOnchain {
  const { head, transaction, provider, search } = facts;
  const { request, reveal, callback }: Partial<ChainFacts> = isOfAnother(query, facts) ? {} : facts;
  const left = provider && provider.endSequence - provider.nextSequence;
  return {
    asked: true,
    atMs: facts.atMs,
    ageMs: 0,
    host: facts.host,
    contract: query.contract,
    head: { block: String(head.number), timeMs: head.timeMs },
    verdict: onchainVerdict(query, facts),
    notes: [...providerWarnings(provider), ...facts.notes],
    ...(transaction && { transaction: transactionOf(transaction) }),
    ...(request && { request: { ...requestOf(request), ...hashesOf(facts) } }),
    ...(left !== undefined && left >= 0n && { randomNumbersLeft: String(left) }),
    ...(search && { search: searchOf(search) }),
    ...(search?.reveal && { answer: { ...answerOfReveal(search.reveal), ...waitOf(facts, search) } }),
    ...(reveal && { reveal: simulatedOf(reveal) }),
    ...(callback && { callback: simulatedOf(callback) }),
  };
}

function transactionOf(transaction: NonNullable<ChainFacts['transaction']>): AnsweredOnchain['transaction'] {
  if (transaction.kind !== 'mined') return { state: transaction.kind };
  const { isReverted, block, from } = transaction;
  return { state: isReverted ? 'reverted' : 'mined', block: String(block), ...(from && { from }) };
}

const STATES = {
  none: 'open',
  'not-started': 'open',
  'in-progress': 'in-progress',
  failed: 'callback-failed',
} as const satisfies Record<StoredRequest['callback'], string>;

function requestOf(request: StoredRequest | 'gone'): NonNullable<AnsweredOnchain['request']> {
  if (request === 'gone') return { state: 'gone' };
  const { callback, block, requester, gasLimit } = request;
  const limit = gasLimit === undefined ? {} : { gasLimit: String(gasLimit) };
  return { state: STATES[callback], block: String(block), requester, ...limit };
}

function hashesOf({ request, provider }: ChainFacts) {
  if (request === undefined || request === 'gone') return {};
  const { numHashes } = request;
  return provider?.maxNumHashes ? { numHashes, maxNumHashes: provider.maxNumHashes } : { numHashes };
}

type Search = NonNullable<ChainFacts['search']>;

function searchOf({ fromBlock, older, ...present }: Search): AnsweredOnchain['search'] {
  return {
    fromBlock: String(fromBlock),
    ...searchedOf(present),
    ...(older && { older: searchedOf(older) }),
  };
}

function searchedOf({ toBlock, isComplete, nodeMessage }: SearchedBlocks) {
  return {
    complete: isComplete,
    ...(toBlock !== undefined && { toBlock: String(toBlock) }),
    ...(nodeMessage !== undefined && { nodeMessage }),
  };
}

/**
 * Times of the wait, only if the search for the answer began at the request's block, and that is not later than the
 * answer.
 */
function waitOf({ transaction }: ChainFacts, { fromBlock, reveal }: Search): { requestedMs?: number } {
  const { timeMs, requestedMs } = reveal ?? {};
  if (timeMs === undefined || requestedMs === undefined || requestedMs > timeMs) return {};
  return transaction?.kind === 'mined' && transaction.block === fromBlock ? { requestedMs } : {};
}

function answerOfReveal(reveal: NonNullable<Search['reveal']>): NonNullable<AnsweredOnchain['answer']> {
  const { tx, block, timeMs, from, gasUsed, callback, returned } = reveal;
  const reason = callback === 'failed' && {
    reason: revertReason({ kind: 'reverts', data: returned, nodeMessage: '' }),
  };
  return {
    tx,
    block: String(block),
    callback,
    ...(timeMs !== undefined && { timeMs }),
    ...(from && { from }),
    ...(gasUsed !== undefined && { gasUsed: String(gasUsed) }),
    ...reason,
  };
}

function simulatedOf(simulated: Simulated): SimulatedOnchain {
  if (simulated.kind === 'reverts') return { kind: 'reverts', reason: revertReason(simulated) };
  if (simulated.kind === 'not-simulated') return simulated;
  return { kind: 'succeeds', ...(simulated.gas !== undefined && { gas: String(simulated.gas) }) };
}

/** @param why a sentence */
export function noChainAnswer(
  because: Extract<Onchain, { asked: false }>['because'],
  why: string,
  atMs: number,
): Onchain {
  return { asked: false, atMs, ageMs: 0, because, why };
}
