import { describe, expect, it } from 'vitest';
import { refusal } from './env-harness';
import { readSettings } from './settings';

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
