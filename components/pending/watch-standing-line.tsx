'use client';
import { useMomentWords } from '@/components/ui/time-style';
import { explainFailure } from '@/lib/core/explain-failure';
import { useWatch } from '@/lib/pending/watch';
import classes from './watch-panel.module.css';

/** When it was looked at last, or why it can't be. */
export function WatchStandingLine() {
  const { standing, askAgain } = useWatch();
  const moment = useMomentWords();
  switch (standing.kind) {
    case 'idle':
      return <p className={classes.soft}>Nothing left that can change</p>;
    case 'watching':
      return (
        <p className={classes.soft}>
          {standing.checkedAtMs === undefined ? 'Checking…' : `Checked ${moment(standing.checkedAtMs)}.`}
        </p>
      );
    case 'waits': {
      const again = standing.againAtMs === undefined ? '' : ` Retrying ${moment(standing.againAtMs)}.`;
      return (
        <p className={classes.trouble} role="alert">
          <span>
            {explainFailure(standing.failure).title}. Outdated.{again}
          </span>{' '}
          <button type="button" className={classes.textButton} onClick={askAgain}>
            Try now
          </button>
        </p>
      );
    }
  }
}
