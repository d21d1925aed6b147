import { addScaled, differenceInBps, formatScaled } from '@/lib/core/numbers';
import { csvCell } from '@/lib/core/text';
import { formatIsoMillis, formatIsoSeconds } from '@/lib/core/time';
import type { FeedGap } from '@/lib/feeds/feed-cadence';
import type { CompactFeed } from '@/lib/feeds/stream-events';
import { exactConf, exactPrice } from './history';
import type { UpdateLatency } from './latency';
import type { DrawnFeed } from './page-drawing';

/** Row of the table of updates: an update, or a gap at its time. */
export type FeedRow = {
  readonly publishS: number;
  readonly gap?: FeedGap;
  readonly update?: CompactFeed;
  /** Change since the previous update, `+0.12 bp`; absent for the first and after a price of zero. */
  readonly move?: string | undefined;
  readonly latency?: UpdateLatency | undefined;
};

/** Newest updates (given oldest first) and the gaps between them, newest first. @param max updates */
export function feedRows(
  updates: readonly CompactFeed[],
  { gaps, latencies }: Pick<DrawnFeed, 'gaps' | 'latencies'>,
  max: number,
): FeedRow[] {
  const first = Math.max(0, updates.length - max);
  const shown = updates.slice(first).map((update, at): FeedRow => {
    const before = updates[first + at - 1];
    const bps = before && differenceInBps(exactPrice(update), exactPrice(before));
    const move = bps && `${bps.mantissa > 0n ? '+' : ''}${formatScaled(bps)} bp`;
    return { publishS: update.t, update, move, latency: latencies.get(update) };
  });
  const sinceS = shown[0]?.publishS ?? Number.POSITIVE_INFINITY;
  const between = gaps.flatMap((gap): FeedRow[] =>
    gap.fromS < sinceS ? [] : [{ publishS: gap.fromS, gap }],
  );
  // A stable sort keeps a gap after the updates of the second in which it began.
  return [...shown, ...between].sort((a, b) => a.publishS - b.publishS).reverse();
}

/** Confidence relative to the price, `2.41 bp`; undefined for a price of zero. */
export function confidenceInBps(update: CompactFeed): string | undefined {
  const price = exactPrice(update);
  const bps = differenceInBps(addScaled(price, exactConf(update)), price);
  return bps && `${formatScaled(bps)} bp`;
}

type FeedSeries = {
  readonly id: string;
  readonly symbol: string;
  readonly updates: readonly CompactFeed[];
};

const COLUMNS: Record<string, (update: CompactFeed, feed: FeedSeries) => string | number | undefined> = {
  symbol: (_, { symbol }) => symbol,
  id: (_, { id }) => id,
  publish_time: ({ t }) => formatIsoSeconds(t * 1000),
  publish_time_s: ({ t }) => t,
  price: (update) => formatScaled(exactPrice(update)),
  confidence: (update) => formatScaled(exactConf(update)),
  ema_price: ({ ep, e, ee = e }) => ep && formatScaled({ mantissa: BigInt(ep), expo: ee }),
  ema_confidence: ({ ec, e, ee = e }) => ec && formatScaled({ mantissa: BigInt(ec), expo: ee }),
  prev_publish_time_s: ({ pp }) => pp,
  proof_available_time_s: ({ pa }) => pa,
  slot: ({ s }) => s,
  // A seeded update was requested later, so it has no time of receipt.
  received_at: ({ r, f }) => (f === 1 ? undefined : formatIsoMillis(r)),
  origin: ({ f }) => (f === 1 ? 'seeded' : 'live'),
};

/** CSV with every digit, times in UTC. `received_at`: our server's clock, for live updates; `origin`: `live` or `seeded`. */
export function feedCsv(series: readonly FeedSeries[]): string {
  const cells = Object.values(COLUMNS);
  const rows = series.flatMap((feed) =>
    feed.updates.map((update) => cells.map((cell) => String(cell(update, feed) ?? ''))),
  );
  return [Object.keys(COLUMNS), ...rows].map((row) => `${row.map(csvCell).join(',')}\n`).join('');
}

/** `BTC-USD-20261120T080503Z.csv`, a name that every file system accepts. */
export function feedFileName(symbols: readonly string[], nowMs: number): string {
  const names = symbols.map((symbol) => {
    const pair = symbol.slice(symbol.indexOf('.') + 1);
    return pair.replaceAll(/[^A-Za-z0-9]+/g, '-').slice(0, 24);
  });
  const name = names.filter((one) => one !== '' && one !== '-').join('-') || 'feed';
  const moment = formatIsoSeconds(nowMs).replaceAll(/[^0-9TZ]/g, '');
  return `${name}-${moment}.csv`;
}
