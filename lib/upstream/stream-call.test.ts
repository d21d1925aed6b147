import { describe, expect, test } from 'vitest';
import type { HttpServiceOptions } from './http-service';
import { type Answer, callNumber, sendError, sendJson, serviceStarter } from './service-fixture';

const STREAM = { path: '/v2/updates/price/stream', query: 'ids[]=ab' };
const starting = serviceStarter();

const start = (answer: Answer, options: Partial<HttpServiceOptions> = {}) =>
  starting(answer, { service: 'updates', label: 'updates', ...options });

const eventStream: Answer = (_, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream;charset=utf-8' });
  response.write(': hello\n\n');
};

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

describe('a stream', () => {
  test('returns the bytes as they arrive, and ends when the service ends it', async () => {
    const { http, server } = await start((request, response, n) => {
      eventStream(request, response, n);
      response.end('data: 1\n\n');
    });
    const opened = await http.open(STREAM);
    if (!opened.ok) throw new Error(opened.failure.detail);
    expect(await textOf(opened.value.body)).toBe(': hello\n\ndata: 1\n\n');
    expect(server.requests[0]?.headers).toMatchObject({
      authorization: 'Bearer test-key-1',
      accept: 'text/event-stream',
    });
    expect(http.lastCall()).toMatchObject({ ok: true });
  });

  test('has no time limit once it is open', async () => {
    const { http } = await start(
      (request, response, n) => {
        eventStream(request, response, n);
        setTimeout(() => response.end('data: late\n\n'), 600);
      },
      { headersTimeoutMs: 500, totalTimeoutMs: 50 },
    );
    const opened = await http.open(STREAM);
    if (!opened.ok) throw new Error(opened.failure.detail);
    expect(await textOf(opened.value.body)).toContain('late');
  });

  test.each(['close', 'abort'])('frees its connection and ends its iteration on %s', async (way) => {
    const { http, server } = await start(eventStream);
    const stop = new AbortController();
    const opened = await http.open({ ...STREAM, signal: stop.signal });
    if (!opened.ok) throw new Error(opened.failure.detail);
    const [socket] = server.connections.open;
    const closed = new Promise((resolve) => socket?.once('close', resolve));
    const reading = textOf(opened.value.body);
    if (way === 'close') opened.value.close();
    else stop.abort();
    await closed;
    expect(await reading).not.toContain('data');
  });

  test('throws in its iteration when the connection is reset', async () => {
    const { http, server } = await start(eventStream);
    const opened = await http.open(STREAM);
    if (!opened.ok) throw new Error(opened.failure.detail);
    for (const socket of server.connections.open) socket.resetAndDestroy();
    await expect(textOf(opened.value.body)).rejects.toThrow();
  });
});

describe('a stream that cannot start', () => {
  test.each<[string, string, Answer]>([
    [
      'a web page',
      'malformed',
      (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>'),
    ],
    ['JSON', 'malformed', (_, response) => sendJson(response, '{}')],
    ['404', 'missing', (_, response) => sendError(response, 404, 'Price ids not found: ab')],
    ['401', 'unauthorized', (_, response) => sendError(response, 401, '')],
    ['silence', 'unreachable', (request) => request.socket.destroy()],
  ])('because the answer is %s is a failure of the kind %s', async (_, kind, answer) => {
    const { http } = await start(answer);
    expect(await http.open(STREAM)).toMatchObject({ ok: false, failure: { kind, service: 'updates' } });
  });

  test('quotes the service', async () => {
    const { http } = await start((_, response) => sendError(response, 404, 'Price ids not found: ab'));
    expect(await http.open(STREAM)).toMatchObject({ failure: { detail: 'Price ids not found: ab' } });
    expect(http.lastCall()).toMatchObject({ ok: true });
  });

  test.each([
    [402, ''],
    [404, ''],
    [405, 'Method not allowed'],
    [410, 'This route is gone'],
  ])(
    'for the answer %i "%s" makes its service failing until one starts, whatever other calls return',
    async (status, reason) => {
      let isRefused = true;
      const { http } = await start((request, response, n) => {
        if (!request.url?.includes('stream')) sendJson(response, '{}');
        else if (isRefused) sendError(response, status, reason);
        else eventStream(request, response, n);
      });
      await http.open(STREAM);
      const { failingSinceMs } = http.lastCall();
      await http.call(callNumber(1));
      const kind = status === 404 ? 'missing' : 'rejected';
      expect(http.lastCall()).toMatchObject({ ok: false, kind, failingSinceMs, isStream: true });
      isRefused = false;
      await http.open(STREAM);
      expect(http.lastCall()).toMatchObject({ ok: true });
      expect(http.lastCall().failingSinceMs).toBeUndefined();
    },
  );

  test.each([400, 422])(
    'for a malformed query (%i with a reason) is no failure of its service',
    async (status) => {
      const { http } = await start((_request, response) =>
        sendError(response, status, 'encoding: unknown value'),
      );
      await http.open(STREAM);
      expect(http.lastCall()).toMatchObject({ ok: true });
    },
  );

  test('is forgotten after minutes without an attempt', async () => {
    let nowMs = 1_000_000;
    const now = () => nowMs;
    const { http } = await start(
      (request, response) =>
        request.url?.includes('stream') ? sendError(response, 404, '') : sendJson(response, '{}'),
      { now },
    );
    await http.open(STREAM);
    await http.call(callNumber(1));
    expect(http.lastCall().ok).toBe(false);
    nowMs += 301_000;
    expect(http.lastCall().ok).toBe(true);
  });

  test('fails without headers in time', async () => {
    const { http } = await start(() => {}, { headersTimeoutMs: 50 });
    expect(await http.open(STREAM)).toMatchObject({ failure: { kind: 'timeout' } });
  });

  test('fails at once when the caller leaves, without affecting health', async () => {
    const { http, server } = await start(() => {});
    const stop = new AbortController();
    const opening = http.open({ ...STREAM, signal: stop.signal });
    await server.request(1);
    stop.abort();
    expect(await opening).toMatchObject({ ok: false });
    expect(http.lastCall()).toEqual({ ok: null });
  });

  test('is not requested if the caller has left already', async () => {
    const { http, server } = await start(eventStream);
    expect(await http.open({ ...STREAM, signal: AbortSignal.abort() })).toMatchObject({ ok: false });
    expect(server.requests).toHaveLength(0);
  });
});
