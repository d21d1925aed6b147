import { formatSpan } from '@/lib/core/time';
import type { CompactFeed } from './stream-events';

/** What is needed of an update to tell where some are missing: when it was published, and the one before it (unix seconds). */
export type TickTimes = Pick<CompactFeed, 't' | 'pp'>;

/**
 * - `missed`: the feed published and we did not receive it
 * - `silent`: the feed published nothing for longer than it usually does
 * - `unknown`: nothing came, and the service does not say when it published before
 */
export type GapKind = 'missed' | 'silent' | 'unknown';

export type FeedGap = {
  readonly kind: GapKind;
  /** Of this second an update is there, or the feed published it last. */
  readonly fromS: number;
  /** `missed`: the last second that is known to be missed. Else the second of the next update, or now. */
  readonly untilS: number;
  /** It goes on: the next update decides what it was. */
  readonly isOpen?: boolean;
};

export type GapRules = {
  /** A pause longer than this is not usual for the feed, seconds (`silentAfterS` of its cadence). */
  readonly silentAfterS: number;
  /** The live edge: how late it is by the publishing clock, and whether we are connected. Absent for the past alone. */
  readonly edge?: { readonly nowS: number; readonly link: 'up' | 'down' } | undefined;
};

/**
 * Where updates are missing between these of one feed (oldest publish time first), and whose fault it is, by
 * `prev_publish_time`: the service says with each update when the one before it was published. If that is later than
 * the last one we have, we missed something; if not, the feed was silent. It is exact to the second, no more: publish
 * times are whole seconds, so of a second of which we have one update we can't say whether there were others.
 */
export function feedGaps(ticks: readonly TickTimes[], { silentAfterS, edge }: GapRules): FeedGap[] {
  const gaps: FeedGap[] = [];
  let last: TickTimes | undefined;
  for (const tick of ticks) {
    if (last !== undefined && tick.t < last.t) continue;
    if (last !== undefined) gaps.push(...between(last.t, tick, silentAfterS));
    last = tick;
  }
  if (last !== undefined && edge !== undefined && edge.nowS - last.t > silentAfterS) {
    const kind = edge.link === 'up' ? 'silent' : 'unknown';
    gaps.push({ kind, fromS: last.t, untilS: edge.nowS, isOpen: true });
  }
  return gaps;
}

function between(fromS: number, { t: untilS, pp: before }: TickTimes, silentAfterS: number): FeedGap[] {
  if (before === undefined || before > untilS) {
    return untilS - fromS > silentAfterS ? [{ kind: 'unknown', fromS, untilS }] : [];
  }
  // The one before it was published in the same second, and we don't have it: what lies between is not known to us.
  if (before === untilS) return untilS - fromS > 1 ? [{ kind: 'missed', fromS, untilS }] : [];
  const silentFromS = Math.max(before, fromS);
  return [
    ...(before > fromS ? [{ kind: 'missed', fromS, untilS: before } as const] : []),
    ...(untilS - silentFromS > silentAfterS ? [{ kind: 'silent', fromS: silentFromS, untilS } as const] : []),
  ];
}

/** Whose fault a gap is, for legends, and what it means. */
export const GAPS: Readonly<Record<GapKind, { readonly label: string; readonly meaning: string }>> = {
  missed: { label: 'Missed updates', meaning: 'Published by the feed, not received here' },
  silent: { label: 'Feed silent', meaning: 'Nothing published for longer than typical' },
  unknown: { label: 'Unknown gap', meaning: 'Nothing received; unknown whether the feed published' },
};

const spanOf = (gaps: readonly FeedGap[]) =>
  formatSpan(gaps.reduce((sum, { fromS, untilS }) => sum + untilS - fromS, 0) * 1000);

/** A gap in a table: `Missed updates for 14 s`. */
export function gapText(gap: FeedGap): string {
  return `${GAPS[gap.kind].label} for ${spanOf([gap])}${gap.isOpen ? ' so far' : ''}`;
}

/** What is missing, kind by kind: `Missed updates: 2 (14 s) · Feed silent: 1 (1 min)`; empty where nothing is. */
export function gapCounts(gaps: readonly FeedGap[]): string {
  const kinds = (Object.keys(GAPS) as GapKind[]).flatMap((kind) => {
    const some = gaps.filter((gap) => gap.kind === kind);
    return some.length === 0 ? [] : `${GAPS[kind].label}: ${some.length} (${spanOf(some)})`;
  });
  return kinds.join(' · ');
}
