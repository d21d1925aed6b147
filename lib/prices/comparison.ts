import { explainFailure } from '@/lib/core/explain-failure';
import { failureTitle } from '@/lib/core/health';
import {
  addScaled,
  compareScaled,
  countOf,
  differenceInBps,
  formatScaled,
  type ScaledInteger,
  subtractScaled,
} from '@/lib/core/numbers';
import type { Failure } from '@/lib/core/outcome';
import { clipped, csvCell } from '@/lib/core/text';
import {
  formatIsoMicros,
  formatSpan,
  MINUTE_MS,
  millisToMicros,
  signedSecondsText,
  type UnixMicros,
} from '@/lib/core/time';
import type { LookupCell, LookupFeed, SourceQuote } from './lookup';
import type { LookupSource } from './view';

export type LookupRow = {
  readonly feed: LookupFeed;
  readonly at: UnixMicros | 'now';
  readonly cells: readonly SourceCell[];
  readonly compared: Compared | undefined;
};

type SourceCell = { readonly source: LookupSource; readonly cell: LookupCell };

/** `within`: the sum of both confidences. `unknown`: one of them has no confidence. */
export type Agreement = 'equal' | 'within' | 'beyond' | 'unknown';

type PriceComparison = ReturnType<typeof comparePrices>;

type Compared = {
  /** The first source that has a price. */
  base: LookupSource;
  /** Each pair of sources once, those with the base first. */
  pairs: readonly PriceComparison[];
  verdict: Agreement;
};

const size = (value: bigint) => (value < 0n ? -value : value);

type Priced = { source: LookupSource; quote: SourceQuote; price: ScaledInteger };

/** The verdict is exact. Basis points are only for display and relative to the base. */
function comparePrices({ source, price, quote: { conf, publishUs } }: Priced, base: Priced) {
  const difference = subtractScaled(price, base.price);
  const combined = conf && base.quote.conf && addScaled(conf, base.quote.conf);
  return {
    source,
    base: base.source,
    verdict: verdictOf(difference, combined),
    difference,
    differenceBps: differenceInBps(price, base.price),
    combined,
    combinedBps: combined && differenceInBps(addScaled(base.price, combined), base.price),
    /** Microseconds, never negative. */
    publishedApart:
      publishUs === undefined || base.quote.publishUs === undefined
        ? undefined
        : size(publishUs - base.quote.publishUs),
  };
}

function verdictOf({ mantissa, expo }: ScaledInteger, combined: ScaledInteger | undefined): Agreement {
  if (mantissa === 0n) return 'equal';
  if (combined === undefined) return 'unknown';
  return compareScaled({ mantissa: size(mantissa), expo }, combined) > 0 ? 'beyond' : 'within';
}

/** Pairwise; undefined if there are fewer than two prices. */
export function compareSources(cells: readonly SourceCell[]): Compared | undefined {
  const prices = cells.flatMap(({ source, cell }): Priced[] => {
    const { quote, quote: { price } = {} } = cell.kind === 'quote' ? cell : {};
    return quote && price ? [{ source, quote, price }] : [];
  });
  const [first] = prices;
  if (first === undefined || prices.length < 2) return undefined;
  const pairs = prices.flatMap((base, index) =>
    prices.slice(index + 1).map((price) => comparePrices(price, base)),
  );
  const worst = (['beyond', 'unknown', 'within'] as const).find((word) =>
    pairs.some(({ verdict }) => verdict === word),
  );
  return { base: first.source, pairs, verdict: worst ?? 'equal' };
}

/** Undefined for the base itself, and without a price. */
export function comparisonWithBase(
  { compared }: LookupRow,
  source: LookupSource,
): PriceComparison | undefined {
  return compared?.pairs.find((pair) => pair.base === compared.base && pair.source === source);
}

/** Longest time between two publish times of the row, microseconds; undefined if there is none. */
export function publishedApart({ compared }: LookupRow): bigint | undefined {
  const apart = compared?.pairs.map((pair) => pair.publishedApart ?? 0n) ?? [];
  return apart.toSorted((a, b) => Number(b - a))[0] || undefined;
}

/** All prices of the row are equal, and the source repeats the base's publish time. */
export function isRepeated(row: LookupRow, source: LookupSource): boolean {
  const isEqual = row.compared?.verdict === 'equal' && differingFigures(row).size === 0;
  return isEqual && comparisonWithBase(row, source)?.publishedApart === 0n;
}

/** Digits without trailing zeros, because sources write equal values with different exponents. */
function significant(value: ScaledInteger): string {
  const text = formatScaled(value);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

/** `confidence`, `ema` (each also where a source sent none), and names of facts that differ between sources. */
export function differingFigures({ cells }: LookupRow): ReadonlySet<string> {
  const values = new Map<string, Set<string>>();
  for (const { cell } of cells) {
    if (cell.kind !== 'quote') continue;
    const { conf, ema, facts } = cell.quote;
    const figures = [
      { name: 'confidence', value: conf ? significant(conf) : '' },
      {
        name: 'ema',
        value: ema ? `${significant(ema.price)} ±${ema.conf ? significant(ema.conf) : ''}` : '',
      },
      ...facts,
    ];
    for (const { name, value } of figures) values.set(name, (values.get(name) ?? new Set()).add(value));
  }
  return new Set([...values].flatMap(([name, texts]) => (texts.size > 1 ? name : [])));
}

/** Differing figures; none for prices of different moments that agree, because their figures always differ. */
export function shownDifferences(row: LookupRow): ReadonlySet<string> {
  const verdict = row.compared?.verdict;
  const doesAgree = verdict === 'equal' || verdict === 'within';
  return doesAgree && publishedApart(row) !== undefined ? new Set() : differingFigures(row);
}

/** Minus the requested time, in microseconds; with `now`, minus the time of arrival. */
export function publishDistance({ publishUs, requestedUs, receivedMs }: SourceQuote): bigint | undefined {
  return publishUs && publishUs - (requestedUs ?? millisToMicros(receivedMs));
}

export const SOURCE_NAMES: Readonly<Record<LookupSource, { name: string; hint: string }>> = {
  updates: { name: 'Old host', hint: '' },
  upgraded: { name: 'Upgraded host', hint: '' },
  deprecated: { name: 'Deprecated route', hint: 'get_price_feed' },
  router: { name: 'Router', hint: '' },
};

/** `+0.12 bp`, `0 bp` */
export function bpsText({ differenceBps, difference }: PriceComparison): string {
  if (difference.mantissa === 0n) return '0 bp';
  if (differenceBps === undefined) return 'of a price of zero';
  return `${differenceBps.mantissa > 0n ? '+' : ''}${formatScaled(differenceBps, { groupSeparator: ',' })} bp`;
}

/** Confidence of both in basis points; empty if one is unknown. */
export function combinedText({ combinedBps, combined }: PriceComparison): string {
  if (combinedBps !== undefined) return `${formatScaled(combinedBps, { groupSeparator: ',' })} bp`;
  return combined === undefined ? '' : formatScaled(combined);
}

const decidingPair = ({ compared }: LookupRow) =>
  compared?.pairs.find(({ verdict }) => verdict === compared.verdict);

/** `0.04 bp apart`, of the pair that decides. */
export function distanceText(row: LookupRow): string | undefined {
  const pair = decidingPair(row);
  return pair && `${bpsText(pair).replace(/^[+-]/, '')} apart`;
}

/** Sentence about the pair that decides; undefined without a comparison, or if all prices are equal. */
export function verdictText(row: LookupRow): string | undefined {
  const pair = decidingPair(row);
  if (pair === undefined || pair.verdict === 'equal') return undefined;
  const times = pair.publishedApart
    ? ` Published ${signedSecondsText(pair.publishedApart).slice(1)} apart.`
    : '';
  const apart = `${SOURCE_NAMES[pair.source].name} and ${SOURCE_NAMES[pair.base].name}: ${distanceText(row)}`;
  if (pair.verdict === 'unknown') return `${apart}; one has no confidence.${times}`;
  const than = pair.verdict === 'beyond' ? 'more than' : 'within';
  return `${apart}, ${than} the sum of their confidences, ${combinedText(pair)}.${times}`;
}

/** Do the sources agree, over all rows of a lookup? */
export type LookupVerdict = { tone: 'good' | 'bad' | 'warn'; title: string; text: string };

const COUNT_WORDS = ['', '', 'Both', 'All three', 'All four'];
/** Feeds named in the verdict. */
const MAX_NAMED_FEEDS = 3;

/** Prices published further apart are not of the same moment. */
const MAX_APART_MS = MINUTE_MS;

const apartMs = (us: bigint | undefined) => Number(us ?? 0n) / 1000;

/** All pairs that differ are of different moments, as the rules of the sources for a requested moment allow. */
export function differsByMoment({ at, compared }: LookupRow): boolean {
  const beyond = compared?.pairs.filter(({ verdict }) => verdict === 'beyond') ?? [];
  return at !== 'now' && beyond.every((pair) => apartMs(pair.publishedApart) > MAX_APART_MS);
}

/** Undefined while a cell is waiting, and for a single source. */
export function lookupVerdict(rows: readonly LookupRow[]): LookupVerdict | undefined {
  const cells = rows.flatMap((row) => row.cells);
  if (rows.length === 0 || cells.length === rows.length) return undefined;
  if (cells.some(({ cell }) => cell.kind === 'waiting')) return undefined;
  const beyond = rows.filter(({ compared }) => compared?.verdict === 'beyond');
  const unknown = rows.filter(({ compared }) => compared?.verdict === 'unknown');
  const missing = missingText(rows);
  if (beyond.length > 0) return differenceVerdict(beyond, rows.length, missing);
  if (rows.every(({ compared }) => compared === undefined)) {
    return { tone: 'warn', title: 'Nothing to compare', text: missing };
  }
  if (unknown.length > 0) {
    const title = `${countOf(unknown.length, 'difference')} without a confidence to judge by`;
    return { tone: 'warn', title, text: `${namedFeeds(unknown)} ${missing}`.trim() };
  }
  return agreementVerdict(rows, missing);
}

/** `BTC/USD: differs by 3 bp. ETH/USD: … 2 more.` */
function namedFeeds(rows: readonly LookupRow[]): string {
  const named = rows.slice(0, MAX_NAMED_FEEDS);
  const texts = named.map((row) => `${clipped(row.feed.symbol, 40)}: ${verdictText(row) ?? ''}`);
  const moreText = rows.length > named.length ? ` ${rows.length - named.length} more.` : '';
  return `${texts.join(' ')}${moreText}`;
}

/** @param feeds number of all compared feeds */
function differenceVerdict(beyond: readonly LookupRow[], feeds: number, missing: string): LookupVerdict {
  const title = `${beyond.length} of ${countOf(feeds, 'feed')} ${beyond.length === 1 ? 'differs' : 'differ'}`;
  const text = `${namedFeeds(beyond)} ${missing}`.trim();
  if (!beyond.every(differsByMoment)) return { tone: 'bad', title, text };
  const longest = Math.max(...beyond.map((row) => apartMs(publishedApart(row))));
  return { tone: 'warn', title: `${title}, published ${formatSpan(longest)} apart`, text };
}

/** Prices agree, but may be of different moments, or missing. */
function agreementVerdict(rows: readonly LookupRow[], missing: string): LookupVerdict {
  const counts = agreementText(rows);
  const apart = rows
    .map((row) => ({ row, ms: apartMs(publishedApart(row)) }))
    .filter(({ ms }) => ms > MAX_APART_MS);
  if (apart.length > 0) {
    const longest = formatSpan(Math.max(...apart.map(({ ms }) => ms)));
    const each = apart
      .slice(0, MAX_NAMED_FEEDS)
      .map(({ row, ms }) => `${clipped(row.feed.symbol, 40)}: published ${formatSpan(ms)} apart.`);
    const restText = apart.length > each.length ? [`${apart.length - each.length} more.`] : [];
    return {
      tone: 'warn',
      title: `Prices agree, published ${longest} apart`,
      text: [counts, ...each, ...restText, missing].join(' ').trim(),
    };
  }
  if (missing !== '') {
    return { tone: 'warn', title: 'Prices agree, some are missing', text: `${counts} ${missing}` };
  }
  const sources = rows.flatMap((row) => row.cells).length / rows.length;
  return { tone: 'good', title: `${COUNT_WORDS[sources] ?? 'All'} agree`, text: counts };
}

/** `2 feeds equal to the last digit, 1 feed within the sum of their confidences.` */
function agreementText(rows: readonly LookupRow[]): string {
  const compared = rows.filter((row) => row.compared !== undefined).length;
  const equal = rows.filter((row) => row.compared?.verdict === 'equal').length;
  const within = compared - equal;
  const texts = [
    equal > 0 && `${countOf(equal, 'feed')} equal to the last digit`,
    within > 0 && `${countOf(within, 'feed')} within the sum of their confidences`,
  ];
  return `${texts.filter(Boolean).join(', ')}.`;
}

/** `No price from Router for 2 feeds.` */
function missingText(rows: readonly LookupRow[]): string {
  const counts = new Map<LookupSource, number>();
  for (const { source, cell } of rows.flatMap((row) => row.cells)) {
    if (cell.kind !== 'quote' || cell.quote.price === undefined)
      counts.set(source, (counts.get(source) ?? 0) + 1);
  }
  return [...counts]
    .map(
      ([source, count]) =>
        `No price from ${SOURCE_NAMES[source].name}${count === rows.length ? '' : ` for ${countOf(count, 'feed')}`}.`,
    )
    .join(' ');
}

export function failedCell(failure: Failure): LookupCell {
  const { title, quote, nextStep } = explainFailure(failure);
  // For a fault of our key or settings, the text includes the next step.
  const isOurs = failure.kind === 'unconfigured' || failure.kind === 'unauthorized';
  const text = quote === undefined ? `${title}.${isOurs ? ` ${nextStep}` : ''}` : '';
  return { kind: 'none', title: failureTitle(failure.kind), text, quote, isFault: true };
}

const HEADER =
  'asked_at symbol feed_id router_id source result reason price confidence ema_price ema_confidence publish_time publish_time_us distance_us compared_with difference difference_bps combined_confidence verdict further'.split(
    ' ',
  );

/**
 * A line for each feed and source, all digits, times in UTC. Trailing `#` lines state whether it is complete.
 * @param askedMs of a latest price that was not received, unix ms @param leftOut feeds of the link that were not requested
 */
export function lookupCsv(
  rows: readonly LookupRow[],
  { askedMs, leftOut }: { askedMs: number; leftOut: number },
): string {
  const cells = rows.flatMap((row) => row.cells);
  const lines = rows.flatMap((row) => row.cells.map((filled) => csvLine(row, filled, askedMs)));
  const text = [HEADER, ...lines].map((line) => `${line.map(csvCell).join(',')}\n`).join('');
  const absent = cells.filter(
    ({ cell }) => cell.kind === 'waiting' || (cell.kind === 'none' && cell.isFault),
  );
  const missing = [
    ...(absent.length === 0 ? [] : [countOf(absent.length, 'price')]),
    ...(leftOut === 0 ? [] : [countOf(leftOut, 'feed')]),
  ];
  const end = [
    `rows: ${lines.length}`,
    ...missing.map((part) => `missing: ${part}`),
    `complete: ${missing.length === 0 ? 'yes' : 'no'}`,
  ];
  return `${text}${end.map((line) => `# ${line}\n`).join('')}`;
}

const figure = (value: ScaledInteger | undefined) => (value === undefined ? '' : formatScaled(value));
const moment = (us: UnixMicros | undefined) => (us === undefined ? '' : formatIsoMicros(us));

function csvLine(row: LookupRow, { source, cell }: SourceCell, askedMs: number): string[] {
  const { feed, at } = row;
  const ids = [feed.symbol, feed.feedId ?? '', feed.routerId ?? ''];
  const receivedMs = cell.kind === 'quote' ? cell.quote.receivedMs : askedMs;
  const leading = [moment(at === 'now' ? millisToMicros(receivedMs) : at), ...ids, source];
  if (cell.kind !== 'quote') {
    const { title, text, quote = '' } = cell.kind === 'none' ? cell : { title: 'Loading', text: '' };
    const reason = `${quote} ${text}`.trim();
    return [...leading, title.toLowerCase(), reason, ...HEADER.slice(leading.length + 2).map(() => '')];
  }
  const { price, conf, ema, publishUs, facts } = cell.quote;
  const compared = comparisonWithBase(row, source);
  return [
    ...leading,
    ...['price', '', figure(price), figure(conf), figure(ema?.price), figure(ema?.conf)],
    ...[moment(publishUs), String(publishUs ?? ''), String(publishDistance(cell.quote) ?? '')],
    ...[compared?.base ?? '', figure(compared?.difference), figure(compared?.differenceBps)],
    ...[figure(compared?.combined), compared?.verdict ?? ''],
    facts.flatMap(({ form, name, value }) => (form === 'payload' ? [] : [`${name}=${value}`])).join(' '),
  ];
}
