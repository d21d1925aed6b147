import * as z from 'zod/mini';
import { answerReader } from '@/lib/core/gateway';

/** `GET /api/view/requests/onchain`. Amounts, blocks and gas are decimal digits. */

const digits = z.string().check(z.regex(/^\d+$/));

/** A simulation at the newest block. `reason`: why it would revert, decoded; `why`: why it was not simulated. */
const simulated = z.object({
  kind: z.enum(['succeeds', 'reverts', 'not-simulated']),
  gas: z.optional(digits),
  reason: z.optional(z.string()),
  why: z.optional(z.string()),
});

const searched = {
  toBlock: z.optional(digits),
  complete: z.boolean(),
  nodeMessage: z.optional(z.string()),
};

const answered = z.object({
  asked: z.literal(true),
  /** When the node was queried, unix ms, and the age of that answer when it is sent. */
  atMs: z.number(),
  ageMs: z.number(),
  /** Host of the RPC; no other part of its URL is sent. */
  host: z.string(),
  contract: z.string(),
  head: z.object({ block: digits, timeMs: z.number() }),
  verdict: z.object({
    kind: z.string(),
    tone: z.enum(['good', 'bad', 'unknown']),
    /** Headline without full stop. */
    headline: z.string(),
    next: z.optional(z.string()),
  }),
  transaction: z.optional(
    z.object({
      state: z.enum(['mined', 'reverted', 'waiting', 'missing', 'not-indexed']),
      block: z.optional(digits),
      from: z.optional(z.string()),
    }),
  ),
  /** `gone`: the contract does not store the request, or no longer does. */
  request: z.optional(
    z.object({
      state: z.enum(['open', 'callback-failed', 'in-progress', 'gone']),
      block: z.optional(digits),
      requester: z.optional(z.string()),
      numHashes: z.optional(z.number()),
      maxNumHashes: z.optional(z.number()),
      gasLimit: z.optional(digits),
    }),
  ),
  randomNumbersLeft: z.optional(digits),
  /** `toBlock` is absent if the node refused every range. */
  search: z.optional(
    z.object({
      fromBlock: digits,
      ...searched,
      /** Events in their form before the contract's upgrade; absent for a contract of that form. */
      older: z.optional(z.object(searched)),
    }),
  ),
  answer: z.optional(
    z.object({
      tx: z.string(),
      block: digits,
      timeMs: z.optional(z.number()),
      /** Time of the request's block; absent if the chain did not confirm that block. */
      requestedMs: z.optional(z.number()),
      from: z.optional(z.string()),
      gasUsed: z.optional(digits),
      callback: z.enum(['ok', 'failed']),
      reason: z.optional(z.string()),
    }),
  ),
  reveal: z.optional(simulated),
  callback: z.optional(simulated),
  /** Sentences about the query: a URL that failed, or one that is behind. */
  notes: z.array(z.string()),
});

/** `why` is a sentence. `unconfigured`: no RPC is set for the network. `failed`: none of its URLs answered. */
const unanswered = z.object({
  asked: z.literal(false),
  atMs: z.number(),
  ageMs: z.number(),
  because: z.enum(['unconfigured', 'failed', 'no-contract', 'no-provider']),
  why: z.string(),
});

const onchain = z.discriminatedUnion('asked', [answered, unanswered]);

export type Onchain = z.infer<typeof onchain>;
export type AnsweredOnchain = z.infer<typeof answered>;
export type SimulatedOnchain = z.infer<typeof simulated>;
export const readOnchain = answerReader(onchain, 'answer of the chain');

export const ONCHAIN_PATH = '/api/view/requests/onchain';
