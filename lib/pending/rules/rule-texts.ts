import type { Verdict } from '@/lib/pending/pending-response';
import { RULE, type RuleId } from './rule-ids';

export const RULE_TITLES: Record<RuleId, string> = {
  [RULE.withinNormal]: 'Within normal',
  [RULE.slow]: 'Slow',
  [RULE.retryBudgetEnding]: 'Retry budget ending',
  [RULE.pastRetryBudget]: 'Past retry budget',
  [RULE.reorgedTwin]: 'Reorged duplicate',
  [RULE.wholeNetwork]: 'Whole network',
  [RULE.oneSender]: 'One sender’s requests',
  [RULE.overtaken]: 'Later ones completed',
  [RULE.networkQuiet]: 'Network quiet',
  [RULE.beyondCatchUp]: 'Beyond catch-up range',
  [RULE.unusualGas]: 'Unusual gas limit',
  [RULE.missingSequences]: 'Missing sequences',
  [RULE.replicaDown]: 'One replica may be down',
  [RULE.lateRecovery]: 'Late recovery',
  [RULE.batch]: 'Batch',
};

export const NO_OUTCOME = 'No outcome logged.';
export const PENDING_EXPLANATION = `${NO_OUTCOME} Verify on-chain.`;

export const STUCK_EXPLANATION =
  'Stuck: part of an incident, or past the retry budget; not acknowledged, and not a single request older than a day.';

/** Explanations without full stop. Other causes are explained by their title. */
const GROUP_EXPLANATIONS: Record<RuleId, string | undefined> = {
  [RULE.withinNormal]: undefined,
  [RULE.slow]: undefined,
  [RULE.retryBudgetEnding]: 'At the end of the retry budget, without a cause that they share',
  [RULE.pastRetryBudget]: 'Older than the retry budget, without a cause that they share',
  [RULE.reorgedTwin]:
    'The same sequence was logged under another transaction as well, most likely after a reorganisation',
  [RULE.wholeNetwork]: undefined,
  [RULE.oneSender]: undefined,
  [RULE.overtaken]:
    'Later requests of the same provider completed: the keeper works, and these are the exception',
  [RULE.networkQuiet]: 'Logged shortly before their network went quiet',
  [RULE.beyondCatchUp]: 'Their blocks are beyond the catch-up range of a restart',
  [RULE.unusualGas]: 'Their gas limit is unusual for the network',
  [RULE.missingSequences]: 'Sequences beside them are missing from the log',
  [RULE.replicaDown]: undefined,
  [RULE.lateRecovery]: 'Others of the same time were completed late, all at once',
  [RULE.batch]: 'Other requests of the same transaction completed',
};

/** Undefined if the title suffices. */
export function groupMeaning({ rule, isSettled }: { rule: RuleId; isSettled: boolean }): string | undefined {
  return rule === RULE.reorgedTwin && isSettled ? ORPHANS_EXPLANATION : GROUP_EXPLANATIONS[rule];
}

export function groupTitle({ rule, isSettled }: { rule: RuleId; isSettled: boolean }): string {
  if (rule !== RULE.reorgedTwin) return RULE_TITLES[rule];
  return isSettled ? 'Reorged duplicates' : 'Possible reorged duplicates';
}

const ORPHANS_EXPLANATION =
  'Their sequence completed under another transaction: most likely orphaned by a reorganisation';

/** Facts that the log does not show: no rule can use them. */
export const LIMITATIONS: readonly string[] = [
  'Not in these logs: the balance of the keeper’s wallet, the fee paid or offered, the block hash and whether the block is still part of the chain, the nonce of the keeper’s transactions, the reveal delay',
  'A fee too low, or no randomness left, reverts the request on chain: it is never logged, so it can’t explain a pending one',
  'Causes are inferred from the logs, by the keeper’s default settings or those set for this dashboard',
];

/** Text where readers expect a command. */
export const NO_RETRY_YET =
  'No retry command while pending: it needs the provider’s contribution, which is logged on completion';

/**
 * Steps for a request open on the chain whose keeper gave up. The backlog rule says whether a restart would read its block again.
 */
const STEP_BY_BACKLOG: Record<Verdict['holds'], string> = {
  yes: 'reveal it manually: its block is beyond the catch-up range of a restart',
  no: 'restart the keeper: its block is within the catch-up range',
  unknown: 'look for its sequence in the keeper’s log',
};

/** First steps, without full stop. The others depend on the backlog. */
const ACTIONS: Record<RuleId, string | undefined> = {
  [RULE.withinNormal]: 'Wait: this age is normal here',
  [RULE.slow]: 'Wait until the retry budget is over',
  [RULE.retryBudgetEnding]: 'Wait for the last attempt',
  [RULE.pastRetryBudget]: undefined,
  [RULE.reorgedTwin]: undefined,
  [RULE.wholeNetwork]:
    'Check that the network makes blocks, then the keeper’s process, RPC endpoint and wallet balance there',
  [RULE.oneSender]: 'Simulate the callback of this sender’s contract',
  [RULE.overtaken]: undefined,
  [RULE.networkQuiet]: 'Look in the block explorer for requests newer than the last logged one',
  [RULE.beyondCatchUp]: undefined,
  [RULE.unusualGas]: 'Compare its gas limit with the block gas limit of the network',
  [RULE.missingSequences]: 'Look in the block explorer for requests with the missing sequences',
  [RULE.replicaDown]: 'Check each replica of the keeper: one of them may not be working',
  [RULE.lateRecovery]: undefined,
  [RULE.batch]: 'Check the requests of its transaction in the block explorer',
};

const TWIN_ACTIONS = {
  settled: 'Verify in the block explorer that its transaction is gone; then nothing needs to be done',
  open: 'Check in the block explorer which of the transactions is part of the chain',
};

/** Age, gaps, batches and recoveries are facts that explain nothing. */
const IS_CAUSE: Record<RuleId, boolean> = {
  [RULE.withinNormal]: false,
  [RULE.slow]: false,
  [RULE.retryBudgetEnding]: false,
  [RULE.pastRetryBudget]: false,
  [RULE.reorgedTwin]: true,
  [RULE.wholeNetwork]: true,
  [RULE.oneSender]: true,
  [RULE.overtaken]: false,
  [RULE.networkQuiet]: true,
  [RULE.beyondCatchUp]: false,
  [RULE.unusualGas]: true,
  [RULE.missingSequences]: false,
  [RULE.replicaDown]: true,
  [RULE.lateRecovery]: false,
  [RULE.batch]: false,
};

export function leadLabel({ rule, decisive, ended }: Concluded): string {
  const isCause = IS_CAUSE[rule] && !ended && (rule !== RULE.reorgedTwin || decisive);
  return isCause ? 'Likely cause' : 'Known so far';
}

type Concluded = Pick<Verdict, 'rule' | 'decisive' | 'ended'>;

/**
 * The next step, without full stop.
 * @param verdicts the one on the backlog decides whether a restart helps
 * @param isOpenOnChain the chain reports the request as open
 */
export function nextAction(
  lead: Concluded | undefined,
  verdicts: readonly Pick<Verdict, 'rule' | 'holds'>[],
  isOpenOnChain = false,
): string {
  if (lead?.rule === RULE.reorgedTwin) return lead.decisive ? TWIN_ACTIONS.settled : TWIN_ACTIONS.open;
  const ruleAction = lead === undefined || lead.ended ? undefined : ACTIONS[lead.rule];
  if (ruleAction !== undefined) return ruleAction;
  const backlog = lead && verdicts.find(({ rule }) => rule === RULE.beyondCatchUp)?.holds;
  const step = STEP_BY_BACKLOG[backlog ?? 'unknown'];
  return isOpenOnChain
    ? `${step.charAt(0).toUpperCase()}${step.slice(1)}`
    : `Verify it on chain; if it is still open, ${step}`;
}

export function nextOfSingles(
  { rule, isSettled }: { rule: RuleId; isSettled: boolean },
  isOpenOnChain?: boolean,
): string {
  const backlog = rule === RULE.beyondCatchUp ? 'yes' : 'unknown';
  return nextAction(
    { rule, decisive: isSettled },
    [{ rule: RULE.beyondCatchUp, holds: backlog }],
    isOpenOnChain,
  );
}
