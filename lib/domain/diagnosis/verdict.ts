import type { EvidenceUsed } from './evidence';

export const RULE_TITLES = {
  R1: 'Within normal',
  R2: 'Slow',
  R3: 'End of the retry budget',
  R4: 'Most likely given up',
  R5: 'Reorganisation twin',
  R6: 'Whole network',
  R7: 'This sender’s contract',
  R8: 'Overtaken',
  R9: 'Network gone quiet',
  R10: 'Outside the backlog',
  R11: 'Unusual gas limit',
  R12: 'Missing numbers',
  R13: 'One replica',
  R14: 'Late recovery',
  R15: 'One of a batch',
} as const;

export type RuleId = keyof typeof RULE_TITLES;

/** How much it asks for attention. `none` for what does not hold, and for what is well. */
export type Severity = 'none' | 'notice' | 'warning' | 'critical';

const SEVERITIES: readonly Severity[] = ['none', 'notice', 'warning', 'critical'];

/** Below 0 when `one` is the graver. */
export function bySeverity(one: Severity, other: Severity): number {
  return SEVERITIES.indexOf(other) - SEVERITIES.indexOf(one);
}

export function graver(one: Severity, other: Severity): Severity {
  return bySeverity(one, other) <= 0 ? one : other;
}

/**
 * What a value is: `ms` a length of time, `moment` unix ms, `rows` a count of log rows, `percent` 0 to 100. Integers
 * that may be too large for a number are decimal text. `hex` and `text` may come from strangers.
 */
export type FigureUnit =
  | 'ms'
  | 'moment'
  | 'rows'
  | 'senders'
  | 'percent'
  | 'blocks'
  | 'gas'
  | 'numbers'
  | 'hex'
  | 'text';

export type Figure = { label: string; value: number | string; unit: FigureUnit };

export type Verdict = {
  rule: RuleId;
  holds: 'yes' | 'no' | 'unknown';
  severity: Severity;
  /** One sentence of ours without full stop; no text of strangers, no clock times (those are figures). */
  headline: string;
  figures: Figure[];
  /** Keys of the rows that prove it, `PROOF_LIMIT` at most; figures say how many there are. */
  proof: string[];
  /** What it rests on, with queries to repeat. */
  evidence: EvidenceUsed[];
  /** What could not be looked at: always there when `unknown`, and beside a yes or no that more evidence may refine. */
  missing?: string;
  /** Of how many pending requests it speaks: what decides between rules that explain groups. */
  covers: number;
  /** `estimate`: the figures suggest it, and a condition of the rule has not been checked: see `missing`. */
  basis: 'evidence' | 'estimate';
  /** It settles this request, whatever else holds. */
  decisive?: 'yes';
};

/** More rows than this prove nothing more to a reader. */
export const PROOF_LIMIT = 50;

type Found = { headline: string } & Partial<Omit<Verdict, 'rule' | 'holds' | 'severity' | 'headline'>>;

function verdict(rule: RuleId, holds: Verdict['holds'], severity: Severity, found: Found): Verdict {
  const { proof = [], ...rest } = found;
  const shape = { figures: [], evidence: [], covers: holds === 'yes' ? 1 : 0, basis: 'evidence' as const };
  return { rule, holds, severity, ...shape, ...rest, proof: proof.slice(0, PROOF_LIMIT) };
}

export function holds(rule: RuleId, severity: Severity, found: Found): Verdict {
  return verdict(rule, 'yes', severity, found);
}

export function doesNotHold(rule: RuleId, found: Found): Verdict {
  return verdict(rule, 'no', 'none', found);
}

/** @param why a sentence without full stop */
export function cannotTell(rule: RuleId, why: string, found: Partial<Found> = {}): Verdict {
  return verdict(rule, 'unknown', 'none', { headline: 'Can’t be told yet', ...found, missing: why });
}
