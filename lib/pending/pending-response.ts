import * as z from 'zod/mini';
import { answerReader } from '@/lib/core/gateway';
import type { PendingSettings } from '@/lib/core/pending-settings';
import { RULE } from '@/lib/pending/rules/rule-ids';
import type { KeeperStatus } from '@/lib/requests/keeper-status';
import type { RequestLocator } from '@/lib/requests/request-address';
import { listedRowSchema, listedRowsSchema } from '@/lib/requests/requests-response';
import { listedChainSchema } from './chain-cause';

const count = z.int().check(z.nonnegative());
const texts = z.array(z.string());

export const SEVERITIES = ['none', 'notice', 'warning', 'critical'] as const;
const TRIAGE_STATES = ['syncing', 'complete', 'stale'] as const;

const rule = z.enum(RULE);
/** `none`: the verdict does not hold, or nothing is wrong. */
const severity = z.enum(SEVERITIES);

/** `moment` is unix ms, `percent` is 0 to 100. Large integers are text; `text` may be untrusted. */
const figure = z.object({
  label: z.string(),
  value: z.union([z.number(), z.string()]),
  unit: z.enum(['ms', 'moment', 'rows', 'senders', 'percent', 'blocks', 'gas', 'numbers', 'text']),
});

/** Query string of `/v1/logs` that repeats the query, and its time (unix ms). */
const evidenceUsed = z.object({
  id: z.enum(['E1', 'E2', 'E3', 'E4', 'E5', 'E6', 'finished', 'others']),
  query: z.string(),
  atMs: z.number(),
});

const verdict = z.object({
  rule,
  holds: z.enum(['yes', 'no', 'unknown']),
  severity,
  /** Headline without full stop, untrusted text or clock times; those are figures. */
  headline: z.string(),
  figures: z.array(figure),
  /** Keys of rows, at most `PROOF_LIMIT`. */
  proof: texts,
  evidence: z.array(evidenceUsed),
  /** Evidence that was not available, also for verdicts that it may refine. */
  missing: z.optional(z.string()),
  /** Pending requests that the verdict explains. */
  covers: count,
  /** `estimate`: the evidence named in `missing` was not checked. */
  basis: z.enum(['evidence', 'estimate']),
  decisive: z.optional(z.boolean()),
  /** The cause no longer holds; these requests are left over from it. */
  ended: z.optional(z.boolean()),
});

/** `sender` and `transaction` are untrusted texts. */
const subject = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('network') }),
  z.object({ kind: z.literal('sender'), sender: z.string() }),
  z.object({ kind: z.literal('transaction'), transaction: z.string() }),
  z.object({ kind: z.literal('replica'), provider: z.string(), modulus: count, remainder: count }),
  z.object({ kind: z.literal('gas'), limit: z.enum(['too-large', 'high', 'low']) }),
  z.object({ kind: z.literal('silence') }),
  /**
   * The other requests, which share no cause. `fromMs`: creation of the oldest one when the incident opened, unix ms.
   */
  z.object({ kind: z.literal('rest'), provider: z.string(), fromMs: z.number() }),
]);

const stuckCase = z.object({
  keeper: z.string(),
  networkId: z.string(),
  rule,
  severity,
  /** Creation of the oldest request, or of the newest row of a silent network, unix ms. */
  sinceMs: z.number(),
});

const incident = z.extend(stuckCase, {
  /** The likely cause first. Lists leave out figures, proof and evidence; `incidentAnswer` has them. */
  verdicts: z.array(verdict),
  /** Constant while requests come and go. */
  id: z.string(),
  subject,
  /**
   * Includes requests within normal age if a whole network or one sender is affected. 0 for a silent network without
   * stuck requests.
   */
  size: count,
  senders: count,
  oldestKey: z.optional(z.string()),
  /** The cause from the chain replaces the likely one. */
  chain: z.optional(listedChainSchema),
});

const single = z.extend(stuckCase, {
  key: z.string(),
  sequence: z.string(),
  sender: z.optional(z.string()),
  /** Older than a day; parked requests don't count as stuck. */
  isParked: z.boolean(),
  /** The twin of a reorged duplicate completed: nothing needs to be done. */
  isSettled: z.boolean(),
  /** Cause on the chain, only where the request is listed by itself. */
  chain: z.optional(listedChainSchema),
});

/** Parked requests form separate groups. */
const causeGroup = z.object({
  id: z.string(),
  rule,
  severity,
  isParked: z.boolean(),
  isSettled: z.boolean(),
  size: count,
  acknowledged: count,
  senders: count,
  /** The networks with the most requests, at most `MAX_GROUP_NETWORKS`; `networks` counts all. */
  networkIds: texts,
  networks: count,
  /** Creation, unix ms. */
  sinceMs: z.number(),
  newestMs: z.number(),
  /** Set if the group has only one request. */
  only: z.optional(single),
});

/** Requests created in the last hour, counted as in `spanTotals`. */
const lastHour = z.object({
  completed: count,
  callbackFailed: count,
  failed: count,
  /** Median time to callback, interpolated. */
  p50Ms: z.optional(z.number()),
  p95Ms: z.optional(z.number()),
  /** False if finished rows were not read back for an hour: there may be more. */
  isWhole: z.boolean(),
});

/** An undefined figure means none, or unknown if `missing` is set. */
const activity = z.object({
  keeper: z.string(),
  networkId: z.string(),
  lastRequestMs: z.optional(z.number()),
  /** Mean of 24 h: of the last, or of a silent network of those before its last request. */
  usualGapMs: z.optional(z.number()),
  /** Lower bounds while pending rows are missing. `stuck` excludes acknowledged and parked requests. */
  pending: z.optional(count),
  stuck: z.optional(count),
  acknowledged: z.optional(count),
  parked: z.optional(count),
  lastHour: z.optional(lastHour),
  quiet: verdict,
  missing: texts,
});

const settings: z.ZodMiniType<PendingSettings> = z.object({
  slowAfterS: z.number(),
  retryBudgetS: z.number(),
  stuckAfterS: z.number(),
  backlogBlocks: z.number(),
  origin: z.enum(['usual', 'configured']),
});

/** `not-known` must not be shown as calm. */
const status = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('stuck'), incidents: count, singles: count, requests: count }),
  z.object({ kind: z.literal('nothing-stuck'), checkedAtMs: z.number() }),
  z.object({ kind: z.literal('not-known'), why: z.string() }),
]);

/** `syncing`: a keeper's pending rows have not been read yet. `stale`: last read a while ago. */
const asOf = { revision: count, atMs: z.number(), state: z.enum(TRIAGE_STATES) };

const triageAnswer = z.object({
  ...asOf,
  /** The earliest check of the keepers' open requests; undefined while one has never been read. */
  checkedAtMs: z.optional(z.number()),
  /** All keepers' rows were read up to here. Open requests (`checkedAtMs`) are checked less often. */
  syncedAtMs: z.optional(z.number()),
  index: z.array(z.custom<KeeperStatus>((value) => typeof value === 'object' && value !== null)),
  /** Keepers whose clocks differ from ours, which puts ages off by as much. */
  clocks: z.array(z.object({ keeper: z.string(), offByMs: z.number() })),
  status,
  counts: z.object({
    pending: count,
    /** `stuck`, `acknowledged`, `parked` and `worst` are as in `StuckCounts`. */
    stuck: count,
    acknowledged: count,
    parked: count,
    worst: severity,
    unexamined: count,
    slow: count,
    withinNormal: count,
    incidents: count,
    /** Acknowledged incidents that still have requests. */
    acknowledgedIncidents: count,
    /** Single requests, without parked ones. */
    singles: count,
    /** Requests beyond the limit of examination. */
    missing: count,
    unreadable: count,
    /** Created in the last day, old enough to be stuck; in no other count. */
    unknownState: count,
    /** Requests that their keeper no longer serves; in no other count. */
    gone: count,
  }),
  /** The most severe first, at most `MAX_INCIDENTS`. */
  incidents: z.array(incident),
  /** Newest first, parked ones last. */
  groups: z.array(causeGroup),
  /** Requests created before this moment (unix ms) are unexamined. */
  examinedFromMs: z.optional(z.number()),
  activity: z.array(activity),
  settings: z.object({ others: settings, networks: z.record(z.string(), settings) }),
});

const incidentAnswer = z.object({
  ...asOf,
  /** Undefined if no incident has this id. It is over only in state `complete`. */
  incident: z.optional(incident),
  /** Rows as the service wrote them, oldest first, at most `MAX_INCIDENT_ROWS`. */
  rows: listedRowsSchema,
  markdown: z.optional(z.string()),
});

const groupAnswer = z.object({
  ...asOf,
  group: z.optional(causeGroup),
  /** Newest first, at most `GROUP_PAGE`. */
  requests: z.array(single),
});

const diagnosis = z.object({
  verdicts: z.array(verdict),
  /** Undefined if there is none, as for most finished requests. */
  topRule: z.optional(rule),
  ageMs: z.number(),
  /** Finished requests of the network, and how many of them took longer than the age of this one. */
  survival: z.optional(z.object({ finished: count, longer: count, p99Ms: z.number() })),
});

const diagnosisAnswer = z.object({
  revision: count,
  atMs: z.number(),
  /** `partial`: the evidence in `missing` is not available. */
  state: z.enum(['complete', 'partial']),
  missing: z.array(z.object({ what: z.string(), why: z.string() })),
  /**
   * `several`: provider and transaction tell them apart. `gone`: no longer served. `not-known`: maybe not indexed.
   */
  found: z.enum(['one', 'several', 'none', 'gone', 'not-known']),
  request: z.optional(listedRowSchema),
  diagnosis: z.optional(diagnosis),
  settings,
  markdown: z.optional(z.string()),
});

export type Severity = z.infer<typeof severity>;
export type Figure = z.infer<typeof figure>;
export type EvidenceUsed = z.infer<typeof evidenceUsed>;
export type Verdict = z.infer<typeof verdict>;
export type Subject = z.infer<typeof subject>;
export type Incident = z.infer<typeof incident>;
export type Single = z.infer<typeof single>;
export type CauseGroup = z.infer<typeof causeGroup>;
export type NetworkActivity = z.infer<typeof activity>;
export type TriageStatus = z.infer<typeof status>;
export type TriageAnswer = z.infer<typeof triageAnswer>;
export type GroupAnswer = z.infer<typeof groupAnswer>;
export type IncidentAnswer = z.infer<typeof incidentAnswer>;
export type Diagnosis = z.infer<typeof diagnosis>;
export type DiagnosisAnswer = z.infer<typeof diagnosisAnswer>;
/** An incident as it is sent, with rows as text. */
export type WrittenIncident = z.input<typeof incidentAnswer>;
export type WrittenDiagnosis = z.input<typeof diagnosisAnswer>;

export const MAX_INCIDENTS = 100;
export const MAX_INCIDENT_ROWS = 100;
export const MAX_GROUP_NETWORKS = 3;
/** Requests per page of a group. */
export const GROUP_PAGE = 25;

/** An answer with an unreadable part fails as a whole with `malformed`. */
export const readTriage = answerReader(triageAnswer, 'state of pending requests');
export const readIncident = answerReader(incidentAnswer, 'incident');
export const readGroup = answerReader(groupAnswer, 'group of requests');
export const readDiagnosis = answerReader(diagnosisAnswer, 'diagnosis');

/** @param maxIncidents leaves out groups and the activity of networks */
export function triageAddress(maxIncidents?: number): string {
  return maxIncidents === undefined ? '/api/view/pending' : `/api/view/pending?most=${maxIncidents}`;
}

export function incidentAddress(id: string): string {
  return `/api/view/pending/incident?id=${encodeURIComponent(id)}`;
}

export function groupAddress(id: string, from: number): string {
  return `/api/view/pending/group?id=${encodeURIComponent(id)}&from=${from}`;
}

/** `keeper` is by default the first one. */
export type DiagnosisLocator = Omit<RequestLocator, 'keepers'> & { keeper?: string };

export function diagnosisAddress({ networkId, ...locator }: DiagnosisLocator): string {
  const query = new URLSearchParams({ network: networkId });
  for (const [name, value] of Object.entries(locator)) if (value) query.set(name, value);
  return `/api/view/pending/diagnosis?${query}`;
}

export function incidentPath(id: string): `/pending?incident=${string}` {
  return `/pending?incident=${encodeURIComponent(id)}`;
}
