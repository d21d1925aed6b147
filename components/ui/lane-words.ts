import { countText } from '@/lib/domain/diagnosis/span-text';
import type { LaneItem, LaneKind } from './lane-layout';
import { kindOf } from './lane-layout';

/** What the strip can't know by itself. */
export type LaneText = {
  /** A sequence number or a count for people, from decimal digits. */
  number: (digits: string) => string;
  moment: (ms: number) => string;
};

export const LANE_LABELS: Record<LaneKind, string> = {
  stuck: 'Stuck',
  pending: 'Pending',
  failed: 'Failed',
  'callback-failed': 'Callback failed',
  completed: 'Completed',
  unknown: 'Unknown state',
  gap: 'Missing numbers',
};

/** In the order in which a legend names them. */
export const LANE_KINDS = Object.keys(LANE_LABELS) as LaneKind[];

/** How many items there are of each kind; missing ones count as stretches. */
export function kindCounts(items: readonly LaneItem[]): Map<LaneKind, number> {
  const counts = new Map<LaneKind, number>();
  for (const item of items) counts.set(kindOf(item), (counts.get(kindOf(item)) ?? 0) + 1);
  return counts;
}

/** One item in a sentence without full stop: `Sequence 1,234, stuck, created 12:03:07 UTC, overtaken by 25`. */
export function itemWords(item: LaneItem, text: LaneText): string {
  if (item.kind === 'gap') {
    const numbers =
      item.from === item.to ? text.number(item.from) : `${text.number(item.from)} to ${text.number(item.to)}`;
    return item.count === '1'
      ? `1 number missing: ${numbers}`
      : `${text.number(item.count)} numbers missing: ${numbers}`;
  }
  const parts = [
    `Sequence ${text.number(item.sequence)}`,
    LANE_LABELS[item.state].toLowerCase(),
    `created ${text.moment(item.createdMs)}`,
    ...(item.overtakenBy === undefined ? [] : [`overtaken by ${item.overtakenBy}`]),
    ...(item.twins.length === 0 ? [] : [`${countText(item.twins.length, 'twin')} of the same number`]),
  ];
  return parts.join(', ');
}

/** The whole strip in a sentence or two, for those who can't see it. */
export function laneSummary(
  items: readonly LaneItem[],
  figures: { missingNumbers: string; overtaken: number; twins: number },
  text: LaneText,
): string {
  const marks = items.filter((item) => item.kind === 'request');
  const [first, last] = [marks[0], marks.at(-1)];
  if (first === undefined || last === undefined) return 'No requests in this stretch.';
  const counts = kindCounts(items);
  const states = LANE_KINDS.flatMap((kind) => {
    const count = kind === 'gap' ? undefined : counts.get(kind);
    return count === undefined ? [] : [`${text.number(String(count))} ${LANE_LABELS[kind].toLowerCase()}`];
  });
  const span = `${text.number(first.sequence)} to ${text.number(last.sequence)}`;
  const requests = `${text.number(String(marks.length))} ${marks.length === 1 ? 'request' : 'requests'}`;
  const missing =
    figures.missingNumbers === '0' ? 'no number is' : missingWords(figures.missingNumbers, text);
  return [
    `${requests}, numbers ${span}: ${states.join(', ')}.`,
    `Of the numbers between them ${missing} missing; ${figures.overtaken} overtaken, ${figures.twins} with a twin.`,
  ].join(' ');
}

function missingWords(digits: string, text: LaneText): string {
  return digits === '1' ? '1 is' : `${text.number(digits)} are`;
}
