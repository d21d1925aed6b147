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

function ask(path: string): Promise<{ status: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path }, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve({ status: response.statusCode, text });
    });
    sent.on('error', reject);
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
