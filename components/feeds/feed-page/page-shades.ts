import type { FeedPoint } from '@/lib/client/feed-history';
import type { Silence } from '@/lib/client/feed-samples-known';
import { formatSpan } from '@/lib/client/human-time';
import type { FeedMark } from '@/lib/contract/codec/feed-marks';
import { assertNever } from '@/lib/domain/assert-never';
import { type FeedGap, feedGaps, type GapKind, type GapRules } from '@/lib/domain/feed-gaps';
import type { TickTimes } from '@/lib/domain/feed-tick';

/** A part of the chart in which updates are missing, unix milliseconds. */
export type Shade = { readonly kind: GapKind; readonly fromMs: number; readonly toMs: number };

/** Something that happened to the connection at a moment. */
export type ChartMark = {
  readonly key: string;
  readonly kind: FeedMark['kind'];
  readonly atMs: number;
  readonly words: string;
};

/** The publish times of points, for the rules of gaps. */
export function tickTimesOf(points: readonly FeedPoint[]): TickTimes[] {
  return points.flatMap(({ update }) => {
    if (update === undefined) return [];
    const { t, pp } = update;
    return [{ publishS: t, ...(pp === undefined ? {} : { prevPublishS: pp }) }];
  });
}

/** What the stream brought of a feed, and from which unix second on it did; undefined before it has brought anything. */
export type Received = { readonly points: readonly FeedPoint[]; readonly receivedFromS: number | undefined };

/**
 * The gaps of a feed: in what the stream brought, by whose fault they are; before that only the silences of the feed, since
 * nobody was to receive anything there. Those that lie outside of the window are left out.
 */
export function gapsInView(
  { points, receivedFromS = Number.POSITIVE_INFINITY }: Received,
  silences: readonly Silence[],
  rules: GapRules,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): FeedGap[] {
  const ticks = tickTimesOf(points);
  const liveFromS = ticks[0]?.publishS ?? Number.POSITIVE_INFINITY;
  const sampled = silences
    .filter(({ fromS }) => fromS < liveFromS)
    .map(({ fromS, untilS }): FeedGap => ({ kind: 'silent', fromS, untilS: Math.min(untilS, liveFromS) }));
  const streamed = feedGaps(ticks, rules).flatMap((gap) => sinceReceived(gap, receivedFromS));
  return [...sampled, ...streamed].filter(
    ({ fromS, untilS }) => untilS * 1000 > fromMs && fromS * 1000 < toMs,
  );
}

/** The last price was asked for before the stream stood: what was published in between, nobody was to receive. */
function sinceReceived(gap: FeedGap, receivedFromS: number): FeedGap[] {
  if (gap.kind !== 'missed' || gap.fromS >= receivedFromS) return [gap];
  return gap.untilS > receivedFromS ? [{ ...gap, fromS: receivedFromS }] : [];
}

/** Gaps as they are drawn: cut at the edges of the window. */
export function shadesOf(
  gaps: readonly FeedGap[],
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Shade[] {
  return gaps.map(({ kind, fromS, untilS }) => ({
    kind,
    fromMs: Math.max(fromMs, fromS * 1000),
    toMs: Math.min(toMs, untilS * 1000),
  }));
}

/** The marks of a window that concern a feed. */
export function marksInView(
  marks: readonly FeedMark[],
  id: string,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): ChartMark[] {
  return marks
    .filter(({ ids }) => ids === undefined || ids.includes(id))
    .map((mark) => ({
      key: mark.key,
      kind: mark.kind,
      atMs: mark.untilMs ?? mark.fromMs,
      words: markWords(mark),
    }))
    .filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
}

const HOSTS = { updates: 'the first host', upgraded: 'the second host' };

function lengthWords(ms: number): string {
  return ms < 1_000 ? ' within a second' : ` after ${formatSpan(ms)}`;
}

function markWords({ kind, fromMs, untilMs, host }: FeedMark): string {
  const length = untilMs === undefined ? '' : lengthWords(untilMs - fromMs);
  switch (kind) {
    case 'outage':
      return untilMs === undefined ? 'Connection lost' : `Reconnected${length}`;
    case 'planned':
      return `Planned close, reconnected${length}`;
    case 'host':
      return `Now from ${host === undefined ? 'another host' : HOSTS[host]}`;
    default:
      return assertNever(kind);
  }
}
