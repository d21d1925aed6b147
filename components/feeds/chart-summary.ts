import { extremesOf, type FeedPoint } from '@/lib/client/feed-history';
import { formatSpan } from '@/lib/client/human-time';
import { clockWords, type TimeStyle } from '@/lib/client/moment-text';
import { formatScaled } from '@/lib/domain/scaled-number';

function exactText(point: FeedPoint): string {
  return formatScaled({ mantissa: BigInt(point.exact.p), expo: point.exact.e });
}

/** What a chart shows, for those who can't see it: the time it spans, last, lowest and highest price, every digit. */
export function chartSummary(
  symbol: string,
  history: readonly FeedPoint[],
  frame: { readonly fromMs: number; readonly toMs: number },
): string {
  const seen = history.filter((point) => point.atMs >= frame.fromMs && point.atMs <= frame.toMs);
  const last = seen.at(-1);
  const first = seen[0];
  const extremes = extremesOf(seen);
  if (last === undefined || first === undefined || extremes === undefined) {
    return `Chart of ${symbol}: no price in the last ${formatSpan(frame.toMs - frame.fromMs)}`;
  }
  const prices = `last ${exactText(last)}, lowest ${exactText(extremes.lowest)}, highest ${exactText(extremes.highest)}`;
  const count = seen.length === 1 ? '1 update' : `${seen.length} updates`;
  return `Chart of ${symbol}: ${prices}, ${count} in ${formatSpan(frame.toMs - first.atMs)}`;
}

/** One update as it is read off the chart: time of day in UTC or local, and the exact price. */
export function pointText(point: FeedPoint, style: TimeStyle): string {
  return `${clockWords(point.atMs, style)}  ${exactText(point)}`;
}
