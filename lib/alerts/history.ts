import type { IncidentEvent, KeptIncident } from '@/lib/core/incident-record';
import type { Network } from '@/lib/core/network';
import type { Incident, Severity } from '@/lib/pending/answers';
import { gravest } from '@/lib/pending/rules/verdict';

/** What becomes of incidents over time: opened, grew, explained as, closed. */

/** From Monday to Monday, UTC; the last one is of now. */
export type Week = {
  fromMs: number;
  requests: number;
  /** `answeredShare`. */
  answered: number | null;
  /** `callbacksOkShare`. */
  callbacksOk: number | null;
  /** Time to callback, microseconds; null where none was called. */
  p95Us: number | null;
  incidents: number;
  /** The length of the longest of them, milliseconds; null without one. */
  longestMs: number | null;
  /** Whether the index holds all of its rows. */
  isCovered: boolean;
};

export type History = {
  nowMs: number;
  /** The newest first, of the last 90 days. */
  incidents: (KeptIncident & { events: IncidentEvent[] })[];
  isWhole: boolean;
  /** The newest first, none from before the index begins. */
  weeks: Week[];
  /** When the index begins; null while it is empty. */
  indexedFromMs: number | null;
  /** To choose from, by name. */
  networks: Network[];
};

export function lengthMs({ sinceMs, openedMs, closedMs }: KeptIncident, nowMs: number): number {
  return Math.max(0, (closedMs ?? nowMs) - Math.min(sinceMs, openedMs));
}

/** An incident that is not seen for so long is over: at the edge of a rule it may come and go. */
export const CLOSE_AFTER_MS = 120_000;

type Look = {
  open: readonly KeptIncident[];
  found: readonly Incident[];
  /** Keepers whose pending requests are known as of a moment ago; of others nothing is said. */
  keepers: ReadonlySet<string>;
  nowMs: number;
  /** Since when an open incident has not been seen, unix ms by key. It is kept up to date here. */
  missing: Map<string, number>;
  newKey: () => string;
};

export const NOTHING_SAID = { rule: null, headline: null, note: null, by: null, untilMs: null };

/** Incidents that are new or another than before, and what to tell of them. */
export function happenedSince(look: Look): { incidents: KeptIncident[]; events: IncidentEvent[] } {
  const { open, found, keepers, nowMs, missing } = look;
  const incidents: KeptIncident[] = [];
  const events: IncidentEvent[] = [];
  const tell = ({ key }: KeptIncident, of: Pick<IncidentEvent, 'kind' | 'size'> & Partial<IncidentEvent>) =>
    events.push({ incident: key, atMs: nowMs, ...NOTHING_SAID, ...of });
  const byId = new Map(open.map((one) => [one.id, one]));
  for (const seen of found) {
    if (!keepers.has(seen.keeper)) continue;
    const { size, rule } = seen;
    const headline = seen.verdicts[0]?.headline ?? '';
    const before = byId.get(seen.id);
    if (before === undefined) {
      const { id, keeper, networkId, severity, sinceMs } = seen;
      const opened = {
        ...{ key: look.newKey(), id, keeper, networkId, rules: [rule], headline, severity, sinceMs },
        ...{ openedMs: nowMs, closedMs: null, peak: size, told: size },
      };
      incidents.push(opened);
      tell(opened, { kind: 'opened', size, rule, headline });
      continue;
    }
    missing.delete(before.key);
    const isGrown = size >= Math.max(1, 2 * before.told);
    const isExplainedAnew = !before.rules.includes(rule);
    const now: KeptIncident = {
      ...before,
      rules: isExplainedAnew ? [...before.rules, rule] : before.rules,
      severity: gravest([before.severity as Severity, seen.severity]),
      sinceMs: Math.min(before.sinceMs, seen.sinceMs),
      peak: Math.max(before.peak, size),
      told: isGrown ? size : before.told,
    };
    if (JSON.stringify(now) !== JSON.stringify(before)) incidents.push(now);
    if (isGrown) tell(now, { kind: 'grew', size });
    if (isExplainedAnew) tell(now, { kind: 'explained', size, rule, headline });
  }
  const seenIds = new Set(found.map(({ id }) => id));
  for (const one of open) {
    if (seenIds.has(one.id) || !keepers.has(one.keeper)) continue;
    const sinceMs = sinceWhen(missing, one.key, nowMs);
    if (nowMs - sinceMs < CLOSE_AFTER_MS) continue;
    missing.delete(one.key);
    incidents.push({ ...one, closedMs: sinceMs });
    tell(one, { kind: 'closed', size: 0, atMs: sinceMs });
  }
  return { incidents, events };
}

/** Since when a thing is so, by what earlier looks remember of it; from now on where they don't. */
export function sinceWhen(memory: Map<string, number>, key: string, nowMs: number): number {
  const sinceMs = memory.get(key) ?? nowMs;
  memory.set(key, sinceMs);
  return sinceMs;
}
