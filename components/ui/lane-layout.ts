import type { LaneGap, LaneMark, LaneState } from '@/lib/domain/diagnosis/sequence-lane';

export type LaneItem = LaneMark | LaneGap;

/** Pixels. */
export const LANE_HEIGHT = 48;
const MARK_WIDTH = 13;
const GAP_WIDTH = 22;
const MARGIN = 8;

/** Where the items stand on the strip, pixels from its beginning. */
export type LaneLayout = {
  /** Left edges, and after the last the right edge of the last. */
  edges: Float64Array;
  width: number;
};

export function laneLayout(items: readonly LaneItem[]): LaneLayout {
  const edges = new Float64Array(items.length + 1);
  let at = MARGIN;
  for (const [index, item] of items.entries()) {
    edges[index] = at;
    at += item.kind === 'gap' ? GAP_WIDTH : MARK_WIDTH;
  }
  edges[items.length] = at;
  return { edges, width: at + MARGIN };
}

/** The item at a place of the strip, or that next to it; undefined when there is none at all. */
export function itemAt({ edges }: LaneLayout, x: number): number | undefined {
  const last = edges.length - 2;
  if (last < 0) return undefined;
  let [low, high] = [0, last];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((edges[middle] ?? 0) <= x) low = middle;
    else high = middle - 1;
  }
  return low;
}

export function middleOf({ edges }: LaneLayout, index: number): number {
  return ((edges[index] ?? 0) + (edges[index + 1] ?? 0)) / 2;
}

/** The first and the last item that a window of the strip shows, in whole or in part; empty when first > last. */
export function itemsWithin(layout: LaneLayout, left: number, right: number): [number, number] {
  const first = itemAt(layout, left);
  return first === undefined ? [0, -1] : [first, itemAt(layout, right) ?? first];
}

/** Where the strip has to be scrolled to so that an item is seen, with some of its neighbours. */
export function scrollTo(layout: LaneLayout, index: number, left: number, width: number): number {
  const [start, end] = [layout.edges[index] ?? 0, layout.edges[index + 1] ?? 0];
  const room = Math.min(4 * MARK_WIDTH, width / 4);
  if (start - room < left) return Math.max(0, start - room);
  return end + room > left + width ? Math.min(end + room, layout.width) - width : left;
}

/** Whether an item is worth a look: stuck, failed, missing, unknown, twins. */
export function standsOut(item: LaneItem | undefined): boolean {
  if (item === undefined) return false;
  if (item.kind === 'gap') return true;
  return item.twins.length > 0 || (item.state !== 'completed' && item.state !== 'pending');
}

/** The next item in a direction that stands out; where one is when there is none. */
export function nextStandingOut(items: readonly LaneItem[], from: number, by: 1 | -1): number {
  for (let index = from + by; index >= 0 && index < items.length; index += by) {
    if (standsOut(items[index])) return index;
  }
  return from;
}

export type LaneKind = LaneState | 'gap';

/** The graver one wins where a pixel of the overview stands for many. */
const GRAVITY: Record<LaneKind, number> = {
  completed: 1,
  pending: 2,
  'callback-failed': 3,
  unknown: 4,
  failed: 5,
  gap: 6,
  stuck: 7,
};

export function kindOf(item: LaneItem): LaneKind {
  return item.kind === 'gap' ? 'gap' : item.state;
}

/** For each column of an overview that many pixels wide, the gravest of the items it stands for. */
export function overviewOf(items: readonly LaneItem[], layout: LaneLayout, columns: number): LaneKind[] {
  const kinds = new Array<LaneKind>(columns).fill('completed');
  const seen = new Uint8Array(columns);
  const scale = columns / layout.width;
  for (const [index, item] of items.entries()) {
    const kind = kindOf(item);
    const first = Math.floor((layout.edges[index] ?? 0) * scale);
    const last = Math.min(columns - 1, Math.floor(((layout.edges[index + 1] ?? 0) - 0.01) * scale));
    for (let column = first; column <= last; column++) {
      if (GRAVITY[kind] <= (seen[column] ?? 0)) continue;
      seen[column] = GRAVITY[kind];
      kinds[column] = kind;
    }
  }
  return kinds;
}

/** What a selection of items spans; undefined when it has no request. */
export type LaneRange = { first: string; last: string; requests: number; fromMs: number; toMs: number };

export function rangeOf(items: readonly LaneItem[], one: number, other: number): LaneRange | undefined {
  const marks = items
    .slice(Math.min(one, other), Math.max(one, other) + 1)
    .filter((item) => item.kind === 'request');
  const [first, last] = [marks[0], marks.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  let [fromMs, toMs] = [first.createdMs, first.createdMs];
  for (const { createdMs } of marks) {
    fromMs = Math.min(fromMs, createdMs);
    toMs = Math.max(toMs, createdMs);
  }
  return { first: first.sequence, last: last.sequence, requests: marks.length, fromMs, toMs };
}
