'use client';
import { useEffect, useId, useRef, useState } from 'react';
import { useAnnounce } from '@/components/ui/announce';
import { clipped } from '@/lib/core/text';
import { stateText, subjectText, useWatch, type Watched } from '@/lib/pending/watch';
import { usePendingPlace } from './pending-context';
import classes from './watch-panel.module.css';
import { WatchStandingLine } from './watch-standing-line';
import { WatchedItem } from './watched-item';

/** What this browser watches, how it stands, and what it was before. */
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
          Nothing watched. Press Watch on an incident or a request to hear when it changes.
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
    </section>
  );
}

/** For those who can't see the list change. */
function useSaidWhenItChanges(): void {
  const { book } = useWatch();
  const announce = useAnnounce();
  const { network } = usePendingPlace();
  const atOf = ({ was }: Watched) => was?.atMs ?? 0;
  const latest = book.watched.reduce<Watched | undefined>(
    (last, one) => (last === undefined || atOf(one) > atOf(last) ? one : last),
    undefined,
  );
  const said = useRef(latest === undefined ? 0 : atOf(latest));
  useEffect(() => {
    const atMs = latest?.was?.atMs ?? 0;
    if (latest === undefined || atMs <= said.current) return;
    said.current = atMs;
    const place = clipped(network(latest.networkId).name, 60);
    announce(`${subjectText(latest)} on ${place}: ${stateText(latest.state)}`);
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
          Background notification on.{' '}
          <button type="button" className={classes.textButton} onClick={dontNotify}>
            Turn off
          </button>
        </>
      ) : (
        <button type="button" className={classes.textButton} onClick={() => void ask()}>
          Turn on background notification
        </button>
      )}
      {refused === 'yes' ? <span role="alert"> Notifications are blocked by this browser.</span> : null}
    </p>
  );
}
