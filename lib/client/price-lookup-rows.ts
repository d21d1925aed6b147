import type { LookupSource } from '@/lib/contract/codec/prices-url';
import { compareSources, type PriceComparison, type PricesCompared } from '@/lib/domain/price-comparison';
import { millisToMicros, type UnixMicros, unixMillis } from '@/lib/domain/units';
import { cellKey, type LookupAsk, type LookupCell, type LookupFeed, type SourceQuote } from './price-lookup';
import type { LookupState } from './price-lookup-state';

/** One feed, as all sources say. */
export type LookupRow = {
  readonly feed: LookupFeed;
  /** Absent: now. */
  readonly at?: UnixMicros;
  readonly cells: readonly { readonly source: LookupSource; readonly cell: LookupCell }[];
  /** Undefined while fewer than two sources have a price. */
  readonly compared?: PricesCompared<LookupSource>;
};

const WAITING: LookupCell = { kind: 'waiting' };
const CANCELLED: LookupCell = { kind: 'cancelled' };

/** The rows of a lookup as far as it has come. @param most so many from the beginning */
export function lookupRows(ask: LookupAsk, state: LookupState, most = Number.POSITIVE_INFINITY): LookupRow[] {
  const otherwise = state.phase === 'cancelled' ? CANCELLED : WAITING;
  return ask.feeds.slice(0, most).map((feed) => rowOf(ask, state, { feed, otherwise }));
}

function rowOf(
  ask: LookupAsk,
  { cells }: LookupState,
  { feed, otherwise }: { feed: LookupFeed; otherwise: LookupCell },
): LookupRow {
  const filled = ask.options.sources.map((source) => ({
    source,
    cell: cells.get(cellKey(feed, source)) ?? otherwise,
  }));
  const prices = filled.flatMap(({ source, cell }) => {
    const { price, conf } = cell.kind === 'quote' ? cell.quote : {};
    return price === undefined ? [] : [{ source, price, ...(conf === undefined ? {} : { conf }) }];
  });
  const compared = compareSources(prices);
  return {
    feed,
    ...(ask.at === undefined ? {} : { at: ask.at }),
    cells: filled,
    ...(compared === undefined ? {} : { compared }),
  };
}

/** How a source's price compares with the first one of its row; undefined for that one, and where there is none. */
export function comparedWithBase(
  { compared }: Pick<LookupRow, 'compared'>,
  source: LookupSource,
): PriceComparison | undefined {
  return compared?.pairs.find((pair) => pair.base === compared.base && pair.source === source)?.comparison;
}

/**
 * How far the publish time lies from the moment asked for, microseconds, later is positive. With now: from when the answer
 * was here, by this computer's clock.
 */
export function publishDistance({ publishUs, askedUs, receivedMs }: SourceQuote): bigint | undefined {
  if (publishUs === undefined) return undefined;
  return publishUs - (askedUs ?? millisToMicros(unixMillis(receivedMs)));
}

/** How far apart two sources of a row were published, microseconds, never negative. */
export function publishedApart(row: LookupRow, one: LookupSource, other: LookupSource): bigint | undefined {
  const at = (source: LookupSource) => {
    const cell = row.cells.find((filled) => filled.source === source)?.cell;
    return cell?.kind === 'quote' ? cell.quote.publishUs : undefined;
  };
  const [a, b] = [at(one), at(other)];
  if (a === undefined || b === undefined) return undefined;
  return a > b ? a - b : b - a;
}
