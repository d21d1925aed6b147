import 'server-only';
import { createHash, timingSafeEqual } from 'node:crypto';
import { type Problem, problem, problemOf } from '@/lib/core/problem';
import type { Access } from './access-settings';
import { clientAddress } from './client-address';
import { currentSettings } from './current-settings';
import { PasswordGate } from './password-gate';
import { processWide } from './process-wide';
import { RequestLimits } from './request-limits';
import { isBehindTls } from './security-headers';
import { readSession, renewedToken, SESSION_IDLE_S, type Session, type SessionKeys } from './session';

/** Who asks, as far as it can be told: headers by their names in lower case, and what the peer of the connection is counted by. */
export type Asker = { header(name: string): string | null | undefined; address: string };

/** Somebody who may come in. */
export type Visitor = {
  /** What limits are counted by: the address, and the user or the session where there is one. */
  keys: readonly string[];
  session?: Session;
};

/** `setCookie`: the session's token has aged, and the answer should carry a new one. */
export type Entry = { ok: true; visitor: Visitor; setCookie?: string } | Refusal;

export type Refusal = { ok: false; problem: Problem; headers: Record<string, string> };

export const SESSION_COOKIE = 'ks-session';

/** Behind TLS: browsers take a cookie of this name from nobody but us, not even from another name of our domain. */
export const SESSION_COOKIE_TLS = `__Host-${SESSION_COOKIE}`;

const cookiePattern = (name: string) => new RegExp(`(?:^|;\\s*)${name}=([^;\\s]+)`);
const COOKIE = cookiePattern(SESSION_COOKIE);
const COOKIE_TLS = cookiePattern(SESSION_COOKIE_TLS);

/** No name that a proxy vouches for is longer. */
const LONGEST_USER = 200;

const gate = processWide<PasswordGate>('password-gate');
const limits = processWide<RequestLimits>('request-limits');

/** The gate that all passwords of this process go through. */
export function passwordGate(): PasswordGate {
  const made = gate.get() ?? new PasswordGate();
  gate.set(made);
  return made;
}

/**
 * Whether somebody may come in. Every route handler and every page asks this function, whatever stood before it.
 * @returns a problem of kind `not-signed-in`, or `too-many` while an address that guessed has to wait
 */
export async function admit(asker: Asker, access: Access = currentSettings().access): Promise<Entry> {
  switch (access.kind) {
    case 'local':
    case 'open':
      return { ok: true, visitor: { keys: [asker.address] } };
    case 'password':
      return admitByPassword(asker, access);
    case 'proxy':
      return admitByProxy(asker, access);
  }
}

/**
 * The same, and a request is counted: who asks too often is refused. Where only this machine can ask, nobody counts.
 * Those who may not come in have a purse of their own: a flood of them takes nothing from the signed-in of one address.
 */
export async function enter(asker: Asker, access: Access = currentSettings().access): Promise<Entry> {
  const entry = await admit(asker, access);
  const keys = entry.ok ? entry.visitor.keys : [outsiderKey(asker)];
  return counted(keys, access) ?? entry;
}

/** Counts a request for what is shown signed out too; a refusal, or undefined when it may be answered. */
export function knock(asker: Asker, access: Access = currentSettings().access): Refusal | undefined {
  return counted([outsiderKey(asker)], access);
}

/**
 * The work of the page for signing in, in ordinary requests: it takes 20 ms of a processor, and a page that sends
 * somebody away takes 3. At 1, one address could keep everybody else waiting within its purse.
 */
export const PAGE_COST = 10;

/** The same for the page for signing in. */
export function knockForPage(asker: Asker, access: Access = currentSettings().access): Refusal | undefined {
  return counted([outsiderKey(asker)], access, PAGE_COST);
}

function outsiderKey({ address }: Pick<Asker, 'address'>): string {
  return `outside ${address}`;
}

function counted(keys: readonly string[], access: Access, cost = 1): Refusal | undefined {
  if (access.kind === 'local') return undefined;
  const counts = limits.get() ?? new RequestLimits();
  limits.set(counts);
  const retryAfterS = counts.take(keys, cost);
  return retryAfterS === undefined ? undefined : tooMany(retryAfterS);
}

function tooMany(retryAfterS: number): Refusal {
  const detail = `More requests than this dashboard answers one client. Try again in ${retryAfterS} s.`;
  return refused(problemOf({ kind: 'too-many', detail, retryAfterS }));
}

/**
 * Whether somebody who came in may stay, for what outlives a request: his session may have ended meanwhile, or the
 * password be another. It costs next to nothing and counts no failure, so it answers nobody who was not let in before.
 */
export async function isStillAuthorized(
  asker: Asker,
  access: Access = currentSettings().access,
): Promise<boolean> {
  const keys = sessionKeys(access);
  if (keys === undefined) return (await admit(asker, access)).ok;
  const given = basicPassword(asker.header('authorization'));
  if (given !== undefined && isSameText(given, keys.password)) return true;
  return (await sessionOf(asker, keys)) !== undefined;
}

/** What the exports of a visitor are counted by; empty where only this machine can ask. */
export function exportClient(
  { keys }: Visitor,
  access: Access = currentSettings().access,
): readonly string[] {
  return access.kind === 'local' ? [] : keys;
}

/** What the sessions of this access are made with; undefined for an access without sessions. */
export function sessionKeys(access: Access): SessionKeys | undefined {
  if (access.kind !== 'password') return undefined;
  return { sessionSecret: access.sessionSecret() ?? '', password: access.password() ?? '' };
}

/** The cookie that carries a session's token; an empty token takes it away. */
export function sessionCookie(token: string, asker: Asker): string {
  const age = token === '' ? 0 : SESSION_IDLE_S;
  const rest = `=${token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${age}`;
  return asksThroughTls(asker) ? `${SESSION_COOKIE_TLS}${rest}; Secure` : `${SESSION_COOKIE}${rest}`;
}

/** Somebody who forges this header hurts nobody but himself: his own browser would keep the cookie to itself. */
function asksThroughTls(asker: Asker): boolean {
  return isBehindTls(asker.header('x-forwarded-proto'));
}

/** The session that a request's cookie holds, if it is good. */
export async function sessionOf(asker: Asker, keys: SessionKeys): Promise<Session | undefined> {
  const pattern = asksThroughTls(asker) ? COOKIE_TLS : COOKIE;
  const [, token] = pattern.exec(asker.header('cookie') ?? '') ?? [];
  return token === undefined ? undefined : readSession(token, keys, nowS());
}

async function admitByPassword(asker: Asker, access: Extract<Access, { kind: 'password' }>): Promise<Entry> {
  const keys = sessionKeys(access);
  const session = keys && (await sessionOf(asker, keys));
  if (keys && session) {
    const token = await renewedToken(session, keys, nowS());
    const visitor = { keys: [asker.address, `session ${session.id}`], session };
    return { ok: true, visitor, ...(token === undefined ? {} : { setCookie: sessionCookie(token, asker) }) };
  }
  const given = basicPassword(asker.header('authorization'));
  if (given === undefined || keys === undefined) return notSignedIn(asker);
  const checked = await passwordGate().check(given, keys.password, asker.address);
  if (!checked.ok) return refused(problemOf(checked.failure));
  return checked.value ? { ok: true, visitor: { keys: [asker.address] } } : notSignedIn(asker);
}

async function admitByProxy(asker: Asker, access: Extract<Access, { kind: 'proxy' }>): Promise<Entry> {
  const user = asker.header(access.userHeader)?.trim() ?? '';
  const given = asker.header(access.secretHeader) ?? '';
  const wanted = access.secret();
  if (wanted === undefined || !isSameText(given, wanted)) {
    return refused(problem('not-signed-in', 'This dashboard is reached through its proxy only.'));
  }
  if (user === '' || user.length > LONGEST_USER) {
    return refused(problem('not-signed-in', 'The proxy did not say who you are.'));
  }
  // Only now may the proxy be believed: the last address is the one that it saw itself.
  const forwarded = asker.header('x-forwarded-for')?.split(',').at(-1)?.trim();
  const address = forwarded ? clientAddress(forwarded) : asker.address;
  return { ok: true, visitor: { keys: [address, `user ${user}`] } };
}

/**
 * A browser would open a window of its own for this header, over a page that can ask better. Over plain HTTP to another
 * machine it says nothing of its mode, but its name begins like that of all browsers.
 */
function notSignedIn(asker: Asker): Refusal {
  const isProgram = !asker.header('sec-fetch-mode') && !/^Mozilla\//.test(asker.header('user-agent') ?? '');
  const detail = 'Sign in at /sign-in, or send the password by HTTP Basic.';
  return refused(
    problem('not-signed-in', detail),
    isProgram ? { 'www-authenticate': 'Basic realm="Keeperscope", charset="UTF-8"' } : {},
  );
}

function refused(reason: Problem, headers: Record<string, string> = {}): Refusal {
  return { ok: false, problem: reason, headers };
}

/** The password of HTTP Basic; any user name will do. */
function basicPassword(authorization: string | null | undefined): string | undefined {
  const [, encoded] = /^Basic +([a-z0-9+/=_-]+)$/i.exec(authorization ?? '') ?? [];
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : text.slice(colon + 1);
}

/** In a time that does not tell how much of the text was right. */
export function isSameText(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

function nowS(): number {
  return Math.floor(Date.now() / 1000);
}
