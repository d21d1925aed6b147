import { formatSpan } from '@/lib/core/time';
import { type CadenceFloors, silentAfterS, usualPauseS } from '@/lib/feeds/feed-cadence';
import type { FeedPoint } from './history';

/** Parts of the way of an update: published until its proof was available; from there to our server; to this browser. */
export const LATENCY_PARTS = ['proof', 'upstream', 'browser'] as const;
export type LatencyPart = (typeof LATENCY_PARTS)[number];

/** One update that was pushed to this browser: when it came (unix ms of its clock), and its parts, ms, never negative. */
export type UpdateLatency = Readonly<Record<Exclude<LatencyPart, 'proof'> | 'total', number>> & {
  readonly atMs: number;
  /** Null where the service does not tell when the proof was available: it is part of the way to our server then. */
  readonly proof: number | null;
  /** Seconds in which nothing was pushed here before it; absent where it came after a pause that is usual. */
  readonly gapS?: number | undefined;
};

export const SHOWN_UPDATES = 60;
/** A smallest delay beyond these is taken for a difference of clocks: no way takes that long for every update. */
const CREDIBLE_MS = { server: 30_000, browser: 5_000 };

/** How far our server's clock is ahead of the publisher's, and this browser's of our server's; 0 while they agree as far as can be told. */
export type ClockOffsets = { readonly serverMs: number; readonly browserMs: number };

/**
 * The way of the last updates, oldest first. Delay only adds, so the smallest one tells whether two clocks differ.
 * @param floors below which no pause is a gap
 */
export function latencyOf(
  points: readonly FeedPoint[],
  floors: CadenceFloors,
): { updates: UpdateLatency[]; offsets: ClockOffsets } {
  const heard = points.filter(({ heardMs }) => heardMs !== undefined);
  const gapAfterS = silentAfterS(usualPauseS(heard.slice(-61).map(({ update }) => update)), floors);
  const pushed = heard
    .map(({ heardMs = 0, update: { t, pa, r } }, at) => {
      const provedMs = Math.max(t, pa ?? t) * 1000;
      const pauseS = t - (heard[at - 1]?.update.t ?? t);
      return {
        heardMs,
        gapS: pauseS > gapAfterS ? pauseS : undefined,
        proof: pa === undefined ? null : provedMs - t * 1000,
        upstream: r - provedMs,
        browser: heardMs - r,
      };
    })
    .slice(-SHOWN_UPDATES);
  const offsetOf = (part: 'upstream' | 'browser', credibleMs: number) => {
    const least = Math.min(...pushed.map((one) => one[part]));
    return pushed.length > 0 && (least < 0 || least > credibleMs) ? least : 0;
  };
  const offsets = {
    serverMs: offsetOf('upstream', CREDIBLE_MS.server),
    browserMs: offsetOf('browser', CREDIBLE_MS.browser),
  };
  const updates = pushed.map(({ heardMs, proof, gapS, ...raw }): UpdateLatency => {
    const upstream = raw.upstream - offsets.serverMs;
    const browser = raw.browser - offsets.browserMs;
    return { atMs: heardMs, gapS, proof, upstream, browser, total: (proof ?? 0) + upstream + browser };
  });
  return { updates, offsets };
}

/** The value below which a share of them lies: one that was measured. */
export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? 0;
}

/** `40 ms`, `1.3 s`, `2 min 03 s`. */
export function latencyText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return ms < 60_000 ? `${(Math.floor(ms / 100) / 10).toFixed(1)} s` : formatSpan(ms);
}

/** What was done about clocks that disagree: a sentence for each, none while they agree. */
export function clockSentences({ serverMs, browserMs }: ClockOffsets): string[] {
  const sentence = (whose: string, of: string, ms: number) =>
    ms === 0
      ? []
      : `${whose} clock is about ${formatSpan(Math.abs(ms))} ${ms > 0 ? 'ahead of' : 'behind'} ${of}; latency is corrected by that.`;
  return [
    sentence('This computer’s', 'our server’s', browserMs),
    sentence('Our server’s', 'the publisher’s', serverMs),
  ].flat();
}
