import { describe, expect, it } from 'vitest';
import { chainAnswer } from './chain-answer';
import type { ChainFacts, ChainQuery } from './facts';
import { blockTimesByChain } from './next-step';

const NOW = 1_800_000_000_000;
const tx = `0x${'ab'.repeat(32)}`;
const query: ChainQuery = {
  networkId: '8453',
  contract: `0x${'c0'.repeat(20)}`,
  provider: `0x${'52'.repeat(20)}`,
  sequence: 7n,
  requestBlock: 1000n,
  createdMs: NOW - 9000,
  logged: 'completed',
};
const times = { requestedMs: NOW - 10_000, timeMs: NOW - 6000 };
const numbers = { requester: '0x', user: '0x', randomNumber: '0x' } as const;
const reveal = { tx, block: 1002n, callback: 'ok', ...numbers, ...times } as const;

const facts = (change: Partial<ChainFacts> = {}): ChainFacts => ({
  host: 'rpc.example',
  atMs: NOW,
  head: { number: 1300n, timeMs: NOW - 1000 },
  hasCode: true,
  transaction: { kind: 'mined', block: 1000n, isReverted: false },
  request: 'gone',
  search: { fromBlock: 1000n, toBlock: 1300n, isComplete: true, reveal },
  notes: [],
  ...change,
});

describe('the wait from block to block', () => {
  it('is known if the chain confirms both blocks', () => {
    const answer = chainAnswer(query, facts());
    expect(answer.answer).toMatchObject({ timeMs: NOW - 6000, requestedMs: NOW - 10_000 });
    const expected = { requestedMs: NOW - 10_000, answeredMs: NOW - 6000 };
    expect(blockTimesByChain(answer, tx.toUpperCase().replace('0X', '0x'))).toEqual(expected);
  });

  it('is not claimed for another answer than the logged one', () => {
    expect(blockTimesByChain(chainAnswer(query, facts()), `0x${'cd'.repeat(32)}`)).toBeUndefined();
    expect(blockTimesByChain(chainAnswer(query, facts()), undefined)).toBeUndefined();
  });

  it.each<[string, Partial<ChainFacts>]>([
    [
      'the transaction is in another block',
      { transaction: { kind: 'mined', block: 1001n, isReverted: false } },
    ],
    ['the transaction is unknown', { transaction: { kind: 'missing' } }],
    [
      'the blocks run backwards',
      {
        search: {
          fromBlock: 1000n,
          toBlock: 1300n,
          isComplete: true,
          reveal: { ...reveal, requestedMs: NOW },
        },
      },
    ],
  ])('is not claimed where %s', (_, change) => {
    expect(chainAnswer(query, facts(change)).answer).not.toHaveProperty('requestedMs');
  });
});
