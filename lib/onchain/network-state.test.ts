import { expect, test } from 'vitest';
import {
  type ChainState,
  chainProblems,
  daysAtPace,
  hangingTransactions,
  keeperWallets,
  spendingPace,
} from './network-state';

const DAY = 86_400_000;
const NOW = 1_800_000_000_000;

test('a daily rate is computed over the log behind it, and not from less than an hour', () => {
  expect(spendingPace(700n, NOW - 7 * DAY, NOW)).toEqual({ perDay: 100n, spanMs: 7 * DAY });
  expect(spendingPace(700n, NOW - DAY / 12, NOW)).toEqual({ perDay: 8400n, spanMs: DAY / 12 });
  expect(spendingPace(700n, NOW - 3_599_999, NOW)).toBeNull();
});

test('remaining days keep two decimals, rounded down, and are unknown without consumption', () => {
  const days = (amount: bigint, perDay: bigint) => daysAtPace(amount, { perDay, spanMs: DAY });
  expect([days(2n, 3n), days(299n, 100n), days(5n, 0n), daysAtPace(5n, null)]).toEqual([
    0.66,
    2.99,
    null,
    null,
  ]);
});

test('an hour of much load tells nothing of the next days, except that the next hour is not paid for', () => {
  const burst = { perDay: 2400n, spanMs: DAY / 24 };
  expect(daysAtPace(1200n, burst)).toBeNull();
  expect(daysAtPace(100n, burst)).toBeNull();
  expect(daysAtPace(99n, burst)).toBe(0.04);
  expect(daysAtPace(1200n, { ...burst, spanMs: (DAY / 24) * 19 })).toBe(0.5);
  expect(daysAtPace(2400n * 30n, { ...burst, spanMs: (DAY / 24) * 19 })).toBeNull();
  expect(daysAtPace(2400n * 30n, { ...burst, spanMs: (DAY / 24) * 20 })).toBe(30);
});

test.each([2, 5, 8])('all of %i wallets by turns are the keeper’s', (count) => {
  const senders = Array.from({ length: 24 }, (_, place) => `0x${place % count}`);
  expect(keeperWallets(senders)).toHaveLength(count);
});

test('a wallet with one reveal does not count as the keeper’s, unless it is the only reveal', () => {
  expect(keeperWallets(['0xa', '0xb', '0xa', '0xa'])).toEqual(['0xa']);
  expect(keeperWallets(['0xa', '0xb', '0xc'])).toEqual([]);
  expect(keeperWallets(['0xa'])).toEqual(['0xa']);
});

test.each([2, 3, 5])('a stranger’s wallet with %i of the last 24 reveals is not the keeper’s', (count) => {
  const stranger = Array<string>(count).fill('0xb');
  expect(keeperWallets([...stranger, ...Array<string>(24 - count).fill('0xa')])).toEqual(['0xa']);
});

test('of wallets chosen at random, none is left out', () => {
  const senders = Array.from({ length: 24 }, (_, place) => (place % 4 === 0 ? '0xb' : '0xa'));
  expect(keeperWallets(senders)).toEqual(['0xb', '0xa']);
});

test('the text of a problem names the span of the log and the reveals that it is computed from', () => {
  const spanMs = 30 * 3_600_000;
  const problems = chainProblems(state({ daysLeft: 2, spanMs }, { daysLeft: 2, spanMs: DAY }), NOW);
  expect(problems.map(({ detail }) => detail)).toEqual([
    'Fund it: at the spending of the last 1 d 6 h. It sent 12 of the last 24 reveals',
    'Register a new chain of commitments: at the requests of the last 1 d',
  ]);
});

const state = (wallet: object, provider: object = {}): ChainState => ({
  networkId: '8453',
  keeper: 'main',
  host: 'rpc.example',
  atMs: NOW,
  failure: null,
  headBlock: '1',
  headMs: NOW,
  blockMs: null,
  gasPriceWei: '1',
  revealWei: '100',
  wallets: [
    {
      address: '0xaa',
      sentReveals: 12,
      sampledReveals: 24,
      balanceWei: '1000000',
      nonceGap: 0,
      gapSinceMs: null,
      spentPerDayWei: '1000',
      spanMs: 7 * DAY,
      daysLeft: 1000,
      ...wallet,
    },
  ],
  providers: [
    {
      address: '0xbb',
      numbersLeft: '1000',
      requestsPerDay: 1,
      spanMs: 7 * DAY,
      daysLeft: 1000,
      feesWei: '0',
      hashes: '1',
      maxHashes: 0,
      ...provider,
    },
  ],
});

const summaryOf = (of: ChainState, nowMs = NOW) =>
  chainProblems(of, nowMs).map(({ level, text }) => `${level}: ${text}`);

test('less than three days is a warning; less than one day, or too little for 50 reveals, is critical', () => {
  expect(summaryOf(state({}))).toEqual([]);
  expect(summaryOf(state({ daysLeft: 3 }))).toEqual([]);
  expect(summaryOf(state({ daysLeft: 2.99 }))).toEqual(['warning: keeper’s wallet lasts 2.9 days']);
  expect(summaryOf(state({ daysLeft: 0.99 }))).toEqual(['bad: keeper’s wallet lasts 0.9 days']);
  expect(summaryOf(state({ balanceWei: '4999' }))).toEqual(['bad: keeper’s wallet can’t pay for 50 reveals']);
  expect(summaryOf(state({ balanceWei: '5000' }))).toEqual([]);
  expect(summaryOf(state({}, { daysLeft: 2 }))).toEqual(['warning: random numbers last 2.0 days']);
  expect(summaryOf(state({}, { numbersLeft: '0', daysLeft: 0 }))).toEqual([
    'bad: random numbers are used up',
  ]);
  expect(summaryOf(state({}, { hashes: '501', maxHashes: 500 }))).toEqual([
    'bad: 501 hashes since the last reveal, 500 allowed',
  ]);
});

test('a transaction hangs after two minutes, not before', () => {
  expect(summaryOf(state({ nonceGap: 2, gapSinceMs: NOW - 119_000 }))).toEqual([]);
  expect(summaryOf(state({ nonceGap: 2, gapSinceMs: NOW - 120_000 }))).toEqual([
    'warning: 2 transactions hang in the keeper’s wallet',
  ]);
});

test('a transaction hangs by the calls that saw it, not by the time since the last one', () => {
  expect(summaryOf(state({ nonceGap: 2, gapSinceMs: NOW - 60_000 }), NOW + 240_000)).toEqual([]);
});

test('transactions in flight do not count as hanging, and without the pending count none is told', () => {
  const countOf = (...wallets: object[]) =>
    hangingTransactions({ ...state({}), wallets: wallets.flatMap((wallet) => state(wallet).wallets) });
  const [hanging, flying] = [NOW - 120_000, NOW - 119_000].map((gapSinceMs) => ({ nonceGap: 2, gapSinceMs }));
  const untold = { nonceGap: null };
  expect(countOf({})).toBe(0);
  expect(countOf(flying ?? {})).toBe(0);
  expect(countOf(flying ?? {}, hanging ?? {})).toBe(2);
  expect(countOf(untold)).toBeUndefined();
  expect(countOf(untold, {})).toBeUndefined();
  expect(countOf(untold, hanging ?? {})).toBe(2);
  expect(countOf()).toBeUndefined();
});

test('a state older than five minutes is not used for the present, nor is one of a block that is old for its network', () => {
  expect(summaryOf(state({ daysLeft: 0.1 }), NOW + 300_001)).toEqual([]);
  const hanging = { balanceWei: '1', nonceGap: 2, gapSinceMs: NOW - 240_000 };
  const headAt = (ageMs: number, blockMs: number | null) =>
    summaryOf({ ...state(hanging, { numbersLeft: '0' }), headMs: NOW - ageMs, blockMs }).length;
  expect([headAt(290_000, 250), headAt(301_000, 250), headAt(10_800_000, null)]).toEqual([3, 0, 0]);
  expect(headAt(301_000, 60_000)).toBe(3);
});
