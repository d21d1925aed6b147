import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, vi } from 'vitest';
import { holdEarlyRequests } from './early-requests.mjs';

type Held = { server: unknown; waiting: unknown[][] } | undefined;
const release = () => Reflect.get(globalThis, Symbol.for('keeperscope.early-requests')) as () => Held;

const connections = (server: Server) =>
  new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));

it('what comes before the front door stands waits for it, and no listener sees it', async () => {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(request.url ?? '');
    response.end('answered');
  });
  const other = createServer((_, response) => response.end('other'));
  for (const one of [server, other])
    await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve));
  const at = (one: typeof server) => `http://127.0.0.1:${(one.address() as AddressInfo).port}`;
  holdEarlyRequests((server.address() as AddressInfo).port);
  const early = [fetch(`${at(server)}/a`), fetch(`${at(server)}/b`)];
  await expect.poll(() => connections(server)).toBe(2);
  expect(await (await fetch(at(other))).text()).toBe('other');
  expect(seen).toEqual([]);
  const held = release()();
  expect(held?.server).toBe(server);
  for (const [request, response] of held?.waiting ?? []) server.emit('request', request, response);
  expect(await Promise.all(early.map(async (answer) => (await answer).text()))).toEqual([
    'answered',
    'answered',
  ]);
  expect(seen.sort()).toEqual(['/a', '/b']);
  expect(await (await fetch(`${at(server)}/c`)).text()).toBe('answered');
  expect(release()).toBeUndefined();
  for (const one of [server, other]) one.close();
});

it('whoever offers another protocol first waits like the others, and his connection is nobody else’s', async () => {
  const arrived = vi.fn();
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(request.url ?? '');
    response.end('answered');
  });
  server.on('upgrade', (_, socket) => void socket.end('upgraded'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  holdEarlyRequests(port);
  const offer = 'GET /a HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n';
  const socket = connect(port, '127.0.0.1', () => socket.write(offer));
  const heard = text(socket);
  subscribe('http.server.request.start', arrived);
  await expect.poll(() => arrived.mock.calls.length).toBe(1);
  unsubscribe('http.server.request.start', arrived);
  expect(seen).toEqual([]);
  for (const [request, response] of release()()?.waiting ?? []) server.emit('request', request, response);
  expect(await heard).toContain('answered');
  expect(seen).toEqual(['/a']);
  server.close();
});

it('nothing is held when nobody came', () => {
  holdEarlyRequests(1);
  expect(release()()).toBeUndefined();
  expect(release()).toBeUndefined();
});
