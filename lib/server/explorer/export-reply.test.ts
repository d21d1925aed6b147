import { queryObjects } from 'node:v8';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { readExportEnd } from '@/lib/requests/export-mark';
import { EXPECTED_HEADER } from '@/lib/requests/export-url';
import { replaceSettings } from '@/lib/server/current-settings';
import { readSettings } from '@/lib/server/env';
import { closeServices, type Services, startServices } from '@/lib/server/services';
import { endSession, openSession, readSession, SESSION_IDLE_S } from '@/lib/server/session';
import { replyWithExport } from './export-reply';
import { exportSlots, MOST_EXPORTS } from './export-slots';

const SANDBOX = { SANDBOX_PORT: '0', SANDBOX_RECORDS: '9000', LOG_LEVEL: 'silent' };

let running: Services;
beforeAll(async () => {
  const settings = readSettings(SANDBOX);
  replaceSettings(settings);
  running = await startServices(settings);
});
afterAll(async () => {
  await closeServices();
  replaceSettings(undefined);
});
beforeEach(async () => {
  await control('DELETE', '/faults');
});

async function control(method: string, path: string, body?: object): Promise<void> {
  const answer = await fetch(`${running.sandbox?.addresses.control}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
}

function ask(query: string, init: RequestInit = {}): Promise<Response> {
  return replyWithExport(new Request(`http://localhost/api/view/requests/export?${query}`, init));
}

/** Everything the sandbox has for a filter, by offsets, while its clock stands still. */
async function bruteForce(query: string): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  for (;;) {
    const answer = await fetch(
      `${running.sandbox?.addresses.logs.main}/v1/logs?${query}&limit=1000&offset=${rows.length}`,
      { headers: { authorization: 'Bearer sandbox-key' } },
    );
    const { requests } = (await answer.json()) as { requests: Record<string, unknown>[] };
    if (requests.length === 0) return rows;
    rows.push(...requests);
  }
}

describe('an export of more than 5,000 rows', () => {
  beforeAll(() => control('POST', '/clock', { stopped: true }));
  afterAll(() => control('POST', '/clock', { stopped: false }));

  it('holds what asking for every page by hand gives, row by row', async () => {
    const response = await ask('range=all&format=ndjson');
    const text = await response.text();
    const lines = text.trimEnd().split('\n');
    const end = readExportEnd('ndjson', text);
    const wanted = (await bruteForce('x=1')).map((row) => ({ ...row, keeper: 'main' }));
    expect(wanted.length).toBeGreaterThan(5000);
    expect(lines.slice(0, -1).map((line) => JSON.parse(line))).toEqual(wanted);
    expect(end).toMatchObject({ written: wanted.length, expected: wanted.length, complete: true });
    expect(response.headers.get(EXPECTED_HEADER)).toBe(String(wanted.length));
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="requests-[\dTZ]+\.ndjson"$/,
    );
  });

  it('of three networks and two states holds the rows, in the order of time, that filtering all of them gives', async () => {
    const networks = ['8453', '42161', '10'];
    const text = await (
      await ask(
        `range=all&format=json&state=completed&state=failed&${networks.map((id) => `network=${id}`).join('&')}`,
      )
    ).text();
    const { requests, end } = JSON.parse(text);
    const all = await bruteForce('x=1');
    const wanted = all.filter((row) => {
      const state = row.state as { state: string; callback_failed?: boolean };
      const isWanted =
        state.state === 'failed' || (state.state === 'completed' && state.callback_failed === false);
      return isWanted && networks.includes(String(row.network_id));
    });
    const keyOf = (row: Record<string, unknown>) =>
      `${row.network_id}/${row.sequence}/${row.request_tx_hash}`;
    expect(end).toMatchObject({ complete: true, written: wanted.length });
    expect(requests.map(keyOf).sort()).toEqual(wanted.map(keyOf).sort());
    const times = requests.map((row: { created_at: string }) => Date.parse(row.created_at));
    expect(times).toEqual([...times].sort((a, b) => b - a));
  });
});

it('what cannot be read, a keeper that is not there and a service that is down are problems with a status', async () => {
  expect((await ask('format=xml')).status).toBe(400);
  expect((await ask('keeper=nobody')).status).toBe(400);
  await control('POST', '/faults', { service: 'logs:main', fault: { kind: 'status', status: 500 } });
  const down = await ask('range=all');
  expect(down.status).toBe(502);
  expect(await down.json()).toMatchObject({ kind: 'failing' });
});

it('refuses more exports than it makes at a time, and makes one again when a reader has left', async () => {
  const open = await Promise.all(Array.from({ length: MOST_EXPORTS }, () => ask('range=all&format=ndjson')));
  expect(open.map(({ status }) => status)).toEqual(open.map(() => 200));
  const refused = await ask('range=all');
  expect(refused.status).toBe(429);
  expect(await refused.json()).toMatchObject({ kind: 'too-many', retryAfterS: 10 });
  await Promise.all(open.map((response) => response.body?.cancel()));
  const again = await ask('range=all&format=ndjson');
  expect(again.status).toBe(200);
  await again.body?.cancel();
});

it('gives its place back after a failure, an end, a HEAD and a request that was aborted', async () => {
  const stop = new AbortController();
  await ask('format=xml');
  await ask('keeper=nobody');
  await (await ask('range=1h&format=csv')).text();
  await ask('range=all', { method: 'HEAD' });
  const left = await ask('range=all', { signal: stop.signal });
  stop.abort();
  await expect(left.text()).rejects.toThrow();
  const places = Array.from({ length: MOST_EXPORTS }, () => exportSlots().take());
  expect(places.every((place) => place !== undefined)).toBe(true);
  for (const place of places) place?.();
});

it('sets no alarm for a reader who has left, though the stream asks once more', async () => {
  const stop = new AbortController();
  const reader = (await ask('range=all&format=ndjson', { signal: stop.signal })).body?.getReader();
  await reader?.read();
  const alarms = vi.spyOn(globalThis, 'setTimeout');
  try {
    stop.abort();
    await expect(reader?.read()).rejects.toThrow();
    // It would hold thousands of rows for five minutes.
    expect(alarms.mock.calls.filter(([, ms]) => ms === 300_000)).toEqual([]);
  } finally {
    alarms.mockRestore();
  }
});

it('holds nothing of twenty exports that were read to the end', async () => {
  const whole = async () => (await ask('range=1h&format=csv')).text();
  await whole();
  const held = () => Number(queryObjects(AbortSignal));
  const before = held();
  for (let n = 0; n < 20; n += 1) await whole();
  expect(held() - before).toBeLessThan(10);
});

describe('of somebody who signed in', () => {
  const KEYS = { sessionSecret: 'x'.repeat(40), password: 'correct-horse-battery' };
  const BASIC = { authorization: `Basic ${btoa(`anyone:${KEYS.password}`)}` };
  const passwordIs = (password: string) =>
    replaceSettings(
      readSettings({
        ...{ ...SANDBOX, ACCESS: 'password', DASHBOARD_PASSWORD: password },
        SESSION_SECRET: KEYS.sessionSecret,
      }),
    );
  beforeEach(() => passwordIs(KEYS.password));
  afterEach(() => {
    vi.useRealTimers();
    replaceSettings(readSettings(SANDBOX));
  });

  const nowS = () => Math.floor(Date.now() / 1000);
  const signedIn = async () => {
    const token = await openSession(KEYS, nowS());
    const signOut = async () => {
      const session = await readSession(token, KEYS, nowS());
      if (session !== undefined) endSession(session, nowS());
    };
    return { headers: { cookie: `ks-session=${token}` }, signOut };
  };

  /** What an export holds when this happens after its first rows came, and how it says that it ended. */
  async function exportUntil(headers: Record<string, string>, happens: () => unknown) {
    const reader = (await ask('range=all&format=ndjson&keeper=main', { headers })).body?.getReader();
    let text = '';
    const read = async () => {
      const { done, value } = (await reader?.read()) ?? { done: true };
      text += new TextDecoder().decode(value);
      return !done;
    };
    while (!text.includes('\n')) await read();
    const before = text.trimEnd().split('\n').length;
    await happens();
    while (await read());
    const further = text.trimEnd().split('\n').length - before - 1;
    return { further, end: readExportEnd('ndjson', text) };
  }

  it.each<[string, () => Promise<{ headers: Record<string, string>; happens: () => unknown }>]>([
    [
      'signing out',
      async () => {
        const { headers, signOut } = await signedIn();
        return { headers, happens: signOut };
      },
    ],
    [
      'a session that is over',
      async () => ({
        headers: (await signedIn()).headers,
        happens: () => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + (SESSION_IDLE_S + 1) * 1000 }),
      }),
    ],
    ['another password', async () => ({ headers: BASIC, happens: () => passwordIs('another-password-now') })],
  ])('%s ends it with the mark of one that is not complete', async (_, begin) => {
    const { headers, happens } = await begin();
    const { further, end } = await exportUntil(headers, happens);
    expect(further).toBe(0);
    expect(end).toMatchObject({ complete: false, problem: expect.stringContaining('signed out') });
  });

  it('goes on to its end while nothing of that happens', async () => {
    const { headers } = await signedIn();
    expect((await exportUntil(headers, () => {})).end).toMatchObject({ complete: true, problem: null });
  });
});
