'use client';
import { useState } from 'react';
import { sendSignOut } from '@/lib/client/session';
import classes from './sign-in.module.css';

/** Ends the session of this browser, with all its pages. */
export function SignOutForm() {
  const [trouble, setTrouble] = useState<string>();

  async function signOut() {
    if (await sendSignOut()) window.location.assign('/sign-in');
    else setTrouble('The dashboard’s server did not answer: you are still signed in.');
  }

  return (
    <div className={classes.form}>
      <p>
        Pages that are open in other tabs stop as well. What this browser remembers (views, boards) stays.
      </p>
      <button type="button" className={classes.button} onClick={() => void signOut()}>
        Sign out
      </button>
      <p className={classes.trouble} role="alert">
        {trouble}
      </p>
    </div>
  );
}
