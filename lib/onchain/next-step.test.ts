import { describe, expect, it } from 'vitest';
import {
  isEndedByChain,
  nextStepByChain,
  outcomeByChain,
  retryText,
  simulatedFields,
  transactionByChain,
} from './next-step';
import type { AnsweredOnchain } from './onchain-response';

const answer = (kind: string, next?: string): AnsweredOnchain => ({
  asked: true,
  atMs: 0,
  ageMs: 0,
  host: 'rpc.example',
  contract: '0x',
  head: { block: '1', timeMs: 0 },
  verdict: { kind, tone: 'bad', headline: 'x', ...(next === undefined ? {} : { next }) },
  transaction: { state: 'missing' },
  notes: [],
});
const unasked = { asked: false, atMs: 0, ageMs: 0, because: 'failed', why: 'x' } as const;

describe('the next step of a request', () => {
  it('comes from the chain once it has answered', () => {
    expect(nextStepByChain(answer('never-mined', 'Nothing to answer'))).toBe('Nothing to answer.');
    expect(nextStepByChain(answer('retried'))).toMatch(/^Nothing to do/);
  });

  it('still comes from the log if the chain names the same error', () => {
    const reverts = answer('reveal-reverts', 'Fix what it names, then reveal');
    reverts.verdict.headline = 'Still open; a reveal now would revert: UpdateTooOld';
    expect(nextStepByChain(reverts, 'UpdateTooOld')).toBeUndefined();
    expect(nextStepByChain(reverts, 'No gas')).toBe('Fix what it names, then reveal.');
  });

  it('still comes from the log while the chain knows nothing about the request', () => {
    for (const response of [undefined, unasked, answer('rpc-behind', 'Query again later'), answer('gone')])
      expect(nextStepByChain(response)).toBeUndefined();
  });
});

describe('a request transaction', () => {
  it('is reported unknown only by a chain that has its block', () => {
    expect(transactionByChain(answer('never-mined'))).toBe('missing');
    expect(transactionByChain(answer('rpc-behind'))).toBeUndefined();
    expect(transactionByChain(unasked)).toBeUndefined();
  });
});

describe('a failed request', () => {
  it.each([
    ['reveal-reverts', 'Still open on chain; a reveal would revert.'],
    ['reveal-succeeds', 'Still open on chain; a reveal would succeed.'],
    ['callback-reverts', 'Still open on chain; its callback would revert.'],
    ['too-many-hashes', 'Still open on chain; it needs too many hashes.'],
    ['open', 'Still open on chain.'],
  ])('that the chain calls %s is open', (kind, outcome) => {
    expect(outcomeByChain(answer(kind))).toBe(outcome);
  });

  it('can’t complete once the chain has ended it', () => {
    expect(outcomeByChain(answer('never-mined'))).toBe('Nothing to answer.');
    expect(isEndedByChain(answer('answered-unlogged'))).toBe(true);
    expect(isEndedByChain(answer('reveal-reverts'))).toBe(false);
    expect(isEndedByChain(unasked)).toBe(false);
    expect(outcomeByChain(answer('rpc-behind'))).toBeUndefined();
    expect(outcomeByChain(undefined)).toBeUndefined();
  });
});

it('a retry command is not recommended once the chain has ended the request', () => {
  expect(retryText(answer('retried'))).toMatch(/no longer open/);
  for (const open of [undefined, unasked, answer('retry-succeeds'), answer('callback-failed')])
    expect(retryText(open)).toMatch(/^Run it with Foundry/);
});

it('a failed callback whose request the contract stores no more can’t be retried, though its answer is as logged', () => {
  const gone = { ...answer('answered'), request: { state: 'gone' } } as const;
  expect(retryText(gone)).toMatch(/no longer open/);
  expect(outcomeByChain(gone)).toBe('No longer open on chain.');
  expect(outcomeByChain(answer('answered'))).toBeUndefined();
});

describe('simulations', () => {
  const succeeds = { kind: 'succeeds' } as const;
  const reverts = { kind: 'reverts', reason: 'No gas' } as const;
  const texts = (kind: string, simulated: Partial<Pick<AnsweredOnchain, 'reveal' | 'callback'>>) =>
    simulatedFields({ ...answer(kind), ...simulated }).map(
      ({ name, simulated: { kind }, note }) => `${name} ${kind}${note}`,
    );

  it('are left out where the headline has them', () => {
    expect(texts('reveal-succeeds', { reveal: succeeds, callback: succeeds })).toEqual([
      'Callback now succeeds',
    ]);
    expect(texts('retry-reverts', { reveal: reverts })).toEqual([]);
  });

  it('never say that a callback would succeed beside a reveal that would revert, nor the reverse', () => {
    expect(texts('reveal-reverts', { reveal: reverts, callback: succeeds })).toEqual([
      'Callback alone succeeds, if it were reached',
    ]);
    expect(texts('too-many-hashes', { reveal: reverts, callback: succeeds })).toEqual([
      'Reveal now reverts',
      'Callback alone succeeds, if it were reached',
    ]);
    expect(texts('callback-reverts', { reveal: succeeds, callback: reverts })).toEqual([
      'Reveal now succeeds, its callback failed',
    ]);
  });
});
