import 'server-only';
import { FACETS, type FacetLine, isFacetOf, writeFacetLine } from '@/lib/contract/codec/facets';
import { problem, problemOf } from '@/lib/domain/problem';
import { offeredNetworks } from '@/lib/server/network-directory';
import { problemReply } from '@/lib/server/reply';
import { filtersOf, linesReply } from './counts-reply';
import { sharedWork } from './counts-shared';
import { facetLines } from './facets';
import { logSources } from './log-source';
import { partsOf } from './parts';

/**
 * Without a pin a relative range begins at a whole one of these: who asks within it gets the counts that were asked for
 * already.
 */
const STEP_MS = 10_000;

/** `?<view>&of=network|state|keeper`: how many rows each value would show. */
export function replyWithFacets(request: Request): Response {
  const params = new URL(request.url).searchParams;
  const of = params.get('of');
  if (!isFacetOf(of))
    return problemReply(problem('bad-request', `of should be one of ${FACETS.join(', ')}.`));
  const view = filtersOf(params);
  if (!view.ok) return problemReply(problemOf(view.failure));
  const nowMs = Math.floor(Date.now() / STEP_MS) * STEP_MS;
  return linesReply(request, (signal) => {
    const sources = logSources();
    const edges = {
      ...sharedWork(),
      parts: (one: typeof view.value, now: number) => partsOf(one, now, sources),
      keepers: [...sources.keys()],
      networks: async () => (await offeredNetworks()).map(({ networkId }) => networkId),
    };
    return written(facetLines({ view: view.value, of, nowMs, signal }, edges));
  });
}

async function* written(lines: AsyncIterable<FacetLine>): AsyncGenerator<string> {
  for await (const line of lines) yield writeFacetLine(line);
}
