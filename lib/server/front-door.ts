import 'server-only';
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { answerGateway } from './gateway';
import { routeOf } from './gateway-routes';
import { log } from './log';
import type { Reply } from './reply';
import { gateRequest } from './request-gate';

type Arrival = { request: IncomingMessage; server: Server };

/**
 * Stands before Next, at the only place where a request can be seen that early: Node's own channel. It undoes disguises
 * (request-gate.ts), and answers the gateway's routes itself: Next's way to a route handler takes longer than all the
 * rest of a gateway call together. What it does not answer goes on to Next, whose catch-all route is the same gateway.
 * @param port where Next listens; the sandbox is another server in this process
 */
export function openFrontDoor(port: number): void {
  const taken = new WeakSet<Server>();
  subscribe('http.server.request.start', (message) => {
    const { request, server } = message as Arrival;
    if (request.socket.localPort !== port) return;
    gateRequest(request);
    if (taken.has(server)) return;
    taken.add(server);
    takeGatewayRequests(server);
  });
}

/** Puts the gateway before the listeners that a server has; they get every other request. */
export function takeGatewayRequests(server: Server): void {
  const others = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    const [pathname, rawQuery] = splitUrl(request.url ?? '');
    if (routeOf(pathname)) void answer(pathname, rawQuery, request, response);
    else for (const listener of others) listener.call(server, request, response);
  });
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
      guarded: {
        host: headers.host,
        origin: headers.origin,
        secFetchSite: siteOf(headers['sec-fetch-site']),
      },
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

function siteOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join() : value;
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
