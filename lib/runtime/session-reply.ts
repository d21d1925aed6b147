import 'server-only';
import { z } from 'zod';
import { type Caller, callerOfFetch } from '@/lib/access/caller';
import { guardRequest } from '@/lib/access/guard';
import {
  admit,
  passwordGate,
  rateLimitAnonymous,
  sessionCookie,
  sessionKeys,
  signedInSession,
} from '@/lib/access/principal';
import { jsonReply, methodReply, problemReply } from '@/lib/access/reply';
import { readJsonBody } from '@/lib/access/request-body';
import { endSession, openSession, type SessionKeys } from '@/lib/access/session';
import { failureProblem, problemDetails } from '@/lib/core/problem';
import { log } from '@/lib/platform/log';
import { currentSettings } from '@/lib/platform/settings';
import { endStreamsOf } from './streams';

/** A password longer than a secret's file can be is never correct. */
const SIGN_IN = z.object({ password: z.string().max(8192) });

/** `/api/session`: GET reports, POST `{"password": …}` signs in, DELETE ends the session and its streams. */
export async function replyWithSession(request: Request): Promise<Response> {
  const caller = callerOfFetch(request);
  const refusal = guardRequest(caller);
  if (refusal) return problemReply(refusal);
  const { access } = currentSettings();
  const keys = sessionKeys(access);
  switch (request.method) {
    case 'GET':
    case 'HEAD': {
      const { ok } = await admit(caller, access);
      const tooMany = ok ? undefined : rateLimitAnonymous(caller, access);
      return tooMany ? problemReply(tooMany) : jsonReply({ access: access.kind, signedIn: ok });
    }
    case 'POST':
      return keys ? signIn(request, caller, keys) : noPassword();
    case 'DELETE':
      return keys ? signOut(caller, keys) : noPassword();
    default:
      return methodReply('GET, HEAD, POST, DELETE');
  }
}

async function signIn(request: Request, caller: Caller, keys: SessionKeys): Promise<Response> {
  const tooMany = rateLimitAnonymous(caller);
  if (tooMany) return problemReply(tooMany);
  const body = await readJsonBody('sign-in', request, SIGN_IN, 'Send JSON: {"password": "…"}.');
  if (!body.ok) return problemReply(failureProblem(body.failure));
  const checked = await passwordGate().check(body.value.password, keys.password, caller.address);
  if (!checked.ok) {
    log().warn({ kind: checked.failure.kind }, 'sign-in delayed');
    return problemReply(failureProblem(checked.failure));
  }
  if (!checked.value) {
    log().warn({ kind: 'not-signed-in' }, 'wrong password');
    return problemReply(problemDetails('not-signed-in', 'Wrong password.'));
  }
  log().info({}, 'signed in');
  // A new session, so that nobody can fixate its id.
  return withCookie(caller, await openSession(keys, Math.floor(Date.now() / 1000)), true);
}

async function signOut(caller: Caller, keys: SessionKeys): Promise<Response> {
  const session = await signedInSession(caller, keys);
  const tooMany = session ? undefined : rateLimitAnonymous(caller);
  if (tooMany) return problemReply(tooMany);
  if (session) {
    await endSession(session, Math.floor(Date.now() / 1000)).catch((error: unknown) =>
      log().error({ error }, 'sign-out not shared with other instances'),
    );
    endStreamsOf(`session ${session.id}`);
    log().info({}, 'signed out');
  }
  return withCookie(caller, '', false);
}

function withCookie(caller: Caller, token: string, signedIn: boolean): Response {
  const response = jsonReply({ access: 'password', signedIn });
  response.headers.append('set-cookie', sessionCookie(token, caller));
  return response;
}

function noPassword(): Response {
  return problemReply(problemDetails('no-such-route', 'This dashboard has no password.'));
}
