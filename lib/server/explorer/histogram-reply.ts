import 'server-only';
import { type HistogramLine, writeHistogramLine } from '@/lib/contract/codec/histogram';
import { problem, problemOf } from '@/lib/domain/problem';
import { formatRequestsUrl } from '@/lib/requests/view';
import { problemReply } from '@/lib/server/reply';
import { realTimers } from '@/lib/upstream/timers';
import { filtersOf, linesReply } from './counts-reply';
import { sharedWork } from './counts-shared';
import { histogramLines } from './histogram';
import { logSources } from './log-source';
import { partsOf } from './parts';

const FEWEST_BUCKETS = 10;
const USUAL_BUCKETS = 60;
const MOST_BUCKETS = 120;

/** `?<view>&buckets=N`: the rows of the view by time and state. The same question at the same time is asked once. */
export function replyWithHistogram(request: Request): Response {
  const params = new URL(request.url).searchParams;
  const buckets = bucketsOf(params.get('buckets'));
  if (buckets === undefined) {
    const detail = `buckets should be a number from ${FEWEST_BUCKETS} to ${MOST_BUCKETS}.`;
    return problemReply(problem('bad-request', detail));
  }
  const view = filtersOf(params);
  if (!view.ok) return problemReply(problemOf(view.failure));
  const nowMs = Date.now();
  // Within one second a view that is not pinned is the same.
  const second = view.value.asof === undefined ? Math.floor(nowMs / 1000) : '';
  const key = `${buckets} ${second} ${formatRequestsUrl(view.value)}`;
  return linesReply(request, (signal) => {
    const sources = logSources();
    const { counts, histograms } = sharedWork();
    const edges = { counts, timers: realTimers, parts: partsFrom(sources) };
    const begin = (own: AbortSignal) =>
      histogramLines({ view: view.value, buckets, nowMs, signal: own }, edges);
    return written(histograms.open(key, begin, signal));
  });
}

type Sources = ReturnType<typeof logSources>;

function partsFrom(sources: Sources) {
  return (view: Parameters<typeof partsOf>[0], nowMs: number) => partsOf(view, nowMs, sources);
}

async function* written(lines: AsyncIterable<HistogramLine>): AsyncGenerator<string> {
  for await (const line of lines) yield writeHistogramLine(line);
}

function bucketsOf(text: string | null): number | undefined {
  if (text === null) return USUAL_BUCKETS;
  const buckets = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  return buckets >= FEWEST_BUCKETS && buckets <= MOST_BUCKETS ? buckets : undefined;
}
