import { isStateWord, type RequestState, type StateWord, stateWord } from '@/lib/core/request-record';
import { clipped } from '@/lib/core/text';

/** The states that can be filtered by, in the order in which they matter to an operator. */
export const STATE_LABELS: Record<StateWord, string> = {
  pending: 'Pending',
  'callback-failed': 'Callback failed',
  failed: 'Failed',
  completed: 'Completed',
};

/** The label of a state of ours; a wire name that is none of them stays as it is. */
export function stateLabel(state: string): string {
  return isStateWord(state) ? STATE_LABELS[state] : clipped(state, 60);
}

/** Our word for a state, for styles; whatever the service invented is `unknown`. */
export function stateToken(state: RequestState): StateWord | 'unknown' {
  const word = stateWord(state);
  return isStateWord(word) ? word : 'unknown';
}

/** The same within a sentence. */
export function stateWords(state: string): string {
  return isStateWord(state) ? STATE_LABELS[state].toLowerCase() : clipped(state, 60);
}
