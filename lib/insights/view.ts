import type { UrlProblem } from '@/lib/core/text';
import { formatIsoMillis, parseIsoTime } from '@/lib/core/time';

/** What the overview is of: its type and its address. */

/** The spans that the overview offers, shortest first. */
export const INSIGHT_RANGES = ['1h', '6h', '24h', '7d', '30d'] as const;
export type InsightRange = (typeof INSIGHT_RANGES)[number];

const HOUR = 3_600_000;
const RANGE_MS: Record<InsightRange, number> = {
  '1h': HOUR,
  '6h': 6 * HOUR,
  '24h': 24 * HOUR,
  '7d': 7 * 24 * HOUR,
  '30d': 30 * 24 * HOUR,
};

/** Length of a span in milliseconds. */
export function insightRangeMs(range: InsightRange): number {
  return RANGE_MS[range];
}

/** All state of the overview that a link carries. */
export type InsightsView = {
  range: InsightRange;
  /** A span of the past in the place of the range, unix milliseconds. */
  between?: { fromMs: number; toMs: number };
  /** Names; none for all. */
  keepers: string[];
  /** Network ids, decimal digits; none for all. */
  networks: string[];
};

export const USUAL_INSIGHTS: InsightsView = { range: '24h', keepers: [], networks: [] };

/** The address of the figures. */
export const INSIGHTS_ADDRESS = '/api/view/insights';

export const INSIGHTS_PARAMS = ['range', 'from', 'to', 'keeper', 'network'] as const;

/** Whatever a link names, more would be no link of ours. */
const MOST_VALUES = 100;
/** Lengths of a span of the past. */
const SHORTEST_MS = 60_000;
const LONGEST_MS = 366 * 24 * HOUR;

function isRange(text: string): text is InsightRange {
  return INSIGHT_RANGES.some((range) => range === text);
}

/** A network id without leading zeros, as rows have it; undefined for what is none. */
function networkId(text: string): string | undefined {
  return /^\d{1,19}$/.test(text) ? BigInt(text).toString() : undefined;
}

/**
 * Reads the query of the overview. What can't be read is reported, and the usual takes its place.
 * @param ownParams names of parameters that are somebody else's
 */
export function parseInsightsUrl(
  params: URLSearchParams,
  ownParams: readonly string[] = [],
): { view: InsightsView; problems: UrlProblem[] } {
  const problems: UrlProblem[] = [];
  const report = (param: string, value: string, message: string) => problems.push({ param, value, message });
  const listOf = (param: string, read: (text: string) => string | undefined, message: string) => {
    const values = new Set<string>();
    for (const text of params.getAll(param)) {
      const value = read(text);
      if (value === undefined || values.size >= MOST_VALUES) report(param, text, message);
      else values.add(value);
    }
    return [...values].sort();
  };
  const between = readSpan(params, report);
  const [range = USUAL_INSIGHTS.range, ...more] = params.getAll('range');
  if (!isRange(range)) report('range', range, `A range is one of ${INSIGHT_RANGES.join(', ')}.`);
  for (const text of more) report('range', text, 'A range is named once.');
  const view: InsightsView = {
    ...(between === undefined ? {} : { between }),
    range: isRange(range) ? range : USUAL_INSIGHTS.range,
    keepers: listOf('keeper', (text) => text || undefined, `A keeper is named; ${MOST_VALUES} at most.`),
    networks: listOf('network', networkId, `A network is its id, decimal digits; ${MOST_VALUES} at most.`),
  };
  for (const name of new Set(params.keys())) {
    if (![...INSIGHTS_PARAMS, ...ownParams].includes(name)) {
      report(name, params.get(name) ?? '', 'There is no such parameter.');
    }
  }
  return { view, problems };
}

/** `from` and `to`, which have an effect together only. */
function readSpan(
  params: URLSearchParams,
  report: (param: string, value: string, message: string) => void,
): InsightsView['between'] {
  const [from, to] = [params.getAll('from'), params.getAll('to')];
  if (from.length === 0 && to.length === 0) return undefined;
  const [fromMs, toMs] = [parseIsoTime(from.join(' ')), parseIsoTime(to.join(' '))];
  const lengthMs = (toMs ?? Number.NaN) - (fromMs ?? Number.NaN);
  if (fromMs !== undefined && toMs !== undefined && lengthMs >= SHORTEST_MS && lengthMs <= LONGEST_MS) {
    return { fromMs, toMs };
  }
  const wrong = fromMs === undefined ? 'from' : 'to';
  report(wrong, params.get(wrong) ?? '', 'A span has two ISO times, from a minute to a year apart.');
  return undefined;
}

/** Length of the span of a view in milliseconds. */
export function insightSpanMs({ range, between }: InsightsView): number {
  return between === undefined ? insightRangeMs(range) : between.toMs - between.fromMs;
}

/** The query of a view, empty for the usual one; the same for the same view. */
export function formatInsightsQuery({ range, between, keepers, networks }: InsightsView): string {
  const iso = (ms: number) => formatIsoMillis(ms);
  return new URLSearchParams([
    ...(range === USUAL_INSIGHTS.range ? [] : [['range', range]]),
    ...(between === undefined
      ? []
      : [
          ['from', iso(between.fromMs)],
          ['to', iso(between.toMs)],
        ]),
    ...[...keepers].sort().map((keeper) => ['keeper', keeper]),
    ...[...networks].sort().map((network) => ['network', network]),
  ]).toString();
}
