import type { FeedPoint } from '@/lib/client/feed-history';
import { type PageFrame, PLOT_TOP_PX, TIME_LABELS_PX } from './page-frame';

/** What places are told by. */
export type PlacingFrame = Pick<PageFrame, 'fromMs' | 'toMs' | 'width' | 'height' | 'leftPx' | 'rightPx'>;

/** The part of the chart in which the lines are, pixels from its left edge. */
export function plotOf({ width, leftPx, rightPx, height }: PlacingFrame) {
  return {
    left: leftPx,
    width: Math.max(1, width - leftPx - rightPx),
    top: PLOT_TOP_PX,
    bottom: TIME_LABELS_PX,
    height,
  };
}

/** The moment at a place of the chart; undefined beside the plot. */
export function momentAt(x: number, frame: PlacingFrame): number | undefined {
  const { left, width } = plotOf(frame);
  const share = (x - left) / width;
  return share < 0 || share > 1 ? undefined : frame.fromMs + share * (frame.toMs - frame.fromMs);
}

/** The place of a moment, pixels from the left edge of the chart. */
export function placeOfMoment(atMs: number, frame: PlacingFrame): number {
  const { left, width } = plotOf(frame);
  return left + ((atMs - frame.fromMs) / (frame.toMs - frame.fromMs)) * width;
}

/** The update nearest to a moment, of those in the window; they are in time order. */
export function nearestPoint(
  points: readonly FeedPoint[],
  atMs: number,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): FeedPoint | undefined {
  let low = 0;
  let high = points.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points[middle]?.atMs ?? 0) < atMs) low = middle + 1;
    else high = middle;
  }
  const inside = [points[low - 1], points[low]].filter(
    (point) => point !== undefined && point.atMs >= fromMs && point.atMs <= toMs,
  );
  return inside.sort((a, b) => Math.abs((a?.atMs ?? 0) - atMs) - Math.abs((b?.atMs ?? 0) - atMs))[0];
}
