import 'server-only';
import { type FeedId, parseFeedId } from '@/lib/core/feed';
import { badRequest, type Outcome, ok } from '@/lib/core/outcome';

type FeedStreamQuery = {
  ids: FeedId[];
  /** Malformed ids, as they were sent. */
  malformed: string[];
  /** If undefined, every update is sent. */
  maxPerS: number | undefined;
};

/** Limit of feeds of a page: two full boards. Most proxies would not accept a longer address anyway. */
const MAX_FEEDS_PER_PAGE_STREAM = 200;
const MAX_SHOWN_CHARS = 80;

/** Reads `ids` (separated by commas or repeated) and `max_per_s`. Malformed ids among good ones count as missing. */
export function readFeedStreamQuery(query: URLSearchParams): Outcome<FeedStreamQuery> {
  const { ids, malformed } = readFeedIds(query);
  if (ids.size === 0) return badRequest('ids should be feed ids of 64 hex digits, separated by commas.');
  if (ids.size + malformed.size > MAX_FEEDS_PER_PAGE_STREAM) {
    return badRequest(`One stream carries at most ${MAX_FEEDS_PER_PAGE_STREAM} feeds.`);
  }
  const rates = query.getAll('max_per_s');
  const [rate] = rates;
  const isReadable = rate === undefined || (/^\d{1,4}(\.\d{1,3})?$/.test(rate) && Number(rate) > 0);
  if (rates.length > 1 || !isReadable)
    return badRequest('max_per_s should be one number above 0 and below 10000.');
  const maxPerS = rate === undefined ? undefined : Number(rate);
  return ok({ ids: [...ids], malformed: [...malformed], maxPerS });
}

export function readFeedIds(query: URLSearchParams): { ids: Set<FeedId>; malformed: Set<string> } {
  const texts = [...query.getAll('ids'), ...query.getAll('ids[]')]
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '');
  const ids = new Set<FeedId>();
  const malformed = new Set<string>();
  for (const text of texts) {
    const id = parseFeedId(text);
    if (id) ids.add(id);
    else malformed.add(text.slice(0, MAX_SHOWN_CHARS));
  }
  return { ids, malformed };
}
