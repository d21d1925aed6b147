import { ParamReader } from '@/lib/core/param-reader';
import type { UrlProblem } from '@/lib/core/text';
import { DAY_MS, formatIsoMillis, MINUTE_MS, parseIsoTime } from '@/lib/core/time';
import { rangeMs } from '@/lib/requests/view';

/** Shortest first. */
export const INSIGHT_RANGES = ['1h', '6h', '24h', '7d', '30d'] as const;
export type InsightRange = (typeof INSIGHT_RANGES)[number];

const insightRangeMs = (range: InsightRange) => rangeMs(range) ?? 0;

export type InsightsView = {
  range: InsightRange;
  /** Replaces the range, unix ms. */
  between?: { fromMs: number; toMs: number };
  keepers: string[];
  /** Decimal digits; empty for all. */
  networks: string[];
};

export const DEFAULT_INSIGHTS_VIEW: InsightsView = { range: '24h', keepers: [], networks: [] };

export const INSIGHTS_ADDRESS = '/api/view/insights';

export const INSIGHTS_PARAMS = ['range', 'from', 'to', 'keeper', 'network'] as const;

/** Our own links never have more values. */
const MAX_VALUES = 100;
const MIN_SPAN_MS = MINUTE_MS;
const MAX_SPAN_MS = 366 * DAY_MS;

/** A network id without leading zeros, as in rows. */
function networkId(text: string): string | undefined {
  return /^\d{1,19}$/.test(text) ? BigInt(text).toString() : undefined;
}

/** Unreadable values are reported and replaced by the default. @param extraParams names that are ignored */
export function parseInsightsUrl(
  params: URLSearchParams,
  extraParams: readonly string[] = [],
): { view: InsightsView; problems: UrlProblem[] } {
  const reader = new ParamReader(params, [...INSIGHTS_PARAMS, ...extraParams]);
  const listOf = (param: string, read: (text: string) => string | undefined, message: string) => {
    const values = reader.each(param, read, message);
    for (const value of values.splice(MAX_VALUES)) reader.report(param, value, message);
    return values.sort();
  };
  const between = readSpan(reader);
  const view: InsightsView = {
    ...(between === undefined ? {} : { between }),
    range: reader.oneOf('range', INSIGHT_RANGES, 'A range is') ?? DEFAULT_INSIGHTS_VIEW.range,
    keepers: listOf('keeper', String, `A keeper is named; ${MAX_VALUES} at most.`),
    networks: listOf('network', networkId, `A network is its id, decimal digits; ${MAX_VALUES} at most.`),
  };
  return { view, problems: reader.problems };
}

/** `from` and `to` are valid only together. */
function readSpan(reader: ParamReader): InsightsView['between'] {
  const from = reader.all('from').join(' ');
  const to = reader.all('to').join(' ');
  if (from === '' && to === '') return undefined;
  const fromMs = parseIsoTime(from);
  const toMs = parseIsoTime(to);
  const lengthMs = (toMs ?? Number.NaN) - (fromMs ?? Number.NaN);
  if (fromMs !== undefined && toMs !== undefined && lengthMs >= MIN_SPAN_MS && lengthMs <= MAX_SPAN_MS) {
    return { fromMs, toMs };
  }
  const [wrong, text] = fromMs === undefined ? ['from', from] : ['to', to];
  reader.report(wrong ?? '', text ?? '', 'A span has two ISO times, from a minute to a year apart.');
  return undefined;
}

export function insightSpanMs({ range, between }: InsightsView): number {
  return between === undefined ? insightRangeMs(range) : between.toMs - between.fromMs;
}

/** Empty for the default view. */
export function formatInsightsQuery({ range, between, keepers, networks }: InsightsView): string {
  return new URLSearchParams([
    ...(range === DEFAULT_INSIGHTS_VIEW.range ? [] : [['range', range]]),
    ...(between === undefined
      ? []
      : [
          ['from', formatIsoMillis(between.fromMs)],
          ['to', formatIsoMillis(between.toMs)],
        ]),
    ...[...keepers].sort().map((keeper) => ['keeper', keeper]),
    ...[...networks].sort().map((network) => ['network', network]),
  ]).toString();
}
