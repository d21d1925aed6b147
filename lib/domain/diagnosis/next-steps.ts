import type { RuleId } from './verdict';

/** What to do about what a rule says: sentences without full stop, the first step first. */
const STEPS: Record<RuleId, readonly string[]> = {
  R1: ['Wait: this age is normal here'],
  R2: ['Wait until the retry budget is over', 'Watch it: the page says when it changes'],
  R3: [
    'Wait for the final look-up of the keeper',
    'Look for this sequence in the log of the keeper’s process',
  ],
  R4: [
    'Look for this sequence in the log of the keeper’s process',
    'If its block is within the backlog, a restart may pick it up',
  ],
  R5: [
    'Compare both transactions in the block explorer: only one can be part of the chain',
    'If this one is gone from the chain, nothing needs to be done about it',
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
  R10: ['A restart alone won’t pick it up: enlarge the backlog for one start, or have it revealed by hand'],
  R11: ['Compare the gas limit with the block gas limit of the network', 'Tell the owner of the contract'],
  R12: ['Look in the block explorer for requests with the missing numbers'],
  R13: ['Check each replica of the keeper: one of them may not be working'],
  R14: ['Look in the keeper’s log for a restart at that time'],
  R15: ['Look at the other requests of the transaction'],
};

/** Stands with the next steps of a pending request, where people look for a command. */
export const NO_RETRY_YET =
  'There is no retry command for a pending request: it needs the provider’s contribution, which the record has only once it is completed';

export function nextSteps(rule: RuleId | undefined): string[] {
  return ['Confirm the state of the request on chain', ...(rule === undefined ? [] : STEPS[rule])];
}
