import { clipped } from '@/lib/core/text';
import { locatorOfKey } from '@/lib/requests/request-address';
import { stateLabel } from '@/lib/requests/state-looks';
import type { Watched } from '@/lib/watches/client/watch-list';

/** A watched request has its own state, or `GONE`. */
export const OPEN = 'open';
export const OVER = 'over';
export const GONE = 'not in the log';

/** Unknown states stay as they are. */
export function stateText(state: string): string {
  if (state === OPEN) return 'Open';
  return state === OVER ? 'Over' : stateLabel(state);
}

/** `Request 1234` or `Incident`, without the network. */
export function subjectText({ kind, id }: Pick<Watched, 'kind' | 'id'>): string {
  const sequence = kind === 'request' ? locatorOfKey(id)?.sequence : undefined;
  return sequence === undefined ? 'Incident' : `Request ${clipped(sequence, 40)}`;
}
