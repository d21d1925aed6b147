'use client';
import { useId } from 'react';
import { Icon, type IconName } from '@/components/ui/icons';
import card from '@/components/ui/toned-card.module.css';
import { useSteadyWords } from '@/lib/client/time-style';
import { type ShownStanding, shownStanding, type TriageView } from '@/lib/client/triage-standing';
import classes from './standing.module.css';

const ICONS: Record<ShownStanding['kind'], IconName> = {
  syncing: 'dotted',
  stuck: 'alert',
  calm: 'check',
  unknown: 'question',
};

/** Is anything stuck? One sentence, and how old it is. */
export function StandingLine({ view }: { view: TriageView }) {
  const { kind, title, detail, checkedAtMs } = shownStanding(view);
  const titleId = useId();
  return (
    <section className={`${card.card} ${classes.standing}`} data-standing={kind} aria-labelledby={titleId}>
      <div className={classes.words} role="status">
        <h2 id={titleId} className={classes.title}>
          <Icon name={ICONS[kind]} size={22} />
          {title}
        </h2>
        <p className={classes.detail}>{detail}</p>
      </div>
      <div className={classes.beside}>
        <Checked atMs={checkedAtMs} />
      </div>
    </section>
  );
}

function Checked({ atMs }: { atMs: number | undefined }) {
  const words = useSteadyWords();
  return (
    <p className={`${classes.checked} num`}>
      {atMs === undefined ? 'Not synced yet' : `Synced ${words(atMs)}`}
    </p>
  );
}
