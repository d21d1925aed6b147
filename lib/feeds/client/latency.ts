import { formatLatency, formatSpan } from '@/lib/core/time';
import type { PriceUpdate } from '@/lib/feeds/price-update';
import type { FeedPoint } from './history';

/** Parts of the latency: from publish time to proof, from there to our server, and from there to this browser. */
export const LATENCY_PARTS = ['proof', 'upstream', 'browser'] as const;
export type LatencyPart = (typeof LATENCY_PARTS)[number];

/**
 * Age in ms by part, never negative. Publish times are whole seconds: the first update of a second is up to a second
 * older than its latency, and later ones only seem older.
 */
export type UpdateLatency = {
  /** Null if the service does not report the proof; `upstream` then includes this part. */
  readonly proof: number | null;
  readonly upstream: number;
  /** Null for updates from before the page was opened. */
  readonly browser: number | null;
  readonly isFirstOfSecond: boolean;
};

/** Counted from the publish second. */
export const ageAtServerMs = ({ proof, upstream }: UpdateLatency) => (proof ?? 0) + upstream;

/** One for each publish second. */
export const latencySamples = (latencies: readonly UpdateLatency[]) =>
  latencies.filter(({ isFirstOfSecond }) => isFirstOfSecond);

/** Decided by the service's report, else by the update before. False for the first update of all. */
const isFirstOfSecond = ({ publishTimeS, prevPublishTimeS }: PriceUpdate, before: FeedPoint | undefined) =>
  (prevPublishTimeS ?? before?.update.publishTimeS ?? publishTimeS) < publishTimeS;

/** An update older than this, and older than the others, was published before the stream began. */
const MIN_REPLAY_MS = 30_000;
/** A smaller skew of this browser's clock may be the travel time of an event. */
const MIN_SKEW_MS = 5_000;

/** Our server's clock minus the publisher's, and this browser's minus our server's. 0 if no difference is detectable. */
export type ClockOffsets = { readonly serverMs: number; readonly browserMs: number };

/**
 * Latency of live updates. Only a proven difference of clocks corrects it: a negative delay, or the skew of this browser.
 * A long delay proves nothing: a service may be late. @param skewMs this browser's clock minus the publisher's
 */
export function updateLatency(
  points: readonly FeedPoint[],
  skewMs: number,
): {
  latencies: ReadonlyMap<PriceUpdate, UpdateLatency>;
  offsets: ClockOffsets;
} {
  const live = withoutReplay(points.filter(({ update }) => !update.isBackfilled));
  const raw = live.map(({ arrivedMs, update }, index) => {
    const { publishTimeS, proofAtS, receivedMs } = update;
    const provedMs = Math.max(publishTimeS, proofAtS ?? publishTimeS) * 1000;
    return {
      proof: proofAtS === undefined ? null : provedMs - publishTimeS * 1000,
      upstream: receivedMs - provedMs,
      browser: arrivedMs === undefined ? null : arrivedMs - receivedMs,
      isFirstOfSecond: isFirstOfSecond(update, live[index - 1]),
    };
  });
  const leastOf = (part: 'upstream' | 'browser') => {
    let minMs = Number.POSITIVE_INFINITY;
    for (const { [part]: ms } of raw) if (ms !== null) minMs = Math.min(minMs, ms);
    return Number.isFinite(minMs) ? minMs : 0;
  };
  const serverMs = Math.min(0, leastOf('upstream'));
  const browserMs = Math.min(skewMs - serverMs, leastOf('browser'));
  const isProven = browserMs > MIN_SKEW_MS || leastOf('browser') < 0;
  const offsets = { serverMs, browserMs: isProven ? browserMs : 0 };
  const latencies = new Map(
    live.flatMap(({ update }, index): [PriceUpdate, UpdateLatency][] => {
      const latency = raw[index];
      if (latency === undefined) return [];
      const { upstream, browser } = latency;
      const corrected = browser === null ? null : browser - offsets.browserMs;
      return [[update, { ...latency, upstream: upstream - offsets.serverMs, browser: corrected }]];
    }),
  );
  return { latencies, offsets };
}

/** Drops a first update from long before the others: a stream begins with the last price, days old on a closed market. */
function withoutReplay(live: readonly FeedPoint[]): readonly FeedPoint[] {
  const delaysMs = live.map(({ update }) => update.receivedMs - update.publishTimeS * 1000);
  const [firstMs = 0, ...othersMs] = delaysMs;
  const minMs = othersMs.length === 0 ? 0 : othersMs.reduce((least, ms) => Math.min(least, ms));
  return firstMs - minMs > MIN_REPLAY_MS ? live.slice(1) : live;
}

/** `Proof 1.0 s, to our server 400 ms, to this browser 40 ms`, without unknown parts. */
export function latencyParts({ proof, upstream, browser, isFirstOfSecond: isSample }: UpdateLatency): string {
  const parts = [
    proof === null || !isSample ? '' : `proof ${formatLatency(proof)}`,
    isSample
      ? `to our server ${formatLatency(upstream)}`
      : 'a later update of its published second, so its latency is lower',
    browser === null ? '' : `to this browser ${formatLatency(browser)}`,
  ];
  return parts.filter(Boolean).join(', ');
}

/** Sentences about clocks that are off; none while they agree. */
export function clockSentences({ serverMs, browserMs }: ClockOffsets): string[] {
  const sentence = (whose: string, other: string, ms: number) =>
    ms === 0
      ? []
      : `${whose} clock is about ${formatSpan(Math.abs(ms))} ${ms > 0 ? 'ahead of' : 'behind'} ${other}; latency is corrected by that.`;
  return [
    sentence('This computer’s', 'our server’s', browserMs),
    sentence('Our server’s', 'the publisher’s', serverMs),
  ].flat();
}
