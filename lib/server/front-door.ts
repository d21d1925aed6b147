import 'server-only';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Problem } from '@/lib/core/problem';
import { AnswerTurns } from './answer-turns';
import { askerOf } from './asker';
import { answerGateway } from './gateway';
import { routeOf } from './gateway-routes';
import { guardedOf } from './guard';
import { HeldStreams } from './held-streams';
import { log } from './log';
import { metrics } from './metrics';
import { guardPageMethod, SIGN_IN } from './page-method';
import { processWide } from './process-wide';
import type { Reply } from './reply';
import { announcesBody, guardQuery, guardTransfer } from './request-bounds';
import { type RequestEnd, watchRequest } from './request-ends';
import { gateRequest, PEER_HEADER, plainPath } from './request-gate';
import { beginRequest, endRequest, type RequestScope, withinRequest } from './request-id';
import { PAGE_HEADERS, strictTransport } from './security-headers';
import { StalledReaders } from './stalled-readers';
import { writeProblem } from './stream-response';
import { type StreamAnswer, streamAnswerOf } from './streams';
import { logRequest } from './traffic-log';
import { UnsentAnswers } from './unsent-answers';
import { UntilStarted } from './until-started';
import { isOutsideSpent, PAGE_COST, turnAwayOutsider } from './visitor';

type Arrival = { socket: Socket & { server: Server } };

/** A connection, before anything that came over it is read; and a request, over one that was there before us. */
const CHANNELS = ['net.server.socket', 'http.server.request.start'];

/** So long may a request take to arrive, with its body: one of 64 kB from a bad network. Node looks every 30 s. */
const WHOLE_REQUEST_MS = 60_000;

/** Kept connections whose answer is out are let go this often while the process ends. */
const LET_GO_MS = 50;

type Door = { server: Server; start: UntilStarted; ending?: 'ending' };
const door = processWide<Door>('front-door');

/** What came before the door stood (scripts/early-requests.mjs); undefined when nobody did. */
type Early = { server: Server; waiting: readonly (readonly [IncomingMessage, ServerResponse])[] };
const early = processWide<() => Early | undefined>('early-requests');

export type DoorOptions = {
  /** Until then only whether we are up is told; what else is asked waits. */
  started?: Promise<unknown>;
  /** Done when every connection has ended, before Next hears of it and ends the process. */
  beforeEnd?: () => Promise<void>;
};

/**
 * Stands before Next. Next's server is no one's to reach but through Node's own channels: its first connection leads to
 * it, before any listener has seen a request, or an offer of another protocol, which is no request to Node.
 * @param port where Next listens; the sandbox is another server in this process
 */
export function openFrontDoor(port: number, options: DoorOptions = {}): void {
  const came = early.get()?.();
  if (came) {
    takeRequests(came.server, options);
    for (const [request, response] of came.waiting) came.server.emit('request', request, response);
    return;
  }
  const onArrival = (message: unknown) => {
    const { socket } = message as Arrival;
    if (socket.localPort !== port) return;
    for (const channel of CHANNELS) unsubscribe(channel, onArrival);
    takeRequests(socket.server, options);
  };
  for (const channel of CHANNELS) subscribe(channel, onArrival);
}

/**
 * Puts us before the listeners that a server has. Disguises are undone (request-gate.ts), and the gateway's routes are
 * answered here: Next's way to a route handler takes longer than all the rest of a gateway call together. So are the
 * streams: what Next keeps of a request, for as long as its stream is open, is more than all that we keep of it.
 * Everything else goes on to the listeners, whose routes for the same paths call the same functions.
 */
export function takeRequests(
  server: Server,
  { started = Promise.resolve(), beforeEnd }: DoorOptions = {},
): void {
  const own: Door = { server, start: new UntilStarted(started) };
  door.set(own);
  if (beforeEnd) doBeforeEnd(server, beforeEnd);
  const held = new HeldStreams((error) => log().error({ error }, 'the streams were not looked at again'));
  const readers = new StalledReaders(server);
  const unsent = new UnsentAnswers(server);
  const others = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  const turns = new AnswerTurns();
  const pass: RequestListener = (request, response) => {
    for (const listener of others) listener.call(server, request, response);
  };
  const handle: RequestListener = (request, response) => {
    gateRequest(request);
    readers.watch(request, response);
    unsent.watch(response);
    if (own.ending) response.shouldKeepAlive = false;
    const hsts = strictTransport(request.headers['x-forwarded-proto']?.toString());
    if (hsts !== undefined) response.setHeader('strict-transport-security', hsts);
    const scope = beginRequest(request, response);
    const [pathname, rawQuery] = splitUrl(request.url ?? '');
    if (!pathname.startsWith('/api/')) sayOfPages(response);
    watchRequest(request, response, pathname, (end) => requestEnded(end, scope));
    // The overlay of the development server posts to pages of its own.
    const isDevelopment = process.env.NODE_ENV === 'development';
    const refusal =
      (isDevelopment ? undefined : guardPageMethod(request, pathname)) ?? guardTransfer(request);
    const dispatch = () => {
      const stream = streamAnswerOf(pathname);
      const tooLong = guardQuery(pathname, rawQuery);
      if (refusal) refusePage(response, refusal);
      else if (routeOf(pathname)) void answer(pathname, rawQuery, request, response);
      else if (stream) void hold(stream, request, response, held).then(() => endRequest(scope));
      else if (tooLong) refusePage(response, tooLong);
      else if (!isForMachines(pathname, request) && isOutsideSpent(askerOf(request), costOf(pathname)))
        void turnAwayOrPass(request, response, costOf(pathname), pass);
      else pass(request, response);
    };
    const isFree = own.start.isOver || pathname === '/api/health';
    withinRequest(scope, () =>
      isFree ? dispatch() : own.start.wait(response, () => withinRequest(scope, dispatch)),
    );
  };
  // Node would answer what else is expected than being told to go on, without a header of ours.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.requestTimeout = WHOLE_REQUEST_MS;
  server.on('request', (request, response) => {
    turns.take(request.socket, response, announcesBody(request), () => handle(request, response));
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
  known.start.end();
  setInterval(() => known.server.closeIdleConnections(), LET_GO_MS).unref();
}

/** Next ends the process as soon as its server says that it has closed. */
function doBeforeEnd(server: Server, work: () => Promise<void>): void {
  const close = server.close.bind(server);
  server.close = (callback) =>
    close((error) => {
      work().then(
        () => callback?.(error),
        () => callback?.(error),
      );
    });
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

/**
 * What programs ask that sign in nowhere: a probe whether we are up, a monitoring on this machine or with a token, at which
 * guesses have waits of their own. They may come from the address of a proxy, by which all its strangers come too.
 */
function isForMachines(pathname: string, { headers }: IncomingMessage): boolean {
  if (pathname === '/api/health') return true;
  if (pathname !== '/api/metrics') return false;
  return headers[PEER_HEADER] === 'local' || /^Bearer /i.test(headers.authorization ?? '');
}

/** What an outsider's purse must have, as it is taken out of it afterwards (visitor.ts). */
function costOf(pathname: string): number {
  return plainPath(pathname) === SIGN_IN ? PAGE_COST : 1;
}

/** Being told to wait by Next costs nearly what an answer would. Whoever may come in is passed on even from such an address. */
async function turnAwayOrPass(
  request: IncomingMessage,
  response: ServerResponse,
  cost: number,
  pass: RequestListener,
): Promise<void> {
  try {
    const refusal = await turnAwayOutsider(askerOf(request), cost);
    if (refusal) writeProblem(response, refusal.problem, refusal.headers);
    else pass(request, response);
  } catch (error) {
    log().error({ error }, 'a caller could not be told from others');
    giveUp(response);
  }
}

/** Our proxy says it too, but Next answers some addresses without it: those that can't be decoded, doubled slashes. */
function sayOfPages(response: ServerResponse): void {
  for (const [name, value] of Object.entries(PAGE_HEADERS)) response.setHeader(name, value);
}

/** The connection ends with the answer: what is on its way is not waited for. */
function refusePage(response: ServerResponse, refusal: Problem): void {
  const headers = {
    ...PAGE_HEADERS,
    connection: 'close',
    ...(refusal.kind === 'method' ? { allow: 'GET, HEAD' } : {}),
  };
  writeProblem(response, refusal, headers);
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
