import { type FeedReference, feedReferenceText, parseFeedReference } from '@/lib/core/feed';
import type { UrlProblem } from '@/lib/core/text';
import { formatIsoMillis, parseIsoTime } from '@/lib/core/time';
import { FEEDS_PATH, listOf, NO_FEED } from './board-url';

/** What the page of one feed shows: its address, and nothing else, says so. */
export type FeedPageView = {
  /** The time that the chart spans, ms. */
  readonly spanMs: number;
  /** Its right edge, unix milliseconds; undefined: now, and it moves on. */
  readonly toMs?: number;
  /** Feeds beside the one of the path, each once. */
  readonly compared: readonly FeedReference[];
  /** How several feeds share a chart: each as 100 where the chart begins, or the first two on an axis each. */
  readonly mode: 'indexed' | 'axes';
};

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The windows that are offered; zooming reaches everything between the shortest and the longest span. */
export const FEED_WINDOWS_MS = [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 6 * HOUR, DAY, 7 * DAY] as const;
export const SHORTEST_SPAN_MS = 10 * SECOND;
export const LONGEST_SPAN_MS = 7 * DAY;

/** Feeds in one chart at most. */
export const MOST_CHARTED_FEEDS = 4;

export const USUAL_FEED_PAGE: FeedPageView = { spanMs: 5 * MINUTE, compared: [], mode: 'indexed' };

const UNITS = [
  ['d', DAY],
  ['h', HOUR],
  ['m', MINUTE],
  ['s', SECOND],
] as const;

/** `5m`, `90s`, `7d`: whole seconds in the largest unit that they fill. */
export function spanText(spanMs: number): string {
  const whole = Math.round(spanMs / SECOND) * SECOND;
  const [unit, ms] = UNITS.find(([, one]) => whole % one === 0) ?? ['s', SECOND];
  return `${whole / ms}${unit}`;
}

function readSpan(text: string): number | undefined {
  const [, digits, unit] = /^(\d{1,7})([smhd])$/.exec(text) ?? [];
  const ms = Number(digits) * (UNITS.find(([one]) => one === unit)?.[1] ?? Number.NaN);
  return ms >= SHORTEST_SPAN_MS && ms <= LONGEST_SPAN_MS ? ms : undefined;
}

/** `options`: of links made before, which chose options of the service's stream; the chart has all updates. */
export const FEED_PAGE_PARAMS = ['window', 'to', 'with', 'mode', 'options'];

/** Reads the query of a feed's page; what can't be read is reported, and the usual takes its place. */
export function parseFeedPageUrl(params: URLSearchParams): { view: FeedPageView; problems: UrlProblem[] } {
  const problems: UrlProblem[] = [];
  const report = (param: string, value: string, message: string) => problems.push({ param, value, message });
  const read = <T>(param: string, reader: (text: string) => T | undefined, message: string) => {
    const text = params.get(param);
    const value = text === null ? undefined : reader(text);
    if (text !== null && value === undefined) report(param, text, message);
    return value;
  };
  const spanMs = read('window', readSpan, 'A window is like 5m, 6h or 7d: from 10s to 7d.');
  const toMs = read('to', parseIsoTime, 'A time is written like 2026-11-20T12:00:00Z.');
  const isMode = (text: string) => (text === 'indexed' || text === 'axes' ? text : undefined);
  const mode = read('mode', isMode, 'The mode is indexed or axes.');
  const compared = new Map<string, FeedReference>();
  for (const text of listOf(params, 'with')) {
    const reference = parseFeedReference(text);
    if (reference === undefined) report('with', text, NO_FEED);
    else if (compared.size >= MOST_CHARTED_FEEDS - 1) {
      report('with', text, `A chart holds at most ${MOST_CHARTED_FEEDS} feeds; this one is left out.`);
    } else compared.set(feedReferenceText(reference).toLowerCase(), reference);
  }
  for (const name of new Set(params.keys())) {
    if (!FEED_PAGE_PARAMS.includes(name))
      report(name, params.get(name) ?? '', 'This page has no such parameter.');
  }
  const view: FeedPageView = {
    spanMs: spanMs ?? USUAL_FEED_PAGE.spanMs,
    ...(toMs === undefined ? {} : { toMs }),
    compared: [...compared.values()],
    mode: mode ?? USUAL_FEED_PAGE.mode,
  };
  return { view, problems };
}

/** The path of a feed's page. A slash of a symbol stays one, so that a person can read it. */
export function feedPagePath(feed: string): `/feeds/${string}` {
  return `${FEEDS_PATH}/${encodeURIComponent(feed).replaceAll('%2F', '/')}`;
}

/** The address of a feed's page. @param feed id or symbol */
export function formatFeedPageUrl(feed: string, view: FeedPageView): `/feeds/${string}` {
  const pairs = [
    ['window', view.spanMs === USUAL_FEED_PAGE.spanMs ? '' : spanText(view.spanMs)],
    ['to', view.toMs === undefined ? '' : formatIsoMillis(view.toMs)],
    ['mode', view.mode === USUAL_FEED_PAGE.mode ? '' : view.mode],
    ['with', view.compared.map((one) => encodeURIComponent(feedReferenceText(one))).join(',')],
  ].flatMap(([name, value]) => (value === '' ? [] : [`${name}=${value?.replaceAll('%2F', '/')}`]));
  return `${feedPagePath(feed)}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`;
}
