import { readProblem } from '@/lib/core/problem';

const ADDRESS = '/api/session';

export type SignInAnswer = { ok: true } | { ok: false; problem: string };

/** Whether this browser is signed in, as far as our server says. False when it does not answer. */
export async function readSessionState(signal: AbortSignal): Promise<boolean> {
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

/** Signs in; what hinders it comes as a sentence. */
export async function sendSignIn(password: string): Promise<SignInAnswer> {
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
export async function sendSignOut(): Promise<boolean> {
  try {
    return (await fetch(ADDRESS, { method: 'DELETE' })).ok;
  } catch {
    return false;
  }
}
