import type { AddressInfo } from 'node:net';
import { SandboxClock } from './clock';
import { handleControl, type RewriteListener, type SandboxModes } from './control';
import { FaultBoard } from './faults';
import { LogOverlay } from './logs/log-overlay';
import { LogWorld } from './logs/log-world';
import { type SandboxStream, StreamRegistry } from './responses';
import { CallLog, createSandboxServer, SANDBOX_KEY, type SandboxService } from './server';

const BODY = '{"answer":[1,2,3],"text":"grüße"}';

/** Answers `BODY`, opens a stream, or throws; the streams that it opened are in `opened`. */
function createFakeService(opened: SandboxStream[]): SandboxService {
  const get = { method: 'GET' } as const;
  return {
    name: 'updates',
    base: '/updates',
    routes: {
      latest: { ...get, path: '/latest', answer: () => BODY },
      open: { ...get, path: '/open', isPublic: true, answer: () => BODY },
      stream: { ...get, path: '/stream', answer: () => (stream) => opened.push(stream) },
      broken: {
        ...{ ...get, path: '/broken' },
        answer: () => {
          throw new Error('on purpose');
        },
      },
    },
  };
}

/** For tests of the core: the real server with one small service. Real time stands still at `real.now`. */
export async function startCore() {
  const real = { now: 0 };
  const realNow = () => real.now;
  const opened: SandboxStream[] = [];
  const modes: SandboxModes = { logsDialect: 'text', generation: 'after', oddRows: new Map() };
  const world = new LogWorld(1, 10, 1_700_000_000_000);
  const parts = {
    services: [createFakeService(opened)],
    faults: new FaultBoard(realNow),
    after: (_: number, run: () => void) => void setImmediate(run),
    streams: new StreamRegistry(realNow),
    calls: new CallLog(),
    world,
    ...{ rewrites: new Set<RewriteListener>(), maxRewriteMs: 200 },
    overlays: { main: new LogOverlay(world, 'main', 1), test: new LogOverlay(world, 'test', 1) },
    clock: new SandboxClock(() => 1_700_000_000_000),
    ...{ seed: 1, records: 0, hostNames: ['127.0.0.1', 'localhost'] },
  };
  const context = { ...parts, modes, realNow, reset: () => {} };
  const server = createSandboxServer({
    ...parts,
    control: (request, res) => handleControl(context, request, res),
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ...{ ...parts, origin, real, opened, modes },
    ...callers(origin),
    close: () => {
      for (const stream of parts.streams.of('*')) stream.destroy();
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function callers(origin: string) {
  return {
    /** A request to the services, with the key unless `init` has other headers. */
    get: (path: string, init: RequestInit = {}) => {
      const headers = { authorization: `Bearer ${SANDBOX_KEY}` };
      return fetch(`${origin}${path}`, { redirect: 'manual', headers, ...init });
    },
    control: (method: string, path: string, value?: unknown) => {
      const body = value === undefined ? undefined : JSON.stringify(value);
      return fetch(`${origin}/control${path}`, {
        method,
        body,
        headers: { 'content-type': 'application/json' },
      });
    },
  };
}

export type Core = Awaited<ReturnType<typeof startCore>>;
