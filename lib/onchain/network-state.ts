import * as z from 'zod/mini';
import { answerReader } from '@/lib/core/gateway';
import { DAY_MS, formatSpan, HOUR_MS } from '@/lib/core/time';
import { isStoppedAge } from './stopped-chain';

/** `GET /api/view/chains`. Amounts are wei in decimal digits. */

export const CHAINS_PATH = '/api/view/chains';

const digits = z.string().check(z.regex(/^\d+$/));

/** Null if the log behind it is too short; see `daysAtPace`. */
const daysLeft = z.nullable(z.number());

const wallet = z.object({
  address: z.string(),
  /** Evidence that it is the keeper's: it sent `sentReveals` of the last `sampledReveals` reveals. */
  sentReveals: z.number(),
  sampledReveals: z.number(),
  balanceWei: digits,
  /** Sent but not mined: pending count minus latest count. Null if the node does not report the pending count. */
  nonceGap: z.nullable(z.number()),
  /** Start of the gap as far as we saw it, unix ms; null if there is none. */
  gapSinceMs: z.nullable(z.number()),
  /** Null if there are no reveals to derive it from, or only those of less than an hour. */
  spentPerDayWei: z.nullable(digits),
  /** Length of the log behind `spentPerDayWei`. */
  spanMs: z.nullable(z.number()),
  daysLeft,
});

const provider = z.object({
  address: z.string(),
  numbersLeft: digits,
  /** Null if there are no requests to derive it from, or only those of less than an hour. */
  requestsPerDay: z.nullable(z.number()),
  /** Length of the log behind `requestsPerDay`. */
  spanMs: z.nullable(z.number()),
  daysLeft,
  feesWei: digits,
  /** Hashes since the last reveal, and the contract's maximum; 0 for no limit. */
  hashes: digits,
  maxHashes: z.number(),
});

const chain = z.object({
  networkId: z.string(),
  keeper: z.string(),
  host: z.string(),
  /** Last successful call, unix ms, to which all figures refer. */
  atMs: z.number(),
  /** Reason why the last attempt failed, a sentence. */
  failure: z.nullable(z.string()),
  headBlock: digits,
  headMs: z.number(),
  /** Usual time between two blocks; null if not known yet. */
  blockMs: z.nullable(z.number()),
  gasPriceWei: digits,
  /**
   * Price in wei of one reveal at the present gas price, for the gas of the last days; null if there were no reveals.
   */
  revealWei: z.nullable(digits),
  wallets: z.array(wallet),
  providers: z.array(provider),
});

const answer = z.object({
  atMs: z.number(),
  chains: z.array(chain),
});

type WalletState = z.infer<typeof wallet>;
type ProviderState = z.infer<typeof provider>;
export type ChainState = z.infer<typeof chain>;
export type ChainsAnswer = z.infer<typeof answer>;
export const readChainsAnswer = answerReader(answer, 'state of the chains');

/** `spanMs`: how long ago the oldest row behind it was created. */
export type Pace = { perDay: bigint; spanMs: number };

/** Null of less than an hour: a burst is no pace. */
export function spendingPace(amount: bigint, oldestMs: number, nowMs: number): Pace | null {
  const spanMs = Math.round(nowMs - oldestMs);
  return spanMs < HOUR_MS ? null : { perDay: (amount * BigInt(DAY_MS)) / BigInt(spanMs), spanMs };
}

/** A shorter log lacks the usual load of a day. Less than a day, for the oldest row under HISTORY_DAYS=1. */
const MIN_SPAN_MS = 20 * HOUR_MS;

/**
 * Two decimals, rounded down, so that a limit never seems to be reached later than it is. Null at a pace of 0, and beyond the span of
 * a log that is too short.
 */
export function daysAtPace(amount: bigint, pace: Pace | null): number | null {
  if (pace === null || pace.perDay === 0n) return null;
  const isWithinSpan = amount * BigInt(DAY_MS) < pace.perDay * BigInt(pace.spanMs);
  if (pace.spanMs < MIN_SPAN_MS && !isWithinSpan) return null;
  return Number((amount * 100n) / pace.perDay) / 100;
}

const MIN_SHARE = 1 / 3;

/**
 * Anyone may reveal, and a replaced wallet is emptied, which must not alert: a wallet is the keeper's where it sent a third as many of the last
 * reveals as the busiest, at least two or all of them, and at least one of the newer half.
 * @param senders of the last reveals, newest first
 */
export function keeperWallets(senders: readonly string[]): string[] {
  const newer = senders.slice(0, Math.ceil(senders.length / 2));
  const sentBy = (address: string) => senders.filter((sender) => sender === address).length;
  const busiest = Math.max(...senders.map(sentBy));
  return [...new Set(newer)].filter((address) => {
    const sent = sentBy(address);
    return sent === senders.length || (sent >= 2 && sent >= MIN_SHARE * busiest);
  });
}

/** Remaining days below which a wallet is a warning. */
export const WARNING_DAYS = 3;
export const CRITICAL_DAYS = 1;
/** A wallet that can pay for fewer is a critical problem of its network. */
export const MIN_REVEALS = 50n;
/** A younger nonce gap may be transactions in flight. */
export const MIN_GAP_MS = 120_000;

/** Time for which the wallet's transactions wait while none of them is mined. @param atMs of the chain's state */
export function hangingMs({ gapSinceMs }: WalletState, atMs: number): number | undefined {
  const ms = gapSinceMs === null ? 0 : atMs - gapSinceMs;
  return ms >= MIN_GAP_MS ? ms : undefined;
}

/** Transactions that hang in all wallets; undefined if a node does not report the count. */
export function hangingTransactions({ wallets, atMs }: ChainState): number | undefined {
  const counts = wallets.map((wallet) =>
    wallet.nonceGap !== null && hangingMs(wallet, atMs) === undefined ? 0 : wallet.nonceGap,
  );
  const reported = counts.filter((count) => count !== null);
  const sum = reported.reduce((total, count) => total + count, 0);
  return reported.length === 0 || (sum === 0 && reported.length < counts.length) ? undefined : sum;
}

/** `text` has no full stop. */
type ChainProblem = {
  kind: 'wallet' | 'nonce' | 'numbers' | 'hashes' | 'head';
  level: 'bad' | 'warning';
  /** Address of a wallet or a provider; empty for the chain itself. */
  address: string;
  text: string;
  detail: string;
  sinceMs: number | null;
  /** Hanging transactions; 1 for other kinds. */
  size: number;
};

/** Constant while the problem lasts: `wallet/main/8453/0x…`. */
export function chainProblemId(
  { keeper, networkId }: Pick<ChainState, 'keeper' | 'networkId'>,
  { kind, address }: Pick<ChainProblem, 'kind' | 'address'>,
): string {
  return `${kind}/${keeper}/${networkId}/${address}`;
}

const daysText = (days: number) =>
  `${days < 10 ? (Math.floor(days * 10) / 10).toFixed(1) : Math.floor(days)} days`;

function walletProblems(wallet: WalletState, { revealWei, host, atMs }: ChainState): ChainProblem[] {
  const { address, balanceWei, daysLeft, spanMs, nonceGap, gapSinceMs, sentReveals, sampledReveals } = wallet;
  const problems: ChainProblem[] = [];
  const isEmpty = revealWei !== null && BigInt(balanceWei) < BigInt(revealWei) * MIN_REVEALS;
  const common = { address, sinceMs: null, size: 1 };
  const evidence = `It sent ${sentReveals} of the last ${sampledReveals} reveals`;
  if (isEmpty) {
    const text = `keeper’s wallet can’t pay for ${MIN_REVEALS} reveals`;
    problems.push({ ...common, kind: 'wallet', level: 'bad', text, detail: `Fund it. ${evidence}` });
  } else if (daysLeft !== null && daysLeft < WARNING_DAYS) {
    const level = daysLeft < CRITICAL_DAYS ? 'bad' : 'warning';
    const text = `keeper’s wallet lasts ${daysText(daysLeft)}`;
    problems.push({
      ...common,
      kind: 'wallet',
      level,
      text,
      detail: `Fund it: at the spending of the last ${formatSpan(spanMs ?? 0)}. ${evidence}`,
    });
  }
  if (nonceGap !== null && nonceGap > 0 && hangingMs(wallet, atMs) !== undefined) {
    const gapText = nonceGap === 1 ? '1 transaction hangs' : `${nonceGap} transactions hang`;
    const text = `${gapText} in the keeper’s wallet`;
    const detail = `Queried ${host}. ${evidence}`;
    problems.push({
      ...common,
      kind: 'nonce',
      level: 'warning',
      text,
      detail,
      sinceMs: gapSinceMs,
      size: nonceGap,
    });
  }
  return problems;
}

function providerProblems(provider: ProviderState): ChainProblem[] {
  const { address, numbersLeft, daysLeft, spanMs, hashes, maxHashes } = provider;
  const problems: ChainProblem[] = [];
  const common = { address, sinceMs: null, size: 1 };
  if (numbersLeft === '0') {
    const detail = 'Every new request reverts (OutOfRandomness): register a new chain of commitments';
    problems.push({ ...common, kind: 'numbers', level: 'bad', text: 'random numbers are used up', detail });
  } else if (daysLeft !== null && daysLeft < WARNING_DAYS) {
    const level = daysLeft < CRITICAL_DAYS ? 'bad' : 'warning';
    const text = `random numbers last ${daysText(daysLeft)}`;
    const detail = `Register a new chain of commitments: at the requests of the last ${formatSpan(spanMs ?? 0)}`;
    problems.push({ ...common, kind: 'numbers', level, text, detail });
  }
  if (maxHashes > 0 && BigInt(hashes) > BigInt(maxHashes)) {
    const text = `${hashes} hashes since the last reveal, ${maxHashes} allowed`;
    const detail = 'Every new request reverts (LastRevealedTooOld): advance the provider’s commitment';
    problems.push({ ...common, kind: 'hashes', level: 'bad', text, detail });
  }
  return problems;
}

/** The chain has stopped or the node is behind: figures of such a block are not the present ones. */
export function hasOldHead({ atMs, headMs, blockMs }: ChainState): boolean {
  const ageMs = atMs - headMs;
  return ageMs > MAX_STATE_AGE_MS && isStoppedAge(ageMs, blockMs ?? undefined);
}

/** An old state yields none, nor does an old block. */
export function chainProblems(state: ChainState, nowMs: number): ChainProblem[] {
  if (nowMs - state.atMs > MAX_STATE_AGE_MS || hasOldHead(state)) return [];
  return [
    ...state.wallets.flatMap((wallet) => walletProblems(wallet, state)),
    ...state.providers.flatMap(providerProblems),
  ];
}

/** Chains are queried once a minute, so several calls have failed by then. */
export const MAX_STATE_AGE_MS = 300_000;
