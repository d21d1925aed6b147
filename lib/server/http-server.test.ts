import { once } from 'node:events';
import { createServer, type RequestOptions, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { HttpServer } from './http-server';
import { readSettings, replaceSettings } from './settings';

let server: Server;

/** Next answers with this, after the start. */
async function serve(text: string, started: Promise<unknown> = Promise.resolve()): Promise<HttpServer> {
  replaceSettings(readSettings({ LOG_LEVEL: 'silent' }));
  const own = new HttpServer(started);
  server = createServer();
  own.open(server, ({ method, url }, response) => response.end(text || `${method} ${url}`));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  await new Promise((resolve) => setImmediate(resolve));
  return own;
}
const port = () => (server.address() as AddressInfo).port;
afterEach(() => {
  server.closeAllConnections();
  server.close();
  replaceSettings(undefined);
});

type Answer = { status: number | undefined; text: string; headers: Record<string, unknown> };

function ask(path: string, options: RequestOptions = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port: port(), path, agent: false, ...options },
      async (response) => {
        let text = '';
        for await (const chunk of response) text += chunk;
        resolve({ status: response.statusCode, text, headers: response.headers });
      },
    );
    sent.on('error', reject);
    // Of a body that is announced nothing comes.
    if (options.headers === undefined) sent.end();
    else sent.flushHeaders();
  });
}

it('hands a request to Next, and says on every page what browsers may do with it', async () => {
  await serve('');
  expect(await ask('/requests?q=1')).toMatchObject({
    status: 200,
    text: 'GET /requests?q=1',
    headers: { 'x-content-type-options': 'nosniff', 'x-request-id': expect.any(String) },
  });
  expect((await ask('//requests')).headers).toMatchObject({ 'x-frame-options': 'DENY' });
  expect(server.requestTimeout).toBe(60_000);
});

it('refuses what is more than reading a page, before its body has come', async () => {
  await serve('');
  const headers = { host: '127.0.0.1', 'content-length': '1000' };
  expect((await ask('/requests', { method: 'POST', headers })).status).toBe(405);
  expect(
    (await ask('/requests', { method: 'POST', headers: { ...headers, host: 'evil.example' } })).status,
  ).toBe(421);
  const signIn = await ask('/sign-in', { method: 'POST', headers });
  expect(signIn.text).toBe('GET /sign-in');
});

it('keeps a query of thousands of parameters from Next', async () => {
  await serve('Next');
  expect((await ask(`/api/view/requests?${'a&'.repeat(599)}`)).text).toBe('Next');
  expect((await ask(`/requests?${'a&'.repeat(600)}`)).status).toBe(400);
});

it('answers a request that offers another protocol in this one', async () => {
  await serve('Next');
  const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': '' };
  expect((await ask('/requests', { headers: { host: '127.0.0.1', ...headers } })).text).toBe('Next');
});

it('lets requests wait for the end of the start, but for whether we are up', async () => {
  let start = (_: unknown) => {};
  const started = new Promise((resolve) => {
    start = resolve;
  });
  await serve('Next', started);
  expect((await ask('/api/health')).text).toBe('Next');
  let isAnswered = false;
  const page = ask('/requests').then((answer) => {
    isAnswered = true;
    return answer;
  });
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(isAnswered).toBe(false);
  start(undefined);
  expect((await page).text).toBe('Next');
});

it('cuts off nobody who is still reading an answer when the process ends', async () => {
  // More than all the buffers on its way hold.
  const bytes = 20_000_000;
  const own = await serve('a'.repeat(bytes));
  const caller = connect(port(), '127.0.0.1').pause();
  const idle = connect(port(), '127.0.0.1');
  const answered = once(server, 'request');
  caller.write('GET /requests HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  await answered;
  const closed = new Promise<void>((resolve) => own.close(resolve));
  await new Promise((resolve) => setTimeout(resolve, 200));
  let read = 0;
  caller.on('data', (chunk) => {
    read += chunk.length;
  });
  caller.resume();
  await once(caller, 'close');
  idle.destroy();
  await closed;
  expect(read).toBeGreaterThan(bytes);
});
