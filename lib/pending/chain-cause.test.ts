import { expect, test } from 'vitest';
import type { ChainState } from '@/lib/onchain/network-state';
import type { AnsweredOnchain, Onchain } from '@/lib/onchain/onchain-response';
import { chainEvidenceOf } from './chain-cause';

const NOW = 1_800_000_000_000;

const answer = (kind: string, headline = kind): AnsweredOnchain => ({
  asked: true,
  atMs: NOW,
  ageMs: 4000,
  host: 'rpc.example',
  contract: '0x00',
  head: { block: '1', timeMs: NOW },
  verdict: { kind, tone: 'bad', headline, next: 'Do it' },
  notes: [],
});
const unanswered: Onchain = {
  asked: false,
  atMs: NOW,
  ageMs: 0,
  because: 'failed',
  why: 'The chain was not queried: down.',
};

const state = (change: Partial<ChainState> = {}): ChainState => ({
  networkId: '8453',
  keeper: 'main',
  host: 'rpc.example',
  atMs: NOW,
  failure: null,
  headBlock: '1',
  headMs: NOW - 1000,
  blockMs: 2000,
  gasPriceWei: '1',
  revealWei: '100',
  wallets: [],
  providers: [],
  ...change,
});
const wallet = {
  address: '0xaa',
  sentReveals: 12,
  sampledReveals: 24,
  balanceWei: '100000',
  nonceGap: 0,
  gapSinceMs: null,
  spentPerDayWei: null,
  spanMs: null,
  daysLeft: null,
};

test('a verdict that all requests share is the cause, whatever the network is like', () => {
  const evidence = chainEvidenceOf(
    [answer('answered-unlogged'), answer('answered-unlogged')],
    41,
    state(),
    NOW,
  );
  expect(evidence).toEqual({
    asked: 2,
    of: 41,
    ageMs: 4000,
    isOpen: false,
    cause: { title: 'Answered on chain, not logged', headline: 'answered-unlogged', next: 'Do it' },
  });
});

test.each([
  ['not-mined-yet', 'Not mined yet'],
  ['gone', 'No longer open on chain'],
  ['retry-succeeds', 'Callback failed, not logged'],
  ['retry-reverts', 'Callback failed, not logged'],
  ['callback-failed', 'Callback failed, not logged'],
])('a pending request that waits for no reveal is not told to restart the keeper: %s', (kind, title) => {
  const { cause, isOpen } = chainEvidenceOf([answer(kind)], 1, undefined, NOW);
  expect({ isOpen, title: cause?.title }).toEqual({ isOpen: false, title });
});

test('requests with different verdicts name no cause, and are listed individually', () => {
  const evidence = chainEvidenceOf(
    [answer('callback-reverts', 'one'), answer('reveal-succeeds', 'other')],
    2,
    state(),
    NOW,
  );
  expect(evidence).toMatchObject({ isOpen: true, line: 'one; other' });
  expect(evidence.cause).toBeUndefined();
});

test.each([
  ['replaced', { tone: 'good' }, { tone: 'unknown', next: 'Compare the sender' }],
  ['answered-unlogged', { tone: 'bad', next: 'Restart' }, { tone: 'good', next: 'Wait' }],
  ['callback-reverts', { next: 'Tell the owner' }, { next: 'Tell the owner of the other' }],
] as const)(
  'verdicts of one kind that differ in tone or step are listed, and name no cause: %s',
  (kind, older, newer) => {
    const answers = [older, newer].map((change, index) => {
      const { verdict, ...others } = answer(kind, `${kind} ${'ab'[index]}`);
      return { ...others, verdict: { ...verdict, ...change } };
    });
    const empty = state({ wallets: [{ ...wallet, balanceWei: '99' }] });
    const evidence = chainEvidenceOf(answers, 2, empty, NOW);
    expect(evidence.line).toBe(`${kind} a; ${kind} b`);
    expect(evidence.cause).toBeUndefined();
  },
);

test('a shared cause lists what its requests differ in, other than figures, hashes and ages', () => {
  const headlineOf = (...headlines: string[]) => {
    const answers = headlines.map((headline) => answer('never-mined', headline));
    return chainEvidenceOf(answers, 9, state(), NOW).cause?.headline;
  };
  expect(headlineOf('Taken', 'Unknown up to block 1,300', 'Taken')).toBe('Taken; Unknown up to block 1,300');
  expect(headlineOf('In 0xab12…abab, 59 s old', 'In 0xcdef…01cd, 1 min 02 s old')).toBe(
    'In 0xab12…abab, 59 s old',
  );
});

test('requests of one kind share a sentence, and a request that is no longer open comes first', () => {
  const same = [answer('reveal-succeeds', 'with 5 gas'), answer('reveal-succeeds', 'with 6 gas')];
  expect(chainEvidenceOf(same, 2, state(), NOW).line).toBe('with 5 gas');
  expect(chainEvidenceOf([answer('gone')], 1, state(), NOW).cause?.title).toBe('No longer open on chain');
});

test.each([
  ['Wallet empty', { wallets: [{ ...wallet, balanceWei: '99' }] }],
  ['Nonce gap', { wallets: [{ ...wallet, nonceGap: 1, gapSinceMs: NOW - 120_000 }] }],
])('open requests wait for their network: %s', (title, change) => {
  const evidence = chainEvidenceOf([answer('reveal-succeeds')], 1, state(change), NOW);
  expect(evidence).toMatchObject({ isOpen: true, cause: { title } });
});

test('a chain without new blocks is the cause, unless a simulated reveal succeeds, and an old block names no other', () => {
  const empty = [{ ...wallet, balanceWei: '0' }];
  const causeOf = (kind: string, ageMs: number, blockMs: number | null = 2000) =>
    chainEvidenceOf([answer(kind)], 1, state({ headMs: NOW - ageMs, blockMs, wallets: empty }), NOW).cause
      ?.title;
  expect(causeOf('open', 61_000)).toBe('No new blocks');
  expect(causeOf('reveal-succeeds', 61_000)).toBe('Wallet empty');
  expect(causeOf('reveal-succeeds', 301_000)).toBeUndefined();
  expect(causeOf('open', 301_000, null)).toBeUndefined();
});

test('a wallet that still pays for a reveal is no cause of a wait', () => {
  const paying = state({ wallets: [{ ...wallet, balanceWei: '4999' }] });
  expect(chainEvidenceOf([answer('reveal-succeeds')], 1, paying, NOW).cause).toBeUndefined();
});

test('an empty or hanging wallet is no cause of a wait while another one pays and sends', () => {
  const empty = { ...wallet, address: '0xcc', balanceWei: '0', nonceGap: 1, gapSinceMs: NOW - 120_000 };
  const causeOf = (wallets: ChainState['wallets']) =>
    chainEvidenceOf([answer('reveal-succeeds')], 1, state({ wallets }), NOW).cause?.title;
  expect(causeOf([empty, wallet])).toBeUndefined();
  expect(causeOf([empty, { ...wallet, balanceWei: '99' }])).toBe('Wallet empty');
  expect(causeOf([empty, { ...wallet, nonceGap: 1, gapSinceMs: NOW - 120_000 }])).toBe('Nonce gap');
});

const provider = {
  address: '0xbb',
  numbersLeft: '10',
  requestsPerDay: 1,
  spanMs: null,
  daysLeft: 10,
  feesWei: '0',
  hashes: '3',
  maxHashes: 3,
};

test.each([
  ['Out of randomness', { numbersLeft: '0' }],
  ['Too many hashes', { hashes: '4' }],
  [undefined, {}],
  [undefined, { hashes: '4', maxHashes: 0 }],
])('a cause of silence, where there is no request: %s', (title, change) => {
  const providers = [{ ...provider, ...change }];
  expect(chainEvidenceOf([], 0, state({ providers }), NOW).cause?.title).toBe(title);
});

test.each([{ numbersLeft: '0' }, { hashes: '4' }])(
  'a state that reverts new requests is no cause for accepted ones: %j',
  (change) => {
    const providers = [{ ...provider, ...change }];
    expect(chainEvidenceOf([answer('reveal-succeeds')], 41, state({ providers }), NOW).cause).toBeUndefined();
  },
);

test('a chain that was not queried changes no verdict and gives the reason, and an old state of a network is ignored', () => {
  const evidence = chainEvidenceOf([unanswered], 1, state({ atMs: NOW - 300_001, headMs: 0 }), NOW);
  expect(evidence).toEqual({
    asked: 0,
    of: 1,
    ageMs: 0,
    isOpen: false,
    why: 'The chain was not queried: down.',
  });
});
