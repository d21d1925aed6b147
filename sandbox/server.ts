import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { SandboxClock } from './clock';
import { applyFault, type FaultBoard, type FaultTimers, type HeldFault } from './faults';
import { Refusal } from './query-values';
import {
  type PlainRequest,
  replyText,
  SANDBOX_KEY,
  type SandboxRequest,
  type SandboxService,
  type SandboxStream,
  type StreamRegistry,
} from './service';

/** Calls kept with their details; older ones only count. */
const KEPT_CALLS = 2000;
const KEPT_BODY_CHARS = 10_000;

export type Call = {
  /** Real time, ISO: tests measure gaps between calls, whatever the sandbox clock does. */
  at: string;
  service: string;
  /** The route's name, or 'unknown' for a path that the service does not have. */
  route: string;
  method: string;
  path: string;
  query: string;
  headers: IncomingHttpHeaders;
  /** Only for requests that have one. */
  body?: string;
};

/** Every request to a simulated service: exact counts per route, and the details of the last ones. */
export class CallLog {
  private readonly counts = new Map<string, { service: string; route: string; total: number }>();
  private readonly recent: Call[] = [];

  add(call: Call): void {
    const key = `${call.service} ${call.route}`;
    const count = this.counts.get(key) ?? { service: call.service, route: call.route, total: 0 };
    count.total += 1;
    this.counts.set(key, count);
    const { body, ...rest } = call;
    this.recent.push(body ? { ...rest, body: body.slice(0, KEPT_BODY_CHARS) } : rest);
    if (this.recent.length > KEPT_CALLS) this.recent.shift();
  }

  /** `total` counts all calls since the last `clear`, also those whose details are gone. */
  find(service: string | undefined, route: string | undefined): { total: number; calls: Call[] } {
    const matches = (call: { service: string; route: string }) =>
      (service === undefined || call.service === service) && (route === undefined || call.route === route);
    let total = 0;
    for (const count of this.counts.values()) if (matches(count)) total += count.total;
    return { total, calls: this.recent.filter(matches) };
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
  timers: FaultTimers;
  streams: StreamRegistry;
  calls: CallLog;
  control: (request: PlainRequest, res: ServerResponse) => Promise<void>;
};

/** The HTTP server of all services: routing by base, call record, faults, key check. Not listening yet. */
export function createSandboxServer(core: SandboxCore): Server {
  return createServer((req, res) => {
    serve(core, req, res).catch((error: unknown) => fail(res, error));
  });
}

async function serve(core: SandboxCore, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const url = req.url ?? '/';
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const isControl = isBelow('/control', path);
  const body = await readBody(req, isControl ? MAX_CONTROL_BODY : MAX_SERVICE_BODY);
  if (body === undefined) return replyText(res, 413, 'The body is too large');
  const rawQuery = mark < 0 ? '' : url.slice(mark + 1);
  const request = { method: req.method ?? 'GET', path, rawQuery, body, req };
  if (isControl) return core.control(request, res);
  const service = core.services.find(({ base }) => isBelow(base, path));
  if (!service) return replyText(res, 404, 'Not found');
  serveService(core, service, { ...request, path: path.slice(service.base.length) || '/' }, res);
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

function serveService(
  core: SandboxCore,
  service: SandboxService,
  request: PlainRequest,
  res: ServerResponse,
): void {
  const route = service.route(request.method, request.path);
  core.calls.add({
    at: new Date().toISOString(),
    service: service.name,
    route: route ?? 'unknown',
    method: request.method,
    path: request.path,
    query: request.rawQuery,
    headers: request.req.headers,
    body: request.body,
  });
  // A service has one clock: its answers are dated by the same one as its data.
  res.setHeader('date', new Date(core.clock.now() + (service.clockOffMs?.() ?? 0)).toUTCString());
  const fault = core.faults.take(service.name, route ?? 'unknown');
  const openStream = () => {
    const stream = core.streams.open(service.name, route ?? 'unknown', res);
    endStream(stream, fault);
    return stream;
  };
  const proceed = () => answer(service, route, request, res, openStream);
  if (fault) applyFault(fault, res, core.timers, proceed);
  else proceed();
}

/** Ends a stream that has just been opened, where a fault says so. */
function endStream(stream: SandboxStream, fault: HeldFault | undefined): void {
  if (fault?.kind === 'close-stream') stream.end();
  if (fault?.kind === 'reset-stream') stream.destroy();
}

function answer(
  service: SandboxService,
  route: string | undefined,
  plain: PlainRequest,
  res: ServerResponse,
  openStream: () => SandboxStream,
): void {
  if (route === undefined) {
    refuseRoute(service, plain.path, res);
  } else if (service.keyNeeded(route) && !hasKey(plain.req)) {
    replyText(res, 401, 'Missing or invalid API key', { 'www-authenticate': 'Bearer' });
  } else {
    const request: SandboxRequest = {
      ...plain,
      query: new URLSearchParams(plain.rawQuery),
      openStream,
    };
    const handled = async () => service.handle(route, request, res);
    handled().catch((error: unknown) => {
      if (error instanceof Refusal) replyText(res, error.status, error.message);
      else fail(res, error);
    });
  }
}

function refuseRoute(service: SandboxService, path: string, res: ServerResponse): void {
  const allowed = ['GET', 'POST'].filter((method) => service.route(method, path) !== undefined);
  if (allowed.length === 0) replyText(res, 404, 'Not found');
  else replyText(res, 405, 'Method not allowed', { allow: allowed.join(', ') });
}

/** Only the header counts: a key in a URL ends up in logs, so that none is looked for there. */
function hasKey(req: IncomingMessage): boolean {
  const match = /^bearer +(\S+) *$/i.exec(req.headers.authorization ?? '');
  return match?.[1] === SANDBOX_KEY;
}

function fail(res: ServerResponse, error: unknown): void {
  if (res.destroyed) return;
  console.error('sandbox:', error);
  if (res.headersSent) res.destroy();
  else replyText(res, 500, 'Internal server error');
}
