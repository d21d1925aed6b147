import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { replaceSettings } from './current-settings';
import { readSettings } from './env';
import { closeFrontDoor, takeRequests } from './front-door';

/** More than all the buffers on its way hold. */
const ANSWER_BYTES = 20_000_000;

let server: Server;
const callers: Socket[] = [];

beforeEach(async () => {
  replaceSettings(readSettings({ LOG_LEVEL: 'silent' }));
  server = createServer((_request, response) => response.end(Buffer.alloc(ANSWER_BYTES, 'a')));
  takeRequests(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  for (const caller of callers.splice(0)) caller.destroy();
  server.close();
  replaceSettings(undefined);
});

/** A caller whose answer has been written, and who has read nothing of it yet. */
async function slowCaller(): Promise<Socket> {
  const caller = connect((server.address() as AddressInfo).port, '127.0.0.1');
  callers.push(caller);
  caller.pause();
  const answered = once(server, 'request');
  caller.write('GET /requests HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  await answered;
  return caller;
}

async function readToTheEnd(caller: Socket): Promise<number> {
  let bytes = 0;
  caller.on('data', (chunk) => {
    bytes += chunk.length;
  });
  caller.resume();
  await once(caller, 'close');
  return bytes;
}

it.each([
  ['ours', () => closeFrontDoor()],
  ['of the server itself, which Next closes', () => void server.close()],
])('cuts off nobody who is still reading an answer when the process ends: %s', async (_whose, end) => {
  const closing = vi.spyOn(server, 'closeIdleConnections');
  const caller = await slowCaller();
  end();
  await vi.waitFor(() => expect(closing).toHaveBeenCalled());
  closeFrontDoor();
  expect(await readToTheEnd(caller)).toBeGreaterThan(ANSWER_BYTES);
});
