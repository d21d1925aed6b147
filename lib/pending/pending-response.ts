import * as z from 'zod/mini';
import { answerReader } from '@/lib/core/gateway';
import type { PendingSettings } from '@/lib/core/pending-settings';
import type { KeeperStatus } from '@/lib/requests/keeper-status';
import type { RequestLocator } from '@/lib/requests/request-address';
import { listedRowSchema, listedRowsSchema } from '@/lib/requests/requests-response';
import { listedChain } from './chain-cause';

const count = z.int().check(z.nonnegative());
const texts = z.array(z.string());

export const SEVERITIES = ['none', 'notice', 'warning', 'critical'] as const;
const TRIAGE_STATES = ['syncing', 'complete', 'stale'] as const;

const rule = z.enum([
  'R1',
  'R2',
  'R3',
  'R4',
  'R5',
  'R6',
  'R7',
  'R8',
  'R9',
  'R10',
  'R11',
  'R12',
  'R13',
  'R14',
  'R15',
]);
/** `none`: the verdict does not hold, or nothing is wrong. */
const severity = z.enum(SEVERITIES);

/** `moment` is unix ms, `percent` is 0 to 100. Large integers are text; `text` may be untrusted. */
const figure = z.object({
  label: z.string(),
  value: z.union([z.number(), z.string()]),
  unit: z.enum(['ms', 'moment', 'rows', 'senders', 'percent', 'blocks', 'gas', 'numbers', 'text']),
});

/**
 * Evidence that a verdict used: the query string of `/v1/logs` that repeats the query, and the time of the query (unix
 * ms).
 */
const evidenceUsed = z.object({
  id: z.enum(['E1', 'E2', 'E3', 'E4', 'E5', 'E6', 'finished', 'others']),
  query: z.string(),
  atMs: z.number(),
});

const verdict = z.object({
  rule,
  holds: z.enum(['yes', 'no', 'unknown']),
  severity,
  /** One sentence without a full stop. Untrusted text and clock times are not part of it; those are figures. */
  headline: z.string(),
  figures: z.array(figure),
  /** Keys of rows that prove the verdict, at most `PROOF_LIMIT`. */
  proof: texts,
  evidence: z.array(evidenceUsed),
  /** Evidence that was not available, for `unknown` verdicts and for those that more evidence may refine. */
  missing: z.optional(z.string()),
  /** Number of pending requests that the verdict explains. */
  covers: count,
  /** `estimate`: the figures suggest the verdict, but the evidence named in `missing` was not checked. */
  basis: z.enum(['evidence', 'estimate']),
  decisive: z.optional(z.boolean()),
  /** True if the cause no longer holds and these requests are left over from it. */
  ended: z.optional(z.boolean()),
});

/** Subject of an incident within its network. `sender` and `transaction` are untrusted texts. */
const subject = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('network') }),
  z.object({ kind: z.literal('sender'), sender: z.string() }),
  z.object({ kind: z.literal('transaction'), transaction: z.string() }),
  z.object({ kind: z.literal('replica'), provider: z.string(), modulus: count, remainder: count }),
  z.object({ kind: z.literal('gas'), limit: z.enum(['too-large', 'high', 'low']) }),
  z.object({ kind: z.literal('silence') }),
  /**
   * Requests stuck since about the same time without a shared cause. `fromMs` is the creation of the oldest one when
   * the incident opened, unix ms.
   */
  z.object({ kind: z.literal('rest'), provider: z.string(), fromMs: z.number() }),
]);

const stuckCase = z.object({
  keeper: z.string(),
  networkId: z.string(),
  /** Likely cause; for an incident, the rule of its first verdict. */
  rule,
  severity,
  /** Creation of the oldest request, or of the newest row of a silent network, unix ms. */
  sinceMs: z.number(),
});

const incident = z.extend(stuckCase, {
  /**
   * The likely cause first, then other rules that hold for the network or the oldest request. Lists leave out figures,
   * proof and evidence; `incidentAnswer` has them.
   */
  verdicts: z.array(verdict),
  /** Constant for the life of the incident, while requests come and go. */
  id: z.string(),
  subject,
  /**
   * Number of requests, including those within normal age that the cause explains too (R6, R7). 0 for a silent network
   * without stuck requests.
   */
  size: count,
  senders: count,
  oldestKey: z.optional(z.string()),
  /** The chain's last answer, whose cause replaces the likely one; absent if the chain was not queried. */
  chain: z.optional(listedChain),
});

/** A stuck request that belongs to no incident. */
const single = z.extend(stuckCase, {
  key: z.string(),
  sequence: z.string(),
  sender: z.optional(z.string()),
  /** Older than a day. Parked requests are listed separately and do not count as stuck. */
  isParked: z.boolean(),
  /** The twin of a reorged duplicate (R5) has completed, so nothing needs to be done. */
  isSettled: z.boolean(),
  /** Last known facts from the chain, as for an incident. Present only where the request is listed by itself. */
  chain: z.optional(listedChain),
});

/** Single requests with the same likely cause. Parked ones form separate groups. */
const causeGroup = z.object({
  id: z.string(),
  rule,
  severity,
  isParked: z.boolean(),
  isSettled: z.boolean(),
  size: count,
  /** Number of acknowledged requests. */
  acknowledged: count,
  senders: count,
  /**
   * Network ids, those with the most requests first, at most `MAX_GROUP_NETWORKS`. `networks` is their total number.
   */
  networkIds: texts,
  networks: count,
  /** Creation of the oldest and the newest request, unix ms. */
  sinceMs: z.number(),
  newestMs: z.number(),
  /** The request, if the group has only one. */
  only: z.optional(single),
});

/** Finished requests among those created in the last hour, counted as in `spanTotals`. */
const lastHour = z.object({
  completed: count,
  callbackFailed: count,
  failed: count,
  /** Percentiles of the time to callback, interpolated; undefined without a callback. */
  p50Ms: z.optional(z.number()),
  p95Ms: z.optional(z.number()),
  /** Whether the known finished rows reach back an hour. If not, there may be more. */
  isWhole: z.boolean(),
});

/** A network of a keeper. An undefined figure means none; if `missing` is set, it means unknown. */
const activity = z.object({
  keeper: z.string(),
  networkId: z.string(),
  lastRequestMs: z.optional(z.number()),
  usualGapMs: z.optional(z.number()),
  /** Lower bounds while pending rows of the keeper are missing. `stuck` excludes acknowledged and parked requests. */
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

/** Overall state. Parked requests don't count as stuck. `not-known` must not be shown as calm. */
const status = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('stuck'), incidents: count, singles: count, requests: count }),
  z.object({ kind: z.literal('nothing-stuck'), checkedAtMs: z.number() }),
  z.object({ kind: z.literal('not-known'), why: z.string() }),
]);

/** `syncing`: a keeper's pending rows have not been read yet. `stale`: a keeper was last read a while ago. */
const asOf = { revision: count, atMs: z.number(), state: z.enum(TRIAGE_STATES) };

const triageAnswer = z.object({
  ...asOf,
  /**
   * The earliest of the times at which the keepers' open requests were last checked; undefined while one has never been
   * read.
   */
  checkedAtMs: z.optional(z.number()),
  /**
   * Moment up to which the rows of all keepers were read. It may be later than `checkedAtMs`, because open requests are
   * checked less often. For a keeper that is out of date, the earlier of both.
   */
  syncedAtMs: z.optional(z.number()),
  index: z.array(z.custom<KeeperStatus>((value) => typeof value === 'object' && value !== null)),
  /** Keepers whose clocks differ from ours. Ages are off by the difference. */
  clocks: z.array(z.object({ keeper: z.string(), offByMs: z.number() })),
  status,
  counts: z.object({
    pending: count,
    /** Requests of incidents (including young ones) and single requests, without acknowledged and parked ones. */
    stuck: count,
    acknowledged: count,
    /** Single requests older than a day, including unexamined ones. */
    parked: count,
    /** Highest severity among the requests in `stuck`; `none` if there are none. */
    worst: severity,
    /** Parked requests that are counted but not examined. */
    unexamined: count,
    slow: count,
    withinNormal: count,
    incidents: count,
    /** Single requests that are not parked. */
    singles: count,
    /** Requests beyond the number that can be examined. */
    missing: count,
    unreadable: count,
    /** Requests of the last day, old enough to be stuck, in states that are unknown here; in no other count. */
    unknownState: count,
    /** Requests that their keeper no longer serves. No other count includes them. */
    gone: count,
  }),
  /** The most severe first, at most `MAX_INCIDENTS`; `counts` has the total. */
  incidents: z.array(incident),
  /** Single requests by cause, newest first, parked ones last. */
  groups: z.array(causeGroup),
  /** Requests created before this moment, unix ms, are unexamined; absent if there are none. */
  examinedFromMs: z.optional(z.number()),
  activity: z.array(activity),
  settings: z.object({ others: settings, networks: z.record(z.string(), settings) }),
});

const incidentAnswer = z.object({
  ...asOf,
  /** Undefined if there is no incident with this id. Only in state `complete` does that mean that it is over. */
  incident: z.optional(incident),
  /** Rows of the incident as the service wrote them, oldest first, at most `MAX_INCIDENT_ROWS`. */
  rows: listedRowsSchema,
  markdown: z.optional(z.string()),
});

const groupAnswer = z.object({
  ...asOf,
  /** Undefined if there is no group with this id. */
  group: z.optional(causeGroup),
  /** One page of at most `GROUP_PAGE` requests, newest first. */
  requests: z.array(single),
});

const diagnosis = z.object({
  verdicts: z.array(verdict),
  /** Likely cause; undefined if there is none, as for most finished requests. */
  topRule: z.optional(rule),
  ageMs: z.number(),
  /**
   * Finished requests of the network: their number, how many took longer than the age of this request, and the 99th
   * percentile.
   */
  survival: z.optional(z.object({ finished: count, longer: count, p99Ms: z.number() })),
});

const diagnosisAnswer = z.object({
  revision: count,
  atMs: z.number(),
  /** `partial`: the evidence named in `missing` is not available. */
  state: z.enum(['complete', 'partial']),
  missing: z.array(z.object({ what: z.string(), why: z.string() })),
  /**
   * `several`: provider and transaction are needed to tell them apart. `gone`: no longer served. `not-known`: it may be
   * outside of the index.
   */
  found: z.enum(['one', 'several', 'none', 'gone', 'not-known']),
  /** The latest row from the service. */
  request: z.optional(listedRowSchema),
  diagnosis: z.optional(diagnosis),
  settings,
  markdown: z.optional(z.string()),
});

export type RuleId = z.infer<typeof rule>;
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
/** Answers in the form in which they are sent, with rows as text. */
export type WrittenIncident = z.input<typeof incidentAnswer>;
export type WrittenDiagnosis = z.input<typeof diagnosisAnswer>;

export const MAX_INCIDENTS = 100;
export const MAX_INCIDENT_ROWS = 100;
export const MAX_GROUP_NETWORKS = 3;
/** Number of requests of a group on a page. */
export const GROUP_PAGE = 25;

/** Readers of answers. An answer with an unreadable part fails as a whole with `malformed`. */
export const readTriage = answerReader(triageAnswer, 'state of pending requests');
export const readIncident = answerReader(incidentAnswer, 'incident');
export const readGroup = answerReader(groupAnswer, 'group of requests');
export const readDiagnosis = answerReader(diagnosisAnswer, 'diagnosis');

/** @param maxIncidents limit of incidents; with it, the activity of networks is left out */
export function triageAddress(maxIncidents?: number): string {
  return maxIncidents === undefined ? '/api/view/pending' : `/api/view/pending?most=${maxIncidents}`;
}

export function incidentAddress(id: string): string {
  return `/api/view/pending/incident?id=${encodeURIComponent(id)}`;
}

/** @param from offset of the first request */
export function groupAddress(id: string, from: number): string {
  return `/api/view/pending/group?id=${encodeURIComponent(id)}&from=${from}`;
}

/** Identity of a request to diagnose. `keeper` is the first one by default. */
export type DiagnosisLocator = Omit<RequestLocator, 'keepers'> & { keeper?: string };

export function diagnosisAddress({ networkId, ...locator }: DiagnosisLocator): string {
  const query = new URLSearchParams({ network: networkId });
  for (const [name, value] of Object.entries(locator)) if (value) query.set(name, value);
  return `/api/view/pending/diagnosis?${query}`;
}

export function incidentPath(id: string): `/pending?incident=${string}` {
  return `/pending?incident=${encodeURIComponent(id)}`;
}
