'use client';
import { useId, useState } from 'react';
import { clipped } from '@/lib/client/foreign-text';
import { groupDigits } from '@/lib/client/human-number';
import { type JournalEntry, MOST_ENTRIES } from '@/lib/client/watch-book';
import { subjectText, transitionText } from '@/lib/client/watch-notice';
import { useWatch } from '@/lib/client/watch-of-browser';
import { usePendingPlace } from './pending-context';
import classes from './watch-panel.module.css';
import { Moment, SubjectLink } from './watched-item';

/** Entries that stand there at once. */
const SHOWN = 12;

/** What this browser has seen change, newest first. What happened while it did not look is not in it. */
export function WatchJournal({ journal }: { journal: readonly JournalEntry[] }) {
  const titleId = useId();
  const { forgetJournal } = useWatch();
  const [extent, setExtent] = useState<'first' | 'all'>('first');
  const shown = extent === 'all' ? journal : journal.slice(0, SHOWN);
  const more = journal.length - shown.length;
  return (
    <div className={classes.journal}>
      <div className={classes.journalHead}>
        <h3 id={titleId} className={classes.journalTitle}>
          Changes seen by this browser
        </h3>
        <button type="button" className={classes.textButton} onClick={forgetJournal}>
          Clear
        </button>
      </div>
      <p className={classes.soft}>
        At the times when this browser saw them; it keeps the last {MOST_ENTRIES}. Nothing was seen while no
        tab was open.
      </p>
      <ol className={classes.list} aria-labelledby={titleId}>
        {shown.map((entry) => (
          <Entry key={`${entry.id} ${entry.atMs} ${entry.to}`} entry={entry} />
        ))}
      </ol>
      {more === 0 ? null : (
        <p>
          <button type="button" className={classes.textButton} onClick={() => setExtent('all')}>
            Show {groupDigits(String(more))} more
          </button>
        </p>
      )}
    </div>
  );
}

function Entry({ entry }: { entry: JournalEntry }) {
  const { network } = usePendingPlace();
  return (
    <li className={classes.entry}>
      <span className={`${classes.soft} num`}>
        <Moment ms={entry.atMs} />
      </span>
      <SubjectLink one={entry} name={subjectText(entry)} />
      <span className={classes.place}>
        on <bdi>{clipped(network(entry.networkId).name, 60)}</bdi>
      </span>
      <bdi className={classes.transition}>{transitionText(entry)}</bdi>
    </li>
  );
}
