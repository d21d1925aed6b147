import type { DiagnosisSettings } from '@/lib/domain/diagnosis/diagnosis-settings';
import type { EvidenceUsed } from '@/lib/domain/diagnosis/evidence';
import type { Incident, IncidentSubject, SingleStuck } from '@/lib/domain/diagnosis/incident';
import type { LastHour, SilenceRow } from '@/lib/domain/diagnosis/silence-table';
import { type Figure, RULE_TITLES, type RuleId, type Verdict } from '@/lib/domain/diagnosis/verdict';
import {
  count,
  finite,
  list,
  objectOf,
  oneOf,
  optional,
  type Read,
  refuse,
  shape,
  text,
} from './triage-members';

/** Absent members of a type that spells out `undefined` are that. */
type Spelled<T> = { [K in keyof T]: T[K] };

export const ruleMember: Read<RuleId> = (value) =>
  typeof value === 'string' && Object.hasOwn(RULE_TITLES, value) ? (value as RuleId) : refuse('rule');

const severityMember = oneOf(['none', 'notice', 'warning', 'critical']);

const figureMember = shape<Figure>({
  label: text,
  value: (value) => (typeof value === 'string' ? value : finite(value)),
  unit: oneOf(['ms', 'moment', 'rows', 'senders', 'percent', 'blocks', 'gas', 'numbers', 'hex', 'text']),
});

const evidenceMember = shape<EvidenceUsed>({
  id: oneOf(['E1', 'E2', 'E3', 'E4', 'E5', 'E6', 'finished', 'count']),
  query: text,
  atMs: finite,
});

export const verdictMember = shape<Verdict>({
  rule: ruleMember,
  holds: oneOf(['yes', 'no', 'unknown']),
  severity: severityMember,
  headline: text,
  figures: list(figureMember),
  proof: list(text),
  evidence: list(evidenceMember),
  missing: optional(text),
  covers: count,
  basis: oneOf(['evidence', 'estimate']),
  decisive: optional(oneOf(['yes'])),
});

const subjectMember: Read<IncidentSubject> = (value) => {
  const { kind, sender, transaction, provider, modulus, remainder } = objectOf(value);
  switch (kind) {
    case 'network':
    case 'silence':
    case 'rest':
      return { kind };
    case 'sender':
      return { kind, sender: text(sender) };
    case 'transaction':
      return { kind, transaction: text(transaction) };
    case 'replica':
      return { kind, provider: text(provider), modulus: count(modulus), remainder: count(remainder) };
    default:
      return refuse('subject');
  }
};

export const incidentMember: Read<Incident> = shape<Spelled<Incident>>({
  id: text,
  keeper: text,
  networkId: text,
  subject: subjectMember,
  rule: ruleMember,
  severity: severityMember,
  size: count,
  senders: count,
  sinceMs: finite,
  oldestKey: optional(text),
  rows: list(text),
  verdicts: list(verdictMember),
});

export const singleMember: Read<SingleStuck> = shape<Spelled<SingleStuck>>({
  key: text,
  keeper: text,
  networkId: text,
  sequence: text,
  sender: optional(text),
  sinceMs: finite,
  rule: ruleMember,
  severity: severityMember,
  verdicts: list(verdictMember),
});

const lastHourMember = shape<Spelled<LastHour>>({
  finished: count,
  failed: count,
  medianMs: optional(finite),
  p95Ms: optional(finite),
  extent: oneOf(['whole', 'part']),
});

export const silenceMember: Read<SilenceRow> = shape<Spelled<SilenceRow>>({
  keeper: text,
  networkId: text,
  lastRequestMs: optional(finite),
  usualGapMs: optional(finite),
  pending: optional(count),
  stuck: optional(count),
  lastHour: optional(lastHourMember),
  quiet: verdictMember,
  missing: list(text),
});

export const settingsMember = shape<DiagnosisSettings>({
  slowAfterS: finite,
  retryBudgetS: finite,
  stuckAfterS: finite,
  backlogBlocks: finite,
  origin: oneOf(['usual', 'configured']),
});
