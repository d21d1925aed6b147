import { afterEach, expect, it } from 'vitest';
import { ADDRESS_HEADER, PEER_HEADER } from '@/lib/access/caller';
import { metrics } from '@/lib/platform/metrics';
import { readSettings } from '@/lib/platform/settings';
import { replaceSettings } from '@/lib/platform/settings-fixture';
import { mayReadMetrics, replyWithMetrics } from './metrics-on-scrape';

const local = readSettings({});
const open = readSettings({ ACCESS: 'open', METRICS_TOKEN: 'token-1' });
const openWithoutToken = readSettings({ ACCESS: 'open' });
const may = async (headers: Record<string, string>, settings = open) => {
  const allowed = await mayReadMetrics(new Headers(headers), settings);
  return allowed.ok ? allowed.value : allowed.failure.kind;
};

afterEach(() => {
  replaceSettings(undefined);
});

it('are public where only this machine has access', async () => {
  expect(await may({}, local)).toBe(true);
});

it('require the token where anyone has access', async () => {
  expect(await may({ authorization: 'Bearer token-1' })).toBe(true);
  expect(await may({ authorization: 'bearer token-1' })).toBe(true);
  expect(await may({ [PEER_HEADER]: 'local' })).toBe(true);
  expect(await may({})).toBe(false);
  expect(await may({ [PEER_HEADER]: 'remote' })).toBe(false);
  for (const authorization of ['Bearer token-2', 'Bearer ', 'Basic token-1', 'Bearer token-1 x']) {
    expect(await may({ authorization, [ADDRESS_HEADER]: '10.0.0.1' })).toBe(false);
  }
  expect(await may({ authorization: 'Bearer undefined' }, openWithoutToken)).toBe(false);
  expect(await may({ authorization: 'Bearer ' }, openWithoutToken)).toBe(false);
});

it('delays an address that guesses the token, even with the right one, and no other', async () => {
  const scrapeBy = (address: string, token: string) => ({
    [ADDRESS_HEADER]: address,
    authorization: `Bearer ${token}`,
  });
  for (let n = 0; n < 5; n += 1) expect(await may(scrapeBy('10.0.0.2', `guess-${n}`))).toBe(false);
  expect(await may(scrapeBy('10.0.0.2', 'guess-6'))).toBe('too-many');
  expect(await may(scrapeBy('10.0.0.2', 'token-1'))).toBe('too-many');
  expect(await may(scrapeBy('10.0.0.3', 'token-1'))).toBe(true);
  expect(await may({ [ADDRESS_HEADER]: '10.0.0.2', [PEER_HEADER]: 'local' })).toBe(true);
});

it('limits callers without the token, signed in or not', async () => {
  const PROXY_SECRET = 'x'.repeat(40);
  const proxied = readSettings({ ACCESS: 'proxy', PROXY_SECRET, METRICS_TOKEN: 'token-1' });
  const outside = { [ADDRESS_HEADER]: '10.0.0.5' };
  const inside = { ...outside, 'x-proxy-secret': PROXY_SECRET, 'x-forwarded-user': 'ann' };
  for (const [headers, answer] of [
    [inside, true],
    [outside, false],
  ] as const) {
    const answers = new Set();
    for (let n = 0; n < 1000; n += 1) answers.add(await may(headers, proxied));
    expect([...answers]).toEqual([answer]);
    for (let n = 0; n < 1000 && !answers.has('too-many'); n += 1) answers.add(await may(headers, proxied));
    expect(answers).toContain('too-many');
  }
  expect(await may({ ...outside, authorization: 'Bearer token-1' }, proxied)).toBe(true);
});

it('says when a wrong token may be retried', async () => {
  replaceSettings(open);
  const headers = { [ADDRESS_HEADER]: '10.0.0.4', authorization: 'Bearer wrong' };
  const get = () => replyWithMetrics(new Request('http://localhost/api/metrics', { headers }));
  for (let n = 0; n < 5; n += 1) expect((await get()).status).toBe(401);
  const answer = await get();
  expect(answer.status).toBe(429);
  expect(answer.headers.get('retry-after')).toBe('1');
});

it('counts calls by service, route and outcome', async () => {
  replaceSettings(local);
  metrics().registry.resetMetrics();
  const call = { label: 'logs:main', route: '/v1/logs' };
  metrics().observeCall({ ...call, outcome: 'ok', ms: 20, bytes: 512, called: true });
  metrics().observeCall({ ...call, outcome: 'rate-limited', ms: 0, bytes: 0, called: false });
  const response = await replyWithMetrics(new Request('http://localhost/api/metrics'));
  const text = await response.text();
  expect(response.headers.get('content-type')).toContain('text/plain');
  expect(text).toContain(
    'keeperscope_service_calls_total{service="logs:main",route="/v1/logs",outcome="ok",sent="yes"} 1',
  );
  expect(text).toContain('outcome="rate-limited",sent="no"} 1');
  expect(text).toContain(
    'keeperscope_service_call_seconds_count{service="logs:main",route="/v1/logs",outcome="ok"} 1',
  );
  expect(text).toContain(
    'keeperscope_service_received_bytes_total{service="logs:main",route="/v1/logs",outcome="ok"} 512',
  );
  const names = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  expect(names.filter((line) => !line.startsWith('keeperscope_'))).toEqual([]);
});

it('names to a refused caller the way to get access', async () => {
  replaceSettings(open);
  const response = await replyWithMetrics(new Request('http://localhost/api/metrics'));
  expect(response.status).toBe(401);
  expect(response.headers.get('www-authenticate')).toBe('Bearer');
  expect(await response.json()).toMatchObject({ kind: 'not-signed-in' });
});
