import type { TickTimes } from './feed-tick';

/**
 * - `missed`: the feed published and we did not receive it
 * - `silent`: the feed published nothing for longer than it usually does
 * - `untold`: nothing came, and the service does not say when it published before
 */
export type GapKind = 'missed' | 'silent' | 'untold';

/** A stretch of time without updates. Seconds are publish times. */
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
  /** Misses up to so many seconds are how the reader asked for it (at most one update in that time). 0 when every update was asked for. */
  readonly foldedS: number;
  /** The live edge: how late it is by the publishing clock, and whether we are connected. Absent for the past alone. */
  readonly edge?: { readonly nowS: number; readonly link: 'up' | 'down' };
};

/**
 * Where updates are missing between these of one feed (oldest publish time first), and whose fault it is, by
 * `prev_publish_time`: the service says with each update when the one before it was published. If that is later than
 * the last one we have, we missed something; if not, the feed was silent. It is exact to the second, no more: publish
 * times are whole seconds, so of a second of which we have one update we can't say whether there were others.
 */
export function feedGaps(ticks: readonly TickTimes[], rules: GapRules): FeedGap[] {
  const gaps: FeedGap[] = [];
  let last: TickTimes | undefined;
  for (const tick of ticks) {
    if (last !== undefined && tick.publishS < last.publishS) continue;
    if (last !== undefined) for (const gap of between(last, tick, rules)) append(gaps, gap);
    last = tick;
  }
  if (last !== undefined) for (const gap of atEdge(last, rules)) append(gaps, gap);
  return gaps;
}

function between(last: TickTimes, next: TickTimes, rules: GapRules): FeedGap[] {
  const fromS = last.publishS;
  const untilS = next.publishS;
  const before = next.prevPublishS;
  if (before === undefined || before > untilS) {
    return untilS - fromS > rules.silentAfterS ? [{ kind: 'untold', fromS, untilS }] : [];
  }
  // The one before it was published in the same second, and we don't have it: what lies between is not known to us.
  if (before === untilS) {
    const isHole = untilS - fromS > 1 + rules.foldedS;
    return isHole ? [{ kind: 'missed', fromS, untilS }] : [];
  }
  const gaps: FeedGap[] = before - fromS > rules.foldedS ? [{ kind: 'missed', fromS, untilS: before }] : [];
  const silentFromS = Math.max(before, fromS);
  if (untilS - silentFromS > rules.silentAfterS) {
    return [...gaps, { kind: 'silent', fromS: silentFromS, untilS }];
  }
  return gaps;
}

function atEdge(last: TickTimes, { edge, silentAfterS }: GapRules): FeedGap[] {
  if (edge === undefined || edge.nowS - last.publishS <= silentAfterS) return [];
  const kind = edge.link === 'up' ? 'silent' : 'untold';
  return [{ kind, fromS: last.publishS, untilS: edge.nowS, isOpen: true }];
}

/** What follows without a break and is of the same kind is one gap. */
function append(gaps: FeedGap[], gap: FeedGap): void {
  const last = gaps.at(-1);
  const joins = last?.kind === gap.kind && last.untilS === gap.fromS && gap.kind !== 'silent';
  if (last === undefined || !joins) {
    gaps.push(gap);
    return;
  }
  gaps[gaps.length - 1] = { ...gap, fromS: last.fromS };
}

export type GapCount = { readonly gaps: number; readonly seconds: number };
/** How many gaps of each kind, and how many seconds they take together. */
export type GapCounts = Readonly<Record<GapKind, GapCount>>;

/** Counts the part of the gaps that lies between two moments (unix seconds); all of them without. */
export function countGaps(
  gaps: readonly FeedGap[],
  window: { readonly fromS: number; readonly untilS: number } = { fromS: -Infinity, untilS: Infinity },
): GapCounts {
  const counts: Record<GapKind, GapCount> = {
    missed: { gaps: 0, seconds: 0 },
    silent: { gaps: 0, seconds: 0 },
    untold: { gaps: 0, seconds: 0 },
  };
  for (const gap of gaps) {
    const seconds = Math.min(gap.untilS, window.untilS) - Math.max(gap.fromS, window.fromS);
    if (seconds < 0 || (seconds === 0 && gap.untilS > gap.fromS)) continue;
    const before = counts[gap.kind];
    counts[gap.kind] = { gaps: before.gaps + 1, seconds: before.seconds + seconds };
  }
  return counts;
}

/** A line through updates is broken between one of second `fromS` or before and one of second `untilS` or after. */
export type LineBreak = Pick<FeedGap, 'fromS' | 'untilS'>;

/** Where a line through the updates has to be broken. */
export function lineBreaks(gaps: readonly FeedGap[]): LineBreak[] {
  return gaps.map(({ fromS, untilS }) => ({ fromS, untilS }));
}
