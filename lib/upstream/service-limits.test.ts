import { describe, expect, test } from 'vitest';
import { ManualTimers } from '@/lib/core/timers-fixture';
import type { HttpServiceOptions } from './http-service';
import { type Answer, callNumber, sendError, sendJson, serviceStarter } from './service-fixture';

const starting = serviceStarter();

/** A service and our client, whose time passes only when the test advances it. */
async function start(answer: Answer, options: Partial<HttpServiceOptions> = {}) {
  const timers = new ManualTimers();
  const fixture = await starting(answer, { timers, ...options });
  return { ...fixture, timers };
}

async function failureOf({ http }: Pick<Awaited<ReturnType<typeof start>>, 'http'>, n: number) {
  const outcome = await http.call(callNumber(n));
  return outcome.ok ? 'ok' : outcome.failure;
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('the time-outs', () => {
  test('end a call without headers', async () => {
    const { http } = await start(() => {}, { headersTimeoutMs: 50 });
    expect(await http.call(callNumber(1))).toMatchObject({ failure: { kind: 'timeout', service: 'logs' } });
  });

  test('end a body that arrives byte by byte', async () => {
    const { http } = await start(
      (_, response) => {
        const pieces = setInterval(() => response.write('x'), 5);
        response.once('close', () => clearInterval(pieces));
      },
      { totalTimeoutMs: 100 },
    );
    expect(await http.call(callNumber(1))).toMatchObject({ failure: { kind: 'timeout' } });
  });

  test('cover a retry over a new connection', async () => {
    const answer: Answer = (request, response, n) => {
      if (n === 1) sendJson(response, '[]');
      if (n === 2) setTimeout(() => request.socket.destroy(), 500);
    };
    const { http, server } = await start(answer, { headersTimeoutMs: 800, totalTimeoutMs: 800 });
    await http.call(callNumber(1));
    await turn();
    const startedAt = performance.now();
    expect(await http.call(callNumber(2))).toMatchObject({ failure: { kind: 'timeout' } });
    expect(server.requests).toHaveLength(3);
    expect(performance.now() - startedAt).toBeLessThan(1250);
  });
});

const NOON = 'Fri, 20 Nov 2026 12:00';

describe('Retry-After', () => {
  test.each([
    ['in seconds', { 'retry-after': '120' }, 120],
    ['as a date', { 'retry-after': `${NOON}:45 GMT`, date: `${NOON}:00 GMT` }, 45],
    ['not named', {}, 30],
  ])(
    '%s: no call is made before its end, and every caller learns the remaining time',
    async (_, headers, seconds) => {
      const service = await start((_request, response, n) => {
        if (n === 1) sendError(response, 429, 'slow down', headers);
        else sendJson(response, '[]');
      });
      const { http, server, timers } = service;
      const limited = { kind: 'rate-limited', upstreamStatus: 429 };
      expect(await failureOf(service, 1)).toMatchObject({ ...limited, retryAfterS: seconds });
      timers.pass(seconds * 1000 - 1500);
      expect(await failureOf(service, 2)).toMatchObject({ kind: 'rate-limited', retryAfterS: 2 });
      const stream = await http.open({ path: '/stream' });
      expect(stream).toMatchObject({ failure: { kind: 'rate-limited', retryAfterS: 2 } });
      timers.pass(1499);
      expect(await failureOf(service, 3)).toMatchObject({ kind: 'rate-limited', retryAfterS: 1 });
      expect(server.requests).toHaveLength(1);
      timers.pass(1);
      expect(await failureOf(service, 4)).toBe('ok');
    },
  );

  test('with 503 holds as well, and counts as a failure of the service', async () => {
    const { http, server, timers } = await start((_, response) =>
      sendError(response, 503, '', { 'retry-after': '5' }),
    );
    expect(await http.call(callNumber(1))).toMatchObject({ failure: { kind: 'failing', retryAfterS: 5 } });
    expect(await http.call(callNumber(2))).toMatchObject({ failure: { kind: 'failing', retryAfterS: 5 } });
    expect(server.requests).toHaveLength(1);
    timers.pass(5000);
    await http.call(callNumber(3));
    expect(server.requests).toHaveLength(2);
  });

  test.each([302, 401, 403])('with %i holds every call as well', async (status) => {
    const { http, server, timers } = await start((_, response, n) =>
      n === 1 ? sendError(response, status, '', { 'retry-after': '90' }) : sendJson(response, '[]'),
    );
    await http.call(callNumber(1));
    timers.pass(89_000);
    expect(await http.call(callNumber(2))).toMatchObject({ failure: { retryAfterS: 1 } });
    expect(server.requests).toHaveLength(1);
    timers.pass(1000);
    expect(await http.call(callNumber(3))).toMatchObject({ ok: true });
  });

  test('with a rejection holds no other call', async () => {
    const { http, server } = await start((_, response) =>
      sendError(response, 404, '', { 'retry-after': '90' }),
    );
    await http.call(callNumber(1));
    await http.call(callNumber(2));
    expect(server.requests).toHaveLength(2);
  });

  test('is not needed after 500: the next call is made', async () => {
    const { http, server } = await start((_, response) => sendError(response, 500, ''));
    await http.call(callNumber(1));
    await http.call(callNumber(2));
    expect(server.requests).toHaveLength(2);
  });

  test('also stops calls that were waiting for the budget', async () => {
    const { http, server, timers } = await start((_, response) => sendError(response, 429, ''), {
      callsPerSecond: 0.1,
    });
    const first = http.call(callNumber(1));
    const waiting = http.call(callNumber(2));
    await first;
    timers.pass(10_000);
    expect(await waiting).toMatchObject({ failure: { kind: 'rate-limited' } });
    expect(server.requests).toHaveLength(1);
  });

  test('of one service does not affect another', async () => {
    const limited = await start((_, response) => sendError(response, 429, ''));
    const other = await start((_, response) => sendJson(response, '[]'));
    await limited.http.call(callNumber(1));
    expect(await other.http.call(callNumber(1))).toMatchObject({ ok: true });
  });
});

describe('a rejected key', () => {
  test('is tried once a minute, however many callers there are', async () => {
    const { http, server, timers } = await start((_, response) => sendError(response, 401, ''));
    const rejected = { kind: 'unauthorized', upstreamStatus: 401 };
    for (let n = 0; n < 10; n += 1) expect(await failureOf({ http }, n)).toMatchObject(rejected);
    expect(server.requests).toHaveLength(1);
    timers.pass(60_000);
    const again = await Promise.all([11, 12, 13].map((n) => http.call(callNumber(n))));
    expect(again).toMatchObject(Array(3).fill({ failure: { kind: 'unauthorized' } }));
    expect(server.requests).toHaveLength(2);
  });

  test('differs from a forbidden feed: a 403 holds no other call back', async () => {
    const { http } = await start((_, response, n) => {
      if (n === 1) sendError(response, 403, '');
      else sendJson(response, '[]');
    });
    expect(await failureOf({ http }, 1)).toMatchObject({ kind: 'unauthorized', upstreamStatus: 403 });
    expect(await http.call(callNumber(2))).toMatchObject({ ok: true });
  });

  test('is forgotten when the key changes', async () => {
    let key = 'old-key';
    const { http, server } = await start(
      (request, response) => {
        if (request.headers.authorization === 'Bearer new-key') sendJson(response, '[]');
        else sendError(response, 401, '');
      },
      { apiKey: () => key },
    );
    await http.call(callNumber(1));
    key = 'new-key';
    expect(await http.call(callNumber(2))).toMatchObject({ ok: true });
    expect(await http.call(callNumber(3))).toMatchObject({ ok: true });
    expect(server.requests).toHaveLength(3);
  });

  test('is used normally again once the service accepts it', async () => {
    const { http, server, timers } = await start((_, response, n) => {
      if (n === 1) sendError(response, 401, '');
      else sendJson(response, '[]');
    });
    await http.call(callNumber(1));
    timers.pass(60_000);
    await http.call(callNumber(2));
    expect(await http.call(callNumber(3))).toMatchObject({ ok: true });
    expect(server.requests).toHaveLength(3);
  });

  test('is requested if it is not set at all', async () => {
    const { http } = await start((_, response) => sendError(response, 401, ''), { apiKey: () => undefined });
    const detail = 'The request log service (main) requires an API key (401). Set LOGS_API_KEY.';
    expect(await failureOf({ http }, 1)).toMatchObject({ detail });
  });
});

test('a user who joins a background call raises its priority in the budget', async () => {
  const { http, timers } = await start((_, response) => sendJson(response, '[]'), { callsPerSecond: 0.1 });
  await http.call(callNumber(1));
  const { http: second, timers: time } = await start((_, response) => sendJson(response, '[]'), {
    callsPerSecond: 0.5,
  });
  await Promise.all([1, 2, 3, 4, 5].map((n) => second.call(callNumber(n))));
  const early = second.call({ ...callNumber(6), priority: 'background' });
  const late = second.call({ ...callNumber(7), priority: 'background' });
  const joined = second.call(callNumber(7));
  time.pass(2000);
  expect(await joined).toMatchObject({ ok: true });
  expect(await late).toBe(await joined);
  expect(await Promise.race([early, turn().then(() => 'waiting')])).toBe('waiting');
  time.pass(2000);
  expect(await early).toMatchObject({ ok: true });
  expect(timers.pending).toBe(0);
});
