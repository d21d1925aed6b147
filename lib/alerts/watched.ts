import * as z from 'zod/mini';
import { tryParseJson } from '@/lib/core/text';
import { DAY_MS, MINUTE_MS } from '@/lib/core/time';

/** Times in which the pending requests of a keeper were examined. In between nothing is known: neither calm nor trouble. */

/** A span of time, unix ms. */
export type Span = { fromMs: number; toMs: number };

/** Longest pause between two examinations that leaves nothing unknown. */
const MAX_PAUSE_MS = 5 * MINUTE_MS;
const KEPT_MS = 92 * DAY_MS;
const MAX_SPANS = 2000;

const spansForm = z.array(z.object({ fromMs: z.number(), toMs: z.number() }));

/** Reads stored spans, oldest first; none for an unreadable text. */
export const readSpans = (text: string | undefined): Span[] =>
  spansForm.safeParse(tryParseJson(text ?? '')).data ?? [];

/** The spans with an examination at a moment, which continues the last one or begins another. */
export function withExamination(spans: readonly Span[], nowMs: number): Span[] {
  const last = spans.at(-1);
  if (last !== undefined && nowMs - last.toMs <= MAX_PAUSE_MS) {
    return [...spans.slice(0, -1), { ...last, toMs: Math.max(last.toMs, nowMs) }];
  }
  const recent = spans.filter(({ toMs }) => nowMs - toMs < KEPT_MS);
  return [...recent, { fromMs: nowMs, toMs: nowMs }].slice(-MAX_SPANS);
}

/** Times up to now in which a keeper was not examined. Without spans there are none: an older version stored none. */
export function holesIn(spans: readonly Span[], nowMs: number): Span[] {
  const ends = spans.map(({ toMs }, at) => ({ fromMs: toMs, toMs: spans[at + 1]?.fromMs ?? nowMs }));
  return ends.filter(({ fromMs, toMs }) => toMs - fromMs > MAX_PAUSE_MS);
}

/** When something was last seen that an examination at this moment missed: where that ended a hole, before the hole. */
export function seenUntil(spans: readonly Span[], missedMs: number): number {
  const at = spans.findIndex(({ fromMs }) => fromMs === missedMs);
  return spans[at - 1]?.toMs ?? missedMs;
}

/** Length of the union of these spans within another one, ms. */
export function unionMs(spans: readonly Span[], { fromMs, toMs }: Span): number {
  let sum = 0;
  let cursor = fromMs;
  for (const span of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    sum += Math.max(0, Math.min(toMs, span.toMs) - Math.max(cursor, span.fromMs));
    cursor = Math.max(cursor, span.toMs);
  }
  return sum;
}
