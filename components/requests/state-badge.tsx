import { Icon } from '@/components/ui/icons';
import { type RequestState, stateWord } from '@/lib/core/request-record';
import { clipped } from '@/lib/core/text';
import { STATE_LOOKS, shownState, stateLabel } from '@/lib/requests/state-looks';
import classes from './request.module.css';

const CALLBACKS = {
  ok: undefined,
  failed: 'Revealed, but the contract’s own callback reverted',
  unknown: 'Callback result not reported',
};

function titleOf(state: RequestState): string | undefined {
  if (state.kind === 'pending') return 'No outcome logged. Verify on-chain.';
  if (state.kind === 'completed') return CALLBACKS[state.callback];
  if (state.kind === 'failed') return clipped(state.reason ?? 'No reason from the service', 500);
  return `Unknown state: ${clipped(state.wireName, 500)}`;
}

/** An unknown state is shown by its wire name. */
export function StateBadge({ state }: { state: RequestState }) {
  const { tone, icon } = STATE_LOOKS[shownState(state)];
  return (
    <bdi className={classes.badge} data-tone={tone} title={titleOf(state)}>
      <Icon name={icon} size={13} />
      {` ${clipped(stateLabel(stateWord(state)), 40)}`}
    </bdi>
  );
}
