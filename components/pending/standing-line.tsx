'use client';
import { useId } from 'react';
import { Icon, type IconName } from '@/components/ui/icons';
import card from '@/components/ui/toned-card.module.css';
import { useSteadyWords } from '@/lib/client/time-style';
import { type ShownStanding, shownStanding, type TriageView } from '@/lib/client/triage-standing';
import type { TriageAnswer } from '@/lib/contract/codec/triage';
import classes from './standing.module.css';

const ICONS: Record<ShownStanding['kind'], IconName> = {
  looking: 'dotted',
  stuck: 'alert',
  calm: 'check',
  unknown: 'question',
};

/** Is anything stuck? One sentence, when that was found out, and how far the next look has come. */
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
        <Activity answer={view.answer} />
      </div>
    </section>
  );
}

function Checked({ atMs }: { atMs: number | undefined }) {
  const words = useSteadyWords();
  return (
    <p className={`${classes.checked} num`}>
      {atMs === undefined ? 'Not completely checked yet' : `Last complete check ${words(atMs)}`}
    </p>
  );
}

/** How far the look has come that is under way. */
function Activity({ answer }: { answer: TriageAnswer | undefined }) {
  const progress = answer?.progress;
  if (progress === undefined) {
    return <p className={classes.activity}>{answer === undefined ? '' : 'Checked every 10 s'}</p>;
  }
  const { done, of, what } = progress;
  return (
    <div className={classes.progress}>
      <progress
        className={classes.bar}
        aria-label="Progress of the check"
        value={of > 0 ? done : undefined}
        max={of > 0 ? of : undefined}
      />
      <p className="num">{of > 0 ? `${what}: ${done} of ${of}` : `${what}…`}</p>
    </div>
  );
}
