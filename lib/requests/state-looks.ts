import { isStateWord, type RequestState, type StateWord, stateWord } from '@/lib/core/request-record';
import { clipped } from '@/lib/core/text';

/** `unknown`: a state invented by a service. */
export type ShownState = StateWord | 'unknown';

/**
 * Looks of the states, in order of importance to an operator. `tone` is `--ks-<tone>` in tokens.css. Bars of completed
 * requests are pale, so that failures stand out.
 */
export const STATE_LOOKS = {
  pending: { label: 'Pending', icon: 'clock', tone: 'wait', bar: 'var(--ks-chart-pending)' },
  'callback-failed': { label: 'Callback failed', icon: 'alert', tone: 'warn', bar: 'var(--ks-warn)' },
  failed: { label: 'Failed', icon: 'cross', tone: 'bad', bar: 'var(--ks-bad)' },
  completed: { label: 'Completed', icon: 'check', tone: 'good', bar: 'var(--ks-chart-fine)' },
  unknown: { label: 'Other states', icon: 'question', tone: 'odd', bar: 'var(--ks-odd)' },
} as const satisfies Record<ShownState, { label: string; icon: string; tone: string; bar: string }>;

export const STATE_WORDS = Object.keys(STATE_LOOKS).filter(isStateWord);

/** A state invented by a service is shown by its name. */
export function stateLabel(state: string): string {
  return isStateWord(state) ? STATE_LOOKS[state].label : clipped(state, 60);
}

export function shownState(state: RequestState): ShownState {
  const word = stateWord(state);
  return isStateWord(word) ? word : 'unknown';
}
