import { Icon, type IconName } from '@/components/ui/icons';
import { clipped } from '@/lib/client/foreign-text';
import type { RequestState } from '@/lib/domain/request-record';
import classes from './state-badge.module.css';

type Look = { tone: string; icon: IconName; words: string; title?: string };

function lookOf(state: RequestState): Look {
  switch (state.kind) {
    case 'pending':
      return {
        tone: 'pending',
        icon: 'clock',
        words: 'Pending',
        title: 'No outcome is recorded here; confirm on chain',
      };
    case 'completed':
      if (state.callback === 'failed') {
        return {
          tone: 'callback-failed',
          icon: 'alert',
          words: 'Callback failed',
          title: 'Revealed, but the callback of the contract failed',
        };
      }
      return {
        tone: 'completed',
        icon: 'check',
        words: 'Completed',
        title: state.callback === 'unknown' ? 'The service does not say how the callback went' : undefined,
      };
    case 'failed':
      return {
        tone: 'failed',
        icon: 'cross',
        words: 'Failed',
        title: state.reason === undefined ? 'The service gives no reason' : clipped(state.reason, 500),
      };
    case 'unknown':
      return {
        tone: 'unknown',
        icon: 'question',
        words: clipped(state.wireName, 40),
        title: `A state this version does not know: ${clipped(state.wireName, 500)}`,
      };
  }
}

/** State as shape, word and colour. An unknown state keeps the name that the service gave it. */
export function StateBadge({ state }: { state: RequestState }) {
  const look = lookOf(state);
  return (
    <span className={classes.badge} data-tone={look.tone} title={look.title}>
      <Icon name={look.icon} size={13} />
      <bdi className={classes.words}>{look.words}</bdi>
    </span>
  );
}
