import { groupDigits } from '@/lib/core/numbers';
import { formatDuration } from '@/lib/core/time';
import { type Figure, SEVERITIES, type Severity, type Verdict } from '@/lib/pending/pending-response';
import type { RuleId } from './rule-ids';

export type { Figure, Severity, Verdict } from '@/lib/pending/pending-response';

export function bySeverity(a: Severity, b: Severity): number {
  return SEVERITIES.indexOf(b) - SEVERITIES.indexOf(a);
}

export function mostSevere(severities: readonly Severity[]): Severity {
  return severities.toSorted(bySeverity)[0] ?? 'none';
}

const PROOF_LIMIT = 50;

type Details = Partial<Omit<Verdict, 'rule' | 'holds' | 'severity' | 'headline'>>;

export function holds(rule: RuleId, severity: Severity, headline: string, details: Details = {}): Verdict {
  const proof = (details.proof ?? []).slice(0, PROOF_LIMIT);
  const defaults = { figures: [], evidence: [], covers: 1, basis: 'evidence' as const };
  return { rule, holds: 'yes', severity, headline, ...defaults, ...details, proof };
}

export function doesNotHold(rule: RuleId, headline: string, details: Details = {}): Verdict {
  return { ...holds(rule, 'none', headline, { covers: 0, ...details }), holds: 'no' };
}

/** @param why without full stop */
export function unknownVerdict(rule: RuleId, why: string, details: Details = {}): Verdict {
  return { ...doesNotHold(rule, 'Unknown', { ...details, missing: why }), holds: 'unknown' };
}

export const AGE_WHEN_CHECKED = 'Age when checked';

export const SHARE_PENDING = 'Share pending';

export function figure(label: string, value: number | string, unit: Figure['unit']): Figure {
  return { label, value, unit };
}

/** @param foreign sanitises untrusted text */
export function figureText(
  { value, unit }: Figure,
  moment: (ms: number) => string,
  foreign: (text: string) => string,
): string {
  if (unit === 'ms') return formatDuration(Number(value));
  if (unit === 'moment') return moment(Number(value));
  if (unit === 'percent') return `${value}%`;
  return unit === 'text' ? foreign(String(value)) : groupDigits(value);
}

/** Rounded down, so that a share below a threshold does not read as the threshold. */
export function percentFloor(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.floor((part * 100) / whole);
}
