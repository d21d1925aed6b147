import { BEGINNING_US } from '@/lib/store/schema';

/** A span of which every row was read, unix microseconds, both ends included. */
export type Interval = { fromUs: number; toUs: number };

/** The intervals with one more, those that touch made one; newest first. */
export function covering(intervals: readonly Interval[], added: Interval): Interval[] {
  if (added.fromUs > added.toUs) return [...intervals];
  const apart: Interval[] = [];
  let { fromUs, toUs } = added;
  for (const one of intervals) {
    if (one.fromUs > toUs + 1 || one.toUs + 1 < fromUs) apart.push(one);
    else [fromUs, toUs] = [Math.min(fromUs, one.fromUs), Math.max(toUs, one.toUs)];
  }
  return [...apart, { fromUs, toUs }].toSorted((one, other) => other.toUs - one.toUs);
}

/** The intervals without what is before a moment. */
export function coveredFrom(intervals: readonly Interval[], fromUs: number): Interval[] {
  const later = intervals.filter(({ toUs }) => toUs >= fromUs);
  return later.map((one) => ({ fromUs: Math.max(one.fromUs, fromUs), toUs: one.toUs }));
}

/** The newest span below the newest interval, down to `bottomUs`, that is not covered. */
export function newestGap(intervals: readonly Interval[], bottomUs: number): Interval | undefined {
  const [newest, next] = intervals;
  if (newest === undefined || newest.fromUs <= bottomUs) return undefined;
  const fromUs = next === undefined ? bottomUs : Math.max(bottomUs, next.toUs + 1);
  return { fromUs, toUs: newest.fromUs - 1 };
}

export function isFromBeginning({ fromUs }: Interval): boolean {
  return fromUs <= BEGINNING_US;
}
