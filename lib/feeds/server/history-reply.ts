import 'server-only';
import {
  feedHistoryText,
  type HistoryComplete,
  LEAST_HISTORY_POINTS,
  MAX_HISTORY_FEEDS,
  MOST_HISTORY_POINTS,
} from '@/lib/contract/codec/feed-history';
import type { FeedId } from '@/lib/domain/feed';
import { failed, type Outcome, ok } from '@/lib/domain/outcome';
import { problemOf } from '@/lib/domain/problem';
import { jsonText, problemReply, responseOf } from '@/lib/server/reply';
import { openHubs } from '@/lib/server/streams';
import type { FeedHub } from './hub';
import { readFeedIds, readStreamOptions } from './stream-query';
import { thinned } from './thinning';

/**
 * Updates that one answer may hold, about 12 MB. More are thinned so that the answer stays under it, the most extreme prices
 * of each part of the time kept.
 */
const MOST_UPDATES = 40_000;

type HistoryQuery = { ids: FeedId[]; fromS: number; points: number };

/** `GET /api/view/feeds/history?ids=…&from=…&points=…`: the recent updates of feeds from memory; no service is asked. */
export async function replyWithFeedHistory(request: Request): Promise<Response> {
  const query = new URL(request.url).searchParams;
  const asked = readHistoryQuery(query);
  const options = readStreamOptions(query);
  if (!asked.ok) return problemReply(problemOf(asked.failure));
  if (!options.ok) return problemReply(problemOf(options.failure));
  const hub = openHubs()?.known(options.value);
  const feeds: FeedOfAnswer[] = [];
  for (const id of asked.value.ids) {
    if (request.signal.aborted) break;
    feeds.push(feedOf(hub, id, asked.value));
    // Thinning a feed takes milliseconds: the streams get their turn between two of them.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return responseOf(jsonText(feedHistoryText(feeds, hub?.marks(asked.value.ids) ?? [])));
}

type FeedOfAnswer = { id: FeedId; updates: string; complete: HistoryComplete };

function feedOf(hub: FeedHub | undefined, id: FeedId, { fromS, points }: HistoryQuery): FeedOfAnswer {
  const { updates = [], completeSinceS = Math.ceil(Date.now() / 1000) } = hub?.past(id, fromS) ?? {};
  const complete: HistoryComplete = completeSinceS <= fromS ? 'yes' : `since ${completeSinceS}`;
  const texts = thinned(updates, points).map(({ text }) => text);
  return { id, updates: texts.join(','), complete };
}

function readHistoryQuery(query: URLSearchParams): Outcome<HistoryQuery> {
  const { ids, malformed } = readFeedIds(query);
  if (ids.size === 0 || malformed.size > 0 || ids.size > MAX_HISTORY_FEEDS) {
    return refused(`ids should be 1 to ${MAX_HISTORY_FEEDS} feed ids of 64 hex digits, separated by commas.`);
  }
  const from = wholeNumber(query, 'from', 12);
  if (from === undefined) return refused('from should be unix seconds, once.');
  const most = Math.floor(MOST_UPDATES / ids.size);
  if (!query.has('points')) return ok({ ids: [...ids], fromS: from, points: most });
  const points = wholeNumber(query, 'points', 6);
  if (points === undefined || points < LEAST_HISTORY_POINTS || points > MOST_HISTORY_POINTS) {
    return refused(`points should be a whole number from ${LEAST_HISTORY_POINTS} to ${MOST_HISTORY_POINTS}.`);
  }
  return ok({ ids: [...ids], fromS: from, points: Math.min(points, most) });
}

function wholeNumber(query: URLSearchParams, name: string, digits: number): number | undefined {
  const values = query.getAll(name);
  const [value = ''] = values;
  return values.length === 1 && /^\d+$/.test(value) && value.length <= digits ? Number(value) : undefined;
}

function refused(detail: string): Outcome<never> {
  return failed({ kind: 'bad-request', detail });
}
