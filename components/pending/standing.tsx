'use client';
import { useId } from 'react';
import { Icon, type IconName } from '@/components/ui/icons';
import { useSteadyWords } from '@/components/ui/time-style';
import { type ShownStanding, shownStanding, type TriageView } from '@/lib/pending/client';
import classes from './pending.module.css';

const ICONS: Record<ShownStanding['kind'], IconName> = {
  syncing: 'dotted',
  stuck: 'alert',
  calm: 'check',
  unknown: 'question',
};

/** Is anything stuck? One sentence, and how old it is. */
export function StandingLine({ view }: { view: TriageView }) {
  const { kind, title, detail, checkedAtMs } = shownStanding(view);
  const words = useSteadyWords();
  const titleId = useId();
  return (
    <section className={classes.standing} data-standing={kind} aria-labelledby={titleId}>
      <div role="status">
        <h2 id={titleId} className={classes.standingTitle}>
          <Icon name={ICONS[kind]} size={18} />
          {title}
        </h2>
        <p className={classes.soft}>{detail}</p>
      </div>
      <p className={`${classes.faint} num`}>
        {checkedAtMs === undefined ? 'Not synced yet' : `Synced ${words(checkedAtMs)}`}
      </p>
    </section>
  );
}
