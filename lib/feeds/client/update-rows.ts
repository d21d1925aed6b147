import { addScaled, differenceInBps, formatScaled } from '@/lib/core/numbers';
import { csvCell } from '@/lib/core/text';
import { formatIsoMillis, formatIsoSeconds } from '@/lib/core/time';
import type { FeedGap } from '@/lib/feeds/feed-cadence';
import type { PriceUpdate } from '@/lib/feeds/price-update';
import type { UpdateLatency } from './latency';
import type { DrawnFeed } from './page-drawing';

export type UpdateRow = {
  readonly publishS: number;
  readonly gap?: FeedGap;
  /** The updates below it are backfilled. */
  readonly isStep?: true;
  readonly update?: PriceUpdate;
  /** `+0.12 bp` since the previous update. Absent for the first one and after a price of zero. */
  readonly move?: string | undefined;
  readonly latency?: UpdateLatency | undefined;
};

/** Updates and the gaps between them, newest first. @param updates oldest first @param max number of updates */
export function feedRows(
  updates: readonly PriceUpdate[],
  { gaps, latencies }: Pick<DrawnFeed, 'gaps' | 'latencies'>,
  max: number,
): UpdateRow[] {
  const first = Math.max(0, updates.length - max);
  const shown = updates.slice(first).map((update, index): UpdateRow => {
    const previous = updates[first + index - 1];
    const bps = previous && differenceInBps(update.price, previous.price);
    const move = bps && `${bps.mantissa > 0n ? '+' : ''}${formatScaled(bps)} bp`;
    return { publishS: update.publishTimeS, update, move, latency: latencies.get(update) };
  });
  const sinceS = shown[0]?.publishS ?? Number.POSITIVE_INFINITY;
  const between = gaps.flatMap((gap): UpdateRow[] =>
    gap.fromS < sinceS ? [] : [{ publishS: gap.fromS, gap }],
  );
  // A stable sort keeps a gap after the updates of the second in which it began.
  const rows = [...shown, ...between].sort((a, b) => a.publishS - b.publishS).reverse();
  const lastStep = rows.findIndex(({ update }) => update?.isBackfilled);
  if (lastStep < 1) return rows;
  const step: UpdateRow = { publishS: rows[lastStep]?.publishS ?? 0, isStep: true };
  return [...rows.slice(0, lastStep), step, ...rows.slice(lastStep)];
}

/** Relative to the price, `2.41 bp`; undefined for a price of zero. */
export function confidenceInBps(update: PriceUpdate): string | undefined {
  const price = update.price;
  const bps = differenceInBps(addScaled(price, update.conf), price);
  return bps && `${formatScaled(bps)} bp`;
}

type FeedSeries = {
  readonly id: string;
  readonly symbol: string;
  readonly updates: readonly PriceUpdate[];
};

const COLUMNS: Record<string, (update: PriceUpdate, feed: FeedSeries) => string | number | undefined> = {
  symbol: (_, { symbol }) => symbol,
  id: (_, { id }) => id,
  publish_time: ({ publishTimeS }) => formatIsoSeconds(publishTimeS * 1000),
  publish_time_s: ({ publishTimeS }) => publishTimeS,
  price: (update) => formatScaled(update.price),
  confidence: (update) => formatScaled(update.conf),
  ema_price: ({ ema }) => ema && formatScaled(ema),
  ema_confidence: ({ emaConf }) => emaConf && formatScaled(emaConf),
  prev_publish_time_s: ({ prevPublishTimeS }) => prevPublishTimeS,
  proof_available_time_s: ({ proofAtS }) => proofAtS,
  slot: ({ slot }) => slot,
  // A backfilled update was requested later.
  received_at: ({ receivedMs, isBackfilled }) => (isBackfilled ? undefined : formatIsoMillis(receivedMs)),
  origin: ({ isBackfilled }) => (isBackfilled ? 'seeded' : 'live'),
};

/** Every digit, times in UTC. `received_at` is by our server's clock; `origin` is `seeded` for backfilled updates. */
export function feedCsv(series: readonly FeedSeries[]): string {
  const cells = Object.values(COLUMNS);
  const rows = series.flatMap((feed) =>
    feed.updates.map((update) => cells.map((cell) => String(cell(update, feed) ?? ''))),
  );
  return [Object.keys(COLUMNS), ...rows].map((row) => `${row.map(csvCell).join(',')}\n`).join('');
}

/** `BTC-USD-20261120T080503Z.csv`: accepted by every file system. */
export function feedFileName(symbols: readonly string[], nowMs: number): string {
  const names = symbols.map((symbol) => {
    const pair = symbol.slice(symbol.indexOf('.') + 1);
    return pair.replaceAll(/[^A-Za-z0-9]+/g, '-').slice(0, 24);
  });
  const name = names.filter((part) => part !== '' && part !== '-').join('-') || 'feed';
  const moment = formatIsoSeconds(nowMs).replaceAll(/[^0-9TZ]/g, '');
  return `${name}-${moment}.csv`;
}
