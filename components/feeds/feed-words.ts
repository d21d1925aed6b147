import {
  addScaled,
  differenceInBps,
  formatScaled,
  roundScaled,
  type ScaledInteger,
} from '@/lib/core/numbers';
import { formatSpan } from '@/lib/core/time';
import { clockWords, type TimeStyle } from '@/lib/core/time-text';
import { exactConf, exactPrice, extremesOf, type FeedPoint } from '@/lib/feeds/client/history';
import type { CompactFeed } from '@/lib/feeds/stream-events';

/** How a feed stands, in a word: its currency, or why there is none. */
export const FEED_STATES = {
  fresh: 'Current',
  late: 'Late',
  stale: 'Stale',
  closed: 'Market closed',
  inactive: 'Not published',
  waiting: 'Waiting',
  looking: 'Looking it up',
  missing: 'Unknown feed',
} as const;
export type FeedState = keyof typeof FEED_STATES;

/** Confidence relative to the price in basis points, `2.41 bp`; undefined for a price of zero. */
export function confidenceInBps(update: CompactFeed): string | undefined {
  const price = exactPrice(update);
  const bps = differenceInBps(addScaled(price, exactConf(update)), price);
  return bps && `${formatScaled(bps)} bp`;
}

/** The move from one price to another, `+0.12 %`, with the direction as a word for styles; undefined from a price of zero. */
export function moveText(
  from: ScaledInteger,
  to: ScaledInteger,
): { readonly text: string; readonly direction: 'up' | 'down' | 'level' } | undefined {
  const bps = differenceInBps(to, from);
  if (bps === undefined) return undefined;
  const percent = roundScaled({ mantissa: bps.mantissa, expo: bps.expo - 2 }, 2);
  const direction = percent.mantissa > 0n ? 'up' : percent.mantissa < 0n ? 'down' : 'level';
  return { text: `${direction === 'up' ? '+' : ''}${formatScaled(percent)} %`, direction };
}

/** What a chart shows, for those who can't see it: the time it spans, last, lowest and highest price, every digit. */
export function chartSummary(
  symbol: string,
  points: readonly FeedPoint[],
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): string {
  const seen = points.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
  const [first, last, extremes] = [seen[0], seen.at(-1), extremesOf(seen)];
  if (last === undefined || first === undefined || extremes === undefined) {
    return `Chart of ${symbol}: no price in the last ${formatSpan(toMs - fromMs)}`;
  }
  const text = ({ update }: FeedPoint) => formatScaled(exactPrice(update));
  const prices = `last ${text(last)}, lowest ${text(extremes.lowest)}, highest ${text(extremes.highest)}`;
  const count = seen.length === 1 ? '1 update' : `${seen.length} updates`;
  return `Chart of ${symbol}: ${prices}, ${count} in ${formatSpan(toMs - first.atMs)}`;
}

/** One update as it is read off the chart: time of day in UTC or local, the exact price, and whether it was seeded. */
export function pointText({ atMs, update }: FeedPoint, style: TimeStyle): string {
  const seeded = update.f === 1 ? '  seeded' : '';
  return `${clockWords(atMs, style)}  ${formatScaled(exactPrice(update))}${seeded}`;
}
