import type { FeedEntry } from '@/lib/core/feed';
import { formatSpan } from '@/lib/core/time';
import { closedSpans, MAX_CLOSED_MS, marketAt } from './market';
import type { PriceUpdate } from './price-update';

/** A feed is late after this many typical pauses. */
const LATE_PAUSES = 3;
/** A feed is stale after this many typical pauses. */
const STALE_PAUSES = 10;

/** Number of last pauses that are considered. */
const MAX_PAUSES = 60;
/** Number of updates that these pauses lie between. Older ones do not affect the cadence. */
export const CADENCE_UPDATES = MAX_PAUSES + 1;

/** Pauses shorter than this are never attributed to a closed market. */
const MIN_CLOSED_S = 300;

/**
 * Typical seconds between updates: the upper quartile of the last pauses, which a single night among them does not
 * change. Pauses while the market was closed don't count. Otherwise samples requested during a closed time would all be
 * the first after a night.
 */
export function usualPauseS(ticks: readonly TickTimes[], market: Market = {}): number | undefined {
  const pauses = ticks.flatMap(({ publishTimeS, prevPublishTimeS, isBackfilled, receivedFromS }, at) => {
    // The time between two samples is the sampling step, not a pause of the feed.
    const isAdjacent = !isBackfilled && receivedFromS === undefined;
    const beforeS = prevPublishTimeS ?? (isAdjacent ? ticks[at - 1]?.publishTimeS : undefined);
    if (beforeS === undefined || beforeS > publishTimeS) return [];
    const pauseS = publishTimeS - beforeS;
    const isClosed =
      pauseS > MIN_CLOSED_S && closedSpans(market.schedule, beforeS * 1000, publishTimeS * 1000).length > 0;
    return isClosed ? [] : Math.max(1, pauseS);
  });
  const sorted = pauses.slice(-MAX_PAUSES).sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * 0.75)];
}

/** Minimum ages from which a feed may be called late or stale, seconds (settings `FEED_LATE_S`, `FEED_STALE_S`). */
export type CadenceFloors = { readonly lateS: number; readonly staleS: number };

export function silentAfterS(pauseS: number | undefined, floors: CadenceFloors): number {
  return Math.max(floors.lateS, LATE_PAUSES * (pauseS ?? 0));
}

/**
 * `closed`: late while its market is closed. `inactive`: late, and unpublished according to the directory. `misdated`:
 * its publish time can't be right, so its age is unknown.
 */
export type FeedCurrency = {
  readonly word: 'fresh' | 'late' | 'stale' | 'closed' | 'inactive' | 'misdated';
  /** Time at which a closed market opens again, unix ms. Only present with `closed` and `stale`, and if known. */
  readonly opensAtMs?: number | undefined;
  /** Start of the silence, unix ms: the last update, or a later opening of the market. Only with `stale`. */
  readonly sinceMs?: number | undefined;
};

/** Whether a feed is published at all, by its `state` in the directory; true if it has none. */
const isPublished = (state = '') => !['inactive', 'coming_soon'].includes(state);

type Market = Pick<FeedEntry, 'schedule' | 'state'>;

/**
 * Whether the feed should have prices at a moment (unix ms). Undefined if the directory has no trading hours for it.
 */
export function isTrading({ schedule, state }: Market, atMs: number): boolean | undefined {
  if (!isPublished(state)) return false;
  const market = marketAt(schedule, atMs);
  return market && market.kind === 'open';
}

/**
 * Whether a feed is current, judged by its own cadence. A feed that publishes while its market is closed counts as
 * fresh. The time for which its market was closed is not a silence, because at an opening all prices are old.
 */
export function feedCurrency(facts: {
  readonly latestS: number;
  /** Its last updates, oldest first. They determine its typical pause. */
  readonly ticks: readonly TickTimes[];
  readonly nowMs: number;
  readonly floors: CadenceFloors;
  /** The market from the directory; absent if the directory has none. */
  readonly market?: Market | undefined;
}): FeedCurrency {
  const { latestS, ticks, nowMs, floors, market = {} } = facts;
  const ageS = nowMs / 1000 - latestS;
  const pauseS = usualPauseS(ticks.slice(-CADENCE_UPDATES), market);
  const lateAfterS = silentAfterS(pauseS, floors);
  if (ageS <= lateAfterS) return { word: 'fresh' };
  if (!isPublished(market.state)) return { word: 'inactive' };
  const now = marketAt(market.schedule, nowMs);
  const opensAtMs = now?.kind === 'closed' ? now.opensAtMs : undefined;
  const untilOpening = opensAtMs === undefined ? {} : { opensAtMs };
  const staleAfterS = Math.max(floors.staleS, STALE_PAUSES * (pauseS ?? 0), lateAfterS);
  const closed = closedSpans(market.schedule, latestS * 1000, nowMs);
  const silentMs = closed.reduce(
    (leftMs, { fromMs, untilMs }) => leftMs - (untilMs - fromMs),
    nowMs - Math.max(latestS * 1000, nowMs - MAX_CLOSED_MS),
  );
  // Without the cadence, it is unknown whether the feed fell silent before its market closed.
  const isStale = silentMs / 1000 > staleAfterS && (now?.kind !== 'closed' || pauseS !== undefined);
  if (!isStale) return now?.kind === 'closed' ? { word: 'closed', ...untilOpening } : { word: 'late' };
  let sinceMs = latestS * 1000;
  for (const { fromMs, untilMs } of closed) if (fromMs - sinceMs <= lateAfterS * 1000) sinceMs = untilMs;
  return { word: 'stale', sinceMs, ...untilOpening };
}

/** The part of an update that gaps are computed from. */
export type TickTimes = Pick<PriceUpdate, 'publishTimeS' | 'prevPublishTimeS'> &
  Partial<Pick<PriceUpdate, 'isBackfilled'>> & {
    /** Second from which on all updates up to this one were received, although they are left out. */
    readonly receivedFromS?: number | undefined;
  };

/** `unknown`: nothing came, and the service did not name the previous update. The others are explained in `GAPS`. */
export type GapKind = 'missed' | 'silent' | 'unknown' | 'closed' | 'inactive';

export type FeedGap = {
  readonly kind: GapKind;
  /** Start of the gap: the second of the last known update, or the closing of the market. */
  readonly fromS: number;
  /**
   * End of the gap. For `missed`, the last second known to be missed; otherwise the second of the next update, or now.
   */
  readonly untilS: number;
  /** True if the gap continues. The next update then decides its kind. */
  readonly isOpen?: boolean | undefined;
};

export type GapRules = {
  /** Longest pause that is typical of the feed, seconds (`silentAfterS`). */
  readonly silentAfterS: number;
  /** Distance between samples requested by time, seconds. */
  readonly sampledEveryS?: number;
  /** Unix second before which the updates are incomplete. */
  readonly liveFromS?: number;
  /** The right end of a chart: now by the publishing clock, with the state of the stream, or a moment in the `past`. */
  readonly edge?: { readonly nowS: number; readonly link: 'up' | 'down' | 'past' } | undefined;
  /** Start of the chart, if no update before it is known. */
  readonly beginsS?: number | undefined;
  /** The market from the directory. While it is closed, no updates are missing. */
  readonly market?: Market | undefined;
};

type CandidateGap = FeedGap & {
  /** Parts beside a closed market that are shorter than this are dropped. */
  readonly minS: number;
};

/**
 * Gaps between the updates of one feed (oldest publish time first), and their causes. The service sends with each
 * update the publish time of the previous one. If that is later than our last update, we missed some; otherwise the
 * feed was silent. The resolution is one second: there may be further updates in a second of which we have one. A chart
 * connects two neighbours only if there is no gap between them.
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
  // A sample may lie half a step away from its moment, so one missing sample leaves up to two steps.
  const sampledS = silentAfterS + 1.5 * sampledEveryS;
  const gaps: CandidateGap[] = [];
  let last: TickTimes | undefined =
    beginsS === undefined ? undefined : { publishTimeS: beginsS, isBackfilled: true };
  for (const tick of ticks) {
    if (last !== undefined && tick.publishTimeS < last.publishTimeS) continue;
    const isReceived = last !== undefined && (tick.receivedFromS ?? Infinity) <= last.publishTimeS;
    if (last !== undefined && !isReceived) {
      const isSampled = last.isBackfilled || tick.isBackfilled || last.publishTimeS < liveFromS;
      gaps.push(
        ...(isSampled
          ? betweenSamples(last.publishTimeS, tick, silentAfterS, sampledS)
          : between(last.publishTimeS, tick, silentAfterS)),
      );
    }
    last = tick;
  }
  const minS = last?.isBackfilled ? sampledS : silentAfterS;
  if (last !== undefined && edge !== undefined && edge.nowS - last.publishTimeS > minS) {
    const kind = edge.link === 'up' && ticks.length > 0 ? 'silent' : 'unknown';
    gaps.push({ kind, fromS: last.publishTimeS, untilS: edge.nowS, isOpen: edge.link !== 'past', minS });
  }
  return gaps.flatMap((gap) => splitByMarket(gap, market));
}

function between(
  fromS: number,
  { publishTimeS: untilS, prevPublishTimeS: before }: TickTimes,
  minS: number,
): CandidateGap[] {
  if (before === undefined || before > untilS) {
    return untilS - fromS > minS ? [{ kind: 'unknown', fromS, untilS, minS }] : [];
  }
  // The previous update was published in the same second and is missing here, so the time before it is
  // unknown.
  if (before === untilS) return untilS - fromS > 1 ? [{ kind: 'missed', fromS, untilS, minS }] : [];
  const silentFromS = Math.max(before, fromS);
  return [
    ...(before > fromS ? [{ kind: 'missed', fromS, untilS: before, minS } as const] : []),
    ...(untilS - silentFromS > minS ? [{ kind: 'silent', fromS: silentFromS, untilS, minS } as const] : []),
  ];
}

/** Gaps between samples: more than a step without a sample, or a silence that the service reports. */
function betweenSamples(
  fromS: number,
  tick: TickTimes,
  silentAfterS: number,
  sampledS: number,
): CandidateGap[] {
  const { publishTimeS: untilS, prevPublishTimeS = untilS } = tick;
  const silentFromS = prevPublishTimeS > untilS ? untilS : Math.max(prevPublishTimeS, fromS);
  const isSilent = untilS - silentFromS > silentAfterS;
  const unknownUntilS = isSilent ? silentFromS : untilS;
  return [
    ...(unknownUntilS - fromS > sampledS
      ? [{ kind: 'unknown', fromS, untilS: unknownUntilS, minS: sampledS } as const]
      : []),
    ...(isSilent ? [{ kind: 'silent', fromS: silentFromS, untilS, minS: silentAfterS } as const] : []),
  ];
}

/** Splits a gap at the closing times of its market, during which no update is expected. */
function splitByMarket({ minS, ...gap }: CandidateGap, market: Market = {}): FeedGap[] {
  const { kind, fromS, untilS, isOpen } = gap;
  if (kind === 'missed') return [gap];
  // The directory has only the present state, so a past gap can't be called inactive.
  if (isOpen && !isPublished(market.state)) return [{ ...gap, kind: 'inactive' }];
  const parts: FeedGap[] = [];
  let cursorS = fromS;
  const push = (toS: number) => {
    if (toS - cursorS > minS) parts.push({ kind, fromS: cursorS, untilS: toS });
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

/** Label of each kind of gap for legends, and its meaning. */
export const GAPS: Readonly<Record<GapKind, { readonly label: string; readonly meaning: string }>> = {
  missed: { label: 'Missed updates', meaning: 'Published by the feed, not received here' },
  silent: { label: 'Feed silent', meaning: 'Nothing published for longer than typical' },
  unknown: { label: 'Unknown gap', meaning: 'Nothing received; unknown whether the feed published' },
  closed: { label: 'Market closed', meaning: 'No updates expected, by the schedule of the feed' },
  inactive: { label: 'Not published', meaning: 'Inactive or not live yet, by the directory' },
};

const spanOf = (gaps: readonly FeedGap[]) =>
  formatSpan(gaps.reduce((sum, { fromS, untilS }) => sum + untilS - fromS, 0) * 1000);

/** One gap in a table cell: `Missed updates for 14 s`. */
export function gapText(gap: FeedGap): string {
  return `${GAPS[gap.kind].label} for ${spanOf([gap])}${gap.isOpen ? ' so far' : ''}`;
}

/** Gaps counted by kind: `Missed updates: 2 (14 s) · Feed silent: 1 (1 min)`; empty without gaps. */
export function gapCounts(gaps: readonly FeedGap[]): string {
  const kinds = (Object.keys(GAPS) as GapKind[]).flatMap((kind) => {
    const ofKind = gaps.filter((gap) => gap.kind === kind);
    return ofKind.length === 0 ? [] : `${GAPS[kind].label}: ${ofKind.length} (${spanOf(ofKind)})`;
  });
  return kinds.join(' · ');
}
