import { addScaled, differenceInBps, formatScaled } from '@/lib/core/numbers';
import { csvCell } from '@/lib/core/text';
import { formatIsoMillis, formatIsoSeconds } from '@/lib/core/time';
import { type FeedGap, gapWords } from '@/lib/feeds/feed-gaps';
import type { CompactFeed } from '@/lib/feeds/stream-events';
import { exactConf, exactEma, exactPrice } from './history';

/** A row of the table that stands for a chart: an update, or a gap where it lies in time. */
export type FeedRow =
  | {
      readonly kind: 'update';
      readonly key: string;
      readonly publishS: number;
      readonly price: string;
      readonly conf: string;
      /** Of the price, `2.41 bp`; absent for a price of zero. */
      readonly confBps?: string;
      readonly ema?: string;
      /** Since the update before it in the table, `+0.12 bp`; absent for the first and after a price of zero. */
      readonly move?: string;
    }
  | {
      readonly kind: 'gap';
      readonly key: string;
      readonly publishS: number;
      readonly gap: FeedGap;
      readonly words: string;
    };

/**
 * The newest updates (given oldest first) with the gaps between them, every digit, newest first.
 * @param most how many updates at most: a table of thousands helps nobody, and the CSV has all
 */
export function feedRows(updates: readonly CompactFeed[], gaps: readonly FeedGap[], most: number): FeedRow[] {
  const first = Math.max(0, updates.length - most);
  const shown = updates
    .slice(first)
    .map((update, at) => updateRow(update, updates[first + at - 1], first + at));
  const sinceS = shown[0]?.publishS ?? Number.POSITIVE_INFINITY;
  const between = gaps.flatMap((gap): FeedRow[] =>
    gap.fromS < sinceS
      ? []
      : [
          {
            kind: 'gap',
            key: `gap ${gap.kind} ${gap.fromS}`,
            publishS: gap.fromS,
            gap,
            words: gapWords(gap),
          },
        ],
  );
  // Sorting is stable: a gap stands behind the updates of the second in which it began.
  return [...shown, ...between].sort((a, b) => a.publishS - b.publishS).reverse();
}

function updateRow(update: CompactFeed, before: CompactFeed | undefined, at: number): FeedRow {
  const price = exactPrice(update);
  const conf = exactConf(update);
  const ema = exactEma(update);
  const confBps = differenceInBps(addScaled(price, conf), price);
  const move = before && differenceInBps(price, exactPrice(before));
  return {
    kind: 'update',
    key: `${update.t} ${update.s ?? ''} ${update.r} ${at}`,
    publishS: update.t,
    price: formatScaled(price),
    conf: formatScaled(conf),
    confBps: confBps && `${formatScaled(confBps)} bp`,
    ema: ema && formatScaled(ema),
    move: move && `${move.mantissa > 0n ? '+' : ''}${formatScaled(move)} bp`,
  };
}

/** What is shown of one feed; updates oldest first. */
export type FeedSeries = {
  readonly id: string;
  readonly symbol: string;
  readonly updates: readonly CompactFeed[];
};

const HEADER =
  'symbol id publish_time publish_time_s price confidence ema_price ema_confidence prev_publish_time_s proof_available_time_s slot received_at origin'.split(
    ' ',
  );

/**
 * The updates that a chart shows as CSV (comma, double quotes, line feeds, UTF-8, no byte order mark): every digit as the
 * service sent it, times in UTC. `received_at` is our server's clock; `origin` is `live` or, for what was asked for by its time, `seeded`.
 */
export function feedCsv(series: readonly FeedSeries[]): string {
  const rows = series.flatMap(({ id, symbol, updates }) =>
    updates.map((update) => cellsOf(id, symbol, update)),
  );
  return [HEADER, ...rows].map((row) => `${row.map(csvCell).join(',')}\n`).join('');
}

function cellsOf(id: string, symbol: string, update: CompactFeed): string[] {
  const { t, e, ec, ee = e, pp = '', pa = '', s = '', r, f } = update;
  const ema = exactEma(update);
  return [
    ...[symbol, id, formatIsoSeconds(t * 1000), String(t)],
    ...[formatScaled(exactPrice(update)), formatScaled(exactConf(update))],
    ema === undefined ? '' : formatScaled(ema),
    ec === undefined ? '' : formatScaled({ mantissa: BigInt(ec), expo: ee }),
    ...[String(pp), String(pa), s, formatIsoMillis(r), f === 1 ? 'seeded' : 'live'],
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
  const moment = formatIsoSeconds(nowMs).replaceAll(/[^0-9TZ]/g, '');
  return `${name}-${moment}.csv`;
}
