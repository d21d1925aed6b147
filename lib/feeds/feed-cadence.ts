import type { FeedEntry } from '@/lib/core/feed';
import { formatSpan } from '@/lib/core/time';
import { closedSpans, MAX_CLOSED_MS, marketAt } from './market';
import type { PriceUpdate } from './price-update';

/** Number of typical pauses after which a feed is late. */
const LATE_PAUSES = 3;
const STALE_PAUSES = 10;

/** Number of last pauses that count. */
const MAX_PAUSES = 60;
export const CADENCE_UPDATES = MAX_PAUSES + 1;

/** Shorter pauses are never attributed to a closed market. */
const MIN_CLOSED_S = 300;

/**
 * The upper quartile of the last pauses, seconds, which a single night among them does not change. Pauses of a closed
 * market don't count: samples requested during it would all be the first after a night.
 */
export function typicalPauseS(ticks: readonly TickTimes[], market: Market = {}): number | undefined {
  const pauses = ticks.flatMap(({ publishTimeS, prevPublishTimeS, isBackfilled, receivedFromS }, index) => {
    // The distance of two samples is the sampling step, not a pause of the feed.
    const isAdjacent = !isBackfilled && receivedFromS === undefined;
    const beforeS = prevPublishTimeS ?? (isAdjacent ? ticks[index - 1]?.publishTimeS : undefined);
    if (beforeS === undefined || beforeS > publishTimeS) return [];
    const pauseS = publishTimeS - beforeS;
    const isClosed =
      pauseS > MIN_CLOSED_S && closedSpans(market.schedule, beforeS * 1000, publishTimeS * 1000).length > 0;
    return isClosed ? [] : Math.max(1, pauseS);
  });
  const sorted = pauses.slice(-MAX_PAUSES).sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * 0.75)];
}

/** Ages before which no feed is late or stale, seconds (settings `FEED_LATE_S`, `FEED_STALE_S`). */
export type CadenceFloors = { readonly lateS: number; readonly staleS: number };

export function silentAfterS(pauseS: number | undefined, floors: CadenceFloors): number {
  return Math.max(floors.lateS, LATE_PAUSES * (pauseS ?? 0));
}

/** `closed`, `inactive` (unpublished, by the directory): late for this reason. `misdated`: its age is unknown. */
export type FeedCurrency = {
  readonly word: 'fresh' | 'late' | 'stale' | 'closed' | 'inactive' | 'misdated';
  /** Time of the next opening, unix ms. Only with `closed` and `stale`, and if known. */
  readonly opensAtMs?: number | undefined;
  /** Start of the silence, unix ms: the last update, or a later opening. Only with `stale`. */
  readonly sinceMs?: number | undefined;
};

/** Whether a feed is published, by the `state` in the directory; true if it has none. */
const isPublished = (state = '') => !['inactive', 'coming_soon'].includes(state);

export type Market = Pick<FeedEntry, 'schedule' | 'state' | 'areHoursPending'>;

/** Whether the feed should have prices. Undefined if the directory has no trading hours for it. */
export function isTrading({ schedule, state }: Market, atMs: number): boolean | undefined {
  if (!isPublished(state)) return false;
  const market = marketAt(schedule, atMs);
  return market && market.kind === 'open';
}

/**
 * How current a feed is, by its cadence. The closed time of its market is no silence: at an opening all prices are old.
 */
export function feedCurrency(facts: {
  readonly latestS: number;
  /** Last updates, oldest first, for the typical pause. */
  readonly ticks: readonly TickTimes[];
  readonly nowMs: number;
  readonly floors: CadenceFloors;
  /** Absent if the directory has none. */
  readonly market?: Market | undefined;
}): FeedCurrency {
  const { latestS, ticks, nowMs, floors, market = {} } = facts;
  const ageS = nowMs / 1000 - latestS;
  const pauseS = typicalPauseS(ticks.slice(-CADENCE_UPDATES), market);
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
  // Without the cadence, a silence before the market closed is unknown; without the hours, so is whether it is closed.
  const isJudged = market.areHoursPending !== true && (now?.kind !== 'closed' || pauseS !== undefined);
  const isStale = silentMs / 1000 > staleAfterS && isJudged;
  if (!isStale) return now?.kind === 'closed' ? { word: 'closed', ...untilOpening } : { word: 'late' };
  let sinceMs = latestS * 1000;
  for (const { fromMs, untilMs } of closed) if (fromMs - sinceMs <= lateAfterS * 1000) sinceMs = untilMs;
  return { word: 'stale', sinceMs, ...untilOpening };
}

export type TickTimes = Pick<PriceUpdate, 'publishTimeS' | 'prevPublishTimeS'> &
  Partial<Pick<PriceUpdate, 'isBackfilled'>> & {
    /** Second from which all updates up to this one were received, although they are left out. */
    readonly receivedFromS?: number | undefined;
  };

/** `unknown`: the service did not name the previous update. `unjudged`: silent or closed, until the hours are loaded. */
export type GapKind = 'missed' | 'silent' | 'unknown' | 'unjudged' | 'closed' | 'inactive';

export type FeedGap = {
  readonly kind: GapKind;
  /** The second of the last known update, or the closing of the market. */
  readonly fromS: number;
  /** End of a gap: if `missed`, the last second known to be missed; otherwise the second of the next update, or now. */
  readonly untilS: number;
  /** The next update then decides the kind. */
  readonly isOpen?: boolean | undefined;
};

export type GapRules = {
  /** Seconds without an update that make a gap, from `silentAfterS`. */
  readonly silentAfterS: number;
  /** Seconds between samples. */
  readonly sampledEveryS?: number;
  /** Unix second before which the updates are incomplete. */
  readonly liveFromS?: number;
  /** Right end of a chart: now by the publishing clock, with the state of the stream, or a moment in the `past`. */
  readonly edge?: { readonly nowS: number; readonly link: 'up' | 'down' | 'past' } | undefined;
  /** Start of the chart, if no update before it is known. */
  readonly beginsS?: number | undefined;
  readonly market?: Market | undefined;
};

type CandidateGap = FeedGap & {
  /** Shorter parts beside a closed market are dropped. */
  readonly minS: number;
};

/**
 * Gaps of one feed (oldest publish time first). Each update has the publish time of the previous one: if that is later
 * than our last update, we missed some; otherwise the feed was silent. A second of which we have an update may have more.
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
  // A sample may be half a step off, so one missing sample leaves up to two steps.
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
          : gapsBetween(last.publishTimeS, tick, silentAfterS)),
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

function gapsBetween(
  fromS: number,
  { publishTimeS: untilS, prevPublishTimeS: before }: TickTimes,
  minS: number,
): CandidateGap[] {
  if (before === undefined || before > untilS) {
    return untilS - fromS > minS ? [{ kind: 'unknown', fromS, untilS, minS }] : [];
  }
  // The previous update, of the same second, is missing here, so the time before it is unknown.
  if (before === untilS) return untilS - fromS > 1 ? [{ kind: 'missed', fromS, untilS, minS }] : [];
  const silentFromS = Math.max(before, fromS);
  return [
    ...(before > fromS ? [{ kind: 'missed', fromS, untilS: before, minS } as const] : []),
    ...(untilS - silentFromS > minS ? [{ kind: 'silent', fromS: silentFromS, untilS, minS } as const] : []),
  ];
}

/** Gaps between samples: more than a step without one, or a silence that the service reports. */
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

/** Parts of a gap outside of closed hours: no update is expected while the market is closed. */
function splitByMarket({ minS, ...gap }: CandidateGap, market: Market = {}): FeedGap[] {
  const { kind, fromS, untilS, isOpen } = gap;
  if (kind === 'missed') return [gap];
  // The directory has only the present state.
  if (isOpen && !isPublished(market.state)) return [{ ...gap, kind: 'inactive' }];
  if (kind === 'silent' && market.areHoursPending === true) return [{ ...gap, kind: 'unjudged' }];
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

export const GAPS: Readonly<Record<GapKind, { readonly label: string; readonly meaning: string }>> = {
  missed: { label: 'Missed updates', meaning: 'Published by the feed, not received here' },
  silent: { label: 'Feed silent', meaning: 'Nothing published for longer than typical' },
  unknown: { label: 'Unknown gap', meaning: 'Nothing received; unknown whether the feed published' },
  unjudged: { label: 'Hours loading', meaning: 'Nothing published; the trading hours are not loaded yet' },
  closed: { label: 'Market closed', meaning: 'No updates expected, by the schedule of the feed' },
  inactive: { label: 'Not published', meaning: 'Inactive or not live yet, by the directory' },
};

const spanOf = (gaps: readonly FeedGap[]) =>
  formatSpan(gaps.reduce((sum, { fromS, untilS }) => sum + untilS - fromS, 0) * 1000);

/** `Missed updates for 14 s` */
export function gapText(gap: FeedGap): string {
  return `${GAPS[gap.kind].label} for ${spanOf([gap])}${gap.isOpen ? ' so far' : ''}`;
}

/** `Missed updates: 2 (14 s) · Feed silent: 1 (1 min)`; empty without gaps. */
export function gapCounts(gaps: readonly FeedGap[]): string {
  const kinds = (Object.keys(GAPS) as GapKind[]).flatMap((kind) => {
    const ofKind = gaps.filter((gap) => gap.kind === kind);
    return ofKind.length === 0 ? [] : `${GAPS[kind].label}: ${ofKind.length} (${spanOf(ofKind)})`;
  });
  return kinds.join(' · ');
}
