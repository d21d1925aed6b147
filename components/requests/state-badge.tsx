import type { RequestState } from '@/lib/core/request-record';
import { clipped } from '@/lib/core/text';
import classes from './state-badge.module.css';

type Look = { tone: string; words: string; title?: string };

function lookOf(state: RequestState): Look {
  switch (state.kind) {
    case 'pending':
      return {
        tone: 'pending',
        words: 'Pending',
        title: 'No outcome is recorded here; confirm on chain',
      };
    case 'completed':
      if (state.callback === 'failed') {
        return {
          tone: 'callback-failed',
          words: 'Callback failed',
          title: 'Revealed, but the callback of the contract failed',
        };
      }
      return {
        tone: 'completed',
        words: 'Completed',
        title: state.callback === 'unknown' ? 'The service does not say how the callback went' : undefined,
      };
    case 'failed':
      return {
        tone: 'failed',
        words: 'Failed',
        title: state.reason === undefined ? 'The service gives no reason' : clipped(state.reason, 500),
      };
    case 'unknown':
      return {
        tone: 'unknown',
        words: clipped(state.wireName, 40),
        title: `A state this version does not know: ${clipped(state.wireName, 500)}`,
      };
  }
}

/**
 * State as shape, word and colour. An unknown state keeps the name that the service gave it. One element, with the shape
 * in its style: a page holds up to a thousand of them.
 */
export function StateBadge({ state }: { state: RequestState }) {
  const look = lookOf(state);
  return (
    <bdi className={classes.badge} data-tone={look.tone} title={look.title}>
      {look.words}
    </bdi>
  );
}
