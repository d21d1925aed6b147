import * as z from 'zod/mini';
import { answerReader } from '@/lib/core/gateway';
import { countOf, groupDigits } from '@/lib/core/numbers';
import { formatAge } from '@/lib/core/time';
import { type ChainState, hangingMs, hasOldHead, MAX_STATE_AGE_MS } from '@/lib/onchain/network-state';
import type { AnsweredOnchain, Onchain } from '@/lib/onchain/onchain-response';
import { isStoppedAge, OLD_BLOCK_STEP, oldBlockText } from '@/lib/onchain/stopped-chain';

export const CHAIN_CAUSE_PATH = '/api/view/pending/onchain';

const cause = z.object({
  title: z.string(),
  /** Headline without full stop. */
  headline: z.string(),
  next: z.string(),
});

const chainEvidence = z.object({
  /** Members of a documented answer: requests checked on the chain, oldest first, `of` the size of the incident. */
  asked: z.number(),
  of: z.number(),
  /** Age of the oldest of these answers. */
  ageMs: z.number(),
  /** Replaces the likely cause from the log. */
  cause: z.optional(cause),
  /** Whether all checked requests are open in the contract. */
  isOpen: z.boolean(),
  /** Set if the chain's answer gives no cause. */
  line: z.optional(z.string()),
  /** Reason why the chain was not queried. */
  why: z.optional(z.string()),
});

export const listedChainSchema = z.object({ cause: z.optional(cause), isOpen: z.boolean() });

export type ListedChain = z.infer<typeof listedChainSchema>;
type ChainCause = z.infer<typeof cause>;
export type ChainEvidence = z.infer<typeof chainEvidence>;
export const readChainEvidence = answerReader(chainEvidence, 'evidence of the chain');

const NO_BLOCKS = 'No new blocks';
const CALLBACK_UNLOGGED = 'Callback failed, not logged';

/** Titles by kind of verdict. */
const TITLES: Readonly<Record<string, string>> = {
  'answered-unlogged': 'Answered on chain, not logged',
  replaced: 'Reorged duplicate',
  'never-mined': 'Not on chain',
  'request-reverted': 'Reverted on chain',
  'callback-reverts': 'Callback reverts',
  'reveal-reverts': 'Reveal reverts',
  'too-many-hashes': 'Too many hashes',
  'chain-stopped': NO_BLOCKS,
  'not-mined-yet': 'Not mined yet',
  gone: 'No longer open on chain',
  'retry-succeeds': CALLBACK_UNLOGGED,
  'retry-reverts': CALLBACK_UNLOGGED,
  'callback-failed': CALLBACK_UNLOGGED,
};
/** Steps that differ from those of one request. */
const STEPS_OF_SEVERAL: Readonly<Record<string, string>> = {
  'callback-reverts': 'Send the contract’s owner these requests',
};
const OPEN_VERDICTS = ['open', 'reveal-succeeds', 'reveal-reverts', 'callback-reverts', 'too-many-hashes'];

type Wallet = ChainState['wallets'][number];

/**
 * Undefined also if the state is older than `MAX_STATE_AGE_MS`.
 * @param canReveal a simulated reveal succeeds: its block is not what a request waits for
 */
function networkCause(
  state: ChainState | undefined,
  size: number,
  nowMs: number,
  canReveal: boolean,
): ChainCause | undefined {
  if (state === undefined || nowMs - state.atMs > MAX_STATE_AGE_MS) return undefined;
  const { atMs, headMs, blockMs, revealWei, wallets, providers } = state;
  const ageMs = atMs - headMs;
  if (blockMs !== null && isStoppedAge(ageMs, blockMs) && !canReveal)
    return { title: NO_BLOCKS, headline: oldBlockText(ageMs), next: OLD_BLOCK_STEP };
  if (hasOldHead(state)) return undefined;
  // A wallet that still pays for some reveals does not explain why requests wait, nor does one of several.
  const isEmpty = ({ balanceWei }: Wallet) => revealWei !== null && BigInt(balanceWei) < BigInt(revealWei);
  const [empty] = wallets;
  if (empty !== undefined && wallets.every(isEmpty)) {
    const who = wallets.length === 1 ? 'The keeper’s wallet can’t' : 'None of the keeper’s wallets can';
    const headline = `${who} pay for a reveal at the present gas price`;
    return {
      title: 'Wallet empty',
      headline,
      next: `Fund ${wallets.map(({ address }) => address).join(', ')}`,
    };
  }
  const isHanging = (wallet: Wallet) => hangingMs(wallet, atMs) !== undefined;
  const hanging = wallets.find(isHanging);
  if (hanging !== undefined && wallets.every((wallet) => isHanging(wallet) || isEmpty(wallet))) {
    const sent = countOf(hanging.nonceGap ?? 1, 'transaction');
    const headline = `${sent} of the keeper’s wallet sent and not mined for ${formatAge(hangingMs(hanging, atMs) ?? 0)}`;
    return {
      title: 'Nonce gap',
      headline,
      next: `Replace the oldest one of ${hanging.address} with a higher fee`,
    };
  }
  // The contract reverts new requests: none arrive, but an accepted one does not wait because of that.
  if (size > 0) return undefined;
  if (providers.some(({ numbersLeft }) => numbersLeft === '0')) {
    const headline = 'The provider’s random numbers are used up: every new request reverts (OutOfRandomness)';
    return { title: 'Out of randomness', headline, next: 'Register a new chain of commitments' };
  }
  const behind = providers.find(
    ({ hashes, maxHashes }) => maxHashes > 0 && BigInt(hashes) > BigInt(maxHashes),
  );
  if (behind !== undefined) {
    const headline = `The provider has ${groupDigits(behind.hashes)} hashes since its last reveal, ${groupDigits(behind.maxHashes)} allowed: every new request reverts (LastRevealedTooOld)`;
    return { title: 'Too many hashes', headline, next: 'Advance the provider’s commitment' };
  }
  return undefined;
}

/** Figures with their units, and shortened hashes. */
const FIGURES = /0x[\da-f]+(?:…[\da-f]+)?|(?:\d[\d,.]*(?: (?:d|h|min|s)\b)? ?)+/gi;

/** Headlines that differ only in figures are one: that of the oldest request. */
function headlinesOf(answered: readonly AnsweredOnchain[]): string {
  const byForm = new Map<string, string>();
  for (const { verdict } of answered) {
    const form = verdict.headline.replace(FIGURES, '#');
    if (!byForm.has(form)) byForm.set(form, verdict.headline);
  }
  return [...byForm.values()].join('; ');
}

/**
 * A verdict is the cause if all checked requests share it, with its tone and step; if they differ in kind, a fault of
 * the network is.
 * @param size requests in the incident, checked or not
 */
export function chainEvidenceOf(
  answers: readonly Onchain[],
  size: number,
  state: ChainState | undefined,
  nowMs: number,
): ChainEvidence {
  const answered = answers.flatMap((answer) => (answer.asked ? [answer] : []));
  const [first] = answered;
  const kinds = new Set(answered.map(({ verdict }) => verdict.kind));
  const common = {
    asked: answered.length,
    of: size,
    ageMs: Math.max(0, ...answered.map(({ ageMs }) => ageMs)),
    isOpen: answered.length > 0 && answered.every(({ verdict }) => OPEN_VERDICTS.includes(verdict.kind)),
  };
  const title = kinds.size === 1 ? TITLES[first?.verdict.kind ?? ''] : undefined;
  const isShared = answered.every(
    ({ verdict: { tone, next } }) => tone === first?.verdict.tone && next === first.verdict.next,
  );
  if (first !== undefined && title !== undefined && isShared) {
    const { kind, next: ofOne = 'Compare with the keeper’s log' } = first.verdict;
    const next = (size > 1 ? STEPS_OF_SEVERAL[kind] : undefined) ?? ofOne;
    return { ...common, cause: { title, headline: headlinesOf(answered), next } };
  }
  const ofNetwork =
    title === undefined ? networkCause(state, size, nowMs, kinds.has('reveal-succeeds')) : undefined;
  if (ofNetwork !== undefined) return { ...common, cause: ofNetwork };
  if (first !== undefined) return { ...common, line: headlinesOf(answered) };
  const why = answers.flatMap((answer) => (answer.asked ? [] : [answer.why]))[0];
  return why === undefined ? common : { ...common, why };
}
