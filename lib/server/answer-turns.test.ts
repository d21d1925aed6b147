import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AnswerTurns } from './answer-turns';
import { announcesBody } from './request-bounds';

let handled: [IncomingMessage, ServerResponse][];
let sockets: Socket[];
const server = createServer();

beforeEach(async () => {
  handled = [];
  sockets = [];
  const turns = new AnswerTurns();
  const handle: RequestListener = (request, response) => void handled.push([request, response]);
  server.on('request', (request, response) => {
    turns.take(request.socket, response, announcesBody(request), () => handle(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
  server.removeAllListeners('request');
});

function send(paths: readonly string[]): Socket {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => {});
  socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: here\r\n\r\n`).join(''));
  return socket;
}

const paths = () => handled.map(([{ url }]) => url);
const atOnce = (count: number) => Array.from({ length: count }, (_, n) => `/${n}`);

it('requests that are sent ahead are handled one after the other', async () => {
  send(['/a', '/b', '/c']);
  for (const known of [['/a'], ['/a', '/b'], ['/a', '/b', '/c']]) {
    await expect.poll(paths).toEqual(known);
    handled.at(-1)?.[1].end();
  }
});

it('of what is handled everything is over when its connection ends', async () => {
  const socket = send(atOnce(10));
  await expect.poll(() => handled.length).toBe(1);
  const over = new Promise((resolve) => handled[0]?.[1].once('close', resolve));
  socket.destroy();
  await over;
  expect(handled.every(([, response]) => response.closed)).toBe(true);
});

it('who sends very many ahead is cut off', async () => {
  const socket = send(atOnce(70));
  await new Promise((resolve) => socket.once('close', resolve));
  expect(paths()).toEqual(['/0']);
});

it('who waits for the answers may send as many again', async () => {
  const socket = send(atOnce(40));
  for (let n = 1; n <= 80; n += 1) {
    await expect.poll(() => handled.length, { interval: 1 }).toBe(n);
    handled.at(-1)?.[1].end();
    if (n === 40) socket.write('GET /again HTTP/1.1\r\nHost: here\r\n\r\n'.repeat(40));
  }
  expect(socket.destroyed).toBe(false);
});

it.each(['Content-Length: 5', 'Transfer-Encoding: chunked'])(
  'who sends a body ahead is cut off (%s), and who waits with it is not',
  async (header) => {
    const post = `POST /body HTTP/1.1\r\nHost: here\r\n${header}\r\n\r\n`;
    const socket = send(['/a']);
    await expect.poll(paths).toEqual(['/a']);
    handled[0]?.[1].end();
    await new Promise((resolve) => socket.once('data', resolve));
    socket.write(post);
    await expect.poll(paths).toEqual(['/a', '/body']);
    const ahead = send(['/b']);
    ahead.write(post);
    await new Promise((resolve) => ahead.once('close', resolve));
    expect(paths()).toEqual(['/a', '/body', '/b']);
  },
);
