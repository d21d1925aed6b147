import { groupDigits } from '@/lib/core/numbers';
import { formatDuration } from '@/lib/core/time';
import { type Figure, type RuleId, SEVERITIES, type Severity, type Verdict } from '@/lib/pending/answers';

export type { Figure, RuleId, Severity, Verdict } from '@/lib/pending/answers';

export const RULE_TITLES: Record<RuleId, string> = {
  R1: 'Within normal',
  R2: 'Slow',
  R3: 'Last retries',
  R4: 'Retries exhausted',
  R5: 'Reorged duplicate',
  R6: 'Whole network',
  R7: 'Sender’s contract',
  R8: 'Later ones completed',
  R9: 'Network quiet',
  R10: 'Beyond catch-up range',
  R11: 'Unusual gas limit',
  R12: 'Missing sequences',
  R13: 'One replica may be down',
  R14: 'Late recovery',
  R15: 'Batch',
};

export const PENDING_MEANS = 'No outcome logged. Verify on-chain.';

export const STUCK_MEANS = 'Stuck: part of an incident, or past the retry budget.';

/** What these logs don't show, so that no rule can tell. */
export const LIMITATIONS: readonly string[] = [
  'Not in these logs: the balance of the keeper’s wallet, the fee paid or offered, the block hash and whether the block is still part of the chain, the nonce of the keeper’s transactions, the reveal delay',
  'A fee too low, or no randomness left, reverts the request on chain: it is never logged, so it can’t explain a pending one',
  'Causes are inferred from the logs, by the keeper’s default settings or those set for this dashboard',
];

/** Stands with the next steps of a pending request, where people look for a command. */
export const NO_RETRY_YET =
  'No retry command while pending: it needs the provider’s contribution, which is logged on completion';

/** What to do about what a rule says: sentences without full stop, the first step first. */
const STEPS: Record<RuleId, readonly string[]> = {
  R1: ['Wait: this age is normal here'],
  R2: ['Wait until the retry budget is over', 'Watch it to be notified of changes'],
  R3: [
    'Wait for the final look-up of the keeper',
    'Look for this sequence in the log of the keeper’s process',
  ],
  R4: [
    'Look for this sequence in the log of the keeper’s process',
    'If its block is within the catch-up range, a restart may pick it up',
  ],
  R5: [
    'Compare both transactions in the block explorer: only one can be part of the chain',
    'If this one is no longer on chain, nothing needs to be done',
  ],
  R6: [
    'Check the RPC endpoints of the network from the keeper’s host',
    'Check the balance of the keeper’s wallet on this network',
    'Check that the keeper’s process is alive and logging for this network',
  ],
  R7: [
    'Simulate the callback of this sender’s contract',
    'Tell the owner of the contract; the keeper works for others',
  ],
  R8: [
    'Look for this sequence in the log of the keeper’s process',
    'Simulate the callback: the keeper works for later requests',
  ],
  R9: [
    'Look in the block explorer for requests newer than the last logged one',
    'If there are any, check the keeper’s process and its RPC endpoints',
  ],
  R10: ['Widen the catch-up range for one start, or reveal it manually: a restart alone won’t retry it'],
  R11: ['Compare the gas limit with the block gas limit of the network', 'Tell the owner of the contract'],
  R12: ['Look in the block explorer for requests with the missing sequences'],
  R13: ['Check each replica of the keeper: one of them may not be working'],
  R14: ['Look in the keeper’s log for a restart at that time'],
  R15: ['Look at the other requests of the transaction'],
};

export function nextSteps(rule: RuleId | undefined): string[] {
  return ['Confirm the state of the request on chain', ...(rule === undefined ? [] : STEPS[rule])];
}

export function bySeverity(one: Severity, other: Severity): number {
  return SEVERITIES.indexOf(other) - SEVERITIES.indexOf(one);
}

export function gravest(severities: readonly Severity[]): Severity {
  return severities.toSorted(bySeverity)[0] ?? 'none';
}

/** More rows than this prove nothing more to a reader. */
export const PROOF_LIMIT = 50;

type Details = Partial<Omit<Verdict, 'rule' | 'holds' | 'severity' | 'headline'>>;

export function holds(rule: RuleId, severity: Severity, headline: string, details: Details = {}): Verdict {
  const proof = (details.proof ?? []).slice(0, PROOF_LIMIT);
  const usual = { figures: [], evidence: [], covers: 1, basis: 'evidence' as const };
  return { rule, holds: 'yes', severity, headline, ...usual, ...details, proof };
}

export function doesNotHold(rule: RuleId, headline: string, details: Details = {}): Verdict {
  return { ...holds(rule, 'none', headline, { covers: 0, ...details }), holds: 'no' };
}

/** @param why a sentence without full stop */
export function cannotTell(rule: RuleId, why: string, details: Details = {}): Verdict {
  return { ...doesNotHold(rule, 'Unknown', { ...details, missing: why }), holds: 'unknown' };
}

export function figure(label: string, value: number | string, unit: Figure['unit']): Figure {
  return { label, value, unit };
}

/** A figure in words. @param foreign makes texts of strangers harmless */
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

/** Rounded down, so that a share below a threshold never reads as the threshold. */
export function percentFloor(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.floor((part * 100) / whole);
}
