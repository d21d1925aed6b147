'use client';
import { Button, Paper, Stack, Text, TextInput } from '@mantine/core';
import { useMounted } from '@mantine/hooks';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { readProblem } from '@/lib/core/problem';

/** Asks for the password, and goes on to where somebody wanted to be. @param next a path of ours */
export function SignInForm({ next }: { next: string }) {
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState('');
  // A button that nobody listens to yet is not offered.
  const isReady = useMounted();
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
    setSending(true);
    const answer = await sendSignIn(field.current?.value ?? '');
    if (answer.ok) return window.location.assign(next);
    setSending(false);
    setProblem(answer.problem);
    field.current?.select();
  }

  return (
    <Paper component="form" withBorder p="md" onSubmit={signIn} method="post">
      <Stack gap="sm">
        {/* Password managers ask for a name; any will do here. */}
        <input type="text" name="username" autoComplete="username" value="operator" readOnly hidden />
        <TextInput
          ref={field}
          label="Password"
          type="password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          error={problem !== ''}
          aria-describedby="sign-in-trouble"
        />
        <Button type="submit" variant="filled" disabled={!isReady || isSending}>
          {isSending ? 'Signing in …' : 'Sign in'}
        </Button>
        <Text id="sign-in-trouble" role="alert" size="sm" c="var(--ks-bad)">
          {problem}
        </Text>
      </Stack>
    </Paper>
  );
}

/** Ends the session of this browser, with all its pages. */
export function SignOutForm() {
  const [problem, setProblem] = useState('');
  const isReady = useMounted();

  async function signOut() {
    if (await sendSignOut()) window.location.assign('/sign-in');
    else setProblem('The dashboard’s server did not answer: you are still signed in.');
  }

  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <p>
          Pages that are open in other tabs stop as well. What this browser remembers (views, boards) stays.
        </p>
        <Button variant="filled" disabled={!isReady} onClick={() => void signOut()}>
          Sign out
        </Button>
        <Text role="alert" size="sm" c="var(--ks-bad)">
          {problem}
        </Text>
      </Stack>
    </Paper>
  );
}

const ADDRESS = '/api/session';

type SignInAnswer = { ok: true } | { ok: false; problem: string };

/** Whether this browser is signed in, as far as our server says. False when it does not answer. */
async function readSessionState(signal: AbortSignal): Promise<boolean> {
  try {
    const response = await fetch(ADDRESS, { signal, cache: 'no-store' });
    const state: unknown = await response.json();
    return (
      response.ok && typeof state === 'object' && state !== null && Reflect.get(state, 'signedIn') === true
    );
  } catch {
    return false;
  }
}

async function sendSignIn(password: string): Promise<SignInAnswer> {
  try {
    const response = await fetch(ADDRESS, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ password }),
    });
    if (response.ok) return { ok: true };
    return { ok: false, problem: readProblem(await response.text(), response.status).detail };
  } catch {
    return { ok: false, problem: 'The dashboard’s server does not answer.' };
  }
}

/** Signs out. @returns whether our server took it */
async function sendSignOut(): Promise<boolean> {
  try {
    return (await fetch(ADDRESS, { method: 'DELETE' })).ok;
  } catch {
    return false;
  }
}
