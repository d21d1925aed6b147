import { addScaled, differenceInBps, formatScaled } from '@/lib/core/numbers';
import { assertNever } from '@/lib/core/outcome';
import { csvCell } from '@/lib/core/text';
import { formatIsoMillis, formatIsoSeconds, formatSpan, unixMillis } from '@/lib/core/time';
import type { FeedGap, GapCounts, GapKind } from '@/lib/feeds/feed-gaps';
import type { FeedTick } from '@/lib/feeds/feed-tick';

/** A row of the table that stands for a chart: an update, or a gap where it lies in time. Newest first. */
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
  | { readonly kind: 'gap'; readonly key: string; readonly gap: FeedGap; readonly words: string };

/**
 * The newest updates with the gaps between them, every digit. @param most how many updates at most: a table of thousands
 * helps nobody, and the CSV has all
 */
export function feedRows(ticks: readonly FeedTick[], gaps: readonly FeedGap[], most: number): FeedRow[] {
  const first = Math.max(0, ticks.length - most);
  const shown = ticks.slice(first);
  const sinceS = shown[0]?.publishS ?? Number.POSITIVE_INFINITY;
  const rows: FeedRow[] = shown.map((tick, at) => updateRow(tick, ticks[first + at - 1], first + at));
  for (const gap of gaps) {
    if (gap.fromS >= sinceS) rows.splice(placeOf(rows, gap), 0, gapRow(gap));
  }
  return rows.reverse();
}

/** Before the update that ends the gap. */
function placeOf(rows: readonly FeedRow[], { fromS }: FeedGap): number {
  const next = rows.findIndex((row) => (row.kind === 'update' ? row.publishS : row.gap.fromS) > fromS);
  return next === -1 ? rows.length : next;
}

function updateRow(tick: FeedTick, before: FeedTick | undefined, at: number): FeedRow {
  const confBps = differenceInBps(addScaled(tick.price, tick.conf), tick.price);
  const move = before === undefined ? undefined : differenceInBps(tick.price, before.price);
  return {
    kind: 'update',
    key: `${tick.publishS} ${tick.slot ?? ''} ${tick.serverMs} ${at}`,
    publishS: tick.publishS,
    price: formatScaled(tick.price),
    conf: formatScaled(tick.conf),
    confBps: confBps === undefined ? undefined : `${formatScaled(confBps)} bp`,
    ema: tick.ema === undefined ? undefined : formatScaled(tick.ema),
    move: move === undefined ? undefined : `${move.mantissa > 0n ? '+' : ''}${formatScaled(move)} bp`,
  };
}

function gapRow(gap: FeedGap): FeedRow {
  return { kind: 'gap', key: `gap ${gap.kind} ${gap.fromS}`, gap, words: gapWords(gap) };
}

/** Whose fault a gap is, in two words, for legends. */
export function gapName(kind: GapKind): string {
  switch (kind) {
    case 'missed':
      return 'We missed updates';
    case 'silent':
      return 'The feed was silent';
    case 'untold':
      return 'Not told';
    default:
      return assertNever(kind);
  }
}

/** A gap as a sentence. */
export function gapWords({ kind, fromS, untilS, isOpen }: FeedGap): string {
  const span = formatSpan((untilS - fromS) * 1000);
  switch (kind) {
    case 'missed':
      return `We missed updates of ${span}: the service says that the feed published, and it did not reach us.`;
    case 'silent':
      return isOpen
        ? `The feed has been silent for ${span}, longer than it usually pauses.`
        : `The feed was silent for ${span}: by its own account it published nothing.`;
    case 'untold':
      return isOpen
        ? `Nothing has come for ${span}, and we are not connected: the next update tells whether we missed something.`
        : `Nothing came for ${span}, and the service does not say whether the feed published.`;
    default:
      return assertNever(kind);
  }
}

/** What is missing in a window, in one sentence: `We missed updates in 2 places (14 s); the feed was silent once (1 min).` */
export function gapCountWords(counts: GapCounts): string {
  const parts: string[] = [];
  const { missed, silent, untold } = counts;
  const seconds = (s: number) => formatSpan(s * 1000);
  if (missed.gaps > 0) parts.push(`we missed updates ${timesText(missed.gaps)} (${seconds(missed.seconds)})`);
  if (silent.gaps > 0)
    parts.push(`the feed was silent ${timesText(silent.gaps)} (${seconds(silent.seconds)})`);
  if (untold.gaps > 0) {
    parts.push(
      `nothing came ${timesText(untold.gaps)} and the service does not say why (${seconds(untold.seconds)})`,
    );
  }
  if (parts.length === 0) return 'No gap: every second in which the feed published is there.';
  const text = parts.join('; ');
  return `${text[0]?.toUpperCase()}${text.slice(1)}.`;
}

function timesText(count: number): string {
  return count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`;
}

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
    tick.filled ? 'seeded' : 'live',
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
