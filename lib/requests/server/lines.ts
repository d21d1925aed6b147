import 'server-only';
import { FACETS, isFacetOf, UNKNOWN_STATE, writeFacetLine } from '@/lib/contract/codec/facets';
import { writeHistogramLine } from '@/lib/contract/codec/histogram';
import { failed, type Outcome, ok } from '@/lib/domain/outcome';
import { problem, problemOf } from '@/lib/domain/problem';
import { isStateWord, WIRE_STATE } from '@/lib/domain/request-record';
import type { RequestsSummary } from '@/lib/requests/summary';
import { parseRequestsUrl } from '@/lib/requests/view';
import { offeredNetworks } from '@/lib/server/network-directory';
import { problemReply, textReply } from '@/lib/server/reply';
import { services } from '@/lib/server/services';
import { summaryOf } from './summary';

type Summary = Omit<RequestsSummary, 'index' | 'revision'>;

/** `?<view>&of=network|state|keeper`: how many rows each value would show, a line for each. */
export async function replyWithFacets(request: Request): Promise<Response> {
  const params = new URL(request.url).searchParams;
  const of = params.get('of');
  if (!isFacetOf(of))
    return problemReply(problem('bad-request', `of should be one of ${FACETS.join(', ')}.`));
  const { index } = services();
  const networks = await offeredNetworks();
  const summary = await summaryFor(params, 60);
  if (!summary.ok) return problemReply(problemOf(summary.failure));
  const counts = new Map<string, number>();
  const offered = {
    network: networks.map(({ networkId }) => networkId),
    state: [...Object.keys(WIRE_STATE), UNKNOWN_STATE],
    keeper: index.keepers.map(({ name }) => name),
  }[of];
  for (const value of offered) counts.set(value, 0);
  for (const { value, count } of summary.value.facets[of]) {
    const counted = of === 'state' && !isStateWord(value) ? UNKNOWN_STATE : value;
    counts.set(counted, (counts.get(counted) ?? 0) + count);
  }
  return lines([
    ...[...counts].map(([value, count]) => writeFacetLine({ kind: 'count', value, total: String(count) })),
    writeFacetLine({ kind: 'complete' }),
  ]);
}

/** `?<view>&buckets=N`: the rows of the view by time and state, a line for each bucket. */
export async function replyWithHistogram(request: Request): Promise<Response> {
  const params = new URL(request.url).searchParams;
  const buckets = Number(params.get('buckets') ?? 60);
  const summary = await summaryFor(params, Math.min(120, Math.max(10, buckets || 60)));
  if (!summary.ok) return problemReply(problemOf(summary.failure));
  const { total, histogram } = summary.value;
  const head = {
    ...histogram,
    buckets: histogram.buckets.length,
    exact: 'rows' as const,
    total: String(total),
  };
  return lines([
    writeHistogramLine({ kind: 'head', head }),
    ...histogram.buckets.map((counts, index) => writeHistogramLine({ kind: 'bucket', index, counts })),
    writeHistogramLine({ kind: 'complete' }),
  ]);
}

async function summaryFor(params: URLSearchParams, buckets: number): Promise<Outcome<Summary>> {
  const own = new URLSearchParams(params);
  for (const name of ['of', 'buckets']) own.delete(name);
  const { view, problems } = parseRequestsUrl(own);
  const wrong = problems.find(({ used }) => used === undefined);
  if (wrong !== undefined) return failed({ kind: 'bad-request', detail: `${wrong.param}: ${wrong.message}` });
  const summary = await summaryOf(services().index, view, await offeredNetworks(), buckets);
  return summary.ok ? ok(summary.value) : summary;
}

function lines(texts: readonly string[]): Response {
  return textReply(`${texts.join('\n')}\n`, 'application/x-ndjson');
}
