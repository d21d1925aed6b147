import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { handleControl } from './control';
import { applyToRequest, applyToStream } from './faults';
import type { Parts } from './parts';
import { reply, replyText } from './responses';
import { Refusal, SANDBOX_KEY, type SandboxRequest, type SandboxService } from './service';

const MAX_SERVICE_BODY = 1024 * 1024;
/** Odd rows, and bodies for faults, may be large. */
const MAX_CONTROL_BODY = 64 * 1024 * 1024;
const KEPT_BODY_CHARS = 10_000;

/** A server that does not listen yet. */
export function createSandboxServer(parts: Parts): Server {
  return createServer((req, res) => {
    serve(parts, req, res).catch((error: unknown) => fail(res, error));
  });
}

async function serve(parts: Parts, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const [path = '/', ...rest] = (req.url ?? '/').split('?');
  const rawQuery = rest.join('?');
  const isBelow = (base: string) => path === base || path.startsWith(`${base}/`);
  const isControl = isBelow('/control');
  const body = await readBody(req, isControl ? MAX_CONTROL_BODY : MAX_SERVICE_BODY);
  if (body === undefined) return replyText(res, 413, 'The body is too large');
  const { method = 'GET', headers } = req;
  const request = { method, path, rawQuery, query: new URLSearchParams(rawQuery), body, headers };
  if (isControl) return handleControl(parts, request, res);
  const service = parts.services.find(({ base }) => isBelow(base));
  if (!service) return replyText(res, 404, 'Not found');
  await serveService(parts, service, { ...request, path: path.slice(service.base.length) || '/' }, res);
}

/** Undefined if the body is larger than `maxBytes`. */
async function readBody(req: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= maxBytes) chunks.push(chunk);
  }
  return size > maxBytes ? undefined : Buffer.concat(chunks).toString();
}

async function serveService(
  { calls, clock, faults, streams }: Parts,
  service: SandboxService,
  request: SandboxRequest,
  res: ServerResponse,
): Promise<void> {
  const { method, path, headers, rawQuery } = request;
  const fitting = Object.entries(service.routes).filter(([, route]) =>
    typeof route.path === 'string' ? route.path === path : route.path.test(path),
  );
  const match = fitting.find(([, route]) => route.method === (method === 'HEAD' ? 'GET' : method));
  const [name, route] = match ?? ['unknown', undefined];
  calls.add({
    at: new Date().toISOString(),
    service: service.name,
    route: name,
    method,
    path,
    query: rawQuery,
    headers,
    body: request.body.slice(0, KEPT_BODY_CHARS) || undefined,
  });
  // A service has one clock, so its answers carry the same time as its data.
  res.setHeader('date', new Date(clock.now() + (service.clockOffMs?.() ?? 0)).toUTCString());
  const fault = faults.consume(service.name, name);
  const answer = async () => {
    if (route === undefined) {
      const allow = [...new Set(fitting.map(([, route]) => route.method))].join(', ');
      return allow === ''
        ? replyText(res, 404, 'Not found')
        : replyText(res, 405, 'Method not allowed', { allow });
    }
    // Keys in URLs would end up in logs.
    const [, key] = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? [];
    if (!route.isPublic && key !== SANDBOX_KEY) {
      return replyText(res, 401, 'Missing or invalid API key', { 'www-authenticate': 'Bearer' });
    }
    const answer = await route.answer(request);
    if (typeof answer === 'string') return reply(res, 200, 'application/json', answer);
    if (method === 'HEAD') return res.writeHead(200, { 'content-type': 'text/event-stream' }).end();
    const stream = streams.open(service.name, res);
    if (fault) applyToStream(fault, stream);
    return answer(stream);
  };
  const proceed = () => {
    answer().catch((error: unknown) => {
      if (error instanceof Refusal) replyText(res, error.status, error.message);
      else fail(res, error);
    });
  };
  if (fault) applyToRequest(fault, res, proceed);
  else proceed();
}

function fail(res: ServerResponse, error: unknown): void {
  if (res.destroyed) return;
  console.error('sandbox:', error);
  if (res.headersSent) res.destroy();
  else replyText(res, 500, 'Internal server error');
}
