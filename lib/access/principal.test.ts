import { beforeEach, describe, expect, it } from 'vitest';
import { processWide } from '@/lib/platform/process-wide';
import type { Environment } from '@/lib/platform/secret';
import { readSettings } from '@/lib/platform/settings';
import type { Caller } from './caller';
import {
  admit,
  admitWithLimits,
  type Entry,
  isStillAuthorized,
  PAGE_COST,
  RequestLimits,
  rateLimitAnonymous,
  sessionKeys,
  signedInSession,
} from './principal';
import { endSession, openSession } from './session';

const PASSWORD = 'correct-horse-battery';
const SECRET = 'x'.repeat(40);
const BY_PASSWORD = { ACCESS: 'password', DASHBOARD_PASSWORD: PASSWORD, SESSION_SECRET: SECRET };
const BY_PROXY = { ACCESS: 'proxy', PROXY_SECRET: SECRET };
const ANN = { 'x-forwarded-user': 'ann', 'x-proxy-secret': SECRET };
const KEYS = { sessionSecret: SECRET, password: PASSWORD };
const TOO_MANY = { kind: 'too-many', retryAfterS: 1 };
const nowS = () => Math.floor(Date.now() / 1000);

let address = 0;
beforeEach(() => {
  address += 1;
});

const caller = (headers: Record<string, string> = {}): Caller => ({
  header: (name) => headers[name],
  address: `10.0.0.${address}`,
});

const entryOf = (env: Environment, headers?: Record<string, string>): Promise<Entry> =>
  admit(caller(headers), readSettings(env).access);

const basic = (password: string) => ({ authorization: `Basic ${btoa(`anyone:${password}`)}` });

describe('access by password', () => {
  it('refuses a caller without credentials, and informs programs how to sign in', async () => {
    const entry = await entryOf(BY_PASSWORD);
    expect(entry).toMatchObject({ ok: false, problem: { kind: 'not-signed-in', status: 401 } });
    expect(entry).toMatchObject({ headers: { 'www-authenticate': expect.stringContaining('Basic') } });
    // Basic would open the browser's password dialog.
    const browser = await entryOf(BY_PASSWORD, { 'sec-fetch-mode': 'cors' });
    expect(browser).toMatchObject({ ok: false, headers: {} });
    const overPlainHttp = await entryOf(BY_PASSWORD, { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)' });
    expect(overPlainHttp).toMatchObject({ ok: false, headers: {} });
  });

  it('admits a session', async () => {
    const token = await openSession(KEYS, nowS());
    expect(await entryOf(BY_PASSWORD, { cookie: `a=b; ks-session=${token}; c=d` })).toMatchObject({
      ok: true,
    });
    expect(await entryOf(BY_PASSWORD, { cookie: `xks-session=${token}` })).toMatchObject({ ok: false });
    expect(await entryOf(BY_PASSWORD, { cookie: `ks-session=${token}x` })).toMatchObject({ ok: false });
  });

  it('renews a session in use by a cookie that scripts and other sites cannot use', async () => {
    const token = await openSession(KEYS, nowS() - 600);
    const plain = await entryOf(BY_PASSWORD, { cookie: `ks-session=${token}` });
    const setPlain = expect.stringMatching(/; HttpOnly; SameSite=Strict; Max-Age=43200$/);
    expect(plain).toMatchObject({ setCookie: setPlain });
    const tls = await entryOf(BY_PASSWORD, {
      cookie: `__Host-ks-session=${token}`,
      'x-forwarded-proto': 'https',
    });
    const setTls = expect.stringMatching(/^__Host-ks-session=[^;]+; Path=\/; .*; Secure$/);
    expect(tls).toMatchObject({ setCookie: setTls });
  });

  it('behind TLS, ignores a cookie that another subdomain or a page without TLS could have set', async () => {
    const token = await openSession(KEYS, nowS());
    const tls = { 'x-forwarded-proto': 'https' };
    const planted = `ks-session=${token}; x__Host-ks-session=${token}`;
    expect(await entryOf(BY_PASSWORD, { ...tls, cookie: planted })).toMatchObject({ ok: false });
    const cookieHeader = `ks-session=planted; __Host-ks-session=${token}`;
    expect(await entryOf(BY_PASSWORD, { ...tls, cookie: cookieHeader })).toMatchObject({ ok: true });
  });

  it('accepts the password by HTTP Basic under any user name, and nothing similar', async () => {
    expect(await entryOf(BY_PASSWORD, basic(PASSWORD))).toMatchObject({ ok: true });
    const odd = [`Bearer ${PASSWORD}`, `Basic ${btoa(PASSWORD)}`, 'Basic', 'Basic ***'];
    for (const authorization of [basic('wrong').authorization, ...odd]) {
      expect(await entryOf(BY_PASSWORD, { authorization })).toMatchObject({ ok: false });
    }
  });

  it('does not keep a caller whose session ended or whose password changed', async () => {
    const env = { ...BY_PASSWORD };
    const { access } = readSettings(env);
    const other = readSettings({ ...env, DASHBOARD_PASSWORD: 'another-password' }).access;
    const token = await openSession(KEYS, nowS());
    for (const headers of [{ cookie: `ks-session=${token}` }, basic(PASSWORD)]) {
      expect(await isStillAuthorized(caller(headers), access)).toBe(true);
      expect(await isStillAuthorized(caller(headers), other)).toBe(false);
    }
    const session = await signedInSession(caller({ cookie: `ks-session=${token}` }), KEYS);
    if (session) await endSession(session, nowS());
    expect(await isStillAuthorized(caller({ cookie: `ks-session=${token}` }), access)).toBe(false);
    expect(await isStillAuthorized(caller(), access)).toBe(false);
    expect(await isStillAuthorized(caller(ANN), readSettings(BY_PROXY).access)).toBe(true);
    const renewed = readSettings({ ...BY_PROXY, PROXY_SECRET: 'y'.repeat(40) }).access;
    expect(await isStillAuthorized(caller(ANN), renewed)).toBe(false);
  });

  it('ignores headers of a proxy', async () => {
    const headers = { ...ANN, 'x-middleware-subrequest': 'proxy' };
    expect(await entryOf(BY_PASSWORD, headers)).toMatchObject({ ok: false });
  });
});

describe('access by proxy', () => {
  it('trusts a proxy that knows the secret, including its client address', async () => {
    for (const [address, key] of [
      ['6.6.6.6, 192.0.2.7', '192.0.2.7'],
      ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ] as const) {
      const entry = await entryOf(BY_PROXY, { ...ANN, 'x-forwarded-for': address });
      expect(entry).toMatchObject({ ok: true, principal: { keys: [key, 'user ann'] } });
    }
  });

  it('refuses everyone else', async () => {
    const strangers: Record<string, string>[] = [
      {},
      { 'x-forwarded-user': 'ann' },
      { 'x-forwarded-user': 'ann', 'x-proxy-secret': 'guess' },
      { 'x-forwarded-user': 'ann', 'x-proxy-secret': `${SECRET}, ${SECRET}` },
      { 'x-forwarded-user': '  ', 'x-proxy-secret': SECRET },
      { 'x-forwarded-user': 'a'.repeat(201), 'x-proxy-secret': SECRET },
      { 'x-proxy-secret': SECRET },
    ];
    for (const headers of strangers) {
      expect(await entryOf(BY_PROXY, headers)).toMatchObject({
        ok: false,
        problem: { kind: 'not-signed-in' },
      });
    }
  });

  it('uses the header names of the settings', async () => {
    const env = { ...BY_PROXY, PROXY_USER_HEADER: 'Remote-User', PROXY_SECRET_HEADER: 'X-Gate' };
    expect(await entryOf(env, { 'remote-user': 'ann', 'x-gate': SECRET })).toMatchObject({ ok: true });
    expect(await entryOf(env, ANN)).toMatchObject({ ok: false });
  });
});

it('ignores a forwarded address that no proxy vouches for', async () => {
  const entry = await entryOf({ ACCESS: 'open' }, { 'x-forwarded-for': '192.0.2.7' });
  expect(entry).toMatchObject({ ok: true, principal: { keys: [`10.0.0.${address}`] } });
});

it('limits the request rate, except on this machine', async () => {
  processWide<RequestLimits>('request-limits').set(new RequestLimits(() => 0));
  const open = readSettings({ ACCESS: 'open' }).access;
  const local = readSettings({}).access;
  for (let n = 0; n < 1000; n += 1) await admitWithLimits(caller(), open);
  expect(await admitWithLimits(caller(), open)).toMatchObject({ ok: false, problem: TOO_MANY });
  expect(await admitWithLimits(caller(), local)).toMatchObject({ ok: true });
});

it('limits unauthorized requests separately, so that they slow no signed-in user', async () => {
  processWide<RequestLimits>('request-limits').set(new RequestLimits(() => 0));
  const { access } = readSettings(BY_PASSWORD);
  const keys = sessionKeys(access) ?? expect.fail('no keys');
  const token = await openSession(keys, nowS());
  const outsider = caller();
  const insider = { ...caller({ cookie: `ks-session=${token}` }), address: outsider.address };
  for (let n = 0; n < 500; n += 1) await admitWithLimits(outsider, access);
  for (let n = 0; n < 500; n += 1) expect(rateLimitAnonymous(outsider, access)).toBeUndefined();
  expect(await admitWithLimits(outsider, access)).toMatchObject({ ok: false, problem: { kind: 'too-many' } });
  expect(rateLimitAnonymous(outsider, access)).toMatchObject(TOO_MANY);
  expect(await admitWithLimits(insider, access)).toMatchObject({ ok: true });
});

it('counts the sign-in page towards the rate limit', async () => {
  processWide<RequestLimits>('request-limits').set(new RequestLimits(() => 0));
  const { access } = readSettings(BY_PASSWORD);
  for (let n = 0; n < 100; n += 1) expect(rateLimitAnonymous(caller(), access, PAGE_COST)).toBeUndefined();
  expect(rateLimitAnonymous(caller(), access, PAGE_COST)).toMatchObject(TOO_MANY);
  expect(rateLimitAnonymous(caller(), readSettings({}).access, PAGE_COST)).toBeUndefined();
});
