import { expect, test } from 'vitest';
import { type ChainState, chainProblems, daysOf, keeperWallets, perDay } from './network-state';

const DAY = 86_400_000;
const NOW = 1_800_000_000_000;

test('a daily rate is computed over the span, over a shorter history, or over at least an hour', () => {
  expect(perDay(700n, NOW - 30 * DAY, NOW, 7 * DAY)).toBe(100n);
  expect(perDay(700n, NOW - 2 * DAY, NOW, 7 * DAY)).toBe(350n);
  expect(perDay(700n, NOW, NOW, 7 * DAY)).toBe(700n * 24n);
});

test('remaining days keep two decimals, rounded down, and are unknown without consumption', () => {
  expect([daysOf(2n, 3n), daysOf(299n, 100n), daysOf(5n, 0n)]).toEqual([0.66, 2.99, null]);
});

test.each([2, 5, 8])('all of %i wallets by turns are the keeper’s', (count) => {
  const senders = Array.from({ length: 24 }, (_, place) => `0x${place % count}`);
  expect(keeperWallets(senders)).toHaveLength(count);
});

test('a wallet with one reveal does not count as the keeper’s, unless it is the only reveal', () => {
  expect(keeperWallets(['0xa', '0xb', '0xa', '0xa'])).toEqual(['0xa']);
  expect(keeperWallets(['0xa', '0xb', '0xc'])).toEqual([]);
  expect(keeperWallets(['0xa'])).toEqual(['0xa']);
  expect(keeperWallets(['0xb', '0xb', ...Array<string>(22).fill('0xa')])).toEqual(['0xa']);
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
      balanceWei: '1000000',
      nonceGap: 0,
      gapSinceMs: null,
      spentPerDayWei: '1000',
      daysLeft: 1000,
      ...wallet,
    },
  ],
  providers: [
    {
      address: '0xbb',
      numbersLeft: '1000',
      requestsPerDay: 1,
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

test('a state older than five minutes is not used for the present', () => {
  expect(summaryOf(state({ daysLeft: 0.1 }), NOW + 300_001)).toEqual([]);
});
