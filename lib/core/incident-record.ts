/** Records about incidents, stored outside the index. Moments are unix milliseconds by our clock, not that of a keeper. */

/** An acknowledged subject raises no alarm until it changes. */
export type Acknowledgement = {
  /** `incident` (id from triage), `request` (key of its row), or `failure` (name of its group). */
  kind: string;
  id: string;
  atMs: number;
  /** Latest end; null if the acknowledgement lasts until the subject changes or ends. */
  untilMs: number | null;
  /** Plain text; may be empty. */
  note: string;
  /** Absent unless the access mode provides the person's name. */
  by: string | null;
  size: number;
  /** Likely cause at that time. */
  cause: string | null;
};

/** Anomalies of a network. Records that begin with another rule are about stuck requests. */
const DEGRADED_RULES: readonly string[] = ['failing', 'callbacks-failing', 'slow', 'silent'];

export const isDegraded = ({ rules: [rule = ''] }: Pick<IncidentRecord, 'rules'>): boolean =>
  DEGRADED_RULES.includes(rule);

/** In place of a rule: requests of a network were stuck at once, by the log, while nothing was recorded. */
export const FROM_LOG_RULE = 'from-log';

export const isFromLog = ({ rules: [rule] }: Pick<IncidentRecord, 'rules'>): boolean =>
  rule === FROM_LOG_RULE;

/** An incident from first sighting to end. */
export type IncidentRecord = {
  key: string;
  /** Id from triage. An earlier incident may have had the same id. */
  id: string;
  keeper: string;
  networkId: string;
  /** The rule that opened the incident, then those that led later. */
  rules: readonly string[];
  headline: string;
  severity: string;
  /** Creation of the oldest request, or of the last one of a silent network. */
  sinceMs: number;
  openedMs: number;
  closedMs: number | null;
  /** Most requests at once; of a degraded network, the worst failures per thousand, microseconds, or requests. */
  peak: number;
  reportedSize: number;
};

export type IncidentEvent = {
  incident: string;
  atMs: number;
  kind: 'opened' | 'grew' | 'explained' | 'acknowledged' | 'undone' | 'returned' | 'closed';
  /** Requests of the incident; for `closed`, those that are still stuck, for other causes or alone. */
  size: number;
  rule: string | null;
  /** Headline; for `closed`, what is unknown of the requests. */
  headline: string | null;
  note: string | null;
  by: string | null;
  untilMs: number | null;
};

/** A message of the webhook, stored so that a restart does not repeat it. */
export type Notice = {
  id: string;
  /** `incident/<id>`, `keeper/main`, `service/updates`, `failure/<group>`, `feed/<symbol>`. */
  subject: string;
  kind: string;
  title: string;
  /** JSON. */
  facts: string;
  sinceMs: number | null;
  atMs: number;
  /** Null while the condition lasts. It is reported once, however long it lasts. */
  endedMs: number | null;
  /** `dropped`: the condition was acknowledged before the message was sent. */
  state: 'waiting' | 'sent' | 'dropped' | 'given-up';
  attempts: number;
  nextMs: number;
  sentMs: number | null;
  /** Error of the last failed attempt, without the address. */
  error: string | null;
};
