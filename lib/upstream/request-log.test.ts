import { describe, expect, test } from 'vitest';
import { createRequestLogClient } from './request-log';
import { sendJson, serviceStarter } from './service-fixture';

const start = serviceStarter();

async function clientOf(body: string | Buffer) {
  const fixture = await start((_, response) => {
    if (typeof body === 'string') sendJson(response, body);
    else response.end(body);
  });
  return { ...fixture, client: createRequestLogClient(fixture.http) };
}

const ROW = '"sequence":18446744073709551615,"created_at":"2026-11-20T12:00:00Z","state":{"state":"pending"}';
const page = (...rows: string[]) => `{"requests":[${rows.join(',')}],"total_results":${rows.length}}`;

describe('logsText', () => {
  test('converts network_id and gas_limit to text, and keeps every digit of the rest', async () => {
    const { client, server } = await clientOf(
      page(`{"network_id":42161,"gas_limit":500000,${ROW},"new_member":1.10}`),
    );
    expect(await client.logsText('limit=50&query=1', 'user')).toEqual({
      ok: true,
      value: page(`{"network_id":"42161","gas_limit":"500000",${ROW},"new_member":1.10}`),
    });
    expect(server.requests[0]?.url).toBe('/v1/logs?limit=50&query=1');
  });

  test('passes unreadable rows unchanged', async () => {
    const bad = [
      '{"network_id":1,"gas_limit":2}',
      `{"network_id":"x","gas_limit":5,${ROW}}`,
      'null',
      '7',
      '[]',
    ];
    const { client } = await clientOf(page(`{"network_id":1,${ROW}}`, ...bad));
    expect(await client.logsText('', 'user')).toEqual({
      ok: true,
      value: page(`{"network_id":"1",${ROW}}`, ...bad),
    });
  });

  test('passes a regular page byte by byte', async () => {
    const body = ` { "total_results" : "7" , "requests":[ {"network_id":"1", "gas_limit":"5", ${ROW} } ], "more": 1e2}\n`;
    const { client } = await clientOf(body);
    expect(await client.logsText('', 'user')).toEqual({ ok: true, value: body });
  });

  test('drops a byte order mark, which JSON readers may refuse', async () => {
    const { client } = await clientOf(`\uFEFF${page()}`);
    expect(await client.logsText('', 'user')).toEqual({ ok: true, value: page() });
  });

  test.each([
    ['an empty body', ''],
    ['null', 'null'],
    ['an object without requests', '{"total_results":0}'],
    ['no count', '{"requests":[]}'],
    ['a count that is none', '{"requests":[],"total_results":"many"}'],
    ['a cut-off page', page(`{"network_id":1,${ROW}}`).slice(0, -20)],
    ['a web page', '<!doctype html><title>Log in</title>'],
    ['an error text', 'This service is temporarily unavailable'],
  ])('calls %s malformed and never "no results"', async (_, body) => {
    const { client, http } = await clientOf(body);
    const outcome = await client.logsText('', 'user');
    expect(outcome).toMatchObject({ ok: false, failure: { kind: 'malformed', service: 'logs' } });
    expect(JSON.stringify(outcome)).not.toMatch(/doctype|temporarily/);
    expect(http.lastCall()).toMatchObject({ ok: false, kind: 'malformed' });
  });

  test('survives a million brackets', async () => {
    const { client } = await clientOf('['.repeat(1_000_000));
    expect(await client.logsText('', 'user')).toMatchObject({ failure: { kind: 'malformed' } });
  });

  test('keeps the other rows of a page with invalid UTF-8', async () => {
    const body = Buffer.concat([
      Buffer.from(`{"requests":[{"network_id":1,${ROW},"x":"`),
      Buffer.from([0xc3]),
      Buffer.from('"}],"total_results":1}'),
    ]);
    const { client } = await clientOf(body);
    expect(await client.logsText('', 'user')).toEqual({
      ok: true,
      value: page(`{"network_id":"1",${ROW},"x":"\uFFFD"}`),
    });
  });
});

describe('logs', () => {
  test('returns records, and unreadable rows as such', async () => {
    const { client } = await clientOf(page(`{"network_id":1,${ROW}}`, '{"odd":true}'));
    expect(await client.logs('', 'user')).toMatchObject({
      ok: true,
      value: {
        total: '2',
        rows: [{ kind: 'record', networkId: '1', sequence: '18446744073709551615' }, { kind: 'unreadable' }],
      },
    });
  });

  test('shares call and parsing between concurrent identical callers', async () => {
    const { client, server } = await clientOf(page());
    const [first, second, text] = await Promise.all([
      client.logs('a=1', 'user'),
      client.logs('a=1', 'background'),
      client.logsText('a=1', 'user'),
    ]);
    expect(second).toBe(first);
    expect(text.ok).toBe(true);
    expect(server.requests).toHaveLength(1);
  });
});
