import 'server-only';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { answerGateway } from './gateway';
import { routeOf } from './gateway-routes';
import { guardedOf } from './guard';
import { log } from './log';
import type { Reply } from './reply';
import { gateRequest } from './request-gate';

type Arrival = { request: IncomingMessage; server: Server };

const CHANNEL = 'http.server.request.start';

/**
 * Stands before Next. Next's server is no one's to reach but through Node's own channel: its first request leads to it,
 * before any listener has seen that request.
 * @param port where Next listens; the sandbox is another server in this process
 */
export function openFrontDoor(port: number): void {
  const onArrival = (message: unknown) => {
    const { request, server } = message as Arrival;
    if (request.socket.localPort !== port) return;
    unsubscribe(CHANNEL, onArrival);
    takeRequests(server);
  };
  subscribe(CHANNEL, onArrival);
}

/**
 * Puts us before the listeners that a server has. Disguises are undone (request-gate.ts), and the gateway's routes are
 * answered here: Next's way to a route handler takes longer than all the rest of a gateway call together. Everything
 * else goes on to the listeners, whose catch-all route is the same gateway.
 */
export function takeRequests(server: Server): void {
  const others = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    gateRequest(request);
    const [pathname, rawQuery] = splitUrl(request.url ?? '');
    if (routeOf(pathname)) void answer(pathname, rawQuery, request, response);
    else for (const listener of others) listener.call(server, request, response);
  });
  // Only hot reload upgrades a connection. With a listener for it Node would hand it every request that merely offers
  // one, as some clients do with HTTP/2, and those would never be answered.
  if (process.env.NODE_ENV !== 'development') server.removeAllListeners('upgrade');
}

function splitUrl(url: string): [pathname: string, rawQuery: string] {
  const end = url.indexOf('?');
  return end < 0 ? [url, ''] : [url.slice(0, end), url.slice(end + 1)];
}

async function answer(
  pathname: string,
  rawQuery: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = '', headers } = request;
  try {
    const reply = await answerGateway({
      method,
      pathname,
      rawQuery,
      guarded: guardedOf(headers),
      contentLength: headers['content-length'],
      // Not read to its end when it is too large, and the answer must still get out.
      body: request.iterator({ destroyOnReturn: false }),
    });
    write(reply, response);
  } catch (error) {
    // The caller went away while its body was read, or this is a bug.
    if (!request.destroyed) log().error({ err: error }, 'the gateway met an error of ours');
    if (response.headersSent) response.destroy();
    else response.writeHead(500).end();
  }
}

/** A HEAD has no text and thus no length: the GET's would cost a call. */
function write({ status, headers, text }: Reply, response: ServerResponse): void {
  if (text === null) {
    response.writeHead(status, headers).end();
    return;
  }
  const body = Buffer.from(text);
  response.writeHead(status, { ...headers, 'content-length': String(body.byteLength) }).end(body);
}
