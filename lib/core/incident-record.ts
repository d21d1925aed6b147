/** Records about incidents, stored outside the index. Moments are unix milliseconds by the clock of the services. */

/** A subject that a person has acknowledged. It raises no alarm until it changes. */
export type Acknowledgement = {
  /** `incident` with the id from triage, `request` with the key of its row, or `failure` with the name of its group. */
  kind: string;
  id: string;
  atMs: number;
  /** Latest time at which the acknowledgement ends; null if it lasts until the subject changes or ends. */
  untilMs: number | null;
  /** Note of the person, plain text; may be empty. */
  note: string;
  /** Name of the person, if the access mode provides it. */
  by: string | null;
  size: number;
  /** Likely cause when it was acknowledged; null if there was none. */
  cause: string | null;
};

/**
 * Anomalies of a network. A record whose first rule is one of them is about a degraded network; all others are about
 * stuck requests.
 */
const DEGRADED_RULES: readonly string[] = ['failing', 'callbacks-failing', 'slow', 'silent'];

/** Whether a record is about a degraded network rather than stuck requests. */
export const isDegraded = ({ rules: [rule = ''] }: Pick<IncidentRecord, 'rules'>): boolean =>
  DEGRADED_RULES.includes(rule);

/** An incident, or a degraded network, from its first sighting to its end. */
export type IncidentRecord = {
  key: string;
  /** Id from triage. An earlier incident may have had the same id. */
  id: string;
  keeper: string;
  networkId: string;
  /** The rule that opened the incident, followed by the rules that led later. */
  rules: readonly string[];
  headline: string;
  severity: string;
  /** Creation time of its oldest request, or of the last request of a silent network. */
  sinceMs: number;
  openedMs: number;
  closedMs: number | null;
  /**
   * Highest number of requests at once. For a degraded network, the worst value: failures per thousand, microseconds,
   * or requests.
   */
  peak: number;
  /** The size that was last reported. */
  reportedSize: number;
};

export type IncidentEvent = {
  incident: string;
  atMs: number;
  kind: 'opened' | 'grew' | 'explained' | 'acknowledged' | 'undone' | 'returned' | 'closed';
  /** Size; for `closed`, the number of requests still stuck on its network, for other causes or alone. */
  size: number;
  rule: string | null;
  /** Headline of a verdict. For `closed`, the reason why it is unknown whether its requests were answered. */
  headline: string | null;
  note: string | null;
  by: string | null;
  untilMs: number | null;
};

/** A message of the webhook. It is sent once, and stored so that a restart does not repeat it. */
export type Notice = {
  id: string;
  /** `incident/<id>`, `keeper/main`, `service/updates`, `failure/<group>`, `feed/<symbol>`. */
  subject: string;
  kind: string;
  title: string;
  /** Further facts of the message, as JSON. */
  facts: string;
  sinceMs: number | null;
  atMs: number;
  /** End of the condition; null while it lasts. A condition is reported once, however long it lasts. */
  endedMs: number | null;
  /** `dropped`: the condition was acknowledged before the message was sent. */
  state: 'waiting' | 'sent' | 'dropped' | 'given-up';
  attempts: number;
  nextMs: number;
  sentMs: number | null;
  /** Reason of the last failed attempt, without the address. */
  error: string | null;
};
