import { formatSpan } from '@/lib/core/time';
import type { CompactFeed } from '@/lib/feeds/stream-events';
import type { FeedPoint } from './history';

/** Parts of the way of an update: published until its proof was available; from there to our server; to this browser. */
export const LATENCY_PARTS = ['proof', 'upstream', 'browser'] as const;
export type LatencyPart = (typeof LATENCY_PARTS)[number];

/** The way of one update in parts, milliseconds, never negative. */
export type UpdateLatency = {
  /** From its publish second until its proof was available. Null where the service does not tell: a part of `upstream` then. */
  readonly proof: number | null;
  /** From there to our server. */
  readonly upstream: number;
  /** From our server to this browser. Null where our server had the update before this page was open. */
  readonly browser: number | null;
};

/** From its publish second to our server: known of every update that was received live. */
export const serverLatencyMs = ({ proof, upstream }: UpdateLatency) => (proof ?? 0) + upstream;

/** A smallest delay beyond these is taken for a difference of clocks: no way takes that long for every update. */
const CREDIBLE_MS = { server: 30_000, browser: 5_000 };

/** How far our server's clock is ahead of the publisher's, and this browser's of our server's; 0 while they agree as far as can be told. */
export type ClockOffsets = { readonly serverMs: number; readonly browserMs: number };

/**
 * The way of each update that our server received when it was published; backfilled ones have none. Delay only adds, so
 * the smallest one tells whether two clocks differ.
 */
export function latencyOf(points: readonly FeedPoint[]): {
  latencies: ReadonlyMap<CompactFeed, UpdateLatency>;
  offsets: ClockOffsets;
} {
  const live = points.filter(({ update }) => update.f !== 1);
  const raw = live.map(({ heardMs, update: { t, pa, r } }) => {
    const provedMs = Math.max(t, pa ?? t) * 1000;
    return {
      proof: pa === undefined ? null : provedMs - t * 1000,
      upstream: r - provedMs,
      browser: heardMs === undefined ? null : heardMs - r,
    };
  });
  const offsetOf = (part: 'upstream' | 'browser', credibleMs: number) => {
    let least = Number.POSITIVE_INFINITY;
    for (const { [part]: ms } of raw) if (ms !== null) least = Math.min(least, ms);
    return Number.isFinite(least) && (least < 0 || least > credibleMs) ? least : 0;
  };
  const offsets = {
    serverMs: offsetOf('upstream', CREDIBLE_MS.server),
    browserMs: offsetOf('browser', CREDIBLE_MS.browser),
  };
  const latencies = new Map(
    live.flatMap(({ update }, at): [CompactFeed, UpdateLatency][] => {
      const one = raw[at];
      if (one === undefined) return [];
      const { proof, upstream, browser } = one;
      const corrected = browser === null ? null : browser - offsets.browserMs;
      return [[update, { proof, upstream: upstream - offsets.serverMs, browser: corrected }]];
    }),
  );
  return { latencies, offsets };
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

/** The parts of the way that are known, in words: `Proof 1.0 s, to our server 400 ms, to this browser 40 ms`. */
export function latencyParts({ proof, upstream, browser }: UpdateLatency): string {
  const parts = [
    proof === null ? '' : `proof ${latencyText(proof)}`,
    `to our server ${latencyText(upstream)}`,
    browser === null ? '' : `to this browser ${latencyText(browser)}`,
  ];
  return parts.filter(Boolean).join(', ');
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
