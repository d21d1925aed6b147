import { formatScaled } from '@/lib/core/numbers';
import { csvCell } from '@/lib/core/text';
import { formatIsoMillis, formatIsoSeconds, unixMillis } from '@/lib/core/time';
import type { FeedTick } from '@/lib/feeds/feed-tick';

/** What is shown of one feed. */
export type FeedSeries = {
  readonly id: string;
  readonly symbol: string;
  /** Oldest first. */
  readonly ticks: readonly FeedTick[];
};

const HEADER = [
  'symbol',
  'id',
  'publish_time',
  'publish_time_s',
  'price',
  'confidence',
  'ema_price',
  'ema_confidence',
  'prev_publish_time_s',
  'proof_available_time_s',
  'slot',
  'received_at',
  'origin',
];

/**
 * The updates that a chart shows as CSV (comma, double quotes, line feeds, UTF-8, no byte order mark): every digit as the
 * service sent it, times in UTC. `received_at` is our server's clock; `origin` is `live` or, for what was asked for by its time, `seeded`.
 */
export function feedCsv(series: readonly FeedSeries[]): string {
  const rows = series.flatMap(({ id, symbol, ticks }) => ticks.map((tick) => cellsOf(id, symbol, tick)));
  return [HEADER, ...rows].map((row) => `${row.map(csvCell).join(',')}\n`).join('');
}

function cellsOf(id: string, symbol: string, tick: FeedTick): string[] {
  return [
    symbol,
    id,
    formatIsoSeconds(unixMillis(tick.publishS * 1000)),
    String(tick.publishS),
    formatScaled(tick.price),
    formatScaled(tick.conf),
    tick.ema === undefined ? '' : formatScaled(tick.ema),
    tick.emaConf === undefined ? '' : formatScaled(tick.emaConf),
    String(tick.prevPublishS ?? ''),
    String(tick.proofS ?? ''),
    tick.slot ?? '',
    formatIsoMillis(unixMillis(tick.serverMs)),
    tick.filled === 'yes' ? 'seeded' : 'live',
  ];
}

/** `BTC-USD-20261120T080503Z.csv`: what any file system takes. */
export function feedFileName(symbols: readonly string[], nowMs: number): string {
  const names = symbols.map((symbol) =>
    symbol
      .slice(symbol.indexOf('.') + 1)
      .replaceAll(/[^A-Za-z0-9]+/g, '-')
      .slice(0, 24),
  );
  const name = names.filter((one) => one !== '' && one !== '-').join('-') || 'feed';
  const moment = formatIsoSeconds(unixMillis(nowMs)).replaceAll(/[^0-9TZ]/g, '');
  return `${name}-${moment}.csv`;
}
