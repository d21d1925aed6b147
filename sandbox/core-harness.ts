import type { AddressInfo } from 'node:net';
import { createParts } from './parts';
import type { SandboxStream } from './responses';
import { createSandboxServer } from './server';
import { SANDBOX_KEY, type SandboxService } from './service';

const BODY = '{"answer":[1,2,3],"text":"grüße"}';

/** Answers `BODY`, opens a stream, or throws. `opened` collects its streams. */
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
        ...get,
        path: '/broken',
        answer: () => {
          throw new Error('on purpose');
        },
      },
    },
  };
}

/** The real server with one small service. Real time stays at `real.now`. */
export async function startCore() {
  const real = { now: 1_700_000_000_000 };
  const opened: SandboxStream[] = [];
  const parts = {
    ...createParts({ seed: 1, records: 10, now: () => real.now }),
    services: [createFakeService(opened)],
    maxRewriteMs: 200,
  };
  const server = createSandboxServer(parts);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ...parts,
    origin,
    real,
    opened,
    ...callers(origin),
    close: () => {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function callers(origin: string) {
  return {
    /** Sends the key, unless `init` has other headers. */
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
