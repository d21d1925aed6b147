import 'server-only';
import { MOST_SAMPLED_FEEDS, MOST_SAMPLED_TIMES } from '@/lib/contract/codec/feed-samples';
import { type FeedId, parseFeedId } from '@/lib/domain/feed';
import { failed, type Outcome, ok } from '@/lib/domain/outcome';

/** Each feed and each moment (unix seconds) once, in the order in which they were asked for. */
export type FeedSamplesQuery = { readonly ids: readonly FeedId[]; readonly times: readonly number[] };

/** Year 2286: a second beyond has eleven digits, and is more likely to be milliseconds that were cut. */
const SECONDS = /^\d{1,10}$/;

/** Reads `ids` and `times`, both separated by commas; what can't be read is refused, since its answer would be missed. */
export function readFeedSamplesQuery(query: URLSearchParams): Outcome<FeedSamplesQuery> {
  const ids = new Set<FeedId>();
  for (const text of listOf(query, 'ids')) {
    const id = parseFeedId(text);
    if (id === undefined) return refused('ids should be feed ids of 64 hex digits, separated by commas.');
    ids.add(id);
  }
  const times = new Set<number>();
  for (const text of listOf(query, 'times')) {
    if (!SECONDS.test(text)) return refused('times should be unix seconds, separated by commas.');
    times.add(Number(text));
  }
  if (ids.size === 0 || ids.size > MOST_SAMPLED_FEEDS) {
    return refused(`ids should name 1 to ${MOST_SAMPLED_FEEDS} feeds.`);
  }
  if (times.size === 0 || times.size > MOST_SAMPLED_TIMES) {
    return refused(`times should name 1 to ${MOST_SAMPLED_TIMES} moments.`);
  }
  return ok({ ids: [...ids], times: [...times] });
}

function listOf(query: URLSearchParams, name: string): string[] {
  return query
    .getAll(name)
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '');
}

function refused(detail: string): Outcome<never> {
  return failed({ kind: 'bad-request', detail });
}
