import { type RequestState, stateWord } from '@/lib/core/request-record';
import { clipped } from '@/lib/core/text';
import { stateLabel, stateToken } from '@/lib/requests/view-labels';
import classes from './request.module.css';

function titleOf(state: RequestState): string | undefined {
  switch (state.kind) {
    case 'pending':
      return 'No outcome is recorded here; confirm on chain';
    case 'completed':
      if (state.callback === 'failed') return 'Revealed, but the callback of the contract failed';
      return state.callback === 'unknown' ? 'The service does not say how the callback went' : undefined;
    case 'failed':
      return state.reason === undefined ? 'The service gives no reason' : clipped(state.reason, 500);
    case 'unknown':
      return `A state this version does not know: ${clipped(state.wireName, 500)}`;
  }
}

/**
 * State as shape, word and colour. An unknown state keeps the name that the service gave it. One element, with the shape
 * in its style: a page holds up to a thousand of them.
 */
export function StateBadge({ state }: { state: RequestState }) {
  return (
    <bdi className={classes.badge} data-tone={stateToken(state)} title={titleOf(state)}>
      {clipped(stateLabel(stateWord(state)), 40)}
    </bdi>
  );
}
