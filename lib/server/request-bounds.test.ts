import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { replaceSettings } from './current-settings';
import { readSettings } from './env';
import { takeRequests } from './front-door';

const next = createServer((_, response) => response.end('Next'));
let port = 0;

beforeAll(async () => {
  takeRequests(next);
  await new Promise<void>((resolve) => next.listen(0, '127.0.0.1', resolve));
  port = (next.address() as AddressInfo).port;
  replaceSettings(readSettings({ LOG_LEVEL: 'silent' }));
});
afterAll(() => {
  next.close();
  replaceSettings(undefined);
});

type Answer = { status: number | undefined; text: string };

function ask(path: string, method = 'GET', pieces: readonly string[] = []): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = pieces.length > 0 ? { 'transfer-encoding': 'chunked' } : {};
    const sent = request({ host: '127.0.0.1', port, path, method, headers }, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve({ status: response.statusCode, text });
    });
    sent.on('error', reject);
    for (const piece of pieces) sent.write(piece);
    sent.end();
  });
}

it.each([
  ...[
    ['/', 600],
    ['/requests', 600],
    ['/api/view/requests', 600],
    ['/api/nope', 600],
  ],
  ...[
    ['/sign-in', 20],
    ['/api/session', 20],
    ['/api/health', 20],
    ['/icon.svg', 20],
    ['/_next/static/x', 20],
  ],
] as const)('keeps a query of thousands of parameters from Next: %s, %i at most', async (path, most) => {
  expect(await ask(`${path}?${'a&'.repeat(most - 1)}`)).toMatchObject({ status: 200, text: 'Next' });
  const refused = await ask(`${path}?${'a&'.repeat(most)}`);
  expect(refused.status).toBe(400);
  expect(JSON.parse(refused.text)).toMatchObject({ kind: 'bad-request' });
});

it.each([
  ...['POST /api/session', 'POST /api/router/v1/price', 'POST /api/view/services/check', 'POST /sign-in'],
  ...['DELETE /api/session', 'PUT /api/health', 'GET /', 'GET /api/feeds/stream?ids=1'],
])('takes no body in chunks: %s', async (line) => {
  const [method, path = ''] = line.split(' ');
  const refused = await ask(path, method, ['{', '}']);
  expect(refused.status).toBe(400);
  expect(JSON.parse(refused.text)).toMatchObject({ kind: 'bad-request' });
});

it('answers a request that expects what nobody knows with our headers', async () => {
  const text = await new Promise<string>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let said = '';
    socket.on('data', (chunk) => (said += chunk));
    socket.on('error', reject);
    socket.on('end', () => resolve(said));
    socket.end('GET /x HTTP/1.1\r\nHost: localhost\r\nExpect: x\r\nConnection: close\r\n\r\n');
  });
  expect(text).toMatch(/^HTTP\/1.1 200 /);
  expect(text.toLowerCase()).toContain('\r\nx-request-id: ');
});

it('waits a minute for a request to arrive, and not five', () => {
  expect(next.requestTimeout).toBe(60_000);
});
