'use client';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { readSessionState, sendSignIn } from '@/lib/client/session';
import classes from './sign-in.module.css';

type Step = { kind: 'asking' } | { kind: 'sending' } | { kind: 'refused'; problem: string };

/** Asks for the password, and goes on to where somebody wanted to be. @param next a path of ours */
export function SignInForm({ next }: { next: string }) {
  const [step, setStep] = useState<Step>({ kind: 'asking' });
  const field = useRef<HTMLInputElement>(null);

  useEffect(() => field.current?.focus(), []);

  // A link from elsewhere opens this page although the session is good: browsers keep its cookie back for such links.
  useEffect(() => {
    const gone = new AbortController();
    void readSessionState(gone.signal).then((isSignedIn) => {
      if (isSignedIn && !gone.signal.aborted) window.location.replace(next);
    });
    return () => gone.abort();
  }, [next]);

  async function signIn(event: FormEvent) {
    event.preventDefault();
    setStep({ kind: 'sending' });
    const answer = await sendSignIn(field.current?.value ?? '');
    if (answer.ok) return window.location.assign(next);
    setStep({ kind: 'refused', problem: answer.problem });
    field.current?.select();
  }

  const trouble = step.kind === 'refused' ? step.problem : undefined;
  return (
    <form className={classes.form} onSubmit={signIn} method="post">
      {/* Password managers ask for a name; any will do here. */}
      <input type="text" name="username" autoComplete="username" value="operator" readOnly hidden />
      <label className={classes.label} htmlFor="password">
        Password
      </label>
      <input
        ref={field}
        id="password"
        className={classes.field}
        type="password"
        autoComplete="current-password"
        required
        aria-invalid={trouble ? 'true' : undefined}
        aria-describedby="sign-in-trouble"
      />
      <button type="submit" className={classes.button} disabled={step.kind === 'sending'}>
        {step.kind === 'sending' ? 'Signing in …' : 'Sign in'}
      </button>
      <p id="sign-in-trouble" className={classes.trouble} role="alert">
        {trouble}
      </p>
    </form>
  );
}
