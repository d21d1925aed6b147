import { describe, expect, test } from 'vitest';
import { ManualTimers } from '@/lib/core/timers-fixture';
import { callNumber, sendError, sendJson, serviceStarter } from './service-fixture';

const starting = serviceStarter();

describe('the key of a host', () => {
  test('is accepted or refused by the answers to it, and a new key starts without a verdict', async () => {
    let key = 'first-key';
    const { http } = await starting(
      ({ headers }, response) =>
        headers.authorization === 'Bearer first-key'
          ? sendError(response, 401, 'who are you')
          : sendJson(response, '[]'),
      { apiKey: () => key, now: () => 7 },
    );
    expect(http.status()).toMatchObject({ key: 'set' });
    expect(http.status().verdict).toBeUndefined();
    await http.call(callNumber(1));
    expect(http.status()).toMatchObject({
      verdict: { verdict: 'refused', upstreamStatus: 401, atMs: 7 },
      pause: { kind: 'unauthorized', retryAfterS: 60 },
    });
    key = 'second-key';
    expect(http.status().verdict).toBeUndefined();
    expect(http.status().pause).toBeUndefined();
    await http.call(callNumber(2));
    expect(http.status().verdict).toMatchObject({ verdict: 'accepted', upstreamStatus: 200 });
  });

  test('a 403 refuses it; a rejected query or an error of the service is no verdict', async () => {
    const { http } = await starting((_, response, n) =>
      sendError(response, [404, 403, 500][n - 1] ?? 500, 'no'),
    );
    await http.call(callNumber(1));
    expect(http.status().verdict).toBeUndefined();
    await http.call(callNumber(2));
    expect(http.status().verdict).toMatchObject({ verdict: 'refused', upstreamStatus: 403 });
    await http.call(callNumber(3));
    expect(http.status().verdict).toMatchObject({ upstreamStatus: 403 });
  });

  test('gets no verdict from a route that needs none', async () => {
    const { http } = await starting((_, response) => sendJson(response, '[]'));
    await http.call({ ...callNumber(1), keyUse: 'optional' });
    expect(http.status().verdict).toBeUndefined();
  });

  test('is unusable if it cannot be sent in a header, and none if it is not set', async () => {
    const { http } = await starting(() => {}, { apiKey: () => 'two words' });
    expect(http.status()).toMatchObject({ key: 'unusable' });
    const { http: bare } = await starting(() => {}, { apiKey: () => undefined });
    expect(bare.status()).toMatchObject({ key: 'none' });
  });

  test('appears nowhere in the report', async () => {
    const { http } = await starting((_, response) => sendError(response, 400, 'you sent Bearer test-key-1'));
    await http.call(callNumber(1));
    expect(JSON.stringify(http.status())).not.toContain('test-key-1');
  });
});

test('a pause counts down, and the budget reports used, waiting and refused calls', async () => {
  const timers = new ManualTimers();
  const { http } = await starting(
    (_, response, n) =>
      n === 3 ? sendError(response, 429, 'slow', { 'retry-after': '20' }) : sendJson(response, '[]'),
    { timers, callsPerSecond: 0.2 },
  );
  expect(http.status().budget).toMatchObject({ callsPerSecond: 0.2, burst: 2, used: 0, granted: 0 });
  await http.call(callNumber(1));
  await http.call(callNumber(2));
  const [third, , fifth] = [callNumber(3), callNumber(4), callNumber(5)].map((call) => http.call(call));
  expect(http.status().budget).toMatchObject({ used: 2, waiting: { user: 2, background: 0 }, refused: 1 });
  expect(await fifth).toMatchObject({ failure: { kind: 'too-many' } });
  timers.pass(5000);
  await third;
  expect(http.status().pause).toMatchObject({ kind: 'rate-limited', retryAfterS: 20 });
  timers.pass(19_000);
  expect(http.status().pause).toMatchObject({ retryAfterS: 1 });
  timers.pass(1_000);
  expect(http.status().pause).toBeUndefined();
  expect(http.status().calls.heldBack.map(({ kind }) => kind)).toContain('too-many');
});

test('a stream is reported while it is open', async () => {
  const { http } = await starting((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: 1\n\n');
  });
  const opened = await http.open({ path: '/v2/updates/price/stream', query: 'ids[]=a' });
  expect(http.status().streams).toMatchObject({ opened: 1, open: [{ feeds: 1 }] });
  if (opened.ok) opened.value.close();
  expect(http.status().streams.open).toEqual([]);
});
