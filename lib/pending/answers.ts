import * as z from 'zod/mini';
import { answerReader } from '@/lib/core/gateway';
import type { PendingSettings } from '@/lib/core/pending-settings';
import { listedRows, oneRow } from '@/lib/requests/answers';
import type { KeeperStatus } from '@/lib/requests/keeper-status';
import type { AskedRequest } from '@/lib/requests/request-address';

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
/** `none` for what does not hold, and for what is well. */
const severity = z.enum(SEVERITIES);

/** `moment`: unix ms, `percent`: 0 to 100. Large integers are text; `text` may come from strangers. */
const figure = z.object({
  label: z.string(),
  value: z.union([z.number(), z.string()]),
  unit: z.enum(['ms', 'moment', 'rows', 'senders', 'percent', 'blocks', 'gas', 'numbers', 'text']),
});

/** A piece that a verdict rests on: the query string of `/v1/logs` that repeats it, and as of when it is known (unix ms). */
const evidenceUsed = z.object({
  id: z.enum(['E1', 'E2', 'E3', 'E4', 'E5', 'E6', 'finished', 'others']),
  query: z.string(),
  atMs: z.number(),
});

const verdict = z.object({
  rule,
  holds: z.enum(['yes', 'no', 'unknown']),
  severity,
  /** One sentence of ours without full stop; no text of strangers, no clock times (those are figures). */
  headline: z.string(),
  figures: z.array(figure),
  /** Keys of the rows that prove it, `PROOF_LIMIT` at most. */
  proof: texts,
  evidence: z.array(evidenceUsed),
  /** What could not be looked at: of all that is `unknown`, and of what more evidence may refine. */
  missing: z.optional(z.string()),
  /** Of how many pending requests it speaks. */
  covers: count,
  /** `estimate`: the figures suggest it, and something that `missing` names has not been checked. */
  basis: z.enum(['evidence', 'estimate']),
  decisive: z.optional(z.boolean()),
  /** It no longer holds: these requests are left over from it. */
  ended: z.optional(z.boolean()),
});

/** What an incident is about, within its network. `sender` and `transaction` come from strangers. */
const subject = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('network') }),
  z.object({ kind: z.literal('sender'), sender: z.string() }),
  z.object({ kind: z.literal('transaction'), transaction: z.string() }),
  z.object({ kind: z.literal('replica'), provider: z.string(), modulus: count, remainder: count }),
  z.object({ kind: z.literal('gas'), limit: z.enum(['too-large', 'high', 'low']) }),
  z.object({ kind: z.literal('silence') }),
  /** Stuck since about the same time without another cause that they share; the oldest when it was opened, unix ms. */
  z.object({ kind: z.literal('rest'), provider: z.string(), fromMs: z.number() }),
]);

const stuckCase = z.object({
  keeper: z.string(),
  networkId: z.string(),
  /** The likely cause. Of an incident that of its first verdict. */
  rule,
  severity,
  /** Unix ms: the oldest request, or the newest row of a network gone quiet. */
  sinceMs: z.number(),
});

const incident = z.extend(stuckCase, {
  /**
   * The likely cause first, then other rules that hold for its network or its oldest request. In a list they have no figures,
   * no proof and no evidence: `incidentAnswer` has those.
   */
  verdicts: z.array(verdict),
  /** Stays the same while the incident lasts, whichever of its requests come and go. */
  id: z.string(),
  subject,
  /** With those within normal that the cause explains too (R6, R7); 0 for a network gone quiet with nothing stuck. */
  size: count,
  senders: count,
  oldestKey: z.optional(z.string()),
});

/** A stuck request that belongs to no incident. */
const single = z.extend(stuckCase, {
  key: z.string(),
  sequence: z.string(),
  sender: z.optional(z.string()),
  /** Older than a day: parked requests are listed apart and are in no count of what is stuck. */
  isParked: z.boolean(),
  /** The twin of a reorged duplicate (R5) completed, so that nothing has to be done about this one. */
  isSettled: z.boolean(),
});

/** Single requests with the same likely cause, parked ones apart. */
const causeGroup = z.object({
  id: z.string(),
  rule,
  severity,
  isParked: z.boolean(),
  isSettled: z.boolean(),
  size: count,
  /** How many of them somebody has acknowledged. */
  acknowledged: count,
  senders: count,
  /** Network ids, those with most requests first, `MAX_GROUP_NETWORKS` at most, and how many there are. */
  networkIds: texts,
  networks: count,
  /** Unix ms: the oldest and the newest request. */
  sinceMs: z.number(),
  newestMs: z.number(),
  /** The request itself where it is the only one. */
  only: z.optional(single),
});

/** What finished within the last hour, by the time it was last updated. */
const lastHour = z.object({
  finished: count,
  failed: count,
  /** By nearest rank. */
  p50Ms: z.optional(z.number()),
  p95Ms: z.optional(z.number()),
  /** Whether the finished rows reach back an hour; else there may be more. */
  isWhole: z.boolean(),
});

/** One network of one keeper. Undefined: there is none, or it is not known, as `missing` tells. */
const activity = z.object({
  keeper: z.string(),
  networkId: z.string(),
  lastRequestMs: z.optional(z.number()),
  usualGapMs: z.optional(z.number()),
  /** Lower bounds while pending rows of the keeper are missing. `stuck`: without the acknowledged and the parked ones. */
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

/** Parked requests are not counted as stuck. `not-known` is never to be shown as calm. */
const status = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('stuck'), incidents: count, singles: count, requests: count }),
  z.object({ kind: z.literal('nothing-stuck'), checkedAtMs: z.number() }),
  z.object({ kind: z.literal('not-known'), why: z.string() }),
]);

/** `syncing`: some keeper's pending rows have not been read yet. `stale`: some keeper was last read a while ago. */
const asOf = { revision: count, atMs: z.number(), state: z.enum(TRIAGE_STATES) };

const triageAnswer = z.object({
  ...asOf,
  /** When the keeper that was read longest ago was read; undefined while one never was. */
  checkedAtMs: z.optional(z.number()),
  index: z.array(z.custom<KeeperStatus>((value) => typeof value === 'object' && value !== null)),
  /** Those of the keepers that are not ours: ages are off by as much. */
  clocks: z.array(z.object({ keeper: z.string(), offByMs: z.number() })),
  status,
  counts: z.object({
    pending: count,
    /** Requests of incidents, young ones too, and single ones; no acknowledged and no parked ones. */
    stuck: count,
    acknowledged: count,
    /** Single requests older than a day, with those that are too many to be examined. */
    parked: count,
    /** Parked requests that are only counted. */
    unexamined: count,
    slow: count,
    withinNormal: count,
    incidents: count,
    /** Single requests that are not parked. */
    singles: count,
    /** More than can be looked at. */
    missing: count,
    unreadable: count,
    /** No longer served by their keeper: in none of the other counts. */
    gone: count,
  }),
  /** The gravest first, `MAX_INCIDENTS` at most: `counts` says how many there are. */
  incidents: z.array(incident),
  /** Single requests by cause, the newest first, parked ones last. */
  groups: z.array(causeGroup),
  /** All that were created before this moment, unix ms, are unexamined; absent where none is. */
  examinedFromMs: z.optional(z.number()),
  activity: z.array(activity),
  settings: z.object({ others: settings, networks: z.record(z.string(), settings) }),
});

const incidentAnswer = z.object({
  ...asOf,
  /** Undefined when there is none of this id: only `complete` says that it is over. */
  incident: z.optional(incident),
  /** Its requests as the service wrote them, oldest first, `MAX_INCIDENT_ROWS` at most. */
  rows: listedRows,
  markdown: z.optional(z.string()),
});

const groupAnswer = z.object({
  ...asOf,
  /** Undefined when there is none of this id. */
  group: z.optional(causeGroup),
  /** `GROUP_PAGE` of its requests, the newest first, from the place that was asked for. */
  requests: z.array(single),
});

const diagnosis = z.object({
  verdicts: z.array(verdict),
  /** The likely cause; undefined when none holds, as for most finished requests. */
  topRule: z.optional(rule),
  ageMs: z.number(),
  /** The network's finished requests, how many of them took longer than this one is old, and their p99. */
  survival: z.optional(z.object({ finished: count, longer: count, p99Ms: z.number() })),
});

const diagnosisAnswer = z.object({
  revision: count,
  atMs: z.number(),
  /** `partial`: what `missing` names is not there. */
  state: z.enum(['complete', 'partial']),
  missing: z.array(z.object({ what: z.string(), why: z.string() })),
  /** `several`: name provider and transaction. `gone`: no longer served. `not-known`: may be where the index ends. */
  found: z.enum(['one', 'several', 'none', 'gone', 'not-known']),
  /** As the service wrote it last. */
  request: z.optional(oneRow),
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
/** The answers as they are written: rows as text. */
export type WrittenIncident = z.input<typeof incidentAnswer>;
export type WrittenDiagnosis = z.input<typeof diagnosisAnswer>;

export const MAX_INCIDENTS = 100;
export const MAX_INCIDENT_ROWS = 100;
export const MAX_GROUP_NETWORKS = 3;
/** Requests of a group that are sent and shown at once. */
export const GROUP_PAGE = 25;

/** Each reads the text of an answer, whole or not at all: it fails with `malformed`. */
export const readTriage = answerReader(triageAnswer, 'state of pending requests');
export const readIncident = answerReader(incidentAnswer, 'incident');
export const readGroup = answerReader(groupAnswer, 'group of requests');
export const readDiagnosis = answerReader(diagnosisAnswer, 'diagnosis');

/** @param most that many incidents, and no activity of networks */
export function triageAddress(most?: number): string {
  return most === undefined ? '/api/view/pending' : `/api/view/pending?most=${most}`;
}

export function incidentAddress(id: string): string {
  return `/api/view/pending/incident?id=${encodeURIComponent(id)}`;
}

/** @param from how many of its requests come before the first one of the answer */
export function groupAddress(id: string, from: number): string {
  return `/api/view/pending/group?id=${encodeURIComponent(id)}&from=${from}`;
}

/** Without a keeper the default one. */
export type DiagnosisAsked = Omit<AskedRequest, 'keepers'> & { keeper?: string };

export function diagnosisAddress({ networkId, ...asked }: DiagnosisAsked): string {
  const query = new URLSearchParams({ network: networkId });
  for (const [name, value] of Object.entries(asked)) if (value) query.set(name, value);
  return `/api/view/pending/diagnosis?${query}`;
}

export function incidentPath(id: string): `/pending?incident=${string}` {
  return `/pending?incident=${encodeURIComponent(id)}`;
}
