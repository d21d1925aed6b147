import { describe, expect, test } from 'vitest';
import type { HttpService, HttpServiceOptions } from './http-service';
import { ManualTimers } from './manual-timers';
import { createPriceUpdatesClient } from './price-updates';
import { callNumber, serviceStarter } from './service-fixture';
import { type Answer, sendError, sendJson } from './test-server';

const starting = serviceStarter();
let calls = 0;
const ask = (http: HttpService) => http.call(callNumber(++calls));
const turn = () => new Promise((resolve) => setImmediate(resolve));

async function start(answer: Answer, options: Partial<HttpServiceOptions> = {}) {
  const timers = new ManualTimers();
  const now = () => Date.UTC(2026, 10, 20, 12) + timers.elapsed();
  return { ...(await starting(answer, { timers, now, random: () => 1, ...options })), timers };
}

/** A service that has failed for 7 s, so that the next try is 8 s away. */
async function longDown(answer: Answer, options: Partial<HttpServiceOptions> = {}) {
  const fixture = await start(answer, options);
  for (let n = 0; n < 5; n += 1) await ask(fixture.http);
  for (const wait of [1000, 2000, 4000]) {
    fixture.timers.advance(wait);
    await ask(fixture.http);
  }
  return { ...fixture, sent: fixture.server.requests.length };
}

const down: Answer = (_, response) => sendError(response, 500, '');

describe('a service that fails and fails', () => {
  test('is not asked any more, and the failure says of what sort it is and until when', async () => {
    const { http, server, sent } = await longDown(down);
    expect(await ask(http)).toEqual({
      ok: false,
      failure: {
        kind: 'failing',
        service: 'logs',
        upstreamStatus: 500,
        detail: 'The request log service (main) is failing (500). It is not asked again before 12:00:15 UTC.',
        retryAfterS: 8,
      },
    });
    expect(server.requests).toHaveLength(sent);
    expect(http.standing().calls).toMatchObject({ sent, heldBack: [{ kind: 'failing', count: 1 }] });
    expect(http.standing().circuit).toMatchObject({ state: 'open', failures: 8 });
  });

  test('is said to be so by the last call too, with the time of the next', async () => {
    const { http } = await start(down);
    for (let n = 0; n < 4; n += 1) expect(await ask(http)).not.toHaveProperty('failure.retryAfterS');
    expect(await ask(http)).toMatchObject({
      failure: { retryAfterS: 1, detail: 'The request log service (main) is failing (500).' },
    });
  });

  test('gets ten calls in the first minute and one a minute then, however many are asked for', async () => {
    const { http, server, timers } = await start(down);
    const underWay = new Set<Promise<unknown>>();
    const askFor = async (seconds: number) => {
      for (let second = 0; second < seconds; second += 1) {
        for (let n = 0; n < 3; n += 1) {
          const call = ask(http).finally(() => underWay.delete(call));
          underWay.add(call);
        }
        // Those that wait do so for time to pass, the others for the service.
        await Promise.race([Promise.all(underWay), turnsWithout(() => server.requests.length)]);
        timers.advance(1000);
      }
      return server.requests.length;
    };
    // Five, and one that was under way with the fifth; then after 1, 3, 7, 15 and 31 s.
    expect(await askFor(60)).toBeLessThanOrEqual(6 + 5);
    const before = server.requests.length;
    expect((await askFor(600)) - before).toBeLessThanOrEqual(11);
    timers.advance(60_000);
    await Promise.all(underWay);
    expect(timers.pending).toBe(0);
  });

  test('is asked once when it may work again; the others wait for that, and go on when it does', async () => {
    let works = false;
    const { http, server, timers, sent } = await longDown((_, response) =>
      works ? sendJson(response, '[]') : sendError(response, 500, ''),
    );
    timers.advance(8000);
    const failing = await Promise.all([ask(http), ask(http), ask(http)]);
    expect(failing.map((outcome) => outcome.ok)).toEqual([false, false, false]);
    expect(server.requests).toHaveLength(sent + 1);
    works = true;
    timers.advance(16_000);
    const working = await Promise.all([ask(http), ask(http), ask(http)]);
    expect(working.map((outcome) => outcome.ok)).toEqual([true, true, true]);
    expect(server.requests).toHaveLength(sent + 4);
    expect(http.standing().circuit).toEqual({ state: 'closed', failures: 0 });
  });

  test('for a moment only is waited for: nobody sees it', async () => {
    let works = false;
    const { http, server, timers } = await start((_, response) =>
      works ? sendJson(response, '[]') : sendError(response, 500, ''),
    );
    for (let n = 0; n < 5; n += 1) await ask(http);
    works = true;
    const waiting = [ask(http), ask(http), ask(http)];
    await turn();
    expect(server.requests).toHaveLength(5);
    timers.advance(1000);
    expect((await Promise.all(waiting)).map((outcome) => outcome.ok)).toEqual([true, true, true]);
  });

  test('and then is silent stops nobody for long: who waits for a try is told after eight seconds', async () => {
    let silent = false;
    const { http, server, timers, sent } = await longDown((_, response) => {
      if (!silent) sendError(response, 500, '');
    });
    silent = true;
    timers.advance(8000);
    const tried = ask(http);
    await server.request(sent + 1);
    const waiting = ask(http);
    await turn();
    timers.advance(8000);
    expect(await waiting).toMatchObject({
      failure: { kind: 'failing', retryAfterS: 1, detail: expect.stringContaining('just being asked') },
    });
    timers.advance(2000);
    expect(await tried).toMatchObject({ failure: { kind: 'timeout', retryAfterS: 16 } });
    expect(timers.pending).toBe(0);
  });

  test('may be tried before its time by somebody who presses', async () => {
    const { http, server, timers, sent } = await longDown(down);
    http.tryEarly();
    await ask(http);
    http.tryEarly();
    await ask(http);
    expect(server.requests).toHaveLength(sent + 1);
    timers.advance(3000);
    http.tryEarly();
    await ask(http);
    expect(server.requests).toHaveLength(sent + 2);
  });

  test('and asks for a longer pause itself gets that one', async () => {
    const { http, server } = await start((_, response) =>
      sendError(response, 503, '', { 'retry-after': '40' }),
    );
    expect(await ask(http)).toMatchObject({ failure: { kind: 'failing', retryAfterS: 40 } });
    http.tryEarly();
    expect(await ask(http)).toMatchObject({ failure: { kind: 'failing', retryAfterS: 40 } });
    expect(server.requests).toHaveLength(1);
  });

  test('still opens streams, which have waits of their own, and their failures count for no call', async () => {
    const { http, server } = await start(down);
    for (let n = 0; n < 9; n += 1) await http.open({ path: '/stream' });
    expect(http.standing().circuit).toEqual({ state: 'closed', failures: 0 });
    for (let n = 0; n < 5; n += 1) await ask(http);
    await http.open({ path: '/stream' });
    expect(server.requests).toHaveLength(15);
  });
});

/** Ends when nothing has come to the service for some turns of the event loop, in which its answers come back. */
async function turnsWithout(count: () => number): Promise<void> {
  for (let quiet = 0, seen = count(); quiet < 20; quiet += 1) {
    await turn();
    if (count() !== seen) quiet = 0;
    seen = count();
  }
}

test('plain words instead of an update are an answer: the service works, and goes on being asked', async () => {
  const { http, server } = await start((_, response) => response.end('No update yet'));
  const client = createPriceUpdatesClient(http);
  for (let second = 1; second <= 8; second += 1)
    expect(await client.atTime(String(second), '', 'user')).toMatchObject({ failure: { kind: 'malformed' } });
  expect(server.requests).toHaveLength(8);
  expect(http.lastCall()).toMatchObject({ ok: true });
});
