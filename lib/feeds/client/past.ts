import { failureOfAnswer } from '@/lib/core/gateway';
import { inBatches } from '@/lib/core/grouped';
import type { Failure, Outcome } from '@/lib/core/outcome';
import {
  historyPath,
  MAX_PAST_FEEDS,
  readHistory,
  readSamples,
  samplesPath,
} from '@/lib/feeds/past-response';
import { type FeedPoint, firstAtOrAfter } from './history';
import type { FeedStore } from './store';

export type PastDeps = {
  /** Rejects only when aborted. */
  readonly get: (path: string, signal: AbortSignal) => Promise<Outcome<string>>;
  readonly wait: (ms: number) => Promise<void>;
};

/** `spanMs` up to `toMs` (unix ms), or up to now without it. */
export type PastWanted = {
  readonly ids: readonly string[];
  readonly spanMs: number;
  readonly toMs?: number | undefined;
  /** Approximate maximum of moments requested from the service. */
  readonly moments: number;
  /** Maximum of updates per feed from our server's memory. */
  readonly points: number;
};

export type PastState =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'complete' }
  | { readonly kind: 'loading'; readonly done: number; readonly total: number }
  | { readonly kind: 'failed'; readonly failure: Failure; readonly retryAtMs: number };

/** Seconds. Nearly each divides the next, so that windows share their samples. */
const STEPS_S = [1, 5, 10, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 21_600, 86_400];
/** Moments of a request, since each may wait for the call budget. */
const MOMENTS_AT_ONCE = 5;
const SERVER_MEMORY_MS = 30 * 60_000;
/** Younger updates are left to the stream, which a request would race. */
const LEFT_TO_STREAM_MS = 10_000;
const RETRY_S = 15;

/** Seconds. */
export function sampleStepS({ spanMs, moments }: Pick<PastWanted, 'spanMs' | 'moments'>): number {
  return STEPS_S.find((step) => step >= spanMs / 1000 / moments) ?? 86_400;
}

/** Unix seconds on a grid that all viewers share, including the moment before the left edge. */
export function sampledMoments(wanted: Omit<PastWanted, 'ids' | 'points'>, nowMs: number): number[] {
  const stepS = sampleStepS(wanted);
  const toMs = wanted.toMs ?? nowMs;
  const first = Math.max(0, Math.floor((toMs - wanted.spanMs) / 1000 / stepS)) * stepS;
  const lastS = Math.min(toMs, nowMs - LEFT_TO_STREAM_MS) / 1000;
  return Array.from(
    { length: Math.max(0, Math.floor((lastS - first) / stepS) + 1) },
    (_, index) => first + index * stepS,
  );
}

/** Parts that fail are retried. */
export async function fillPast(
  store: FeedStore,
  wanted: PastWanted,
  { get, wait }: PastDeps,
  signal: AbortSignal,
  onState: (state: PastState) => void,
): Promise<void> {
  const { ids, spanMs, points } = wanted;
  const nowMs = store.serviceNowMs(ids);
  const { toMs = nowMs } = wanted;
  const remembered = toMs > nowMs - SERVER_MEMORY_MS ? ids : [];
  for (const batch of inBatches(remembered, MAX_PAST_FEEDS)) {
    const answer = await get(historyPath(batch, (toMs - spanMs) / 1000, points), signal);
    if (answer.ok) store.addHistory(readHistory(answer.value));
  }
  const stepMs = sampleStepS(wanted) * 1000;
  // The newest come first, so that a chart grows from its live end.
  const moments = sampledMoments(wanted, nowMs)
    .filter((t) => ids.some((id) => isMissing(store.points(id), t * 1000, stepMs)))
    .toReversed();
  for (let index = 0; index < moments.length && !signal.aborted; ) {
    onState({ kind: 'loading', done: index, total: moments.length });
    const text = await get(samplesPath(ids, moments.slice(index, index + MOMENTS_AT_ONCE)), signal);
    const answer = text.ok ? readSamples(text.value) : { samples: [], failure: text.failure };
    const { samples, failure } = answer ?? { samples: [], failure: failureOfAnswer('', 200) };
    store.addSamples(samples.flatMap(({ feeds }) => feeds));
    if (failure === undefined) index += MOMENTS_AT_ONCE;
    else if (!signal.aborted) {
      const waitMs = (failure.retryAfterS ?? RETRY_S) * 1000;
      onState({ kind: 'failed', failure, retryAtMs: Date.now() + waitMs });
      await wait(waitMs);
    }
  }
  if (!signal.aborted) onState({ kind: 'complete' });
}

/**
 * Whether a sample is missing. Always true before the first live update, however near: without that sample, samples and
 * live updates could be up to two steps apart, which would be a gap.
 */
function isMissing(points: readonly FeedPoint[], atMs: number, stepMs: number): boolean {
  const index = firstAtOrAfter(points, atMs - stepMs / 2);
  const [before, next] = [points[index - 1], points[index]];
  if (next === undefined || next.atMs >= atMs + stepMs) return true;
  const isFirstLive = !next.update.isBackfilled && (before === undefined || before.update.isBackfilled);
  return isFirstLive && next.update.publishTimeS * 1000 > atMs;
}
