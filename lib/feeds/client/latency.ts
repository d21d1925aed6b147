import { formatLatency, formatSpan } from '@/lib/core/time';
import type { PriceUpdate } from '@/lib/feeds/price-update';
import type { FeedPoint } from './history';

/**
 * Parts of an update's latency: from publish time to proof, from proof to our server, from our server to this browser.
 */
export const LATENCY_PARTS = ['proof', 'upstream', 'browser'] as const;
export type LatencyPart = (typeof LATENCY_PARTS)[number];

/**
 * Age of an update by part, milliseconds, never negative. Publish times are whole seconds. The age of the first update
 * of a second is its latency plus up to a second; later updates of the second only seem older.
 */
export type UpdateLatency = {
  /** From publish second to available proof. Null if the service does not report it; `upstream` includes it then. */
  readonly proof: number | null;
  /** From proof to our server. */
  readonly upstream: number;
  /** From our server to this browser. Null for updates from before the page was opened. */
  readonly browser: number | null;
  readonly isFirstOfSecond: boolean;
};

/** Age of an update when our server received it, counted from the publish second. */
export const ageAtServerMs = ({ proof, upstream }: UpdateLatency) => (proof ?? 0) + upstream;

/** The fair samples of the latency: one for each publish second. */
export const latencySamples = (latencies: readonly UpdateLatency[]) =>
  latencies.filter(({ isFirstOfSecond }) => isFirstOfSecond);

/**
 * Whether an update is the first of its second, by what the service reports, else by the update before it. False for
 * the first update of all, of which it is unknown.
 */
const isFirstOfSecond = ({ publishTimeS, prevPublishTimeS }: PriceUpdate, before: FeedPoint | undefined) =>
  (prevPublishTimeS ?? before?.update.publishTimeS ?? publishTimeS) < publishTimeS;

/** An update older than this, and older than the others, was published before the stream began. */
const MIN_REPLAY_MS = 30_000;
/** A smaller skew of this browser's clock may be the travel time of an event. */
const MIN_SKEW_MS = 5_000;

/**
 * Offset of our server's clock from the publisher's, and of this browser's clock from our server's. 0 if no difference
 * is detectable.
 */
export type ClockOffsets = { readonly serverMs: number; readonly browserMs: number };

/**
 * Latency of each live update; backfilled updates have none. Delays are corrected only by a difference of clocks that
 * is proven: a negative delay, or the skew of this browser. A long delay proves nothing, since a service may be late.
 * @param skewMs time by which this browser's clock is ahead of the publisher's, as our server reports it
 */
export function latencyOf(
  points: readonly FeedPoint[],
  skewMs: number,
): {
  latencies: ReadonlyMap<PriceUpdate, UpdateLatency>;
  offsets: ClockOffsets;
} {
  const live = withoutReplay(points.filter(({ update }) => !update.isBackfilled));
  const raw = live.map(({ arrivedMs, update }, at) => {
    const { publishTimeS, proofAtS, receivedMs } = update;
    const provedMs = Math.max(publishTimeS, proofAtS ?? publishTimeS) * 1000;
    return {
      proof: proofAtS === undefined ? null : provedMs - publishTimeS * 1000,
      upstream: receivedMs - provedMs,
      browser: arrivedMs === undefined ? null : arrivedMs - receivedMs,
      isFirstOfSecond: isFirstOfSecond(update, live[at - 1]),
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
    live.flatMap(({ update }, at): [PriceUpdate, UpdateLatency][] => {
      const latency = raw[at];
      if (latency === undefined) return [];
      const { upstream, browser } = latency;
      const corrected = browser === null ? null : browser - offsets.browserMs;
      return [[update, { ...latency, upstream: upstream - offsets.serverMs, browser: corrected }]];
    }),
  );
  return { latencies, offsets };
}

/**
 * Live updates, without the first one if it was published long before the others were received: a stream begins with
 * the last price, which is days old while the market is closed.
 */
function withoutReplay(live: readonly FeedPoint[]): readonly FeedPoint[] {
  const delaysMs = live.map(({ update }) => update.receivedMs - update.publishTimeS * 1000);
  const [firstMs = 0, ...othersMs] = delaysMs;
  const usualMs = othersMs.length === 0 ? 0 : othersMs.reduce((least, ms) => Math.min(least, ms));
  return firstMs - usualMs > MIN_REPLAY_MS ? live.slice(1) : live;
}

/** Percentile by nearest rank. @param share from 0 to 1 */
export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? 0;
}

/** The known parts of an age in words: `Proof 1.0 s, to our server 400 ms, to this browser 40 ms`. */
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

/** Sentences about clock offsets that were corrected; none while the clocks agree. */
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
