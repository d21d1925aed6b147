import { groupDigits } from '@/lib/core/numbers';
import { decodeFailure } from '@/lib/core/request-failure';
import { clipped } from '@/lib/core/text';
import { formatAge, MINUTE_MS } from '@/lib/core/time';
import type { ChainFacts, ChainQuery, Simulated } from './facts';
import { isStoppedAge, OLD_BLOCK_STEP, oldBlockText } from './stopped-chain';

/** The rules about stuck requests use the same words. */
const VERDICTS = [
  ...(['no-contract', 'rpc-behind', 'chain-reset', 'chain-stopped', 'not-told'] as const),
  ...(['never-mined', 'not-mined-yet', 'request-reverted', 'replaced'] as const),
  ...(['answered', 'answered-unlogged', 'retried', 'gone'] as const),
  ...([
    'reveal-lost',
    'open',
    'too-many-hashes',
    'reveal-succeeds',
    'reveal-reverts',
    'callback-reverts',
  ] as const),
  ...(['retry-succeeds', 'retry-reverts', 'callback-failed'] as const),
] as const;
type VerdictKind = (typeof VERDICTS)[number];

/** `headline` and `next` have no full stop. `next` is one step; absent if there is nothing to do. */
type OnchainVerdict = {
  kind: VerdictKind;
  /** `good`: as it should be. `bad`: an operator has to act. `unknown`: could not be determined. */
  tone: 'good' | 'bad' | 'unknown';
  headline: string;
  next?: string;
};

const verdict = (
  kind: VerdictKind,
  tone: OnchainVerdict['tone'],
  headline: string,
  next?: string,
): OnchainVerdict => ({ kind, tone, headline, ...(next === undefined ? {} : { next }) });

/** Shortest plausible interval: n blocks take at least n times as long. */
const MIN_BLOCK_MS = 10;

/** `0x1c2f…9a0b`: enough to compare. The evidence has the whole value. */
const shortHash = (hash: string) => `${hash.slice(0, 10)}…${hash.slice(-4)}`;

/** Untrusted text: clipped, and never used as markup. */
export function revertReason(simulated: Extract<Simulated, { kind: 'reverts' }>): string {
  const { data, nodeMessage } = simulated;
  const state = { kind: 'completed', callback: 'failed', callbackReturnValue: data } as const;
  const decoded = data === undefined ? undefined : decodeFailure({ state });
  return clipped(decoded?.text ?? nodeMessage, 200);
}

const gasText = (gas: bigint | undefined) =>
  gas === undefined ? '' : ` with ${groupDigits(String(gas))} gas`;

/** The most certain first: events of the chain come before simulations. */
export function onchainVerdict(query: ChainQuery, facts: ChainFacts): OnchainVerdict {
  const { transaction, request, search, hasCode } = facts;
  if (hasCode === false) {
    return verdict(
      'no-contract',
      'bad',
      `No contract at ${query.contract} on this chain`,
      'Check the contract’s address in NETWORKS_FILE',
    );
  }
  const answered = search?.reveal;
  const isMissing = transaction?.kind === 'missing';
  if (transaction?.kind === 'mined' && transaction.isReverted) {
    return verdict(
      'request-reverted',
      'bad',
      'The request transaction reverted: nothing was requested',
      'Nothing to answer. Its sender has to request again',
    );
  }
  const isTaken = isOfAnother(query, facts);
  if (answered && isTaken) return takenVerdict(facts);
  if (answered && isMissing) {
    const headline = `Its transaction is not on the chain; its sequence was answered in ${shortHash(answered.tx)}`;
    return query.user === undefined
      ? verdict('replaced', 'unknown', headline, 'Compare the sender of that request with the logged one')
      : verdict('replaced', 'good', headline, 'Nothing to answer: it was mined in another transaction');
  }
  if (answered) return answeredVerdict(query, answered, facts);
  const chainVerdict = unusableChain(query, facts);
  if (chainVerdict !== undefined) return chainVerdict;
  if (isTaken) return takenVerdict(facts);
  if (transaction?.kind === 'waiting')
    return verdict('not-mined-yet', 'unknown', NOT_MINED_YET, 'Wait for its block');
  if (request === undefined || request === 'gone') {
    return unknownTransaction(facts) ?? (request === 'gone' ? goneVerdict(query, search?.toBlock) : NOT_TOLD);
  }
  return openVerdict(query, facts, request);
}

const NOT_MINED_YET = 'The request transaction is not mined yet';

const NOT_TOLD = verdict(
  'not-told',
  'unknown',
  'The RPC does not report whether the request is open',
  'Name another RPC in RPC_URLS',
);

/** The RPC does not know the transaction, and the request is not open. */
function unknownTransaction({ head, transaction }: ChainFacts): OnchainVerdict | undefined {
  if (transaction?.kind === 'missing') {
    return verdict(
      'never-mined',
      'bad',
      `The request transaction is unknown to the chain up to block ${groupDigits(String(head.number))}: never mined, or reorganised away`,
      'Nothing to answer. Its sender may have to request again',
    );
  }
  if (transaction?.kind !== 'not-indexed') return undefined;
  return verdict(
    'not-told',
    'unknown',
    'This RPC does not know the request transaction',
    'Name another RPC in RPC_URLS: this one may have dropped old transactions from its index',
  );
}

const INCORRECT_REVELATION = '0xb8be1a8d';

/**
 * After a reorganisation, another request may have got the sequence. The blocks are not compared: on some networks the
 * contract has those of the layer below.
 */
export function isOfAnother({ requestBlock, sender, user }: ChainQuery, facts: ChainFacts): boolean {
  const { transaction, request, search, reveal } = facts;
  // A transaction that is mined where the log has it made this request.
  if (transaction?.kind === 'mined' && transaction.block === (requestBlock ?? transaction.block))
    return false;
  const differ = (ours: string | undefined, theirs: string) => ours !== undefined && ours !== theirs;
  const answer = search?.reveal;
  if (answer !== undefined) return differ(user, answer.user) || differ(sender, answer.requester);
  if (request === undefined || request === 'gone') return false;
  const isRefused = reveal?.kind === 'reverts' && reveal.data === INCORRECT_REVELATION;
  return differ(sender, request.requester) || (transaction?.kind === 'missing' && isRefused);
}

function takenVerdict({ transaction, search }: ChainFacts): OnchainVerdict {
  const answered = search?.reveal ? `, answered in ${shortHash(search.reveal.tx)}` : '';
  if (transaction?.kind === 'waiting') {
    return verdict(
      'not-mined-yet',
      'unknown',
      `${NOT_MINED_YET}; its sequence belongs to another request${answered}`,
      'Wait for its block, then look in the log for the sequence that it has now',
    );
  }
  const headline = `Its sequence belongs to another request${answered}`;
  if (transaction?.kind === 'missing') {
    return verdict(
      'never-mined',
      'bad',
      `${headline}; this one is not on the chain`,
      'Nothing to answer. Its sender may have to request again',
    );
  }
  const mined =
    transaction?.kind === 'mined'
      ? `; its transaction is now in block ${groupDigits(String(transaction.block))}`
      : '';
  const next = 'Look in the log for the sequence that its transaction has now';
  return verdict('replaced', 'unknown', `${headline}${mined}`, next);
}

/** The chain was reset, has stopped or is behind the request. */
function unusableChain(query: ChainQuery, facts: ChainFacts): OnchainVerdict | undefined {
  const { head } = facts;
  const ageMs = facts.atMs - head.timeMs;
  if (query.requestBlock !== undefined && head.number < query.requestBlock) {
    const blocks = query.requestBlock - head.number;
    const behind = groupDigits(String(blocks));
    if (Number(blocks) * MIN_BLOCK_MS > ageMs + MINUTE_MS) {
      return verdict(
        'chain-reset',
        'unknown',
        `The newest block is ${formatAge(Math.max(0, ageMs))} old and ${behind} below the request’s: the chain was restarted, or the RPC is of another one`,
        'Compare the RPC in RPC_URLS with the network; after a reset nothing can be answered',
      );
    }
    return verdict(
      'rpc-behind',
      'unknown',
      `The RPC is ${behind} blocks behind the request`,
      'Query again later, or name another RPC in RPC_URLS',
    );
  }
  if (query.revealBlock !== undefined && head.number < query.revealBlock) {
    const behind = query.revealBlock - head.number;
    return verdict(
      'rpc-behind',
      'unknown',
      `The RPC is ${groupDigits(String(behind))} ${behind === 1n ? 'block' : 'blocks'} behind the logged reveal`,
      'Query again later, or name another RPC in RPC_URLS',
    );
  }
  const oldMs = oldHeadMs(facts);
  // A reveal that would succeed waits for its sender as much as for a block.
  if (oldMs !== undefined && query.logged === 'pending' && facts.reveal?.kind !== 'succeeds')
    return verdict('chain-stopped', 'bad', oldBlockText(oldMs), OLD_BLOCK_STEP);
  return undefined;
}

/** Age of the newest block, if it is longer than the network’s usual interval explains. */
function oldHeadMs({ atMs, head, blockMs }: ChainFacts): number | undefined {
  const ageMs = atMs - head.timeMs;
  return isStoppedAge(ageMs, blockMs) ? ageMs : undefined;
}

function ageText(facts: ChainFacts): string {
  const oldMs = oldHeadMs(facts);
  return oldMs === undefined ? '' : `; newest block is ${formatAge(oldMs)} old`;
}

/** @param toBlock last block that was searched for the answer */
function goneVerdict({ logged }: ChainQuery, toBlock: bigint | undefined): OnchainVerdict {
  const where =
    toBlock === undefined ? '' : `; its answer was not found up to block ${groupDigits(String(toBlock))}`;
  const next = logged === 'pending' ? 'Look for its reveal in the block explorer' : undefined;
  return verdict('gone', logged === 'pending' ? 'bad' : 'unknown', `No longer open on chain${where}`, next);
}

/** Keepers log an answer that somebody else sent: they find it when they try again. */
const LOGGED_WITHIN_MS = 5 * MINUTE_MS;

function answeredVerdict(
  { logged, logReadMs, revealTx }: ChainQuery,
  { tx, callback, timeMs }: NonNullable<NonNullable<ChainFacts['search']>['reveal']>,
  { atMs, head }: ChainFacts,
): OnchainVerdict {
  const hash = shortHash(tx);
  const unreadMs = Math.max(0, atMs - (logReadMs ?? atMs));
  const isUnlogged = logged === 'pending' || logged === 'failed';
  if (isUnlogged && timeMs === undefined) {
    const headline = `Answered on chain in ${hash}, not logged yet; the RPC did not tell when`;
    return verdict('answered-unlogged', 'unknown', headline, 'Query again');
  }
  if (isUnlogged && unreadMs >= LOGGED_WITHIN_MS) {
    const headline = `Answered on chain in ${hash}; the keeper’s log was last read ${formatAge(unreadMs)} ago`;
    return verdict('answered-unlogged', 'unknown', headline, 'Wait until its log is read again');
  }
  // Later by the chain's clock: the keeper's clock may be behind it.
  const readMs = Math.max(atMs, head.timeMs) - unreadMs;
  if (isUnlogged && readMs - (timeMs ?? readMs) < LOGGED_WITHIN_MS) {
    const next = 'Wait: keepers log an answer within minutes';
    return verdict('answered-unlogged', 'good', `Answered on chain in ${hash}, not logged yet`, next);
  }
  if (isUnlogged) {
    const headline = `Answered on chain in ${hash}, the keeper’s log missed it`;
    return verdict(
      'answered-unlogged',
      'bad',
      headline,
      'Nothing to reveal. Restart the keeper if its log misses more',
    );
  }
  if (logged === 'callback-failed' && callback === 'ok')
    return verdict('retried', 'good', `Callback failed at first; retried on chain in ${hash}, where it ran`);
  const words = revealTx === tx ? ', as logged' : ', in another transaction than logged';
  return verdict('answered', 'good', `Answered on chain in ${hash}${revealTx === undefined ? '' : words}`);
}

type OpenRequest = Exclude<ChainFacts['request'], 'gone' | undefined>;

/** The first attempt failed, and the callback can be retried. */
function retryVerdict({ logged }: ChainQuery, facts: ChainFacts): OnchainVerdict {
  const { reveal } = facts;
  if (reveal?.kind === 'succeeds') {
    const headline = `Callback failed and is open; a retry now would succeed${gasText(reveal.gas)}${ageText(facts)}`;
    // The page has a retry command only once the failed callback is logged.
    const next = logged === 'pending' ? undefined : 'Run the retry command';
    return verdict('retry-succeeds', 'bad', headline, next);
  }
  if (reveal?.kind === 'reverts') {
    const headline = `Callback failed and is open; a retry now would revert: ${revertReason(reveal)}`;
    return verdict('retry-reverts', 'bad', headline, 'Tell the contract’s owner before a retry');
  }
  return verdict('callback-failed', 'bad', 'Callback failed and is open; a retry could not be simulated');
}

function openVerdict(query: ChainQuery, facts: ChainFacts, request: OpenRequest): OnchainVerdict {
  if (request.callback === 'failed') return retryVerdict(query, facts);
  const { reveal, provider } = facts;
  if (query.logged === 'completed' || query.logged === 'callback-failed') {
    const headline = 'Still open on chain although its answer is logged: the reveal was reorganised away';
    return verdict('reveal-lost', 'bad', headline, 'Reveal it again');
  }
  const max = provider?.maxNumHashes ?? 0;
  // The contract compares the hashes when the request is made. A simulated reveal that succeeds takes
  // precedence.
  if (max > 0 && request.numHashes > max && reveal?.kind !== 'succeeds') {
    const headline = `Still open; it needs ${groupDigits(request.numHashes)} hashes, and the contract allows ${groupDigits(max)}`;
    return verdict('too-many-hashes', 'bad', headline, 'Advance the provider’s commitment');
  }
  const revertVerdict = revertsNow(facts);
  if (revertVerdict !== undefined) return revertVerdict;
  // Whether an open request is late depends on its age. For a pending one, the diagnosis has the next step.
  const openIs = (kind: VerdictKind, headline: string, next: string) =>
    query.logged === 'pending' ? verdict(kind, 'unknown', headline) : verdict(kind, 'bad', headline, next);
  if (reveal?.kind === 'succeeds') {
    const headline = `Still open; a reveal now would succeed${gasText(reveal.gas)}${ageText(facts)}`;
    if (oldHeadMs(facts) !== undefined) {
      const next = 'Check that the network makes blocks, then the keeper’s process, RPC endpoint and wallet';
      return verdict('reveal-succeeds', 'bad', headline, next);
    }
    return openIs(
      'reveal-succeeds',
      headline,
      'Check why the keeper does not send it: process, RPC endpoint, wallet',
    );
  }
  return openIs('open', 'Still open on chain, not answered', 'Look for its sequence in the keeper’s log');
}

/** The reveal, or the callback alone, would revert. */
function revertsNow({ reveal, callback }: ChainFacts): OnchainVerdict | undefined {
  const revealReason = reveal?.kind === 'reverts' ? revertReason(reveal) : undefined;
  const callbackReason = callback?.kind === 'reverts' ? revertReason(callback) : undefined;
  // Without a gas limit, the callback is part of the reveal, which then reverts with the callback's own reason.
  if (revealReason !== undefined && revealReason !== callbackReason) {
    return verdict(
      'reveal-reverts',
      'bad',
      `Still open; a reveal now would revert: ${revealReason}`,
      'Fix what it names, then reveal',
    );
  }
  if (callbackReason === undefined) return undefined;
  return verdict(
    'callback-reverts',
    'bad',
    `Still open; its callback would revert now: ${callbackReason}`,
    'Send the contract’s owner this request',
  );
}

/** Sentences; empty unless every new request of the provider reverts. */
export function providerWarnings(provider: ChainFacts['provider']): string[] {
  if (provider === undefined || provider.nextSequence === 0n) return [];
  const { nextSequence, endSequence, revealedSequence, maxNumHashes } = provider;
  const hashes = nextSequence - revealedSequence;
  const isUsedUp = nextSequence >= endSequence;
  const isTooOld = maxNumHashes > 0 && hashes > BigInt(maxNumHashes);
  const allowed = `${groupDigits(maxNumHashes)} ${maxNumHashes === 1 ? 'is' : 'are'} allowed`;
  return [
    isUsedUp ? 'The provider’s random numbers are used up: every new request reverts (OutOfRandomness).' : '',
    isTooOld
      ? `The provider has ${groupDigits(String(hashes))} hashes since its last reveal, and ${allowed}: every new request reverts (LastRevealedTooOld).`
      : '',
  ].filter((sentence) => sentence !== '');
}
