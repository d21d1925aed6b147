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
/** `none`: the rule does not apply, or nothing is wrong. */
const severity = z.enum(SEVERITIES);

/** `moment` is unix ms, `percent` is 0 to 100. Large integers are text; `text` may be untrusted. */
const figure = z.object({
  label: z.string(),
  value: z.union([z.number(), z.string()]),
  unit: z.enum(['ms', 'moment', 'rows', 'senders', 'percent', 'blocks', 'gas', 'numbers', 'text']),
});

/** `query`: query string of `/v1/logs`. `atMs`: time of the query, unix ms. */
const evidenceUsed = z.object({
  id: z.enum(['E1', 'E2', 'E3', 'E4', 'E5', 'E6', 'finished', 'others']),
  query: z.string(),
  atMs: z.number(),
});

const verdict = z.object({
  rule,
  holds: z.enum(['yes', 'no', 'unknown']),
  severity,
  /** No full stop. Untrusted texts and clock times are figures. */
  headline: z.string(),
  figures: z.array(figure),
  /** Keys of rows, at most `PROOF_LIMIT`. */
  proof: texts,
  evidence: z.array(evidenceUsed),
  /** Unavailable evidence, without which the verdict is unknown or less precise. */
  missing: z.optional(z.string()),
  /** Number of pending requests that the verdict explains. */
  covers: count,
  /** `estimate`: the evidence named in `missing` was not checked. */
  basis: z.enum(['evidence', 'estimate']),
  decisive: z.optional(z.boolean()),
  /** The cause is over; these requests remain from it. */
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
  /** Requests without a shared cause. `fromMs`: creation of the oldest when the incident opened, unix ms. */
  z.object({ kind: z.literal('rest'), provider: z.string(), fromMs: z.number() }),
]);

const stuckCase = z.object({
  keeper: z.string(),
  networkId: z.string(),
  rule,
  severity,
  /** Creation of the oldest request; for a silent network, of its newest row. Unix ms. */
  sinceMs: z.number(),
});

const incident = z.extend(stuckCase, {
  /** Likely cause first. Only `incidentAnswer` has figures, proof and evidence. */
  verdicts: z.array(verdict),
  /** Does not change as requests join and leave. */
  id: z.string(),
  subject,
  /** Includes young requests if a whole network or one sender is affected. 0 for a silent network. */
  size: count,
  senders: count,
  oldestKey: z.optional(z.string()),
  /** Replaces the likely cause. */
  chain: z.optional(listedChainSchema),
});

const single = z.extend(stuckCase, {
  key: z.string(),
  sequence: z.string(),
  sender: z.optional(z.string()),
  /** Older than a day; parked requests don't count as stuck. */
  isParked: z.boolean(),
  /** Its twin from before a reorganisation completed: nothing needs to be done. */
  isSettled: z.boolean(),
  /** Only if the request is listed by itself. */
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
  /** Networks with the most requests, at most `MAX_GROUP_NETWORKS`. `networks` is the number of all. */
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
  /** False if the last hour was not read completely: there may be more. */
  isWhole: z.boolean(),
});

/** Undefined figures are zero, or unknown if `missing` is set. */
const activity = z.object({
  keeper: z.string(),
  networkId: z.string(),
  lastRequestMs: z.optional(z.number()),
  /** Mean of the last 24 h; of a silent network, of the 24 h before its last request. */
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

/** `syncing`: pending rows of a keeper are not read yet. `stale`: not read for a while. */
const asOf = { revision: count, atMs: z.number(), state: z.enum(TRIAGE_STATES) };

const triageAnswer = z.object({
  ...asOf,
  /** Check of open requests, of the keeper checked longest ago; undefined until all were checked. */
  checkedAtMs: z.optional(z.number()),
  /** Rows of all keepers were read up to here. Open requests (`checkedAtMs`) are checked less often. */
  syncedAtMs: z.optional(z.number()),
  index: z.array(z.custom<KeeperStatus>((value) => typeof value === 'object' && value !== null)),
  /** Keepers whose clocks differ from ours. Ages are wrong by the difference. */
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
    /** Rows of the last day in an unknown state, old enough to be stuck. In no other count. */
    unknownState: count,
    /** Rows that their keeper no longer serves. In no other count. */
    gone: count,
  }),
  /** Most severe first, at most `MAX_INCIDENTS`. */
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
  /** Undefined if no incident has this id: it is over if the state is `complete`, otherwise unknown. */
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
  /** Undefined without a cause, as for most finished requests. */
  topRule: z.optional(rule),
  ageMs: z.number(),
  /** `longer`: finished requests that took longer than this one has waited. */
  survival: z.optional(z.object({ finished: count, longer: count, p99Ms: z.number() })),
});

const diagnosisAnswer = z.object({
  revision: count,
  atMs: z.number(),
  /** `partial`: the evidence in `missing` is not available. */
  state: z.enum(['complete', 'partial']),
  missing: z.array(z.object({ what: z.string(), why: z.string() })),
  /** `several`: distinguished by provider and transaction. `gone`: no longer served. `not-known`: maybe not indexed. */
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

/** A malformed part makes the whole answer `malformed`. */
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

/** Without `keeper`, the default one. */
export type DiagnosisLocator = Omit<RequestLocator, 'keepers'> & { keeper?: string };

export function diagnosisAddress({ networkId, ...locator }: DiagnosisLocator): string {
  const query = new URLSearchParams({ network: networkId });
  for (const [name, value] of Object.entries(locator)) if (value) query.set(name, value);
  return `/api/view/pending/diagnosis?${query}`;
}

export function incidentPath(id: string): `/pending?incident=${string}` {
  return `/pending?incident=${encodeURIComponent(id)}`;
}
