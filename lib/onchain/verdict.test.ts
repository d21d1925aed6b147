import { describe, expect, test } from 'vitest';
import type { ChainFacts, ChainQuery } from './facts';
import { onchainVerdict } from './verdict';

const NOW = 1_800_000_000_000;
const query: ChainQuery = {
  networkId: '8453',
  contract: `0x${'c0'.repeat(20)}`,
  provider: `0x${'52'.repeat(20)}`,
  sequence: 7n,
  requestBlock: 1000n,
  createdMs: NOW - 600_000,
  logged: 'pending',
  sender: `0x${'cd'.repeat(20)}`,
  user: `0x${'11'.repeat(32)}`,
};
const mined = { kind: 'mined', block: 1000n, isReverted: false } as const;
const open = {
  requester: `0x${'cd'.repeat(20)}`,
  block: 1000n,
  numHashes: 3,
  useBlockhash: false,
  callback: 'not-started',
} as const;
const base: ChainFacts = {
  host: 'rpc.example',
  atMs: NOW,
  head: { number: 1300n, timeMs: NOW - 1000 },
  hasCode: true,
  transaction: mined,
  notes: [],
};
const provider = {
  endSequence: 1000n,
  nextSequence: 9n,
  revealedSequence: 5n,
  maxNumHashes: 0,
  accruedFeesWei: 0n,
};
const tx = `0x${'ab'.repeat(32)}` as const;
const reveal = {
  tx,
  block: 1010n,
  timeMs: NOW - 600_000,
  callback: 'ok',
  requester: `0x${'cd'.repeat(20)}`,
  user: `0x${'11'.repeat(32)}`,
  randomNumber: '0x',
} as const;
const answered = { fromBlock: 1000n, toBlock: 1300n, isComplete: true, reveal };
const notFound = { fromBlock: 1000n, toBlock: 1300n, isComplete: true };

const TABLE: [kind: string, facts: Partial<ChainFacts>, query: Partial<ChainQuery>, headline: RegExp][] = [
  [
    'answered-unlogged',
    { request: 'gone', search: answered },
    {},
    /^Answered on chain in 0xabababab…abab, the keeper’s log missed it$/,
  ],
  ['answered', { request: 'gone', search: answered }, { logged: 'completed', revealTx: tx }, /, as logged$/],
  [
    'answered',
    { request: 'gone', search: answered },
    { logged: 'completed', revealTx: `0x${'cd'.repeat(32)}` },
    /, in another transaction than logged$/,
  ],
  [
    'answered',
    { request: 'gone', search: answered },
    { logged: 'completed' },
    /^Answered on chain in 0x\S+$/,
  ],
  ['retried', { request: 'gone', search: answered }, { logged: 'callback-failed' }, /retried on chain/],
  ['gone', { request: 'gone', search: notFound }, {}, /not found up to block 1,300/],
  ['request-reverted', { request: 'gone', transaction: { ...mined, isReverted: true } }, {}, /reverted/],
  [
    'never-mined',
    { request: 'gone', transaction: { kind: 'missing' } },
    {},
    /never mined, or reorganised away/,
  ],
  ['not-mined-yet', { request: 'gone', transaction: { kind: 'waiting' } }, {}, /not mined yet/],
  [
    'replaced',
    { request: 'gone', transaction: { kind: 'missing' }, search: answered },
    {},
    /not on the chain/,
  ],
  ['rpc-behind', { head: { number: 900n, timeMs: NOW } }, {}, /100 blocks behind/],
  [
    'chain-stopped',
    { request: open, head: { number: 1300n, timeMs: NOW - 700_000 } },
    {},
    /^Newest block is 11 min 40 s old: .* makes no blocks without transactions, or the RPC is behind$/,
  ],
  [
    'reveal-succeeds',
    { request: open, head: { number: 1300n, timeMs: NOW - 700_000 }, reveal: { kind: 'succeeds', gas: 9n } },
    {},
    /^Still open; a reveal now would succeed with 9 gas; newest block is 11 min 40 s old$/,
  ],
  ['no-contract', { hasCode: false }, {}, /No contract at/],
  ['not-told', {}, {}, /does not report/],
  ['open', { request: open, reveal: { kind: 'not-simulated', why: 'x' } }, {}, /Still open on chain/],
  ['reveal-succeeds', { request: open, reveal: { kind: 'succeeds', gas: 123456n } }, {}, /123,456 gas/],
  [
    'reveal-reverts',
    { request: open, reveal: { kind: 'reverts', nodeMessage: 'x', data: '0xb8be1a8d' } },
    {},
    /IncorrectRevelation/,
  ],
  [
    'too-many-hashes',
    {
      request: open,
      provider: { ...provider, maxNumHashes: 2 },
      reveal: { kind: 'not-simulated', why: 'x' },
    },
    {},
    /needs 3 hashes, and the contract allows 2/,
  ],
  [
    'reveal-succeeds',
    { request: open, provider: { ...provider, maxNumHashes: 2 }, reveal: { kind: 'succeeds', gas: 9n } },
    {},
    /9 gas/,
  ],
  [
    'callback-reverts',
    { request: open, reveal: { kind: 'succeeds' }, callback: { kind: 'reverts', nodeMessage: 'boom' } },
    {},
    /boom/,
  ],
  [
    'retry-succeeds',
    { request: { ...open, callback: 'failed' }, reveal: { kind: 'succeeds', gas: 9n } },
    { logged: 'callback-failed' },
    /9 gas/,
  ],
  [
    'retry-reverts',
    { request: { ...open, callback: 'failed' }, reveal: { kind: 'reverts', nodeMessage: 'no' } },
    { logged: 'callback-failed' },
    /would revert: no/,
  ],
  ['reveal-lost', { request: open }, { logged: 'completed', revealBlock: 1300n }, /reorganised away/],
  [
    'rpc-behind',
    { request: open },
    { logged: 'completed', revealBlock: 1301n },
    /^The RPC is 1 block behind the logged reveal$/,
  ],
];

test.each(TABLE)('%s', (kind, facts, of, headline) => {
  const verdict = onchainVerdict({ ...query, ...of }, { ...base, ...facts });
  expect(verdict).toMatchObject({ kind, headline: expect.stringMatching(headline) });
});

describe('a sequence that a reorganisation gave to another request', () => {
  const other = `0x${'ee'.repeat(20)}` as const;
  const missing = { transaction: { kind: 'missing' } } as const;
  const answeredAs = (change: Partial<typeof reveal | { requester: string; user: string }>) => ({
    request: 'gone' as const,
    search: { ...answered, reveal: { ...reveal, ...change } as typeof reveal },
  });
  const notOnChain = {
    kind: 'never-mined',
    tone: 'bad',
    next: 'Nothing to answer. Its sender may have to request again',
  };

  test.each([
    ['answered, of another sender', answeredAs({ requester: other })],
    ['answered, with another number of the same sender', answeredAs({ user: `0x${'22'.repeat(32)}` })],
  ])('%s: this one is not on the chain', (_, facts) => {
    expect(onchainVerdict(query, { ...base, ...missing, ...facts })).toMatchObject({
      ...notOnChain,
      headline:
        'Its sequence belongs to another request, answered in 0xabababab…abab; this one is not on the chain',
    });
  });

  test.each<[string, Partial<ChainFacts>]>([
    ['open, of another sender', { request: { ...open, requester: other } }],
    [
      'open, and refuses this one’s numbers',
      { request: open, reveal: { kind: 'reverts', nodeMessage: 'x', data: '0xb8be1a8d' } },
    ],
  ])('%s: this one is not on the chain', (_, facts) => {
    expect(onchainVerdict(query, { ...base, ...missing, ...facts })).toMatchObject({
      ...notOnChain,
      headline: 'Its sequence belongs to another request; this one is not on the chain',
    });
  });

  test('is not the one that its transaction has now', () => {
    const remined = { transaction: { ...mined, block: 1003n }, request: { ...open, requester: other } };
    expect(onchainVerdict(query, { ...base, ...remined })).toMatchObject({
      kind: 'replaced',
      tone: 'unknown',
      headline: 'Its sequence belongs to another request; its transaction is now in block 1,003',
    });
    const waiting = { transaction: { kind: 'waiting' }, request: { ...open, requester: other } } as const;
    expect(onchainVerdict(query, { ...base, ...waiting })).toMatchObject({
      kind: 'not-mined-yet',
      headline: 'The request transaction is not mined yet; its sequence belongs to another request',
    });
  });

  test.each([
    ['pending', 'of another sender', { requester: other }],
    ['failed', 'with another number', { user: `0x${'22'.repeat(32)}` }],
    ['completed', 'of another sender', { requester: other }],
  ] as const)('answered before its own transaction, of a %s row, is mined again: %s', (logged, _, change) => {
    const facts = { ...base, ...answeredAs(change), transaction: { kind: 'waiting' } } as const;
    expect(onchainVerdict({ ...query, logged }, facts)).toEqual({
      kind: 'not-mined-yet',
      tone: 'unknown',
      headline:
        'The request transaction is not mined yet; its sequence belongs to another request, answered in 0xabababab…abab',
      next: 'Wait for its block, then look in the log for the sequence that it has now',
    });
  });

  test('is not claimed while its transaction is mined where the log has it', () => {
    const facts = { ...base, request: { ...open, requester: other } };
    expect(onchainVerdict(query, facts)).toMatchObject({ kind: 'open' });
  });

  test('is its own in another transaction, if the answer has its sender and its number', () => {
    const { user: _, ...unnumbered } = query;
    expect(onchainVerdict(query, { ...base, ...missing, ...answeredAs({}) })).toMatchObject({ tone: 'good' });
    expect(onchainVerdict(unnumbered, { ...base, ...missing, ...answeredAs({}) })).toMatchObject({
      kind: 'replaced',
      tone: 'unknown',
      next: 'Compare the sender of that request with the logged one',
    });
  });
});

test('a pending request that is merely open leaves the next step to the diagnosis, which knows its age', () => {
  const facts: Partial<ChainFacts>[] = [
    { reveal: { kind: 'succeeds', gas: 9n } },
    { reveal: { kind: 'not-simulated', why: 'x' } },
  ];
  for (const fact of facts) {
    const facts = { ...base, request: open, ...fact };
    expect(onchainVerdict(query, facts)).toMatchObject({ tone: 'unknown' });
    expect(onchainVerdict(query, facts).next).toBeUndefined();
    expect(onchainVerdict({ ...query, logged: 'failed' }, facts)).toMatchObject({
      tone: 'bad',
      next: expect.any(String),
    });
  }
});

test('a current block far below the request shows a chain that was reset, not a node that is behind', () => {
  const headAt = (number: bigint, ageMs: number) =>
    onchainVerdict(
      { ...query, requestBlock: 9_000_010n },
      { ...base, head: { number, timeMs: NOW - ageMs }, request: 'gone' },
    );
  const anew = {
    kind: 'chain-reset',
    headline: expect.stringMatching(/2 s old and 8,999,010 below the request’s/),
  };
  expect(headAt(1000n, 2000)).toMatchObject(anew);
  expect(headAt(9_000_000n, 2000)).toMatchObject({ kind: 'rpc-behind' });
  expect(headAt(8_999_000n, 600_000)).toMatchObject({ kind: 'rpc-behind' });
});

test.each(['pending', 'failed'] as const)(
  'an answer counts as missed by the log once the keeper had time to log it, by the clock of the chain: %s',
  (logged) => {
    const waitedUntil = (answeredMs: number, headMs: number) => {
      const search = { ...answered, reveal: { ...reveal, timeMs: answeredMs } };
      const head = { number: 1300n, timeMs: headMs };
      return onchainVerdict({ ...query, logged }, { ...base, head, request: 'gone', search });
    };
    const fresh = {
      kind: 'answered-unlogged',
      tone: 'good',
      headline: 'Answered on chain in 0xabababab…abab, not logged yet',
      next: 'Wait: keepers log an answer within minutes',
    };
    const missed = {
      kind: 'answered-unlogged',
      headline: expect.stringMatching(/the keeper’s log missed it$/),
    };
    expect(waitedUntil(NOW - 3000, NOW)).toMatchObject(fresh);
    expect(waitedUntil(NOW - 300_000, NOW)).toMatchObject(missed);
    expect(waitedUntil(NOW + 3_600_000, NOW + 3_602_000)).toMatchObject(fresh);
    expect(waitedUntil(NOW, NOW + 300_000)).toMatchObject(missed);
    expect(waitedUntil(NOW - 300_000, NOW - 299_000)).toMatchObject(missed);
  },
);

test.each(['pending', 'failed'] as const)(
  'an answer is not missed by a log that was not read since, nor without the time of its block: %s',
  (logged) => {
    const { timeMs: _, ...untimed } = reveal;
    const verdictAt = (readMs: number, of: Omit<typeof reveal, 'timeMs'> & { timeMs?: number }) =>
      onchainVerdict(
        { ...query, logged, logReadMs: readMs },
        { ...base, request: 'gone', search: { ...answered, reveal: of } },
      );
    expect(verdictAt(NOW, { ...reveal, timeMs: NOW - 360_000 }).headline).toMatch(/log missed it$/);
    expect(verdictAt(NOW - 200_000, { ...reveal, timeMs: NOW - 360_000 }).headline).toMatch(
      /not logged yet$/,
    );
    expect(verdictAt(NOW - 605_000, { ...reveal, timeMs: NOW - 360_000 })).toMatchObject({
      kind: 'answered-unlogged',
      tone: 'unknown',
      headline: 'Answered on chain in 0xabababab…abab; the keeper’s log was last read 10 min 05 s ago',
    });
    expect(verdictAt(NOW, untimed)).toMatchObject({
      kind: 'answered-unlogged',
      tone: 'unknown',
      headline: 'Answered on chain in 0xabababab…abab, not logged yet; the RPC did not tell when',
    });
  },
);

test('a chain counts as stopped after twenty usual intervals, and not before a minute', () => {
  const isStopped = (ageMs: number, blockMs?: number) => {
    const head = { ...base.head, timeMs: NOW - ageMs };
    const { kind } = onchainVerdict(
      { ...query, logged: 'pending' },
      { ...base, head, ...(blockMs && { blockMs }) },
    );
    return kind === 'chain-stopped';
  };
  expect([isStopped(59_000, 250), isStopped(61_000, 250)]).toEqual([false, true]);
  expect([isStopped(39_000, 2000), isStopped(61_000, 2000)]).toEqual([false, true]);
  expect([isStopped(239_000), isStopped(241_000)]).toEqual([false, true]);
});
