import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { SandboxClock } from './clock';
import { type After, FAULTS, type FaultBoard } from './faults';
import { Refusal } from './query-values';
import { reply, replyText, type SandboxStream, type StreamRegistry } from './responses';

/** The key that every service of the sandbox asks for, as `Authorization: Bearer sandbox-key`. */
export const SANDBOX_KEY = 'sandbox-key';

/** The simulated services, by the names that faults and counters use. */
export const SERVICE_LABELS = ['logs:main', 'logs:test', 'updates', 'upgraded', 'router'] as const;

/** A request with its path and query cut apart, both as they came. */
export type SandboxRequest = {
  method: string;
  /** For a service: below its base, '/v2/updates/price/latest'. */
  path: string;
  rawQuery: string;
  query: URLSearchParams;
  body: string;
  headers: IncomingHttpHeaders;
};

/** The JSON of an answer, or what takes over a stream whose head is sent. */
type Answer = string | ((stream: SandboxStream) => void);

type Route = {
  /** A GET takes HEAD as well. */
  method: 'GET' | 'POST';
  path: string | RegExp;
  isPublic?: true;
  /** Throws a Refusal; any other exception becomes a 500. */
  answer: (request: SandboxRequest) => Answer | Promise<Answer>;
};

/** A route that is read. */
export function get(path: Route['path'], answer: Route['answer']): Route {
  return { method: 'GET', path, answer };
}

/** One simulated service: routing, the record of the call, faults and the key check are done before it answers. */
export type SandboxService = {
  name: (typeof SERVICE_LABELS)[number];
  /** Path prefix, without a slash at its end: '/logs/main', '/updates', '/upgraded/hermes', '/router'. */
  base: string;
  /** By their names; the first that fits is taken. The one that opens streams is `stream`. */
  routes: Record<string, Route>;
  /** How far its clock is ahead of that of the sandbox; absent: not at all. */
  clockOffMs?(): number;
};

/** Calls kept with their details; older ones only count. */
const KEPT_CALLS = 2000;
const KEPT_BODY_CHARS = 10_000;

type Call = {
  /** Real time, ISO: tests measure gaps between calls, whatever the sandbox clock does. */
  at: string;
  service: string;
  /** 'unknown' for a path that the service does not have. */
  route: string;
  method: string;
  path: string;
  query: string;
  headers: IncomingHttpHeaders;
  body: string | undefined;
};

/** Every request to a simulated service: exact counts per route, and the details of the last ones. */
export class CallLog {
  private readonly counts = new Map<string, number>();
  private readonly recent: Call[] = [];

  add(call: Call): void {
    const key = `${call.service} ${call.route}`;
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
    this.recent.push(call);
    if (this.recent.length > KEPT_CALLS) this.recent.shift();
  }

  /** `total` counts all calls since the last `clear`, also those whose details are gone. */
  find(service: string | undefined, route: string | undefined): { total: number; calls: Call[] } {
    const matches = (ofService = '', ofRoute = '') =>
      (service === undefined || ofService === service) && (route === undefined || ofRoute === route);
    const counts = [...this.counts].filter(([key]) => matches(...key.split(' ')));
    return {
      total: counts.reduce((sum, [, count]) => sum + count, 0),
      calls: this.recent.filter((call) => matches(call.service, call.route)),
    };
  }

  clear(): void {
    this.counts.clear();
    this.recent.length = 0;
  }
}

const MAX_SERVICE_BODY = 1024 * 1024;
/** Odd rows and bodies for faults may be large. */
const MAX_CONTROL_BODY = 64 * 1024 * 1024;

type SandboxCore = {
  services: SandboxService[];
  clock: SandboxClock;
  faults: FaultBoard;
  /** Waits of faults; they must not keep the process alive. */
  after: After;
  streams: StreamRegistry;
  calls: CallLog;
  control: (request: SandboxRequest, res: ServerResponse) => Promise<void>;
};

/** The HTTP server of all services. Not listening yet. */
export function createSandboxServer(core: SandboxCore): Server {
  return createServer((req, res) => {
    serve(core, req, res).catch((error: unknown) => fail(res, error));
  });
}

async function serve(core: SandboxCore, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const [path = '/', ...rest] = (req.url ?? '/').split('?');
  const rawQuery = rest.join('?');
  const isControl = isBelow('/control', path);
  const body = await readBody(req, isControl ? MAX_CONTROL_BODY : MAX_SERVICE_BODY);
  if (body === undefined) return replyText(res, 413, 'The body is too large');
  const { method = 'GET', headers } = req;
  const request = { method, path, rawQuery, query: new URLSearchParams(rawQuery), body, headers };
  if (isControl) return core.control(request, res);
  const service = core.services.find(({ base }) => isBelow(base, path));
  if (!service) return replyText(res, 404, 'Not found');
  await serveService(core, service, { ...request, path: path.slice(service.base.length) || '/' }, res);
}

function isBelow(base: string, path: string): boolean {
  return path === base || path.startsWith(`${base}/`);
}

/** The body as text; undefined when it is larger than `maxBytes`. */
async function readBody(req: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= maxBytes) chunks.push(chunk);
  }
  return size > maxBytes ? undefined : Buffer.concat(chunks).toString('utf8');
}

async function serveService(
  core: SandboxCore,
  service: SandboxService,
  request: SandboxRequest,
  res: ServerResponse,
): Promise<void> {
  const { method, path, headers, rawQuery } = request;
  const fitting = Object.entries(service.routes).filter(([, route]) =>
    typeof route.path === 'string' ? route.path === path : route.path.test(path),
  );
  const found = fitting.find(([, route]) => route.method === (method === 'HEAD' ? 'GET' : method));
  const [name, route] = found ?? ['unknown', undefined];
  core.calls.add({
    ...{ at: new Date().toISOString(), service: service.name, route: name, method, path },
    ...{ query: rawQuery, headers, body: request.body.slice(0, KEPT_BODY_CHARS) || undefined },
  });
  // A service has one clock: its answers are dated by the same one as its data.
  res.setHeader('date', new Date(core.clock.now() + (service.clockOffMs?.() ?? 0)).toUTCString());
  const fault = core.faults.take(service.name, name);
  const kind = fault && FAULTS[fault.kind];
  const answer = async () => {
    if (route === undefined) {
      const allow = [...new Set(fitting.map(([, one]) => one.method))].join(', ');
      return allow === ''
        ? replyText(res, 404, 'Not found')
        : replyText(res, 405, 'Method not allowed', { allow });
    }
    if (!route.isPublic && !hasKey(headers)) {
      return replyText(res, 401, 'Missing or invalid API key', { 'www-authenticate': 'Bearer' });
    }
    const made = await route.answer(request);
    if (typeof made === 'string') return reply(res, 200, 'application/json', made);
    if (method === 'HEAD') return res.writeHead(200, { 'content-type': 'text/event-stream' }).end();
    const stream = core.streams.open(service.name, res);
    if (fault) kind?.onStream?.(stream, fault, 0);
    return made(stream);
  };
  const proceed = () => {
    answer().catch((error: unknown) => {
      if (error instanceof Refusal) replyText(res, error.status, error.message);
      else fail(res, error);
    });
  };
  if (fault && kind?.onRequest) kind.onRequest(fault, { res, after: core.after, proceed });
  else proceed();
}

/** Only the header counts: a key in a URL ends up in logs, so that none is looked for there. */
function hasKey({ authorization = '' }: IncomingHttpHeaders): boolean {
  return /^bearer +(\S+) *$/i.exec(authorization)?.[1] === SANDBOX_KEY;
}

function fail(res: ServerResponse, error: unknown): void {
  if (res.destroyed) return;
  console.error('sandbox:', error);
  if (res.headersSent) res.destroy();
  else replyText(res, 500, 'Internal server error');
}
