import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { StalledReaders } from './stalled-readers';

const STALLED_MS = 100;
/** More than the systems at both ends take in. */
const LARGE = 'x'.repeat(32 * 1024 * 1024);

let answers: ServerResponse[];
const server = createServer();
let sockets: Socket[];

beforeEach(async () => {
  answers = [];
  sockets = [];
  const readers = new StalledReaders(server, STALLED_MS);
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    readers.watch(request, response);
    answers.push(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
  server.removeAllListeners('timeout');
});

async function asked(): Promise<{ client: Socket; answer: ServerResponse }> {
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(client);
  client.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
  await expect.poll(() => answers.length).toBe(sockets.length);
  return { client, answer: answers.at(-1) as ServerResponse };
}

const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

it('who does not read an answer is cut off', async () => {
  const { client, answer } = await asked();
  client.pause();
  answer.end(LARGE);
  await expect.poll(() => answer.destroyed, { timeout: 10_000 }).toBe(true);
  expect(client.bytesRead).toBeLessThan(LARGE.length);
});

it('so is whoever was connected before there was a time-out', async () => {
  server.timeout = 0;
  const { client, answer } = await asked();
  client.pause();
  answer.end(LARGE);
  await expect.poll(() => answer.destroyed, { timeout: 4000 }).toBe(true);
});

it('who waits for an answer that takes long gets it', async () => {
  const { client, answer } = await asked();
  let read = '';
  client.on('data', (chunk) => {
    read += chunk;
  });
  await after(STALLED_MS * 4);
  answer.write('first');
  await after(STALLED_MS * 4);
  answer.end('last');
  await expect.poll(() => read).toContain('last');
});

it('a kept connection without a request is closed as before', async () => {
  server.keepAliveTimeout = STALLED_MS;
  const { client, answer } = await asked();
  client.resume();
  answer.end('all');
  await expect.poll(() => client.closed, { timeout: 10_000 }).toBe(true);
});
