import 'server-only';
import { CLOSE_AFTER_MS, without } from '@/lib/alerts/history';
import { mergedSpans, type Span } from '@/lib/alerts/watched';
import { groupedBy } from '@/lib/core/grouped';
import { FROM_LOG_RULE, type IncidentRecord, isDegraded } from '@/lib/core/incident-record';
import { countOf } from '@/lib/core/numbers';
import { MIN_TOGETHER } from '@/lib/core/pending-settings';
import { DAY_MS, formatSpan, MINUTE_MS } from '@/lib/core/time';
import { WINDOW_MS } from '@/lib/pending/rules/evidence';
import type { LongWait } from '@/lib/store/queries/long-waits';

/**
 * Reconstructs from times of requests when several of a network were stuck at once, for the time before incidents were
 * recorded. Their causes are unknown.
 */

/** Stuck requests of a network from `fromMs`, of which the oldest was created at `sinceMs`. */
export type StuckTogether = Pick<LongWait, 'keeperId' | 'networkId'> &
  Span & { sinceMs: number; budgetMs: number; peak: number };

/** A request that was revealed within this share of the retry budget, by its block, was not stuck, however late it was logged. */
const SOON_SHARE = 0.25;
/** Shorter spans say too little about the time between blocks. */
const MIN_RATE_MS = 10 * MINUTE_MS;

type StuckWait = Span & Pick<LongWait, 'provider'> & { createdMs: number };

/** @param rows of any order @param nowMs end of pending requests; all times are by the keepers' clocks */
export function stuckTogether(
  rows: readonly LongWait[],
  budgetMsOf: (networkId: string) => number,
  nowMs: number,
): StuckTogether[] {
  const byNetwork = groupedBy(rows, ({ keeperId, networkId }) => `${keeperId}/${networkId}`);
  return [...byNetwork.values()].flatMap((ofNetwork) => {
    const [first] = ofNetwork;
    if (first === undefined || ofNetwork.length < MIN_TOGETHER) return [];
    const { keeperId, networkId } = first;
    const budgetMs = budgetMsOf(networkId);
    const blockMs = blockTimeMs(ofNetwork);
    const waits = ofNetwork.flatMap(({ provider, createdUs, durationUs, blocks }): StuckWait[] => {
      if (blocks !== null && blockMs !== undefined && blocks * blockMs < budgetMs * SOON_SHARE) return [];
      const createdMs = createdUs / 1000;
      const endedMs = durationUs === null ? nowMs : createdMs + durationUs / 1000;
      // Older ones alone are parked.
      const [fromMs, toMs] = [createdMs + budgetMs, Math.min(endedMs, nowMs, createdMs + DAY_MS)];
      return toMs > fromMs ? [{ provider, createdMs, fromMs, toMs }] : [];
    });
    const spans = [...groupedBy(waits, ({ provider }) => provider).values()].flatMap(runs).flatMap(overlaps);
    return spans.map((span) => ({ keeperId, networkId, budgetMs, ...span }));
  });
}

/** Undefined if the requests span too little time. */
function blockTimeMs(rows: readonly LongWait[]): number | undefined {
  const placed = rows.filter(({ block }) => block !== null).toSorted((a, b) => a.createdUs - b.createdUs);
  const [first, last] = [placed[0], placed.at(-1)];
  const ms = ((last?.createdUs ?? 0) - (first?.createdUs ?? 0)) / 1000;
  const blocks = (last?.block ?? 0) - (first?.block ?? 0);
  return ms < MIN_RATE_MS || blocks <= 0 ? undefined : ms / blocks;
}

/** Requests that were created close in time, as the rules group them. */
function runs(waits: readonly StuckWait[]): StuckWait[][] {
  const close: StuckWait[][] = [];
  for (const wait of waits.toSorted((a, b) => a.createdMs - b.createdMs)) {
    const last = close.at(-1);
    if (last !== undefined && wait.createdMs - (last.at(-1)?.createdMs ?? 0) <= WINDOW_MS) last.push(wait);
    else close.push([wait]);
  }
  return close;
}

/** Spans with at least `MIN_TOGETHER` waits, oldest first. A short pause is part of a span, as in the record. */
function overlaps(waits: readonly StuckWait[]): (Span & { sinceMs: number; peak: number })[] {
  const changes = waits
    .flatMap((wait) => [
      { atMs: wait.fromMs, wait, begins: true },
      { atMs: wait.toMs, wait, begins: false },
    ])
    .sort((a, b) => a.atMs - b.atMs || Number(a.begins) - Number(b.begins));
  const current = new Set<StuckWait>();
  const spans: (Span & { sinceMs: number; peak: number })[] = [];
  let isOpen = false;
  for (const { atMs, wait, begins } of changes) {
    if (begins) current.add(wait);
    else current.delete(wait);
    const last = spans.at(-1);
    if (current.size >= MIN_TOGETHER && !isOpen) {
      isOpen = true;
      if (last === undefined || atMs - last.toMs >= CLOSE_AFTER_MS) {
        const sinceMs = [...current].reduce((oldest, { createdMs }) => Math.min(oldest, createdMs), atMs);
        spans.push({ sinceMs, fromMs: atMs, toMs: atMs, peak: current.size });
      }
    }
    const open = spans.at(-1);
    if (!isOpen || open === undefined) continue;
    Object.assign(open, { toMs: atMs, peak: Math.max(open.peak, current.size) });
    isOpen = current.size >= MIN_TOGETHER;
  }
  return spans;
}

type Reconstruction = {
  /** Times of which the log, but no record, tells. */
  logged: readonly Span[];
  recorded: readonly IncidentRecord[];
  keeperName: (keeperId: number) => string;
  /** How far a keeper's clock is ahead of that of the record. */
  clockAheadMs: (keeper: string) => number;
};

/** Newest first. A recorded incident of the network replaces what is reconstructed of its time. */
export function incidentsFromLog(
  stuck: readonly StuckTogether[],
  { logged, recorded, keeperName, clockAheadMs }: Reconstruction,
): IncidentRecord[] {
  const incidents = stuck.flatMap(({ keeperId, networkId, sinceMs, fromMs, toMs, peak, budgetMs }) => {
    const keeper = keeperName(keeperId);
    const aheadMs = clockAheadMs(keeper);
    const whole = { fromMs: sinceMs - aheadMs, toMs: toMs - aheadMs };
    const ofRecord = recorded
      .filter((incident) => incident.keeper === keeper && incident.networkId === networkId)
      .filter((incident) => !isDegraded(incident))
      .map((incident) => ({
        fromMs: Math.min(incident.sinceMs, incident.openedMs),
        toMs: incident.closedMs ?? Number.MAX_SAFE_INTEGER,
      }));
    const parts = mergedSpans(logged, whole).flatMap((part) => without(part, mergedSpans(ofRecord, part)));
    return parts
      .filter((part) => part.toMs - part.fromMs >= MINUTE_MS)
      .map((part): IncidentRecord => {
        const id = `${encodeURIComponent(keeper)}/${networkId}/log`;
        return {
          key: `${id}/${part.fromMs}`,
          id,
          keeper,
          networkId,
          rules: [FROM_LOG_RULE],
          headline: `${countOf(peak, 'request')} at once waited longer than ${formatSpan(budgetMs)}`,
          severity: 'warning',
          sinceMs: part.fromMs,
          openedMs: Math.min(part.toMs, Math.max(part.fromMs, fromMs - aheadMs)),
          closedMs: part.toMs,
          peak,
          reportedSize: peak,
        };
      });
  });
  return incidents.sort((a, b) => b.openedMs - a.openedMs);
}
