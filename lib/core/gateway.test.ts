import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { AnswerFailed, fetchGatewayText, pollEvery } from './gateway';

let server: Server | undefined;
afterEach(() => server?.close());

async function answered(status: number, headers: Record<string, string>, body: string) {
  const service = createServer((_, response) => response.writeHead(status, headers).end(body));
  server = service;
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}/api/view/insights`;
  const outcome = await fetchGatewayText(url, new AbortController().signal);
  if (outcome.ok) throw new Error('a failure was expected');
  return outcome.failure;
}

describe('a wait that an answer names', () => {
  const DATE = 'Fri, 20 Nov 2026 12:00';

  it.each([
    ['of a proxy, in seconds', 503, { 'retry-after': '90' }, '<h1>Maintenance</h1>', 90],
    ['of a proxy, as a date', 429, { 'retry-after': `${DATE}:45 GMT`, date: `${DATE}:00 GMT` }, '', 45],
    ['of ours', 429, { 'retry-after': '7' }, '{"kind":"too-many","detail":"Slow.","retryAfterS":7}', 7],
  ])('reaches the page: %s', async (_, status, headers, body, seconds) => {
    expect(await answered(status, headers, body)).toMatchObject({ retryAfterS: seconds });
  });

  it('is undefined where none is named', async () => {
    expect(await answered(502, {}, '')).not.toHaveProperty('retryAfterS');
  });

  it('delays every poll; without one each poll keeps its interval', () => {
    const failing = (retryAfterS?: number) => {
      const detail = { kind: 'rate-limited', detail: '' } as const;
      return new AnswerFailed(retryAfterS === undefined ? detail : { ...detail, retryAfterS });
    };
    const next = (error: Error | null) => pollEvery(5000)({ state: { error } });
    expect([next(null), next(failing()), next(failing(2)), next(failing(120))]).toEqual([
      5000, 5000, 5000, 120_000,
    ]);
  });
});
