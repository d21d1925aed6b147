import { formatSpan } from '@/lib/core/time';
import type { FeedPoint } from './history';

/**
 * A part of the way of an update. `proof`: published until its proof was available. `upstream`: from there (or from its
 * publication, where the service tells no proof time) to our server. `browser`: our server to this browser.
 */
export const LATENCY_PARTS = ['proof', 'upstream', 'browser'] as const;
export type LatencyPart = (typeof LATENCY_PARTS)[number];

/** One update that was pushed to this browser: when it came (unix ms of its clock), and its parts, ms, never negative. */
export type UpdateLatency = Readonly<Record<LatencyPart | 'total', number>> & { readonly atMs: number };

/** So many of the last updates are shown. */
export const SHOWN_UPDATES = 60;
/** A smallest delay beyond these is taken for a difference of clocks: no way takes that long for every update. */
const CREDIBLE_MS = { server: 30_000, browser: 5_000 };

/** How far our server's clock is ahead of the publisher's, and this browser's of our server's; 0 while they agree as far as can be told. */
export type ClockOffsets = { readonly serverMs: number; readonly browserMs: number };

/**
 * The way of the last updates, oldest first. Delay only ever adds, so the smallest delay tells whether two clocks can agree: if it
 * is negative, or longer than any way takes, the clocks differ by it, and it is taken off.
 */
export function latencyOf(points: readonly FeedPoint[]): { updates: UpdateLatency[]; offsets: ClockOffsets } {
  const pushed = points
    .flatMap(({ heardMs, update }) => (heardMs === undefined ? [] : [{ heardMs, update }]))
    .slice(-SHOWN_UPDATES);
  const leftMs = ({ update: { t, pa = t } }: (typeof pushed)[number]) => Math.max(t, pa) * 1000;
  const offsetOf = (delays: readonly number[], credibleMs: number) => {
    const least = Math.min(...delays);
    return delays.length > 0 && (least < 0 || least > credibleMs) ? least : 0;
  };
  const offsets = {
    serverMs: offsetOf(
      pushed.map((one) => one.update.r - leftMs(one)),
      CREDIBLE_MS.server,
    ),
    browserMs: offsetOf(
      pushed.map(({ heardMs, update }) => heardMs - update.r),
      CREDIBLE_MS.browser,
    ),
  };
  const updates = pushed.map((one): UpdateLatency => {
    const { heardMs, update } = one;
    const proof = leftMs(one) - update.t * 1000;
    const upstream = Math.max(0, update.r - offsets.serverMs - leftMs(one));
    const browser = Math.max(0, heardMs - offsets.browserMs - update.r);
    return { atMs: heardMs, proof, upstream, browser, total: proof + upstream + browser };
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
    `${whose} is about ${formatSpan(Math.abs(ms))} ${ms > 0 ? 'ahead of' : 'behind'} ${of}. That is taken off, so the fastest update counts as 0.`;
  return [
    ...(browserMs === 0 ? [] : [sentence('The clock of this computer', 'our server’s', browserMs)]),
    ...(serverMs === 0 ? [] : [sentence('Our server’s clock', 'the publisher’s', serverMs)]),
  ];
}
