'use client';
import { useState } from 'react';
import { useAlertBook } from '@/lib/client/alert-of-browser';
import classes from './alert.module.css';

/** How alerts are said besides on the page. Both only from a click here: a browser asks for one and forbids the other before. */
export function AlertSaying() {
  const { book, sound, notify } = useAlertBook();
  const [refused, setRefused] = useState<'yes'>();

  async function choose(choice: 'yes' | 'no') {
    setRefused((await notify(choice)) === 'refused' ? 'yes' : undefined);
  }

  return (
    <div className={classes.saying}>
      <label className={classes.choice}>
        <input
          type="checkbox"
          checked={book.sound === 'yes'}
          onChange={(event) => sound(event.currentTarget.checked ? 'yes' : 'no')}
        />
        Sound
      </label>
      <label className={classes.choice}>
        <input
          type="checkbox"
          checked={book.notify === 'yes'}
          onChange={(event) => void choose(event.currentTarget.checked ? 'yes' : 'no')}
        />
        Notification while nobody looks
      </label>
      {refused === 'yes' ? (
        <p role="alert" className={classes.refused}>
          The browser does not allow notifications from this page.
        </p>
      ) : null}
      <p className={classes.soft}>
        Alerts are kept in this browser, and watched while a page with their feed is open. One that is raised
        is over when the price has clearly come back for 10 s, and is said aloud at most once a minute.
      </p>
    </div>
  );
}
