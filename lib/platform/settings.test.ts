import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { DEFAULT_PENDING_SETTINGS } from '@/lib/core/pending-settings';
import { thresholdsOf } from './network-settings';
import type { Environment } from './secret';
import { readSettings, SettingsError } from './settings';

const folder = mkdtempSync(join(tmpdir(), 'keeperscope-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** The error line that these settings cause at the start. */
function refusal(env: Environment): string {
  try {
    readSettings(env);
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  return 'not refused';
}

describe('unset settings', () => {
  it('give loopback, the documented defaults and the sandbox', () => {
    const settings = readSettings({});
    expect(settings).toMatchObject({
      host: '127.0.0.1',
      port: 3000,
      access: { kind: 'local' },
      logs: [],
      index: { dataDir: '.keeperscope', historyDays: undefined, memoryMb: 512 },
      callsPerSecond: { logs: 5, updates: 3, router: 10 },
      sandbox: { port: 4010, seed: 1, records: 50_000 },
      feedLateS: 5,
      feedStaleS: 60,
      maxStreams: 5000,
      maxStreamsPerClient: 100,
      logLevel: 'info',
      networks: {},
      pending: {},
      warnings: [],
    });
    expect(settings.updates ?? settings.upgraded ?? settings.router ?? settings.metricsToken).toBeUndefined();
    expect([...settings.allowedHosts]).toEqual(['localhost', '127.0.0.1', '[::1]']);
    expect(settings.feeds).toContain('Crypto.BTC/USD');
  });

  it('include those that are empty', () => {
    const defaults = { port: 3000, access: { kind: 'local' }, sandbox: { port: 4010 } };
    expect(readSettings({ PORT: '', LOGS_URL: '', ACCESS: ' ', METRICS_TOKEN: '' })).toMatchObject(defaults);
  });
});

describe('a malformed setting', () => {
  const MALFORMED = {
    PORT: ['eighty', '65536', '0', '-1', '80.5'],
    HOST: ['http://127.0.0.1', 'two words'],
    LOGS_URL: [
      'logs.example.com',
      'ftp://logs.example.com',
      'https://user:hush@logs.example.com',
      'https://logs.example.com/?key=hush',
      'main=https://a.example,test=nowhere',
      'Main=https://a.example',
      'main=https://a.example,',
      'main=https://a.example,main=https://b.example',
      'https://a.example,https://b.example',
      'my-file=https://a.example',
    ],
    UPDATES_URL: ['https://', 'https://updates.example#there'],
    UPGRADED_UPDATES_URL: ['//upgraded.example/hermes'],
    ROUTER_URL: ['router'],
    LOGS_CALLS_PER_S: ['0'],
    UPDATES_CALLS_PER_S: ['many'],
    ROUTER_CALLS_PER_S: ['-3'],
    HISTORY_DAYS: ['0', '1.5', 'some'],
    STORE_MEMORY_MB: ['64', '1 GB'],
    STORE_URL: [
      'mysql://user:hush@db.example/keeperscope',
      'postgres:///db',
      'postgres://user:hush word@db.example/keeperscope',
    ],
    ALERT_WEBHOOK_URL: ['hooks.example/hush', 'https://user:hush@hooks.example'],
    ALERT_WEBHOOK_FORMAT: ['xml'],
    SANDBOX: ['yes'],
    SANDBOX_PORT: ['70000'],
    SANDBOX_SEED: ['seed'],
    SANDBOX_RECORDS: ['1e9'],
    FEEDS: ['e62df6c8', ','],
    FEED_LATE_S: ['0'],
    FEED_STALE_S: ['soon'],
    MAX_STREAMS: ['0'],
    MAX_STREAMS_PER_CLIENT: ['all'],
    ACCESS: ['everyone'],
    ALLOWED_HOSTS: ['https://dash.example.com', '*'],
    METRICS_TOKEN: ['two words'],
    LOG_LEVEL: ['loud'],
    NETWORKS_FILE: ['no-such-networks.json'],
  };
  const cases = Object.entries(MALFORMED).flatMap(([name, values]) =>
    values.map((value) => [name, value] as const),
  );
  it.each(cases)('%s=%s is refused with one line that names it and hides its value', (name, value) => {
    const line = refusal({ [name]: value });
    expect(line).toContain(name);
    expect(line).toMatch(/ should /);
    expect(line).not.toContain('\n');
    if (value.length > 2) expect(line).not.toContain(value);
    expect(line).not.toContain('hush');
  });

  it('is refused if the stale floor is below the late floor', () => {
    expect(refusal({ FEED_LATE_S: '90' })).toContain('FEED_STALE_S should be at least FEED_LATE_S');
  });
});

describe('thresholds for pending requests', () => {
  it('default to the keeper’s own', () => {
    expect(thresholdsOf(readSettings({}), '8453')).toEqual(DEFAULT_PENDING_SETTINGS);
  });

  it('come from the environment, and each network may have its own instead', () => {
    const path = file('networks.json', '{"8453": {"name": "Base", "stuckAfterS": 900, "backlogBlocks": 50}}');
    const env = { PENDING_SLOW_S: '1.5', PENDING_RETRY_S: '30', PENDING_STUCK_S: '45', NETWORKS_FILE: path };
    const settings = readSettings(env);
    const shared = { slowAfterS: 1.5, retryBudgetS: 30, origin: 'configured' };
    expect(thresholdsOf(settings, '1')).toEqual({ ...shared, stuckAfterS: 45, backlogBlocks: 1000 });
    expect(thresholdsOf(settings, '8453')).toEqual({ ...shared, stuckAfterS: 900, backlogBlocks: 50 });
    const thresholds = { stuckAfterS: 900, backlogBlocks: 50 };
    expect(settings.networks['8453']).toEqual({ name: 'Base', thresholds });
  });

  it.each(['0', '-5', '1e3', 'a minute', '604801', 'Infinity'])('are refused as %s', (text) => {
    expect(refusal({ PENDING_STUCK_S: text })).toBe(
      'PENDING_STUCK_S should be a number of seconds above 0 and at most 604800',
    );
  });

  it('are refused if they contradict each other or the defaults', () => {
    const larger = (less: string, more: string) => `${less} should not be larger than ${more}`;
    expect(refusal({ PENDING_SLOW_S: '301' })).toBe(larger('PENDING_SLOW_S', 'PENDING_RETRY_S'));
    expect(refusal({ PENDING_STUCK_S: '299' })).toBe(larger('PENDING_RETRY_S', 'PENDING_STUCK_S'));
    const path = file('odd.json', '{"1": {"retryBudgetS": 500}}');
    const ofOne = larger('NETWORKS_FILE: of network 1, retryBudgetS', 'stuckAfterS');
    expect(refusal({ NETWORKS_FILE: path })).toBe(ofOne);
    expect(refusal({ NETWORKS_FILE: path, PENDING_STUCK_S: '600' })).toBe('not refused');
  });
});

const SECRET = 's'.repeat(32);

describe('access', () => {
  it('is local only on a loopback address', () => {
    for (const HOST of ['127.0.0.1', '127.8.0.1', 'localhost', '::1', '[::1]']) {
      expect(readSettings({ HOST }).access).toEqual({ kind: 'local' });
    }
    expect(refusal({ HOST: '0.0.0.0' })).toBe(
      'HOST should be a loopback address such as 127.0.0.1 unless ACCESS is password, proxy or open',
    );
    expect(refusal({ HOST: '127.0.0.1.evil.example' })).toMatch(/^HOST should be a loopback address/);
  });

  it('is open to anyone only when set explicitly, with a warning', () => {
    const settings = readSettings({ HOST: '0.0.0.0', ACCESS: 'open' });
    expect(settings.warnings[0]).toContain('ACCESS=open: anyone who reaches this port');
  });

  it('warns of a guessable metrics token, where others can try', () => {
    const warning = 'METRICS_TOKEN has fewer than 15 characters and may be guessed.';
    const warnings = (METRICS_TOKEN: string, ACCESS = 'open') =>
      readSettings({ ACCESS, METRICS_TOKEN }).warnings;
    expect(warnings('x'.repeat(14))).toContain(warning);
    expect(warnings('x'.repeat(15))).not.toContain(warning);
    expect(warnings('x', 'local')).toEqual([]);
  });

  it('accepts a pass phrase with spaces, also from a file', () => {
    const phrase = 'correct horse  battery, staple ü';
    const passwordOf = (env: Environment) => {
      const { access } = readSettings({ ACCESS: 'password', SESSION_SECRET: SECRET, ...env });
      return access.kind === 'password' && access.password();
    };
    expect(passwordOf({ DASHBOARD_PASSWORD: phrase })).toBe(phrase);
    expect(passwordOf({ DASHBOARD_PASSWORD_FILE: file('phrase', `${phrase}\n`) })).toBe(phrase);
  });

  it('accepts a password that is long enough, with a secret for its sessions', () => {
    const env = { ACCESS: 'password', DASHBOARD_PASSWORD: 'a phrase of ours', SESSION_SECRET: SECRET };
    expect(readSettings({ ...env, HOST: '0.0.0.0' }).access.kind).toBe('password');
    const short = refusal({ ...env, DASHBOARD_PASSWORD: 'short' });
    expect(short).toMatch(/^DASHBOARD_PASSWORD should be at least 8 /);
    expect(refusal({ ...env, SESSION_SECRET: undefined })).toMatch(/^SESSION_SECRET should be at least 32 /);
    const password = file('pw', 'long enough\n');
    const secret = file('ss', SECRET);
    const files = { DASHBOARD_PASSWORD_FILE: password, SESSION_SECRET_FILE: secret };
    expect(readSettings({ ACCESS: 'password', ...files }).access.kind).toBe('password');
  });

  it('accepts a proxy that shares a secret', () => {
    const env = { ACCESS: 'proxy', PROXY_SECRET: SECRET };
    const headers = { userHeader: 'x-forwarded-user', secretHeader: 'x-proxy-secret' };
    expect(readSettings(env).access).toMatchObject(headers);
    expect(refusal({ ACCESS: 'proxy' })).toMatch(/^PROXY_SECRET should be at least 32 /);
    const named = 'PROXY_USER_HEADER should be the name of a header, such as x-forwarded-user';
    expect(refusal({ ...env, PROXY_USER_HEADER: 'a b' })).toBe(named);
  });

  it.each([
    ['DASHBOARD_PASSWORD', 'password'],
    ['SESSION_SECRET_FILE', 'password'],
    ['PROXY_SECRET', 'proxy'],
    ['PROXY_USER_HEADER', 'proxy'],
  ])('%s is refused where it has no effect', (name, kind) => {
    const plain = name.replace('_FILE', '');
    expect(refusal({ [name]: SECRET })).toBe(
      `${plain} is set although ACCESS is local: set ACCESS to ${kind}, or remove ${plain}`,
    );
  });

  it('serves the listed host names, whatever their case and port', () => {
    const settings = readSettings({ HOST: '[::1]', ALLOWED_HOSTS: 'Dash.Example.com, other:8080' });
    const local = ['localhost', '127.0.0.1', '[::1]'];
    expect([...settings.allowedHosts]).toEqual([...local, 'dash.example.com', 'other']);
    expect(settings.host).toBe('::1');
  });
});

describe('secrets in files', () => {
  it('are read without the line break', () => {
    const path = file('token', 'from-file\n');
    expect(readSettings({ METRICS_TOKEN_FILE: path }).metricsToken?.()).toBe('from-file');
  });

  it('hold the addresses of the database and of the webhook', () => {
    const store = 'postgres://user:p%20w@db.example:5432/keeperscope?sslmode=require';
    const settings = readSettings({
      STORE_URL_FILE: file('store', `${store}\n`),
      ALERT_WEBHOOK_URL_FILE: file('hook', 'https://hooks.example/T1/hush?token=x'),
      ALERT_WEBHOOK_FORMAT: 'slack',
    });
    expect(settings.index.storeUrl?.()).toBe(store);
    expect(settings.alertWebhook?.url()).toBe('https://hooks.example/T1/hush?token=x');
    expect(settings.alertWebhook?.format).toBe('slack');
    expect(JSON.stringify(settings)).not.toMatch(/db\.example|hush/);
    expect(readSettings({ ALERT_WEBHOOK_URL: 'http://[::1]:9/x' }).alertWebhook?.format).toBe('json');
    expect(readSettings({}).alertWebhook).toBeUndefined();
    expect(refusal({ ALERT_WEBHOOK_FORMAT: 'slack' })).toContain('set without ALERT_WEBHOOK_URL');
    expect(refusal({ STORE_URL_FILE: file('odd', 'mysql://hush') })).toMatch(/^STORE_URL_FILE should name/);
  });

  it('work per keeper', () => {
    const path = file('keeper', 'kept');
    const settings = readSettings({ LOGS_URL: 'main=https://l.example', LOGS_API_KEY_MAIN_FILE: path });
    expect(settings.logs[0]?.apiKey()).toBe('kept');
  });

  it('contradict the plain variable', () => {
    const keys = { UPDATES_API_KEY: 'hush', UPDATES_API_KEY_FILE: file('k', 'hush') };
    expect(refusal({ UPDATES_URL: 'https://u.example', ...keys })).toBe(
      'UPDATES_API_KEY and UPDATES_API_KEY_FILE contradict each other: set only one of them',
    );
  });

  it.each([
    ['missing', join(folder, 'nowhere')],
    ['empty', file('empty', ' \n')],
    ['of two lines', file('lines', 'hush\nhush')],
    ['too large', file('large', 'x'.repeat(10_000))],
    ['a folder', folder],
  ])('refuse the start when the file is %s', (_, path) => {
    const line = refusal({ METRICS_TOKEN_FILE: path });
    expect(line).toMatch(/^METRICS_TOKEN_FILE should name a readable file/);
    expect(line).not.toContain(path);
    expect(line).not.toContain('hush');
  });
});

it('feeds are accepted by id or symbol, once each', () => {
  const id = '0xE62DF6C8B4A85FE1A67DB44DC12DE5DB330F7AC66B72DC658AFEDF0F4A415B43';
  const { feeds } = readSettings({ FEEDS: `${id}, Crypto.ETH/USD Crypto.ETH/USD` });
  expect(feeds).toEqual([id, 'Crypto.ETH/USD']);
});

describe('services', () => {
  it('keep their path prefix and lose a trailing slash', () => {
    const url = 'https://up.example/hermes/';
    const settings = readSettings({ UPGRADED_UPDATES_URL: url, UPDATES_API_KEY: 'k1' });
    expect(settings.upgraded?.url).toBe('https://up.example/hermes');
    expect(settings.upgraded?.apiKey()).toBe('k1');
    expect(settings.sandbox).toBeUndefined();
  });

  it('call a single log service keeper main', () => {
    const { logs } = readSettings({ LOGS_URL: 'https://logs.example', LOGS_API_KEY: 'shared' });
    expect(logs.map(({ keeper, url }) => [keeper, url])).toEqual([['main', 'https://logs.example']]);
    expect(logs[0]?.apiKey()).toBe('shared');
  });

  it('list several log services in order, each with its own key or the shared one', () => {
    const { logs } = readSettings({
      LOGS_URL: 'test=https://t.example/x, my-main=https://m.example',
      LOGS_API_KEY: 'shared',
      LOGS_API_KEY_MY_MAIN: 'own',
    });
    expect(logs.map(({ keeper, url, apiKey }) => [keeper, url, apiKey()])).toEqual([
      ['test', 'https://t.example/x', 'shared'],
      ['my-main', 'https://m.example', 'own'],
    ]);
  });

  it('work without a key', () => {
    expect(readSettings({ UPDATES_URL: 'http://localhost:9' }).updates?.apiKey()).toBeUndefined();
  });

  it('use the router for symbols by default', () => {
    expect(readSettings({ ROUTER_URL: 'https://r.example' }).router?.symbolsUrl).toBe('https://r.example');
    const apart = { ROUTER_URL: 'https://r.example', SYMBOLS_URL: 'https://s.example/' };
    expect(readSettings(apart).router?.symbolsUrl).toBe('https://s.example');
  });

  it.each([
    [{ LOGS_API_KEY: 'hush' }, 'LOGS_API_KEY is set without LOGS_URL'],
    [{ LOGS_API_KEY_MAIN: 'hush' }, 'LOGS_API_KEY_MAIN is set without LOGS_URL'],
    [{ UPDATES_API_KEY: 'hush' }, 'UPDATES_API_KEY is set without UPDATES_URL'],
    [
      { UPDATES_URL: 'https://u.example', UPGRADED_UPDATES_API_KEY: 'hush' },
      'UPGRADED_UPDATES_API_KEY is set without',
    ],
    [{ ROUTER_API_KEY: 'hush' }, 'ROUTER_API_KEY is set without ROUTER_URL'],
    [{ SYMBOLS_URL: 'https://s.example' }, 'SYMBOLS_URL is set without ROUTER_URL'],
    [
      { LOGS_URL: 'https://l.example', LOGS_API_KEY_TEST: 'hush' },
      'LOGS_API_KEY_TEST names no keeper of LOGS_URL',
    ],
  ])('refuse %o as a contradiction', (env, line) => {
    expect(refusal(env)).toContain(line);
    expect(refusal(env)).not.toContain('hush');
  });
});

describe('the sandbox', () => {
  it('runs only when no service is configured', () => {
    expect(readSettings({ SANDBOX: 'on', SANDBOX_SEED: '7' }).sandbox?.seed).toBe(7);
    expect(readSettings({ UPDATES_URL: 'https://u.example' }).sandbox).toBeUndefined();
    expect(readSettings({ UPDATES_URL: 'https://u.example', SANDBOX: 'off' }).sandbox).toBeUndefined();
  });

  it('refuses to be on beside a service, and off without one', () => {
    expect(refusal({ SANDBOX: 'on', ROUTER_URL: 'https://r.example' })).toMatch(
      /^SANDBOX is on although ROUTER_URL is set/,
    );
    expect(refusal({ SANDBOX: 'off' })).toMatch(/^SANDBOX is off and no service is set/);
  });
});

it('a changed password is read from its file, unless it is too short', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const path = file('password', 'first-password\n');
  const env = { ACCESS: 'password', DASHBOARD_PASSWORD_FILE: path, SESSION_SECRET: 'x'.repeat(32) };
  const { access } = readSettings(env);
  const after = (text: string) => {
    writeFileSync(path, text);
    vi.advanceTimersByTime(2000);
    return access.kind === 'password' ? access.password() : undefined;
  };
  expect(after('second-password\n')).toBe('second-password');
  expect(after('x\n')).toBe('second-password');
  expect(after('')).toBe('second-password');
  expect(after('third-password')).toBe('third-password');
  vi.useRealTimers();
});
