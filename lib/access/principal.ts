import 'server-only';
import { LRUCache } from 'lru-cache';
import { failureProblem, type ProblemDetails, problemDetails } from '@/lib/core/problem';
import { processWide } from '@/lib/platform/process-wide';
import { type Access, currentSettings } from '@/lib/platform/settings';
import { type Caller, clientAddress } from './caller';
import { isBehindTls } from './guard';
import { PasswordGate, tooManyFailure } from './login-throttle';
import {
  isEqualInConstantTime,
  type LoginSession,
  readSession,
  renewedToken,
  SESSION_IDLE_S,
  type SessionKeys,
} from './session';

type ByPassword = Extract<Access, { kind: 'password' }>;

export type Principal = {
  /** Limits are counted by the address, and the user or the session if there is one. */
  keys: readonly string[];
  session?: LoginSession;
  user?: string;
};

export type Entry = { ok: true; principal: Principal; setCookie?: string } | Refusal;

export type Refusal = { ok: false; problem: ProblemDetails; headers: Record<string, string> };

/**
 * The prefix `__Host-`, which requires TLS, makes a browser accept the cookie only from this host, not from a
 * subdomain.
 */
const cookieName = (caller: Caller) => (isBehindTls(caller) ? '__Host-ks-session' : 'ks-session');

/** Limit of names that come from a proxy. */
const MAX_USER_LENGTH = 200;

const gate = processWide<PasswordGate>('password-gate');
const limits = processWide<RequestLimits>('request-limits');

export const passwordGate = () => gate.ensure(() => new PasswordGate());

/**
 * Admits a caller; every route handler and page calls this. `not-signed-in`, or `too-many` while an address waits after
 * wrong guesses.
 */
export async function admit(caller: Caller, access: Access = currentSettings().access): Promise<Entry> {
  switch (access.kind) {
    case 'local':
    case 'open':
      return { ok: true, principal: { keys: [caller.address] } };
    case 'password':
      return admitByPassword(caller, access);
    case 'proxy':
      return admitByProxy(caller, access);
  }
}

/** Refused callers have a separate limit, so that a flood takes nothing from signed-in users at the same address. */
export async function admitWithLimits(
  caller: Caller,
  access: Access = currentSettings().access,
): Promise<Entry> {
  const entry = await admit(caller, access);
  const keys = entry.ok ? entry.principal.keys : [outsiderKey(caller)];
  const tooMany = counted(keys, access);
  return tooMany ? refused(tooMany) : entry;
}

/** Cost in ordinary requests. At a cost of 1, a single address could slow the sign-in page for everybody. */
export const PAGE_COST = 10;

/**
 * Counts a request for content that callers who are signed out may see too. Returns the problem if the limit is
 * reached.
 */
export function rateLimitAnonymous(
  caller: Caller,
  access: Access = currentSettings().access,
  cost = 1,
): ProblemDetails | undefined {
  return counted([outsiderKey(caller)], access, cost);
}

const outsiderKey = ({ address }: Caller) => `outside ${address}`;

function counted(keys: readonly string[], access: Access, cost = 1): ProblemDetails | undefined {
  if (access.kind === 'local') return undefined;
  const waitS = limits.ensure(() => new RequestLimits()).consume(keys, cost);
  return waitS === undefined
    ? undefined
    : failureProblem(tooManyFailure('Request limit of one client reached.', waitS));
}

/** The session may have ended, or the password may have changed. This does not count as a guess. */
export async function isStillAuthorized(
  caller: Caller,
  access: Access = currentSettings().access,
): Promise<boolean> {
  const keys = sessionKeys(access);
  if (keys === undefined) return (await admit(caller, access)).ok;
  const password = basicPassword(caller.header('authorization'));
  if (password !== undefined && isEqualInConstantTime(password, keys.password)) return true;
  return (await signedInSession(caller, keys)) !== undefined;
}

/** Keys by which the exports of a client are counted. Empty if only this machine has access. */
export function exportClient(
  { keys }: Principal,
  access: Access = currentSettings().access,
): readonly string[] {
  return access.kind === 'local' ? [] : keys;
}

export function sessionKeys(access: Access): SessionKeys | undefined {
  return access.kind === 'password' ? keysOf(access) : undefined;
}

function keysOf({ sessionSecret, password }: ByPassword): SessionKeys {
  return { sessionSecret: sessionSecret() ?? '', password: password() ?? '' };
}

/** `Set-Cookie` value. An empty token deletes the cookie. */
export function sessionCookie(token: string, caller: Caller): string {
  const age = token === '' ? 0 : SESSION_IDLE_S;
  const secure = isBehindTls(caller) ? '; Secure' : '';
  return `${cookieName(caller)}=${token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${age}${secure}`;
}

export async function signedInSession(caller: Caller, keys: SessionKeys): Promise<LoginSession | undefined> {
  const begin = `${cookieName(caller)}=`;
  const cookies = (caller.header('cookie') ?? '').split(';').map((cookie) => cookie.trim());
  const sessionCookie = cookies.find((cookie) => cookie.startsWith(begin));
  return sessionCookie === undefined
    ? undefined
    : readSession(sessionCookie.slice(begin.length), keys, nowS());
}

async function admitByPassword(caller: Caller, access: ByPassword): Promise<Entry> {
  const keys = keysOf(access);
  const session = await signedInSession(caller, keys);
  if (session) {
    const token = await renewedToken(session, keys, nowS());
    const principal = { keys: [caller.address, `session ${session.id}`], session };
    return { ok: true, principal, setCookie: token && sessionCookie(token, caller) };
  }
  const password = basicPassword(caller.header('authorization'));
  if (password === undefined) return notSignedIn(caller);
  const checked = await passwordGate().check(password, keys.password, caller.address);
  if (!checked.ok) return refused(failureProblem(checked.failure));
  return checked.value ? { ok: true, principal: { keys: [caller.address] } } : notSignedIn(caller);
}

function admitByProxy(caller: Caller, access: Extract<Access, { kind: 'proxy' }>): Entry {
  const user = caller.header(access.userHeader)?.trim() ?? '';
  const secret = caller.header(access.secretHeader) ?? '';
  const expected = access.secret();
  if (expected === undefined || !isEqualInConstantTime(secret, expected)) {
    return refused(problemDetails('not-signed-in', 'Open the dashboard at its proxy’s address.'));
  }
  if (user === '' || user.length > MAX_USER_LENGTH) {
    return refused(problemDetails('not-signed-in', 'The proxy sent no user name.'));
  }
  // The proxy is trusted from here on. The last address is the one that it saw itself.
  const forwarded = caller.header('x-forwarded-for')?.split(',').at(-1)?.trim();
  const address = forwarded ? clientAddress(forwarded) : caller.address;
  return { ok: true, principal: { keys: [address, `user ${user}`], user } };
}

/**
 * A Basic challenge for programs. In browsers it would open their password dialog; without TLS, only the user agent
 * tells a browser.
 */
function notSignedIn(caller: Caller): Refusal {
  const isProgram = !caller.header('sec-fetch-mode') && !/^Mozilla\//.test(caller.header('user-agent') ?? '');
  const headers = { 'www-authenticate': 'Basic realm="Keeperscope", charset="UTF-8"' };
  const detail = 'Sign in at /sign-in, or send the password by HTTP Basic.';
  return refused(problemDetails('not-signed-in', detail), isProgram ? headers : undefined);
}

function refused(reason: ProblemDetails, headers: Record<string, string> = {}): Refusal {
  return { ok: false, problem: reason, headers };
}

function basicPassword(authorization: string | null | undefined): string | undefined {
  const [, encoded] = /^Basic +([a-z0-9+/=_-]+)$/i.exec(authorization ?? '') ?? [];
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : text.slice(colon + 1);
}

function nowS(): number {
  return Math.floor(Date.now() / 1000);
}

/** Requests a second: enough for a hundred browsers behind one address, but not for a runaway loop. */
const PER_SECOND = 100;
const BURST = 1000;
/** Limit of clients. Beyond it, the least recently used one is forgotten. */
const MAX_CLIENTS = 20_000;

/** Token buckets by client. `now` is unix ms. */
export class RequestLimits {
  readonly #buckets = new LRUCache<string, { left: number; atMs: number }>({ max: MAX_CLIENTS });

  constructor(private readonly now: () => number = Date.now) {}

  /** Takes nothing if one of the keys has too little, and returns the whole seconds to wait. */
  consume(keys: readonly string[], cost = 1): number | undefined {
    const now = this.now();
    const buckets = keys.map((key) => {
      const { left, atMs } = this.#buckets.peek(key) ?? { left: BURST, atMs: now };
      return { key, left: Math.min(BURST, left + (Math.max(0, now - atMs) / 1000) * PER_SECOND) };
    });
    const deficit = cost - Math.min(...buckets.map(({ left }) => left));
    if (deficit > 0) return Math.max(1, Math.ceil(deficit / PER_SECOND));
    for (const { key, left } of buckets) this.#buckets.set(key, { left: left - cost, atMs: now });
    return undefined;
  }
}
