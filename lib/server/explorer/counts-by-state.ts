import 'server-only';
import { type BucketCounts, noCounts, sumOf } from '@/lib/contract/codec/histogram';
import { type Outcome, ok } from '@/lib/domain/outcome';
import { type StateWord, WIRE_STATE } from '@/lib/domain/request-record';
import type { CountAsked, Counts } from './counts';
import type { Part } from './parts';

/** The states that can be asked for, `pending` first: a request goes from there to one of the others, never back. */
const WORDS: readonly StateWord[] = ['pending', 'completed', 'callback-failed', 'failed'];
const FINAL = WORDS.slice(1);

/**
 * The rows of a part without a state filter, by state; `unknown` are those that none of the four states accounts for.
 * A row may be answered between two of these counts: then the four don't add up, and all are asked again, in an order in
 * which such a row can only be counted twice, so that it is never taken for one of an unknown state.
 * @param total the rows of the part; nothing is asked when there are none
 */
export async function countByState(
  counts: Counts,
  part: Part,
  total: number,
  signal: AbortSignal,
): Promise<Outcome<BucketCounts>> {
  if (total === 0) return ok(noCounts());
  const completed = await countIn(counts, part, 'completed', { signal });
  if (!completed.ok) return completed;
  if (completed.value === total) return ok({ ...noCounts(), completed: total });
  const others = WORDS.filter((word) => word !== 'completed');
  const found = await countEach(counts, part, others, { signal });
  if (!found.ok) return found;
  const first = { ...found.value, completed: completed.value };
  return sumOf(first) === total ? ok(first) : countAnew(counts, part, signal);
}

async function countAnew(counts: Counts, part: Part, signal: AbortSignal): Promise<Outcome<BucketCounts>> {
  const asked = { signal, age: 'fresh' } as const;
  const pending = await countIn(counts, part, 'pending', asked);
  if (!pending.ok) return pending;
  const [all, final] = await Promise.all([
    countOfPart(counts, part, asked),
    countEach(counts, part, FINAL, asked),
  ]);
  if (!all.ok) return all;
  if (!final.ok) return final;
  const rest = all.value - sumOf(final.value);
  // What was counted twice is pending no more.
  const stillPending = Math.max(0, Math.min(pending.value, rest));
  return ok({ ...final.value, pending: stillPending, unknown: Math.max(0, rest - stillPending) });
}

/** The rows of a part as a number: beyond 2^53 no service counts. */
export async function countOfPart(
  counts: Counts,
  { source, filter }: Part,
  asked: CountAsked,
): Promise<Outcome<number>> {
  const count = await counts.count(source, filter, asked);
  return count.ok ? ok(Number(count.value)) : count;
}

function countIn(counts: Counts, part: Part, word: StateWord, asked: CountAsked): Promise<Outcome<number>> {
  return countOfPart(counts, { ...part, filter: { ...part.filter, state: WIRE_STATE[word] } }, asked);
}

async function countEach(
  counts: Counts,
  part: Part,
  words: readonly StateWord[],
  asked: CountAsked,
): Promise<Outcome<BucketCounts>> {
  const found = await Promise.all(words.map((word) => countIn(counts, part, word, asked)));
  const sum = noCounts();
  for (const [at, count] of found.entries()) {
    if (!count.ok) return count;
    const word = words[at];
    if (word !== undefined) sum[word] = count.value;
  }
  return ok(sum);
}
