import type { FeedEntry } from '@/lib/core/feed';
import { formatSpan } from '@/lib/core/time';
import { closedSpans, marketAt } from './market';
import type { CompactFeed } from './stream-events';

/** A feed is late after this many of its own usual pauses, and stale after so many. */
const LATE_PAUSES = 3;
const STALE_PAUSES = 10;

const PAUSES = 60;

/** A shorter pause is no closed market. */
const MIN_CLOSED_S = 300;

/**
 * Seconds between updates as the service tells them: the upper quartile of the last, which no night among them moves. Samples
 * that were asked for while a market was closed are all first ones after a night: by its schedule those pauses don't count.
 */
export function usualPauseS(ticks: readonly TickTimes[], market: Market = {}): number | undefined {
  const pauses = ticks.flatMap(({ t, pp, f }, at) => {
    // Between two samples lies a step, and no pause of the feed.
    const before = pp ?? (f === 1 ? undefined : ticks[at - 1]?.t);
    if (before === undefined || before > t) return [];
    const isClosed =
      t - before > MIN_CLOSED_S && closedSpans(market.schedule, before * 1000, t * 1000).length > 0;
    return isClosed ? [] : Math.max(1, t - before);
  });
  const sorted = pauses.slice(-PAUSES).sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * 0.75)];
}

/** Floors below which no feed is called late or stale, seconds (settings `FEED_LATE_S`, `FEED_STALE_S`). */
export type CadenceFloors = { readonly lateS: number; readonly staleS: number };

export function silentAfterS(pauseS: number | undefined, floors: CadenceFloors): number {
  return Math.max(floors.lateS, LATE_PAUSES * (pauseS ?? 0));
}

/**
 * `closed`: late, and its market is closed. `inactive`: late, and not published, by the directory. `misdated`: its publish
 * time can't be right, so nobody knows.
 */
export type FeedCurrency = {
  readonly word: 'fresh' | 'late' | 'stale' | 'closed' | 'inactive' | 'misdated';
  /** When the market opens again, unix milliseconds; with `closed` only, where it is known. */
  readonly opensAtMs?: number | undefined;
};

/** Whether a feed is published at all, by the `state` that the directory gives it; so it is where none is given. */
const isPublished = (state = '') => !['inactive', 'coming_soon'].includes(state);

type Market = Pick<FeedEntry, 'schedule' | 'state'>;

/** Whether prices are to be expected at a moment (unix ms). Undefined where the directory says nothing. */
export function isTrading({ schedule, state }: Market, atMs: number): boolean | undefined {
  if (!isPublished(state)) return false;
  const market = marketAt(schedule, atMs);
  return market && market.kind === 'open';
}

/** Judged by the feed's own cadence. A feed that publishes although its market is closed is as fresh as any. */
export function feedCurrency(facts: {
  readonly latestS: number;
  /** Its last updates, oldest first: they tell its usual pause. */
  readonly ticks: readonly TickTimes[];
  readonly nowMs: number;
  readonly floors: CadenceFloors;
  /** What the directory says of its market; absent where it says nothing. */
  readonly market?: Market | undefined;
}): FeedCurrency {
  const { latestS, ticks, nowMs, floors, market = {} } = facts;
  const ageS = nowMs / 1000 - latestS;
  const pauseS = usualPauseS(ticks.slice(-PAUSES - 1), market);
  const lateAfterS = silentAfterS(pauseS, floors);
  if (ageS <= lateAfterS) return { word: 'fresh' };
  if (!isPublished(market.state)) return { word: 'inactive' };
  const now = marketAt(market.schedule, nowMs);
  if (now?.kind === 'closed') return { word: 'closed', opensAtMs: now.opensAtMs };
  const staleAfterS = Math.max(floors.staleS, STALE_PAUSES * (pauseS ?? 0), lateAfterS);
  return { word: ageS > staleAfterS ? 'stale' : 'late' };
}

/**
 * What is needed of an update to tell where some are missing: when it was published, and the one before it (unix seconds), and
 * whether it was asked for by its time (`f`).
 */
export type TickTimes = Pick<CompactFeed, 't' | 'pp' | 'f'>;

/** `unknown`: nothing came, and the service does not say when it published before. The others: see `GAPS`. */
export type GapKind = 'missed' | 'silent' | 'unknown' | 'closed' | 'inactive';

export type FeedGap = {
  readonly kind: GapKind;
  /** Of this second an update is there, or the feed published it last; or the market closed. */
  readonly fromS: number;
  /** `missed`: the last second that is known to be missed. Else the second of the next update, or now. */
  readonly untilS: number;
  /** It goes on: the next update decides what it was. */
  readonly isOpen?: boolean | undefined;
};

export type GapRules = {
  /** A pause longer than this is not usual for the feed, seconds (`silentAfterS` of its cadence). */
  readonly silentAfterS: number;
  /** The distance of updates that were asked for by their time, seconds. */
  readonly sampledEveryS?: number;
  /** What is older than this unix second is not all there. */
  readonly liveFromS?: number;
  /** Where a chart ends: now by the publishing clock, and whether we are connected, or a moment of the `past`. */
  readonly edge?: { readonly nowS: number; readonly link: 'up' | 'down' | 'past' } | undefined;
  /** Where it begins, where nothing is known from before. */
  readonly beginsS?: number | undefined;
  /** What the directory says of its market: while that is closed nothing is missing. */
  readonly market?: Market | undefined;
};

/** @param leastS shorter parts that remain beside a closed market are none */
type FoundGap = FeedGap & { readonly leastS: number };

/**
 * Where updates are missing between these of one feed (oldest publish time first), and whose fault it is: the service says
 * with each update when the one before it was published. If that is later than the last one we have, we missed something;
 * if not, the feed was silent. Exact to the second, no more: of one that we have one update of there may be others.
 * A chart draws a line between two neighbours exactly where there is no gap.
 */
export function feedGaps(ticks: readonly TickTimes[], rules: GapRules): FeedGap[] {
  const {
    silentAfterS,
    sampledEveryS = 0,
    liveFromS = Number.NEGATIVE_INFINITY,
    edge,
    market,
    beginsS,
  } = rules;
  // A sample may lie half a step beside its neighbours: one that is missing leaves two steps.
  const sampledS = silentAfterS + 1.5 * sampledEveryS;
  const gaps: FoundGap[] = [];
  let last: TickTimes | undefined = beginsS === undefined ? undefined : { t: beginsS, f: 1 };
  for (const tick of ticks) {
    if (last !== undefined && tick.t < last.t) continue;
    if (last !== undefined) {
      const isSampled = last.f === 1 || tick.f === 1 || last.t < liveFromS;
      gaps.push(
        ...(isSampled
          ? betweenSamples(last.t, tick, silentAfterS, sampledS)
          : between(last.t, tick, silentAfterS)),
      );
    }
    last = tick;
  }
  const leastS = last?.f === 1 ? sampledS : silentAfterS;
  if (last !== undefined && edge !== undefined && edge.nowS - last.t > leastS) {
    const kind = edge.link === 'up' && ticks.length > 0 ? 'silent' : 'unknown';
    gaps.push({ kind, fromS: last.t, untilS: edge.nowS, isOpen: edge.link !== 'past', leastS });
  }
  return gaps.flatMap((gap) => splitByMarket(gap, market));
}

function between(fromS: number, { t: untilS, pp: before }: TickTimes, leastS: number): FoundGap[] {
  if (before === undefined || before > untilS) {
    return untilS - fromS > leastS ? [{ kind: 'unknown', fromS, untilS, leastS }] : [];
  }
  // The one before it was published in the same second, and we don't have it: what lies between is not known to us.
  if (before === untilS) return untilS - fromS > 1 ? [{ kind: 'missed', fromS, untilS, leastS }] : [];
  const silentFromS = Math.max(before, fromS);
  return [
    ...(before > fromS ? [{ kind: 'missed', fromS, untilS: before, leastS } as const] : []),
    ...(untilS - silentFromS > leastS
      ? [{ kind: 'silent', fromS: silentFromS, untilS, leastS } as const]
      : []),
  ];
}

/** Samples leave out what lies between them: only more than a step without any is a gap, and a silence that is told. */
function betweenSamples(fromS: number, tick: TickTimes, silentAfterS: number, sampledS: number): FoundGap[] {
  const { t: untilS, pp = untilS } = tick;
  const silentFromS = pp > untilS ? untilS : Math.max(pp, fromS);
  const isSilent = untilS - silentFromS > silentAfterS;
  const unknownUntilS = isSilent ? silentFromS : untilS;
  return [
    ...(unknownUntilS - fromS > sampledS
      ? [{ kind: 'unknown', fromS, untilS: unknownUntilS, leastS: sampledS } as const]
      : []),
    ...(isSilent ? [{ kind: 'silent', fromS: silentFromS, untilS, leastS: silentAfterS } as const] : []),
  ];
}

/** While its market is closed a feed owes nothing, by the schedule that also calls it closed now. */
function splitByMarket({ leastS, ...gap }: FoundGap, market: Market = {}): FeedGap[] {
  const { kind, fromS, untilS, isOpen } = gap;
  if (kind === 'missed') return [gap];
  // Whether it was published in the past nobody says.
  if (isOpen && !isPublished(market.state)) return [{ ...gap, kind: 'inactive' }];
  const parts: FeedGap[] = [];
  let cursorS = fromS;
  const push = (toS: number) => {
    if (toS - cursorS > leastS) parts.push({ kind, fromS: cursorS, untilS: toS });
  };
  for (const closed of closedSpans(market.schedule, fromS * 1000, untilS * 1000)) {
    push(closed.fromMs / 1000);
    cursorS = closed.untilMs / 1000;
    parts.push({ kind: 'closed', fromS: closed.fromMs / 1000, untilS: cursorS });
  }
  if (parts.length === 0) return [gap];
  push(untilS);
  return parts.map((part) => (part.untilS === untilS ? { ...part, isOpen } : part));
}

/** Whose fault a gap is, for legends, and what it means. */
export const GAPS: Readonly<Record<GapKind, { readonly label: string; readonly meaning: string }>> = {
  missed: { label: 'Missed updates', meaning: 'Published by the feed, not received here' },
  silent: { label: 'Feed silent', meaning: 'Nothing published for longer than typical' },
  unknown: { label: 'Unknown gap', meaning: 'Nothing received; unknown whether the feed published' },
  closed: { label: 'Market closed', meaning: 'No updates expected, by the schedule of the feed' },
  inactive: { label: 'Not published', meaning: 'Inactive or not live yet, by the directory' },
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
