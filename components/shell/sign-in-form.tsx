'use client';
import { Button, Paper, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { readSessionState, sendSignIn, sendSignOut } from '@/components/ui/session';

/** Asks for the password, and goes on to where somebody wanted to be. @param next a path of ours */
export function SignInForm({ next }: { next: string }) {
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState('');
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
        <Button type="submit" variant="filled" disabled={isSending}>
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
        <Button variant="filled" onClick={() => void signOut()}>
          Sign out
        </Button>
        <Text role="alert" size="sm" c="var(--ks-bad)">
          {problem}
        </Text>
      </Stack>
    </Paper>
  );
}
