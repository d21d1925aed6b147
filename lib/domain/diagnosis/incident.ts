import type { FinishedRows, LoggedRow, Piece, RowsFound, WindowCount } from './evidence';
import { countText, numberText } from './span-text';
import type { RuleId, Severity, Verdict } from './verdict';

/** What a first view knows of one network: E6 and, where they are there, finished rows and counts. */
export type NetworkEvidence = {
  networkId: string;
  newest: Piece<LoggedRow | null>;
  lastDay: Piece<number>;
  finished: Piece<FinishedRows>;
  /** Counts of the stretches that `stretchesToCount` named. */
  counts: readonly Piece<WindowCount>[];
};

export type KeeperEvidence = {
  keeper: string;
  /** E1. */
  pending: Piece<RowsFound>;
  networks: readonly NetworkEvidence[];
};

/** What an incident is about, within its network. `sender` and `transaction` come from strangers. */
export type IncidentSubject =
  | { kind: 'network' }
  | { kind: 'sender'; sender: string }
  | { kind: 'transaction'; transaction: string }
  | { kind: 'replica'; provider: string; modulus: number; remainder: number }
  /** The network has gone quiet. */
  | { kind: 'silence' }
  /** What is stuck without a cause that the first view can see. */
  | { kind: 'rest' };

export type Incident = {
  /** Stays the same while the incident lasts, whichever of its requests come and go. */
  id: string;
  keeper: string;
  networkId: string;
  subject: IncidentSubject;
  /** The rule that explains most of it: that of the first verdict. */
  rule: RuleId;
  severity: Severity;
  /**
   * How many pending requests, those within normal included where the cause explains them too (R6, R7); 0 only when a network
   * has gone quiet with nothing stuck.
   */
  size: number;
  senders: number;
  /** Unix ms: its oldest request, or the newest row of a network gone quiet. */
  sinceMs: number;
  /** Key of its oldest request; undefined when it has none. */
  oldestKey: string | undefined;
  /** Keys of its requests, oldest first. */
  rows: string[];
  /** What explains most, then what else holds for its network or its oldest request. */
  verdicts: Verdict[];
};

/** A stuck request that belongs to no incident. */
export type SingleStuck = {
  key: string;
  keeper: string;
  networkId: string;
  sequence: string;
  sender: string | undefined;
  sinceMs: number;
  rule: RuleId;
  severity: Severity;
  verdicts: Verdict[];
};

/** Pending requests, each of them once: in an incident, single, slow or within normal. */
export type Triage = {
  /** The gravest first, then the largest, then the oldest. */
  incidents: Incident[];
  /** Oldest first. */
  singles: SingleStuck[];
  /** Keys of requests past normal that the keeper should still be retrying (R2), outside of incidents. */
  slow: string[];
  /** Keys of requests within normal, outside of incidents. */
  withinNormal: string[];
  /** How many pending requests that makes. */
  pending: number;
  /** How many more there are by the services' counts, and how many came that could not be read. */
  missing: number;
  unreadable: number;
  /** Keepers of which the pending requests are not known. */
  unchecked: { keeper: string; why: string }[];
  /** Unix ms: when the least recently asked keeper answered; undefined when none did. */
  checkedAtMs: number | undefined;
};

/** What may be said in one sentence. `not-known` is never to be shown as calm. */
export type Standing =
  | { kind: 'stuck'; incidents: number; singles: number; requests: number }
  | { kind: 'nothing-stuck'; checkedAtMs: number }
  | { kind: 'not-known'; why: string };

/** Nothing is stuck only when every keeper was asked and every row was seen and read. */
export function standingOf(triage: Triage): Standing {
  const stuck = triage.incidents.filter(({ size }) => size > 0);
  if (stuck.length + triage.singles.length > 0) {
    const requests = stuck.reduce((sum, { size }) => sum + size, triage.singles.length);
    return { kind: 'stuck', incidents: stuck.length, singles: triage.singles.length, requests };
  }
  const [unchecked] = triage.unchecked;
  if (unchecked !== undefined) return { kind: 'not-known', why: unchecked.why };
  const { missing, unreadable, checkedAtMs } = triage;
  if (missing > 0) return { kind: 'not-known', why: `${countText(missing, 'pending request')} not seen` };
  if (unreadable > 0) {
    return { kind: 'not-known', why: `${countText(unreadable, 'pending request')} could not be read` };
  }
  if (checkedAtMs === undefined) return { kind: 'not-known', why: 'No keeper has been asked' };
  return { kind: 'nothing-stuck', checkedAtMs };
}

/** How a page or a paper names networks and moments. */
export type HeadlineText = { network: (networkId: string) => string; moment: (ms: number) => string };

/** `Base: 41 pending, 12 senders, since 10:42`. The name is whatever `network` gives: escape it where that matters. */
export function incidentHeadline(
  incident: Pick<Incident, 'networkId' | 'size' | 'senders' | 'sinceMs'>,
  text: HeadlineText,
): string {
  const name = text.network(incident.networkId);
  const since = `since ${text.moment(incident.sinceMs)}`;
  if (incident.size === 0) return `${name}: nothing logged ${since}`;
  const senders = incident.senders === 0 ? [] : [countText(incident.senders, 'sender')];
  return `${name}: ${[`${numberText(incident.size)} pending`, ...senders, since].join(', ')}`;
}
