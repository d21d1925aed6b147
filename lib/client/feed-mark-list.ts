import type { FeedMark } from '@/lib/contract/codec/feed-marks';

/** Our server tells marks of the last half hour; so long they stand here too. */
const KEPT_MS = 30 * 60_000;
/** More than any half hour should have; at the bound the oldest go. */
const MOST_MARKS = 500;

/** The marks of a page's charts, the newest word on each. */
export class FeedMarks {
  #list: readonly FeedMark[] = [];

  /** Oldest first; the same array until something changes. */
  get list(): readonly FeedMark[] {
    return this.#list;
  }

  /** Takes marks, new or changed. */
  take(marks: readonly FeedMark[], nowMs: number): void {
    const known = new Map(this.#list.map((mark) => [mark.key, mark]));
    const changed = marks.some((mark) => JSON.stringify(mark) !== JSON.stringify(known.get(mark.key)));
    if (!changed) return;
    for (const mark of marks) known.set(mark.key, mark);
    this.#list = [...known.values()]
      .filter((mark) => endMs(mark, nowMs) >= nowMs - KEPT_MS)
      .sort((a, b) => a.fromMs - b.fromMs)
      .slice(-MOST_MARKS);
  }
}

/** An outage without an end goes on; the change of the host is a moment. */
function endMs({ kind, fromMs, untilMs }: FeedMark, nowMs: number): number {
  return untilMs ?? (kind === 'host' ? fromMs : nowMs);
}
