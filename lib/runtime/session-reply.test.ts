import { afterEach, beforeEach, expect, it } from 'vitest';
import { RequestLimits } from '@/lib/access/principal';
import type { Log } from '@/lib/platform/log';
import { processWide } from '@/lib/platform/process-wide';
import { readSettings } from '@/lib/platform/settings';
import { replaceSettings } from '@/lib/platform/settings-fixture';
import { replyWithSession } from './session-reply';

const PASSWORD = 'correct-horse-battery';
let lines: string[] = [];

beforeEach(() => {
  lines = [];
  const say = (_: unknown, message: string) => void lines.push(message);
  processWide<Log>('log').set({ debug: say, info: say, warn: say, error: say });
  const env = { ACCESS: 'password', DASHBOARD_PASSWORD: PASSWORD, SESSION_SECRET: 'x'.repeat(40) };
  replaceSettings(readSettings(env));
});
afterEach(() => {
  processWide<Log>('log').set(undefined);
  replaceSettings(undefined);
});

type Body = string | ReadableStream<Uint8Array>;

function send(method: string, headers: Record<string, string> = {}, body?: Body): Promise<Response> {
  const sent = { host: 'localhost:3000', 'content-type': 'application/json', ...headers };
  const init: RequestInit & { duplex: 'half' } = { method, headers: sent, body, duplex: 'half' };
  return replyWithSession(new Request('http://localhost:3000/api/session', init));
}

const signIn = (password: string) => send('POST', {}, JSON.stringify({ password }));

it('logs sign-ins, failures and sign-outs, and nothing of the password or the session', async () => {
  expect((await signIn('not the password')).status).toBe(401);
  expect(lines).toEqual(['wrong password']);
  const cookie = (await signIn(PASSWORD)).headers.get('set-cookie')?.split(';')[0] ?? '';
  expect(lines.slice(1)).toEqual(['signed in']);
  expect((await send('DELETE', { cookie })).status).toBe(200);
  expect(lines.slice(2)).toEqual(['signed out']);
  expect((await send('DELETE', { cookie })).status).toBe(200);
  expect(lines.slice(3)).toEqual([]);
});

it('creates a new session for each sign-in, whatever cookie came with it', async () => {
  const first = (await signIn(PASSWORD)).headers.get('set-cookie') ?? '';
  const fixed = { cookie: first.split(';')[0] ?? '' };
  const second = await send('POST', fixed, JSON.stringify({ password: PASSWORD }));
  expect(second.headers.get('set-cookie')).toMatch(/^ks-session=\S+;/);
  expect(second.headers.get('set-cookie')).not.toBe(first);
});

it('serves signed-in callers of an address whose other callers are limited', async () => {
  const cookie = (await signIn(PASSWORD)).headers.get('set-cookie')?.split(';')[0] ?? '';
  const limits = new RequestLimits(() => 0);
  processWide<RequestLimits>('request-limits').set(limits);
  try {
    limits.consume(['outside unknown'], 1000);
    expect((await send('GET')).status).toBe(429);
    expect((await signIn(PASSWORD)).status).toBe(429);
    expect((await send('DELETE')).status).toBe(429);
    expect(await (await send('GET', { cookie })).json()).toMatchObject({ signedIn: true });
    expect((await send('DELETE', { cookie })).status).toBe(200);
  } finally {
    processWide<RequestLimits>('request-limits').set(undefined);
  }
});

it('reads no more of a sign-in than the longest password needs', async () => {
  expect((await signIn('\u0001'.repeat(8192))).status).toBe(401);
  const answer = await signIn('x'.repeat(64 * 1024));
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ detail: 'The body is larger than 64 kB.' });
});

it('reads 20 concurrent sign-ins of one address, however slowly they are sent', async () => {
  const senders: ReadableStreamDefaultController<Uint8Array>[] = [];
  const slow = () => send('POST', {}, new ReadableStream({ start: (sender) => void senders.push(sender) }));
  const all = Array.from({ length: 20 }, slow);
  const response = await slow();
  expect(response.status).toBe(429);
  expect(response.headers.get('retry-after')).toBe('5');
  const text = new TextEncoder().encode(JSON.stringify({ password: PASSWORD }));
  for (const sender of senders.slice(0, 20)) {
    sender.enqueue(text);
    sender.close();
  }
  expect((await Promise.all(all)).map(({ status }) => status)).toEqual(all.map(() => 200));
  expect((await signIn(PASSWORD)).status).toBe(200);
});
