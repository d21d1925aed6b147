'use client';
import { useEffect, useId, useRef, useState } from 'react';
import { useAnnounce } from '@/lib/client/announce';
import { clipped } from '@/lib/client/foreign-text';
import { subjectText, transitionText } from '@/lib/client/watch-notice';
import { useWatch } from '@/lib/client/watch-of-browser';
import { usePendingPlace } from './pending-context';
import { WatchJournal } from './watch-journal';
import classes from './watch-panel.module.css';
import { WatchStandingLine } from './watch-standing-line';
import { WatchedItem } from './watched-item';

/** What this browser watches, how it stands, and what it has seen change. */
export function WatchPanel() {
  const titleId = useId();
  const { book } = useWatch();
  useSaidWhenItChanges();
  return (
    <section className={classes.panel} aria-labelledby={titleId} data-watch="">
      <h2 id={titleId} className={classes.title}>
        Watched
      </h2>
      {book.watched.length === 0 ? (
        <p className={classes.soft}>
          Nothing is watched. Press Watch on an incident or on a request, and this browser says when it
          changes.
        </p>
      ) : (
        <>
          <WatchStandingLine />
          <ul className={classes.list}>
            {book.watched.map((one) => (
              <WatchedItem key={one.id} one={one} />
            ))}
          </ul>
          <Notifications />
        </>
      )}
      {book.journal.length === 0 ? null : <WatchJournal journal={book.journal} />}
    </section>
  );
}

/** For those who can't see the journal grow. */
function useSaidWhenItChanges(): void {
  const { book } = useWatch();
  const announce = useAnnounce();
  const { network } = usePendingPlace();
  const latest = book.journal[0];
  const said = useRef(latest);
  useEffect(() => {
    if (latest === undefined || latest.atMs <= (said.current?.atMs ?? 0)) return;
    said.current = latest;
    const place = clipped(network(latest.networkId).name, 60);
    announce(`${subjectText(latest)} on ${place}: ${transitionText(latest)}`);
  }, [latest, announce, network]);
}

/** The browser asks the person only after a click here. */
function Notifications() {
  const { book, notify, dontNotify } = useWatch();
  const [refused, setRefused] = useState<'yes'>();

  async function ask() {
    const answer = await notify();
    setRefused(answer === 'refused' ? 'yes' : undefined);
  }

  return (
    <p className={classes.soft}>
      {book.notify === 'yes' ? (
        <>
          This browser shows a notification when something changes while nobody looks.{' '}
          <button type="button" className={classes.textButton} onClick={dontNotify}>
            No notifications
          </button>
        </>
      ) : (
        <button type="button" className={classes.textButton} onClick={() => void ask()}>
          Notify me when something changes
        </button>
      )}
      {refused === 'yes' ? (
        <span role="alert"> The browser does not allow notifications from this page.</span>
      ) : null}
    </p>
  );
}
