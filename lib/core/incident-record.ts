/** What is kept of incidents beyond the index. Moments are unix milliseconds, by the clock of the services. */

/** What somebody has seen and keeps quiet. */
export type Acknowledgement = {
  /** `incident` with the id of triage, `request` with the key of its row, `failure` with the name of its group. */
  kind: string;
  id: string;
  atMs: number;
  /** Until then at most; null: until it changes or is over. */
  untilMs: number | null;
  /** What somebody wrote, plain text; empty without. */
  note: string;
  /** Who did it, where access knows. */
  by: string | null;
  size: number;
  /** What was its likely cause; null where it has none. */
  cause: string | null;
};

/** An incident from when it was first seen until it was over. */
export type KeptIncident = {
  key: string;
  /** As triage names it: another one of the same id may have been before. */
  id: string;
  keeper: string;
  networkId: string;
  /** The rule that it was opened under, then those that led later. */
  rules: readonly string[];
  headline: string;
  severity: string;
  /** Its oldest request, or the last of a silent network. */
  sinceMs: number;
  openedMs: number;
  closedMs: number | null;
  peak: number;
  /** How many it had when its size was last told. */
  told: number;
};

export type IncidentEvent = {
  incident: string;
  atMs: number;
  kind: 'opened' | 'grew' | 'explained' | 'acknowledged' | 'undone' | 'returned' | 'closed';
  size: number;
  rule: string | null;
  headline: string | null;
  note: string | null;
  by: string | null;
  untilMs: number | null;
};

/** Something that is told by the webhook: once, and kept so that a restart does not repeat it. */
export type Notice = {
  id: string;
  /** `incident/<its id>`, `keeper/main`, `service/updates`, `failure/<group>`, `feed/<symbol>`. */
  subject: string;
  kind: string;
  title: string;
  /** The other things that a message says, as JSON. */
  facts: string;
  sinceMs: number | null;
  atMs: number;
  /** When it was over; a condition that is not is not told again. */
  endedMs: number | null;
  /** `dropped`: somebody acknowledged it before it was sent. */
  state: 'waiting' | 'sent' | 'dropped' | 'given-up';
  attempts: number;
  nextMs: number;
  sentMs: number | null;
  /** Why the last try failed, without an address. */
  error: string | null;
};
