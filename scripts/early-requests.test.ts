import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
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

it('nothing is held when nobody came', () => {
  holdEarlyRequests(1);
  expect(release()()).toBeUndefined();
  expect(release()).toBeUndefined();
});
