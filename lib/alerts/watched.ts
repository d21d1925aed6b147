import * as z from 'zod/mini';
import { tryParseJson } from '@/lib/core/text';
import { DAY_MS, MINUTE_MS } from '@/lib/core/time';

/** Nothing is known of the time between spans in which a keeper was examined: neither calm nor trouble. */

/** Unix ms. */
export type Span = { fromMs: number; toMs: number };

/** A longer pause between two examinations is a gap. */
const MAX_PAUSE_MS = 5 * MINUTE_MS;
const KEPT_MS = 92 * DAY_MS;
const MAX_SPANS = 2000;

const spansForm = z.array(z.object({ fromMs: z.number(), toMs: z.number() }));

/** Oldest first; empty for an unreadable text. */
export const readSpans = (text: string | undefined): Span[] =>
  spansForm.safeParse(tryParseJson(text ?? '')).data ?? [];

/** Extends the last span or begins another one. */
export function withExamination(spans: readonly Span[], nowMs: number): Span[] {
  const last = spans.at(-1);
  if (last !== undefined && nowMs - last.toMs <= MAX_PAUSE_MS) {
    return [...spans.slice(0, -1), { ...last, toMs: Math.max(last.toMs, nowMs) }];
  }
  const recent = spans.filter(({ toMs }) => nowMs - toMs < KEPT_MS);
  return [...recent, { fromMs: nowMs, toMs: nowMs }].slice(-MAX_SPANS);
}

/** Gaps up to now, after the first span. */
export function holesIn(spans: readonly Span[], nowMs: number): Span[] {
  const ends = spans.map(({ toMs }, at) => ({ fromMs: toMs, toMs: spans[at + 1]?.fromMs ?? nowMs }));
  return ends.filter(({ fromMs, toMs }) => toMs - fromMs > MAX_PAUSE_MS);
}

/** No time since the last examination counts as unknown. */
export const isExamined = (spans: readonly Span[], nowMs: number): boolean =>
  nowMs - (spans.at(-1)?.toMs ?? Number.NEGATIVE_INFINITY) <= MAX_PAUSE_MS;

/**
 * Unix ms, up to now; spans may overlap. `logged`: only the log tells which requests were stuck. `degraded`: networks are
 * not recorded, although stuck requests may be.
 */
export type Unrecorded = { all: readonly Span[]; logged: readonly Span[]; degraded: readonly Span[] };

/** Spans in which each keeper was examined. */
type Examined = { stuck: readonly (readonly Span[])[]; degraded: readonly (readonly Span[])[] };

/** A time in which one keeper was not examined is unrecorded. @param recordedFromMs null while a keeper was never examined */
export function unrecordedTimes(
  { stuck, degraded }: Examined,
  recordedFromMs: number | null,
  nowMs: number,
): Unrecorded {
  const spanBefore = (ms: number | null | undefined): Span => ({
    fromMs: 0,
    toMs: Math.min(ms ?? nowMs, nowMs),
  });
  return {
    all: [spanBefore(recordedFromMs), ...stuck.flatMap((spans) => holesIn(spans, nowMs))],
    logged: [],
    degraded: degraded.flatMap((spans) => [spanBefore(spans[0]?.fromMs), ...holesIn(spans, nowMs)]),
  };
}

/** When a subject that an examination at `missedMs` missed was last seen: at the start of a gap before it, if any. */
export function seenUntil(spans: readonly Span[], missedMs: number): number {
  const at = spans.findIndex(({ fromMs }) => fromMs === missedMs);
  return spans[at - 1]?.toMs ?? missedMs;
}

/** Union of the spans within another one. */
export function unionMs(spans: readonly Span[], { fromMs, toMs }: Span): number {
  let sum = 0;
  let cursor = fromMs;
  for (const span of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    sum += Math.max(0, Math.min(toMs, span.toMs) - Math.max(cursor, span.fromMs));
    cursor = Math.max(cursor, span.toMs);
  }
  return sum;
}

/** Merged if they overlap or touch, oldest first, and cut to another span. */
export function mergedSpans(spans: readonly Span[], { fromMs: beginMs, toMs: endMs }: Span): Span[] {
  const merged: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const [fromMs, toMs] = [Math.max(beginMs, span.fromMs), Math.min(endMs, span.toMs)];
    const last = merged.at(-1);
    if (toMs <= fromMs) continue;
    if (last !== undefined && fromMs <= last.toMs) last.toMs = Math.max(last.toMs, toMs);
    else merged.push({ fromMs, toMs });
  }
  return merged;
}
