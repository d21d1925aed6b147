import { csvCell } from '@/lib/domain/csv-disarm';
import { formatScaled, type ScaledInteger } from '@/lib/domain/scaled-number';
import { formatIsoSeconds, unixMillis } from '@/lib/domain/units';
import { formatIsoMicros } from '@/lib/domain/unix-micros';
import type { LookupCell, SourceQuote } from './price-lookup';
import { comparedWithBase, type LookupRow, publishDistance } from './price-lookup-rows';
import { noPriceWords } from './price-lookup-words';

const HEADER = [
  ...['asked_at', 'symbol', 'feed_id', 'router_id', 'source', 'result', 'reason'],
  ...['price', 'confidence', 'ema_price', 'ema_confidence', 'publish_time', 'publish_time_us', 'distance_us'],
  ...['compared_with', 'difference', 'difference_bps', 'combined_confidence', 'verdict', 'further'],
];

/**
 * A lookup as CSV (comma, double quotes, line feeds, UTF-8, no byte order mark): a line for each feed and source,
 * failures among them with their reason; every digit as the service sent it, times in UTC. The last lines begin with `#`
 * and say what the file is worth.
 */
export function lookupCsv(rows: readonly LookupRow[], standing: 'complete' | 'incomplete'): string {
  const lines = rows.flatMap((row) => row.cells.map(({ source, cell }) => cellsOf(row, source, cell)));
  const text = [HEADER, ...lines].map((line) => `${line.map(csvCell).join(',')}\n`).join('');
  return `${text}# rows: ${lines.length}\n# complete: ${standing === 'complete' ? 'yes' : 'no'}\n`;
}

type Source = LookupRow['cells'][number]['source'];

function cellsOf(row: LookupRow, source: Source, cell: LookupCell): string[] {
  const { feed, at } = row;
  const asked = at === undefined ? 'now' : formatIsoMicros(at);
  const about = [asked, feed.symbol, feed.feedId ?? '', feed.routerId ?? '', source];
  if (cell.kind === 'quote') {
    return [...about, 'price', '', ...quoteCells(cell.quote), ...comparisonCells(row, source, cell.quote)];
  }
  const blanks = HEADER.slice(about.length + 2).map(() => '');
  if (cell.kind === 'waiting') return [...about, 'not answered', '', ...blanks];
  const words = noPriceWords(cell, source);
  return [...about, words.title.toLowerCase(), [words.said, words.text].filter(Boolean).join(' '), ...blanks];
}

function quoteCells(quote: SourceQuote): string[] {
  const { price, conf, ema, publishUs } = quote;
  return [
    figure(price),
    figure(conf),
    figure(ema?.price),
    figure(ema?.conf),
    publishUs === undefined ? '' : formatIsoMicros(publishUs),
    String(publishUs ?? ''),
    String(publishDistance(quote) ?? ''),
  ];
}

function comparisonCells(row: LookupRow, source: Source, { facts }: SourceQuote): string[] {
  const further = facts
    .filter(({ form }) => form !== 'payload')
    .map(({ name, value }) => `${name}=${value}`)
    .join(' ');
  const comparison = comparedWithBase(row, source);
  if (comparison === undefined) return ['', '', '', '', '', further];
  const { difference, differenceBps, combined, verdict } = comparison;
  return [
    row.compared?.base ?? '',
    figure(difference),
    figure(differenceBps),
    figure(combined),
    verdict,
    further,
  ];
}

function figure(value: ScaledInteger | undefined): string {
  return value === undefined ? '' : formatScaled(value);
}

/** `prices-20261120T080503Z.csv`: what any file system takes. */
export function lookupFileName(nowMs: number, ending: 'csv' | 'json'): string {
  return `prices-${formatIsoSeconds(unixMillis(nowMs)).replaceAll(/[^0-9TZ]/g, '')}.${ending}`;
}
