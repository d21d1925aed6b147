import 'server-only';
import type { FeedId } from '@/lib/domain/feed';
import { failed } from '@/lib/domain/outcome';
import { problemOf } from '@/lib/domain/problem';
import { linesReply } from './explorer/counts-reply';
import { FeedSamples } from './feed-samples';
import { readFeedSamplesQuery } from './feed-samples-query';
import { unconfigured } from './gateway-routes';
import { processWide } from './process-wide';
import { problemReply } from './reply';
import { type Services, services } from './services';

/**
 * `?ids=…&times=…`: the first update of each feed at or after each moment, one line for a moment (NDJSON). The work begins
 * with the first read and ends when the reader leaves.
 */
export function replyWithFeedSamples(request: Request): Response {
  const query = readFeedSamplesQuery(new URL(request.url).searchParams);
  if (!query.ok) return problemReply(problemOf(query.failure));
  return linesReply(request, (signal) => samplesOf(services()).lines(query.value, signal));
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
