import { type FeedReference, feedReferenceText } from '@/lib/core/feed';
import { ParamReader } from '@/lib/core/param-reader';
import type { UrlProblem } from '@/lib/core/text';
import { formatIsoMillis, parseIsoTime } from '@/lib/core/time';
import { encoded, FEEDS_PATH, listText, pathWithQuery, readFeeds } from './board-url';

export type FeedPageView = {
  readonly spanMs: number;
  /** Right edge of the chart, unix ms. If undefined, it is now and moves on. */
  readonly toMs?: number | undefined;
  /** Compared feeds, each once. */
  readonly compared: readonly FeedReference[];
  /** `indexed` to 100 at the left edge, or the first two feeds with an axis each. */
  readonly mode: 'indexed' | 'axes';
  /** Without the confidence band, the price axis fits the prices alone. */
  readonly band: 'on' | 'off';
};

/** Units in ms, the largest first. */
const UNITS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 } as const;
type Unit = keyof typeof UNITS;

/** Windows offered as buttons. Zooming reaches every span from `MIN_SPAN_MS` to `MAX_SPAN_MS`. */
export const FEED_WINDOWS = ['1m', '5m', '15m', '1h', '6h', '1d', '7d'] as const;
export const MIN_SPAN_MS = 10 * UNITS.s;
export const MAX_SPAN_MS = 7 * UNITS.d;

export const MAX_CHARTED_FEEDS = 4;

const DEFAULT_FEED_PAGE: FeedPageView = { spanMs: 5 * UNITS.m, compared: [], mode: 'indexed', band: 'on' };

/** `5m`, `90s`, `7d`: the largest unit that divides the whole seconds. */
export function spanText(spanMs: number): string {
  const whole = Math.round(spanMs / UNITS.s) * UNITS.s;
  const unit = (Object.keys(UNITS) as Unit[]).find((candidate) => whole % UNITS[candidate] === 0) ?? 's';
  return `${whole / UNITS[unit]}${unit}`;
}

/** A span in ms; undefined if unreadable or out of range. */
export function readSpan(text: string): number | undefined {
  const [, digits, unit] = /^(\d{1,7})([smhd])$/.exec(text) ?? [];
  const ms = Number(digits) * UNITS[unit as Unit];
  return ms >= MIN_SPAN_MS && ms <= MAX_SPAN_MS ? ms : undefined;
}

/** `options` comes from old links to options of the service's stream. It is ignored: the chart has all updates. */
export const FEED_PAGE_PARAMS = ['window', 'to', 'with', 'mode', 'band', 'options'];

/** An unreadable value is reported and replaced by its default. */
export function parseFeedPageUrl(params: URLSearchParams): { view: FeedPageView; problems: UrlProblem[] } {
  const read = new ParamReader(params, FEED_PAGE_PARAMS);
  const compared = readFeeds(read, 'with');
  for (const left of compared.splice(MAX_CHARTED_FEEDS - 1))
    read.report('with', feedReferenceText(left), `A chart holds at most ${MAX_CHARTED_FEEDS} feeds.`);
  const view: FeedPageView = {
    spanMs: read.once('window', readSpan, 'Use 10s to 7d, like 5m or 6h.') ?? DEFAULT_FEED_PAGE.spanMs,
    toMs: read.once('to', parseIsoTime, 'Use a time like 2026-11-20T12:00:00Z.'),
    compared,
    mode: read.oneOf('mode', ['indexed', 'axes']) ?? DEFAULT_FEED_PAGE.mode,
    band: read.oneOf('band', ['on', 'off']) ?? DEFAULT_FEED_PAGE.band,
  };
  return { view, problems: read.problems };
}

/** A slash in the symbol stays readable. */
export function feedPagePath(feed: string): `/feeds/${string}` {
  return `${FEEDS_PATH}/${encoded(feed)}`;
}

export function formatFeedPageUrl(feed: string, { spanMs, toMs, mode, band, compared }: FeedPageView) {
  return pathWithQuery(feedPagePath(feed), {
    window: spanMs === DEFAULT_FEED_PAGE.spanMs ? undefined : spanText(spanMs),
    to: toMs === undefined ? undefined : formatIsoMillis(toMs),
    mode: mode === DEFAULT_FEED_PAGE.mode ? undefined : mode,
    band: band === DEFAULT_FEED_PAGE.band ? undefined : band,
    with: compared.length === 0 ? undefined : listText(compared),
  });
}
