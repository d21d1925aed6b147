import { connect } from 'node:net';
import zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { CallEvent } from '@/lib/core/call-event';
import type { HttpServiceOptions } from './http-service';
import { type Answer, callNumber, sendError, sendJson, serviceStarter } from './service-fixture';

const start = serviceStarter();

/** The pool takes a connection back in the turn of the event loop after its answer. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

async function outcomeOf(answer: Answer, options: Partial<HttpServiceOptions> = {}) {
  const { http } = await start(answer, options);
  return http.call(callNumber(1));
}

describe('a request', () => {
  test('sends the key as bearer to the path below the base URL, with and without a trailing slash', async () => {
    const { server } = await start((_, response) => sendJson(response, '[]'));
    for (const base of ['/hermes', '/hermes/', '/a/b//']) {
      const { http } = await start(() => {}, { baseUrl: server.url + base });
      await http.call({ method: 'GET', path: '/v2/x', query: 'ids[]=1&a=%20', priority: 'user' });
    }
    expect(server.requests.map((request) => request.url)).toEqual([
      '/hermes/v2/x?ids[]=1&a=%20',
      '/hermes/v2/x?ids[]=1&a=%20',
      '/a/b/v2/x?ids[]=1&a=%20',
    ]);
    expect(server.requests[0]?.headers.authorization).toBe('Bearer test-key-1');
  });

  test('sends no Authorization without a key, and a new key as soon as it changes', async () => {
    let key: string | undefined;
    const { server, http } = await start((_, response) => sendJson(response, '{}'), { apiKey: () => key });
    await http.call(callNumber(1));
    key = 'rotated';
    await http.call(callNumber(2));
    const sent = server.requests.map((request) => request.headers.authorization);
    expect(sent).toEqual([undefined, 'Bearer rotated']);
  });

  test('does not send a key that would break the header, and names the setting to check', async () => {
    const apiKey = () => 'a\r\nX: b';
    const { server, http } = await start((_, response) => sendJson(response, '{}'), { apiKey });
    const outcome = await http.call(callNumber(1));
    expect(outcome).toMatchObject({ ok: false, failure: { kind: 'unauthorized' } });
    expect(JSON.stringify(outcome)).toContain('LOGS_API_KEY');
    expect(server.requests).toHaveLength(0);
  });

  test('encodes characters that may not stand in a request line', async () => {
    const { server, http } = await start((_, response) => sendJson(response, '{}'));
    await http.call({ method: 'GET', path: '/v1/logs', query: 'query=a b\r\nX: y#ü', priority: 'user' });
    expect(server.requests[0]?.url).toBe('/v1/logs?query=a%20b%0D%0AX:%20y%23%C3%BC');
  });

  test('sends a body byte by byte as JSON', async () => {
    let body = '';
    const { server, http } = await start((request, response) => {
      request.on('data', (piece) => {
        body += piece;
      });
      request.on('end', () => sendJson(response, '{}'));
    });
    const sent = '{"timestamp": 18446744073709551615}';
    await http.call({ method: 'POST', path: '/v1/price', body: sent, priority: 'user' });
    expect(body).toBe(sent);
    expect(server.requests[0]?.headers['content-type']).toBe('application/json');
  });

  test('is one call for identical calls at the same time, and a new call afterwards', async () => {
    const { server, http } = await start((_, response) => sendJson(response, '[1]'));
    const [first, second] = await Promise.all([http.call(callNumber(1)), http.call(callNumber(1))]);
    expect(second).toBe(first);
    expect(server.requests).toHaveLength(1);
    await http.call(callNumber(1));
    expect(server.requests).toHaveLength(2);
  });

  test('reuses a connection', async () => {
    const { server, http } = await start((_, response) => sendJson(response, '[1]'));
    for (let n = 0; n < 5; n += 1) {
      await http.call(callNumber(n));
      await turn();
    }
    expect(server.connections.accepted).toBe(1);
  });
});

describe('a response', () => {
  test('returns the text of any success', async () => {
    const outcome = await outcomeOf((_, response) => sendJson(response, '{"a":18446744073709551615}'));
    const value = { text: '{"a":18446744073709551615}' };
    expect(outcome).toEqual({ ok: true, value });
  });

  test.each([
    ['gzip', zlib.gzipSync],
    ['deflate', zlib.deflateSync],
    ['br', zlib.brotliCompressSync],
    ['GZIP', zlib.gzipSync],
  ])('is decompressed from %s', async (encoding, compress) => {
    const text = JSON.stringify(Array.from({ length: 5000 }, (_, i) => `row ${i} ü🙂`));
    const outcome = await outcomeOf((_, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(compress(text));
    });
    expect(outcome).toMatchObject({ ok: true, value: { text } });
  });

  test('replaces invalid UTF-8, and keeps the rest', async () => {
    const outcome = await outcomeOf((_, response) => {
      response.end(Buffer.from([0x22, 0x61, 0xff, 0x62, 0x22]));
    });
    expect(outcome).toMatchObject({ ok: true, value: { text: '"a\uFFFDb"' } });
  });

  test.each([
    [400, 'rejected', 'The chain id is not supported'],
    [404, 'missing', 'Price ids not found: 0xab'],
    [422, 'rejected', 'channel not available'],
  ])('with %i is the kind %s with the text of the service', async (status, kind, text) => {
    const outcome = await outcomeOf((_, response) => sendError(response, status, text));
    const failure = { kind, service: 'logs', upstreamStatus: status, detail: text };
    expect(outcome).toEqual({ ok: false, failure });
  });

  test.each([
    [401, 'unauthorized'],
    [403, 'unauthorized'],
    [429, 'rate-limited'],
    [500, 'failing'],
    [502, 'failing'],
    [503, 'failing'],
    [301, 'malformed'],
    [302, 'malformed'],
    [307, 'malformed'],
    [304, 'malformed'],
  ])('with %i is the kind %s without the text of the service', async (status, kind) => {
    const outcome = await outcomeOf((_, response) => {
      response.writeHead(status, { location: '/elsewhere' }).end(status === 304 ? undefined : 'SECRET WORDS');
    });
    expect(outcome).toMatchObject({ ok: false, failure: { kind, service: 'logs', upstreamStatus: status } });
    expect(JSON.stringify(outcome)).not.toContain('SECRET');
  });

  test('names the setting of the key, never the key', async () => {
    const options = { label: 'logs:test', keySetting: 'LOGS_API_KEY_TEST' };
    const outcome = await outcomeOf((_, response) => sendError(response, 401, 'bad key test-key-1'), options);
    const detail = 'The request log service (test) rejected the API key (401). Check LOGS_API_KEY_TEST.';
    expect(outcome).toMatchObject({ failure: { detail } });
  });

  test('does not follow a redirect to another host with the key', async () => {
    const other = await start((_, response) => sendJson(response, '{}'));
    const outcome = await outcomeOf((_, response) => {
      response.writeHead(302, { location: `${other.server.url}/v1/logs` }).end();
    });
    expect(outcome).toMatchObject({ failure: { kind: 'malformed' } });
    expect(other.server.requests).toHaveLength(0);
  });

  test('hides a key that the service repeats in its text', async () => {
    const outcome = await outcomeOf((_, response) => sendError(response, 400, 'bad: test-key-1'));
    expect(outcome).toMatchObject({ failure: { detail: 'bad: [key]' } });
  });

  test('does not quote a web page', async () => {
    const outcome = await outcomeOf((_, response) => {
      response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>nginx</h1>');
    });
    expect(outcome).toMatchObject({
      failure: { kind: 'missing', detail: expect.not.stringContaining('nginx') },
    });
  });
});

describe('reports about calls', () => {
  test('contain route and outcome, never a query or a key', async () => {
    const events: CallEvent[] = [];
    const answer: Answer = (_, response, n) =>
      n === 1 ? sendJson(response, '[]') : sendError(response, 503, '');
    const { http } = await start(answer, { observe: (event) => events.push(event) });
    await http.call({ ...callNumber(1), route: '/v1/{x}' });
    await http.call(callNumber(2));
    expect(events).toMatchObject([
      { label: 'logs:main', route: '/v1/{x}', outcome: 'ok', called: true },
      { label: 'logs:main', route: '/v1/logs', outcome: 'failing', called: true },
    ]);
    expect(JSON.stringify(events)).not.toMatch(/n=1|test-key/);
  });

  test('show the last real call as health; a justified rejection is no outage', async () => {
    const answer: Answer = (_, response, n) => sendError(response, n === 1 ? 503 : 400, 'no such chain');
    const { http } = await start(answer, { now: () => Date.parse('2026-11-20T12:00:00Z') });
    expect(http.lastCall()).toEqual({ ok: null });
    await http.call(callNumber(1));
    const failing = { ok: false, kind: 'failing', atMs: Date.parse('2026-11-20T12:00:00Z') };
    expect(http.lastCall()).toMatchObject(failing);
    await http.call(callNumber(2));
    expect(http.lastCall()).toMatchObject({ ok: true });
  });

  test('count an unusable body as a failure of the service', async () => {
    const { http } = await start((_, response) => response.end('<html>'));
    const check = () => ({ ok: false as const, problem: 'it is a web page' });
    expect(await http.call({ ...callNumber(1), check })).toMatchObject({ failure: { kind: 'malformed' } });
    expect(http.lastCall()).toMatchObject({ ok: false, kind: 'malformed' });
  });
});

test('no connection is opened before the first call', async () => {
  const { server } = await start(() => {});
  const probe = connect(Number(new URL(server.url).port), '127.0.0.1');
  await new Promise((resolve) => probe.once('connect', resolve));
  probe.destroy();
  expect(server.requests).toHaveLength(0);
});
