'use client';
import { Icon } from './icons';
import { useLive } from './live-controls';
import { SmallButton } from './text';

/** `full`: an item must be removed from the list first. */
type Props = { what: string; watched: 'yes' | 'no' | 'full'; onToggle: () => void };

/** This browser reports changes of a watched item. */
export function WatchToggle({ what, watched, onToggle }: Props) {
  const live = useLive();
  return (
    <SmallButton
      leftSection={<Icon name="eye" size={14} />}
      aria-pressed={watched === 'yes'}
      aria-label={`Watch ${what}`}
      title={TITLES[watched]}
      disabled={!live || watched === 'full'}
      onClick={onToggle}
    >
      {watched === 'yes' ? 'Watching' : 'Watch'}
    </SmallButton>
  );
}

const TITLES = {
  yes: 'Notifying in this browser. Click to stop',
  no: 'Notify in this browser when it changes',
  full: 'Watch limit reached. Remove something on Pending',
} as const;
