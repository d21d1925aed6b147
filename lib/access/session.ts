import 'server-only';
import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import { processWide } from '@/lib/platform/process-wide';

export type LoginSession = { id: string; signedInAtS: number; renewedAtS: number };

/** A change of the signing secret or of the password ends all sessions. */
export type SessionKeys = { sessionSecret: string; password: string };

/** A session that is not used for this long ends. */
export const SESSION_IDLE_S = 12 * 60 * 60;
/** A session ends after this long even if it is used. */
const SESSION_MAX_AGE_S = 7 * 24 * 60 * 60;
/** Age at which a token is renewed, so that not every answer sets a cookie. */
const RENEW_AFTER_S = 5 * 60;
const ISSUER = 'keeperscope';
/** Ended sessions are remembered until their tokens expire. Beyond this, the oldest are evicted. */
const MAX_ENDED_SESSIONS = 10_000;

/** Ids of ended sessions, with the last expiry of their tokens (unix seconds). */
const ended = processWide<Map<string, number>>('ended-sessions');

/** Exchanged with the other processes. */
type SharedSessions = {
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

/** Undefined if the token is forged, expired, ended, or opened with another password. */
export async function readSession(
  token: string,
  keys: SessionKeys,
  nowS: number,
): Promise<LoginSession | undefined> {
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

/** Undefined if the token is recent enough. */
export async function renewedToken(
  session: LoginSession,
  keys: SessionKeys,
  nowS: number,
): Promise<string | undefined> {
  if (nowS - session.renewedAtS < RENEW_AFTER_S) return undefined;
  return signed({ ...session, renewedAtS: nowS }, keys);
}

/**
 * Ends a session: none of its tokens is accepted any more. @throws Error if other processes cannot be notified; here it
 * has ended
 */
export async function endSession({ id }: LoginSession, nowS: number): Promise<void> {
  const endedSessions = ended.ensure(() => new Map<string, number>());
  for (const [other, untilS] of endedSessions)
    if (untilS <= nowS || endedSessions.size >= MAX_ENDED_SESSIONS) endedSessions.delete(other);
  endedSessions.set(id, nowS + SESSION_IDLE_S);
  await shared.get()?.endSession(id, nowS + SESSION_IDLE_S);
}

function signed({ id, signedInAtS, renewedAtS }: LoginSession, keys: SessionKeys): Promise<string> {
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

/** Reveals the password to nobody who lacks the secret. */
function fingerprint({ sessionSecret, password }: SessionKeys): string {
  return createHmac('sha256', sessionSecret).update(`password ${password}`).digest('base64url');
}

/** The duration reveals nothing about the text. */
export function isEqualInConstantTime(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
