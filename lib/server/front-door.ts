import 'server-only';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { askerOf } from './asker';
import { answerGateway } from './gateway';
import { routeOf } from './gateway-routes';
import { guardedOf } from './guard';
import { HeldStreams } from './held-streams';
import { log } from './log';
import { metrics } from './metrics';
import { processWide } from './process-wide';
import type { Reply } from './reply';
import { type RequestEnd, watchRequest } from './request-ends';
import { gateRequest } from './request-gate';
import { beginRequest, endRequest, type RequestScope, withinRequest } from './request-id';
import { strictTransport } from './security-headers';
import { StalledReaders } from './stalled-readers';
import { type StreamAnswer, streamAnswerOf } from './streams';
import { logRequest } from './traffic-log';

type Arrival = { request: IncomingMessage; server: Server };

const CHANNEL = 'http.server.request.start';

/** Kept connections whose answer is out are let go this often while the process ends. */
const LET_GO_MS = 50;

type Door = { server: Server; ending?: 'ending' };
const door = processWide<Door>('front-door');

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
 * answered here: Next's way to a route handler takes longer than all the rest of a gateway call together. So are the
 * streams: what Next keeps of a request, for as long as its stream is open, is more than all that we keep of it.
 * Everything else goes on to the listeners, whose routes for the same paths call the same functions.
 */
export function takeRequests(server: Server): void {
  const own: Door = { server };
  door.set(own);
  const held = new HeldStreams((error) => log().error({ error }, 'the streams were not looked at again'));
  const readers = new StalledReaders(server);
  const others = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    gateRequest(request);
    readers.watch(request, response);
    if (own.ending) response.shouldKeepAlive = false;
    const hsts = strictTransport(request.headers['x-forwarded-proto']?.toString());
    if (hsts !== undefined) response.setHeader('strict-transport-security', hsts);
    const scope = beginRequest(request, response);
    const [pathname, rawQuery] = splitUrl(request.url ?? '');
    watchRequest(request, response, pathname, (end) => requestEnded(end, scope));
    withinRequest(scope, () => {
      const stream = streamAnswerOf(pathname);
      if (routeOf(pathname)) void answer(pathname, rawQuery, request, response);
      else if (stream) void hold(stream, request, response, held).then(() => endRequest(scope));
      else for (const listener of others) listener.call(server, request, response);
    });
  });
  // Only hot reload upgrades a connection. With a listener for it Node would hand it every request that merely offers
  // one, as some clients do with HTTP/2, and those would never be answered.
  if (process.env.NODE_ENV !== 'development') server.removeAllListeners('upgrade');
}

/**
 * What is under way is answered to its end, and its connection closed then: Next takes no new ones after a signal, but
 * whoever holds a kept one would wait for its time-out.
 */
export function closeFrontDoor(): void {
  const known = door.get();
  if (!known) return;
  known.ending = 'ending';
  setInterval(() => known.server.closeIdleConnections(), LET_GO_MS).unref();
}

function requestEnded(end: RequestEnd, scope: RequestScope): void {
  endRequest(scope);
  metrics().observeRequest(end);
  logRequest(end);
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
      asker: askerOf(request),
      contentLength: headers['content-length'],
      contentType: headers['content-type'],
      // Not read to its end when it is too large, and the answer must still get out.
      body: request.iterator({ destroyOnReturn: false }),
    });
    write(reply, response);
  } catch (error) {
    // The caller went away while its body was read, or this is a bug.
    if (!request.destroyed) log().error({ error }, 'the gateway met an error of ours');
    giveUp(response);
  }
}

async function hold(
  stream: StreamAnswer,
  request: IncomingMessage,
  response: ServerResponse,
  held: HeldStreams,
): Promise<void> {
  try {
    await stream(request, response);
    held.add(request, response);
  } catch (error) {
    log().error({ error }, 'a stream met an error of ours');
    giveUp(response);
  }
}

function giveUp(response: ServerResponse): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(500).end();
}

/** Up to here text costs less to write as it is, in one piece with the headers; a longer one costs less as bytes. */
const SHORT_CHARACTERS = 128 * 1024;

/** A HEAD has no text and thus no length: the GET's would cost a call. */
function write({ status, headers, text }: Reply, response: ServerResponse): void {
  if (text === null) {
    response.writeHead(status, headers).end();
    return;
  }
  const body = text.length <= SHORT_CHARACTERS ? text : Buffer.from(text);
  response.writeHead(status, { ...headers, 'content-length': String(Buffer.byteLength(body)) }).end(body);
}
