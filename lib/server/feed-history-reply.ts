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
import type { FeedHub } from '@/lib/streaming/feed-hub';
import { thinned } from '@/lib/streaming/feed-thinning';
import { FairTurns } from './fair-turns';
import { readFeedIds, readStreamOptions } from './feed-stream-query';
import { processWide } from './process-wide';
import { jsonText, problemReply, responseOf } from './reply';
import { openHubs } from './streams';
import type { Visitor } from './visitor';

/**
 * Updates that one answer may hold, about 12 MB: eight feeds of half an hour whole. More feeds are thinned so that the
 * answer stays under it, the most extreme prices of each part of the time kept.
 */
const MOST_UPDATES = 40_000;

type HistoryQuery = { ids: FeedId[]; fromS: number; points: number };

/**
 * `GET /api/view/feeds/history?ids=…&from=…&points=…`: the last half an hour of feeds from memory; no service is asked.
 * Answers are put together one at a time, each client's in turn; whoever leaves meanwhile is left out.
 * With `lacks=yes` the asker lost its stream then: where our memory begins later, what is between is filled in afterwards.
 */
export async function replyWithFeedHistory(
  request: Request,
  { keys }: Pick<Visitor, 'keys'>,
  turns: FairTurns = sharedTurns(),
): Promise<Response> {
  const query = new URL(request.url).searchParams;
  const asked = readHistoryQuery(query);
  const options = readStreamOptions(query);
  if (!asked.ok) return problemReply(problemOf(asked.failure));
  if (!options.ok) return problemReply(problemOf(options.failure));
  const hub = openHubs()?.known(options.value);
  if (query.get('lacks') === 'yes') hub?.lacked(asked.value.ids, asked.value.fromS);
  const endTurn = await turns.take(keys.at(-1) ?? '', request.signal);
  try {
    const feeds: FeedOfAnswer[] = [];
    for (const id of asked.value.ids) {
      if (request.signal.aborted) break;
      feeds.push(feedOf(hub, id, asked.value));
      // Unpacking half an hour of a feed takes milliseconds: the streams get their turn between two of them.
      await new Promise((resolve) => setImmediate(resolve));
    }
    return responseOf(jsonText(feedHistoryText(feeds, hub?.marks(asked.value.ids) ?? [])));
  } finally {
    endTurn?.();
  }
}

const kept = processWide<FairTurns>('feed-history-turns');

/** One answer is put together at a time: many at once would hold everybody up between two feeds, and fill the memory. */
function sharedTurns(): FairTurns {
  const turns = kept.get() ?? new FairTurns(1);
  kept.set(turns);
  return turns;
}

type FeedOfAnswer = { id: FeedId; updates: string; complete: HistoryComplete };

/** The updates as one text of their own: each alone is a part of an unpacked stretch, and would keep the whole of it. */
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
