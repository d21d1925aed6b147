import 'server-only';
import { MOST_SAMPLED_FEEDS, MOST_SAMPLED_TIMES } from '@/lib/contract/codec/feed-samples';
import { type FeedId, parseFeedId } from '@/lib/domain/feed';
import { failed, type Outcome, ok } from '@/lib/domain/outcome';
import { problemOf } from '@/lib/domain/problem';
import { unconfigured } from '@/lib/server/gateway-routes';
import { log } from '@/lib/server/log';
import { processWide } from '@/lib/server/process-wide';
import { PIECEWISE_HEADERS, problemReply } from '@/lib/server/reply';
import { type Services, services } from '@/lib/server/services';
import { FeedSamples, type FeedSamplesQuery } from './samples';

/**
 * `?ids=…&times=…`: the first update of each feed at or after each moment, one line for a moment (NDJSON). The work begins
 * with the first read and ends when the reader leaves.
 */
export function replyWithFeedSamples(request: Request): Response {
  const query = readFeedSamplesQuery(new URL(request.url).searchParams);
  if (!query.ok) return problemReply(problemOf(query.failure));
  return linesReply(request.signal, (signal) => samplesOf(services()).lines(query.value, signal));
}

const kept = processWide<{ of: Services; samples: FeedSamples }>('feed-samples');

/** What all readers of this process share; other services (a restart within a test) begin anew. */
function samplesOf(of: Services): FeedSamples {
  const known = kept.get();
  if (known?.of === of) return known.samples;
  const samples = new FeedSamples({ ask: (t, ids) => askAtTime(of, t, ids), now: Date.now });
  kept.set({ of, samples });
  return samples;
}

async function askAtTime({ updates }: Services, t: number, ids: readonly FeedId[]) {
  if (updates === undefined) return failed(unconfigured('updates'));
  const query = new URLSearchParams(ids.map((id) => ['ids[]', id]));
  // One unknown feed must not cost the others their past.
  query.set('ignore_invalid_price_ids', 'true');
  return updates.atTime(String(t), query.toString(), 'user');
}

/**
 * Lines as they come (NDJSON). The work begins with the first read, so that a HEAD never starts any, and ends when the
 * reader leaves. A bug in it cuts the answer, which then lacks its last line.
 */
function linesReply(gone: AbortSignal, lines: (signal: AbortSignal) => AsyncGenerator<string>): Response {
  const stop = new AbortController();
  const leave = () => stop.abort();
  if (gone.aborted) stop.abort();
  else gone.addEventListener('abort', leave, { once: true });
  const encoder = new TextEncoder();
  let source: AsyncGenerator<string> | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        source ??= lines(stop.signal);
        try {
          const { done, value } = await source.next();
          if (!done) return controller.enqueue(encoder.encode(`${value}\n`));
          controller.close();
        } catch (error) {
          if (!stop.signal.aborted) log().error({ error }, 'lines were cut off');
          controller.error(error);
        }
        gone.removeEventListener('abort', leave);
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { ...PIECEWISE_HEADERS, 'content-type': 'application/x-ndjson' } });
}

/** Year 2286: a second beyond has eleven digits, and is more likely to be milliseconds that were cut. */
const SECONDS = /^\d{1,10}$/;

/** Reads `ids` and `times`, both separated by commas; what can't be read is refused, since its answer would be missed. */
function readFeedSamplesQuery(query: URLSearchParams): Outcome<FeedSamplesQuery> {
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
