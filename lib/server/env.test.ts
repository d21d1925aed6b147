import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readSettings, SettingsError } from './env';
import type { Environment } from './settings-error';

const folder = mkdtempSync(join(tmpdir(), 'keeperscope-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** The line that a start with these settings ends with. */
function refusal(env: Environment): string {
  try {
    readSettings(env);
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  return 'not refused';
}

describe('settings that are not set', () => {
  it('give loopback, the documented defaults and the sandbox', () => {
    const settings = readSettings({});
    expect(settings).toMatchObject({
      host: '127.0.0.1',
      port: 3000,
      access: 'local',
      logs: [],
      callsPerSecond: { logs: 20, updates: 3, router: 10 },
      sandbox: { port: 4010, seed: 1, records: 50_000 },
      feedLateS: 5,
      feedStaleS: 60,
      maxStreams: 5000,
      maxStreamsPerClient: 100,
      logLevel: 'info',
      networks: {},
      warnings: [],
    });
    expect(settings.updates ?? settings.upgraded ?? settings.router ?? settings.metricsToken).toBeUndefined();
    expect([...settings.allowedHosts]).toEqual(['localhost', '127.0.0.1', '[::1]']);
    expect(settings.feeds).toContain('Crypto.BTC/USD');
  });

  it('include those that are empty', () => {
    expect(readSettings({ PORT: '', LOGS_URL: '', ACCESS: ' ', METRICS_TOKEN: '' })).toMatchObject({
      port: 3000,
      access: 'local',
      sandbox: { port: 4010 },
    });
  });
});

describe('a malformed setting', () => {
  it.each([
    ['PORT', 'eighty'],
    ['PORT', '65536'],
    ['PORT', '0'],
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['HOST', 'http://127.0.0.1'],
    ['HOST', 'two words'],
    ['LOGS_URL', 'logs.example.com'],
    ['LOGS_URL', 'ftp://logs.example.com'],
    ['LOGS_URL', 'https://user:hush@logs.example.com'],
    ['LOGS_URL', 'https://logs.example.com/?key=hush'],
    ['LOGS_URL', 'main=https://a.example,test=nowhere'],
    ['LOGS_URL', 'Main=https://a.example'],
    ['LOGS_URL', 'main=https://a.example,'],
    ['LOGS_URL', 'main=https://a.example,main=https://b.example'],
    ['LOGS_URL', 'https://a.example,https://b.example'],
    ['LOGS_URL', 'my-file=https://a.example'],
    ['UPDATES_URL', 'https://'],
    ['UPDATES_URL', 'https://updates.example#there'],
    ['UPGRADED_UPDATES_URL', '//upgraded.example/hermes'],
    ['ROUTER_URL', 'router'],
    ['LOGS_CALLS_PER_S', '0'],
    ['UPDATES_CALLS_PER_S', 'many'],
    ['ROUTER_CALLS_PER_S', '-3'],
    ['SANDBOX', 'yes'],
    ['SANDBOX_PORT', '70000'],
    ['SANDBOX_SEED', 'seed'],
    ['SANDBOX_RECORDS', '1e9'],
    ['FEEDS', 'e62df6c8'],
    ['FEEDS', ','],
    ['FEED_LATE_S', '0'],
    ['FEED_STALE_S', 'soon'],
    ['MAX_STREAMS', '0'],
    ['MAX_STREAMS_PER_CLIENT', 'all'],
    ['ACCESS', 'everyone'],
    ['ALLOWED_HOSTS', 'https://dash.example.com'],
    ['ALLOWED_HOSTS', '*'],
    ['METRICS_TOKEN', 'two words'],
    ['LOG_LEVEL', 'loud'],
    ['NETWORKS_FILE', 'no-such-networks.json'],
  ])('%s=%s is refused with one line that names it and keeps its value back', (name, value) => {
    const line = refusal({ [name]: value });
    expect(line).toContain(name);
    expect(line).toMatch(/ should | names a keeper twice| has a keeper whose name/);
    expect(line).not.toContain('\n');
    if (value.length > 2) expect(line).not.toContain(value);
    expect(line).not.toContain('hush');
  });

  it('is refused where the stale floor lies under the late floor', () => {
    expect(refusal({ FEED_LATE_S: '90' })).toContain('FEED_STALE_S should be at least FEED_LATE_S');
  });
});

describe('a setting that nothing honours', () => {
  it.each([
    'PENDING_SLOW_S',
    'PENDING_RETRY_S',
    'PENDING_STUCK_S',
    'METRICS_COLLECT',
    'DASHBOARD_PASSWORD',
    'DASHBOARD_PASSWORD_FILE',
    'SESSION_SECRET',
    'PROXY_USER_HEADER',
    'PROXY_SECRET_HEADER',
    'PROXY_SECRET',
  ])('%s refuses to start', (name) => {
    expect(refusal({ [name]: 'value-9' })).toMatch(
      new RegExp(`^${name.replace('_FILE', '')} is not honoured yet; remove it$`),
    );
  });

  it.each(['password', 'proxy'])('ACCESS=%s refuses to start', (access) => {
    expect(refusal({ ACCESS: access })).toContain(
      'ACCESS should be local or open: signing in is not honoured yet',
    );
  });
});

describe('services', () => {
  it('keep their path prefix and lose a trailing slash', () => {
    const settings = readSettings({
      UPGRADED_UPDATES_URL: 'https://up.example/hermes/',
      UPDATES_API_KEY: 'k1',
    });
    expect(settings.upgraded?.url).toBe('https://up.example/hermes');
    expect(settings.upgraded?.apiKey()).toBe('k1');
    expect(settings.sandbox).toBeUndefined();
  });

  it('call one log service keeper main', () => {
    const { logs } = readSettings({ LOGS_URL: 'https://logs.example', LOGS_API_KEY: 'shared' });
    expect(logs.map(({ keeper, url }) => [keeper, url])).toEqual([['main', 'https://logs.example']]);
    expect(logs[0]?.apiKey()).toBe('shared');
  });

  it('take several log services in order, each with its own key or the shared one', () => {
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

  it('go without a key where none is set', () => {
    expect(readSettings({ UPDATES_URL: 'http://localhost:9' }).updates?.apiKey()).toBeUndefined();
  });

  it('look for symbols at the router unless told otherwise', () => {
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
  it('stands in only when no service is named', () => {
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

describe('access', () => {
  it('is local only on a loopback address', () => {
    for (const HOST of ['127.0.0.1', '127.8.0.1', 'localhost', '::1', '[::1]']) {
      expect(readSettings({ HOST }).access).toBe('local');
    }
    expect(refusal({ HOST: '0.0.0.0' })).toMatch(/^HOST should be a loopback address/);
    expect(refusal({ HOST: '127.0.0.1.evil.example' })).toMatch(/^HOST should be a loopback address/);
  });

  it('is open to anyone only when said, with a warning', () => {
    const settings = readSettings({ HOST: '0.0.0.0', ACCESS: 'open' });
    expect(settings.warnings[0]).toContain('ACCESS=open: anyone who reaches this port');
  });

  it('answers the names that are listed, whatever their case and port', () => {
    const settings = readSettings({ HOST: '[::1]', ALLOWED_HOSTS: 'Dash.Example.com, other:8080' });
    expect([...settings.allowedHosts]).toEqual([
      'localhost',
      '127.0.0.1',
      '[::1]',
      'dash.example.com',
      'other',
    ]);
    expect(settings.host).toBe('::1');
  });
});

describe('secrets in files', () => {
  it('are read without the line break', () => {
    const path = file('token', 'from-file\n');
    expect(readSettings({ METRICS_TOKEN_FILE: path }).metricsToken?.()).toBe('from-file');
  });

  it('work per keeper', () => {
    const path = file('keeper', 'kept');
    const settings = readSettings({ LOGS_URL: 'main=https://l.example', LOGS_API_KEY_MAIN_FILE: path });
    expect(settings.logs[0]?.apiKey()).toBe('kept');
  });

  it('contradict the plain variable', () => {
    const env = {
      UPDATES_URL: 'https://u.example',
      UPDATES_API_KEY: 'hush',
      UPDATES_API_KEY_FILE: file('k', 'hush'),
    };
    expect(refusal(env)).toBe(
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

describe('feeds', () => {
  it('are taken by id or symbol, once each', () => {
    const id = 'E62DF6C8B4A85FE1A67DB44DC12DE5DB330F7AC66B72DC658AFEDF0F4A415B43';
    expect(readSettings({ FEEDS: `0x${id}, Crypto.ETH/USD Crypto.ETH/USD` }).feeds).toEqual([
      `0x${id}`,
      'Crypto.ETH/USD',
    ]);
  });
});
