import * as z from 'zod/mini';
import { failed, type Outcome, ok } from '@/lib/core/outcome';

/** Where the overview asks again. */
export const OVERVIEW_ADDRESS = '/api/view/overview';

/** What is counted: so much of the past, in milliseconds. */
export const COUNTED_MS = 3_600_000;

const count = z.int().check(z.nonnegative());
const counts = z.object({ pending: count, completed: count, 'callback-failed': count, failed: count });

/** The requests of a keeper in the last hour by state, from the index. */
const keeperCounts = z.object({
  keeper: z.string(),
  counts,
  /** Unix ms: when its rows were last read; absent before the first time. */
  syncedAtMs: z.optional(z.number()),
});

/** Answer of `GET /api/view/overview`: of a revision of the index, at a moment (unix ms). */
const countsAnswer = z.object({ revision: count, atMs: z.number(), keepers: z.array(keeperCounts) });

export type StateCounts = z.infer<typeof counts>;
export type KeeperCounts = z.infer<typeof keeperCounts>;
export type CountsAnswer = z.infer<typeof countsAnswer>;

/** Fails with `malformed` when it is none of ours. */
export function readCounts(answer: string): Outcome<CountsAnswer> {
  try {
    return ok(z.parse(countsAnswer, JSON.parse(answer)));
  } catch {
    return failed({ kind: 'malformed', detail: 'The counts of the last hour cannot be read.' });
  }
}
