import 'server-only';
import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import { processWide } from '@/lib/platform/process-wide';

export type Session = { id: string; signedInAtS: number; renewedAtS: number };

/** What a session is signed with, and the password that it was opened with: another one ends it. */
export type SessionKeys = { sessionSecret: string; password: string };

/** A session that nobody used for so long is over. */
export const SESSION_IDLE_S = 12 * 60 * 60;
/** However busy it is, a session ends after a week. */
export const SESSION_MAX_AGE_S = 7 * 24 * 60 * 60;
/** A token in use is made anew once it is this old: not for every answer. */
const RENEW_AFTER_S = 5 * 60;
const ISSUER = 'keeperscope';
/** Ended sessions are remembered until their tokens expire; the oldest are forgotten over this number. */
const MAX_ENDED_SESSIONS = 10_000;

/** By session id: until when (unix seconds) its tokens could be good. */
const ended = processWide<Map<string, number>>('ended-sessions');

/** Where other processes hear of ended sessions, and this one of theirs. */
export type SharedSessions = {
  readonly endedSessions: ReadonlyMap<string, number>;
  endSession(id: string, untilS: number): Promise<void>;
};

const shared = processWide<SharedSessions>('shared-sessions');
export const shareSessions = shared.set;

function isEnded(id: string): boolean {
  return ended.get()?.has(id) === true || shared.get()?.endedSessions.has(id) === true;
}

export function openSession(keys: SessionKeys, nowS: number): Promise<string> {
  return signed({ id: randomUUID(), signedInAtS: nowS, renewedAtS: nowS }, keys);
}

/** The session of a token; undefined when it is forged, too old, ended, or was opened with another password. */
export async function readSession(
  token: string,
  keys: SessionKeys,
  nowS: number,
): Promise<Session | undefined> {
  try {
    const { payload } = await jwtVerify(token, keyOf(keys), {
      algorithms: ['HS256'],
      issuer: ISSUER,
      requiredClaims: ['jti', 'iat', 'exp'],
      currentDate: new Date(nowS * 1000),
    });
    const { jti: id, iat: renewedAtS, since: signedInAtS, by } = payload;
    if (id === undefined || renewedAtS === undefined || typeof signedInAtS !== 'number') return undefined;
    if (typeof by !== 'string' || !isEqualInConstantTime(by, fingerprint(keys)) || isEnded(id))
      return undefined;
    return nowS - signedInAtS < SESSION_MAX_AGE_S ? { id, signedInAtS, renewedAtS } : undefined;
  } catch {
    return undefined;
  }
}

/** A new token for a session whose token has aged; undefined while it is fresh enough. */
export async function renewedToken(
  session: Session,
  keys: SessionKeys,
  nowS: number,
): Promise<string | undefined> {
  if (nowS - session.renewedAtS < RENEW_AFTER_S) return undefined;
  return signed({ ...session, renewedAtS: nowS }, keys);
}

/** None of its tokens is taken any more. @throws Error where other processes can't be told; in this one it has ended */
export async function endSession({ id }: Session, nowS: number): Promise<void> {
  const known = ended.ensure(() => new Map<string, number>());
  for (const [other, untilS] of known)
    if (untilS <= nowS || known.size >= MAX_ENDED_SESSIONS) known.delete(other);
  known.set(id, nowS + SESSION_IDLE_S);
  await shared.get()?.endSession(id, nowS + SESSION_IDLE_S);
}

function signed({ id, signedInAtS, renewedAtS }: Session, keys: SessionKeys): Promise<string> {
  return new SignJWT({ since: signedInAtS, by: fingerprint(keys) })
    .setProtectedHeader({ alg: 'HS256' })
    .setJti(id)
    .setIssuer(ISSUER)
    .setIssuedAt(renewedAtS)
    .setExpirationTime(Math.min(renewedAtS + SESSION_IDLE_S, signedInAtS + SESSION_MAX_AGE_S))
    .sign(keyOf(keys));
}

function keyOf({ sessionSecret }: SessionKeys): Uint8Array {
  return new TextEncoder().encode(sessionSecret);
}

/** Tells one password from another, and nothing about either without the secret. */
function fingerprint({ sessionSecret, password }: SessionKeys): string {
  return createHmac('sha256', sessionSecret).update(`password ${password}`).digest('base64url');
}

/** In a time that does not tell how much of the text was right. */
export function isEqualInConstantTime(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
