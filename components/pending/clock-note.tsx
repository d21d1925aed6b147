'use client';
import { Icon } from '@/components/ui/icons';
import { clockOffSentence } from '@/lib/client/clock-words';
import type { TriageAnswer } from '@/lib/contract/codec/triage';
import classes from './clock-note.module.css';
import { usePendingPlace } from './pending-context';

const EFFECTS = {
  ahead: 'here every request looks younger by that much, and counts as stuck later than it is',
  behind: 'here every request looks older by that much, and may count as stuck without being so',
};

/** That a service's clock is not ours: every age on the page, and what follows from it, is off by as much. */
export function ClockNote({ clocks }: { clocks: TriageAnswer['clocks'] }) {
  const { several } = usePendingPlace();
  const said = clockOffSentence(clocks, EFFECTS, several !== undefined);
  if (said === undefined) return null;
  return (
    <p className={classes.note}>
      <Icon name="clock" size={14} />
      {said}
    </p>
  );
}
