'use client';
import { ActionIcon, Button, Paper, Stack, TextInput } from '@mantine/core';
import { useMounted } from '@mantine/hooks';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Icon } from '@/components/ui/icons';
import { ErrorText, Muted } from '@/components/ui/text';
import { readProblem } from '@/lib/core/problem';
import { clipped } from '@/lib/core/text';

/** `next` is a path on this site to open afterwards. */
export function SignInForm({ next }: { next: string }) {
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState('');
  const [isShown, setShown] = useState(false);
  // The button is disabled until its handler is attached.
  const isReady = useMounted();
  const field = useRef<HTMLInputElement>(null);

  useEffect(() => field.current?.focus(), []);

  // Browsers withhold a SameSite=Strict cookie after a link on another site, so a signed-in user may see this.
  useEffect(() => {
    const gone = new AbortController();
    void requestSession({ signal: gone.signal, cache: 'no-store' }).then(({ signedIn }) => {
      if (signedIn && !gone.signal.aborted) window.location.replace(next);
    });
    return () => gone.abort();
  }, [next]);

  async function signIn(event: FormEvent) {
    event.preventDefault();
    setSending(true);
    const answer = await requestSession({
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ password: field.current?.value ?? '' }),
    });
    if (answer.problem === undefined) return window.location.assign(next);
    setSending(false);
    setProblem(answer.problem);
    field.current?.select();
  }

  return (
    <Paper component="form" withBorder p="md" onSubmit={signIn} method="post">
      <Stack gap="sm">
        {/* Password managers need a user name. */}
        <input type="text" name="username" autoComplete="username" value="operator" readOnly hidden />
        <TextInput
          ref={field}
          label="Password"
          type={isShown ? 'text' : 'password'}
          size="sm"
          labelProps={{ mb: 6 }}
          autoComplete="current-password"
          required
          withAsterisk={false}
          error={problem !== ''}
          aria-describedby="sign-in-trouble"
          rightSection={
            <ActionIcon
              aria-label="Show characters"
              aria-pressed={isShown}
              onClick={() => setShown(!isShown)}
            >
              <Icon name="eye" />
            </ActionIcon>
          }
        />
        <Button type="submit" variant="filled" size="sm" disabled={!isReady || isSending}>
          {isSending ? 'Signing in…' : 'Sign in'}
        </Button>
        <ErrorText id="sign-in-trouble" size="sm">
          {problem}
        </ErrorText>
        <Muted size="xs" style={{ overflowWrap: 'anywhere' }}>
          {next === '/' ? null : (
            <>
              Continues to <bdi className="foreign">{clipped(next, 120)}</bdi>.{' '}
            </>
          )}
          The password is the DASHBOARD_PASSWORD of this server.
        </Muted>
      </Stack>
    </Paper>
  );
}

/** Ends the session of this browser in all tabs. */
export function SignOutForm() {
  const [problem, setProblem] = useState('');
  const isReady = useMounted();

  async function signOut() {
    const answer = await requestSession({ method: 'DELETE' });
    if (answer.problem === undefined) window.location.assign('/sign-in');
    else setProblem(`Still signed in. ${answer.problem}`);
  }

  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <p>Other tabs are signed out too. Saved views and boards stay in this browser.</p>
        <Button variant="filled" disabled={!isReady} onClick={() => void signOut()}>
          Sign out
        </Button>
        <ErrorText size="sm">{problem}</ErrorText>
      </Stack>
    </Paper>
  );
}

/** Reads, opens or ends the session. `problem` is the reason if it failed. */
async function requestSession(init: RequestInit): Promise<{ problem?: string; signedIn?: boolean }> {
  try {
    const response = await fetch('/api/session', init);
    const text = await response.text();
    return response.ok ? JSON.parse(text) : { problem: readProblem(text, response.status).detail };
  } catch {
    return { problem: 'Dashboard server unreachable.' };
  }
}
