import 'server-only';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type Problem, problem } from '@/lib/core/problem';
import { guardedOf, guardPage } from './guard';
import { metrics } from './metrics';
import { gateRequest } from './request-gate';
import { identify, REQUEST_ID_HEADER, withinRequest } from './request-id';
import { isStreamRoute, routePatternOf } from './request-routes';
import { PAGE_HEADERS, strictTransport } from './security-headers';
import { writeProblem } from './stream-response';
import { logRequest, type RequestEnd } from './traffic-log';

/** So long may a request take to arrive with its body, and a reader leave unread what waits for him, in ms. */
const WHOLE_REQUEST_MS = 60_000;
/** So long a request waits for the start; in good order another process gives the index up sooner. */
const START_MS = 15_000;
const START_RETRY_S = 2;
/** Kept connections whose answer is out are let go this often while the process ends. */
const LET_GO_MS = 50;
/** Next goes through all parameters once for each. Links of ours name each of the 500 feeds of a view at most. */
const MOST_PARAMETERS = 600;

type NextHandler = (request: IncomingMessage, response: ServerResponse) => unknown;

/**
 * What every request meets before Next's handler, on the server that scripts/serve.mjs makes: it gets an id, its disguises
 * are undone, its end is counted and logged, and until the start is over it waits, but for whether we are up.
 */
export class HttpServer {
  readonly #started: Promise<unknown>;
  readonly #sockets = new Set<Socket>();
  #isStarted = false;
  #isEnding = false;
  #server: Server | undefined;

  /** @param started a start that fails ends the process */
  constructor(started: Promise<unknown>) {
    this.#started = started.then(
      () => {
        this.#isStarted = true;
      },
      () => {},
    );
  }

  /** Before the server listens. */
  open(server: Server, next: NextHandler): void {
    this.#server = server;
    server.requestTimeout = WHOLE_REQUEST_MS;
    server.timeout = WHOLE_REQUEST_MS;
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    server.on('request', (request, response) => this.#take(request, response, next));
  }

  /**
   * What is under way is answered to its end, and its connection closed then. Idle connections stay while anything that was
   * written waits for a slow reader: Node calls his idle too.
   * @param done when no connection is left
   */
  close(done: () => void): void {
    this.#isEnding = true;
    const server = this.#server;
    if (server === undefined) {
      done();
      return;
    }
    setInterval(() => {
      const isUnsent = [...this.#sockets].some(({ writableLength }) => writableLength > 0);
      if (!isUnsent) server.closeIdleConnections();
    }, LET_GO_MS).unref();
    // The close of Node's HTTP server cuts idle connections at once.
    NetServer.prototype.close.call(server, done);
  }

  #take(request: IncomingMessage, response: ServerResponse, next: NextHandler): void {
    gateRequest(request);
    if (this.#isEnding) response.shouldKeepAlive = false;
    const hsts = strictTransport(request.headers['x-forwarded-proto']?.toString());
    if (hsts !== undefined) response.setHeader('strict-transport-security', hsts);
    const id = identify(request, response);
    const [pathname = '', rawQuery = ''] = splitUrl(request.url ?? '');
    if (!pathname.startsWith('/api/')) {
      // Our proxy says it too, but Next answers some addresses without it: those that can't be decoded, doubled slashes.
      for (const [name, value] of Object.entries(PAGE_HEADERS)) response.setHeader(name, value);
    }
    watchEnd(request, response, pathname);
    const refusal = refusalOf(request, pathname, rawQuery);
    if (refusal) {
      const allow: Record<string, string> = refusal.kind === 'method' ? { allow: 'GET, HEAD' } : {};
      writeProblem(response, refusal, { connection: 'close', ...allow });
      return;
    }
    withinRequest(id, () => {
      if (this.#isStarted || pathname === '/api/health') next(request, response);
      else void this.#whenStarted(response, () => withinRequest(id, () => next(request, response)));
    });
  }

  async #whenStarted(response: ServerResponse, go: () => void): Promise<void> {
    await Promise.race([this.#started, delay(START_MS, undefined, { ref: false })]);
    if (response.destroyed) return;
    if (this.#isStarted) return go();
    const detail = 'The dashboard is starting: it waits for another process to give the index up.';
    writeProblem(
      response,
      { ...problem('starting', detail), retryAfterS: START_RETRY_S },
      { connection: 'close' },
    );
  }
}

function splitUrl(url: string): string[] {
  const end = url.indexOf('?');
  return end < 0 ? [url] : [url.slice(0, end), url.slice(end + 1)];
}

/**
 * What Next must not begin with. A page has no body: Next would keep up to 10 MB of one before our proxy is asked who sends
 * it. Whoever sends the form for signing in before its script has come is shown that page again: it becomes a GET.
 */
function refusalOf(request: IncomingMessage, pathname: string, rawQuery: string): Problem | undefined {
  if (rawQuery.split('&', MOST_PARAMETERS + 1).length > MOST_PARAMETERS)
    return problem('bad-request', `A query has ${MOST_PARAMETERS} parameters at most here.`);
  const { method = '', headers } = request;
  // The overlay of the development server posts to pages of its own.
  if (process.env.NODE_ENV === 'development' || pathname.startsWith('/api/')) return undefined;
  if (method === 'GET' || method === 'HEAD') return undefined;
  const refusal = guardPage({
    ...guardedOf(headers),
    method,
    secFetchMode: headers['sec-fetch-mode']?.toString(),
    secFetchDest: headers['sec-fetch-dest']?.toString(),
  });
  if (refusal) return refusal;
  if (method !== 'POST' || pathname !== '/sign-in') return problem('method', 'A page answers GET, HEAD.');
  request.method = 'GET';
  return undefined;
}

/** @param pathname as it was when it arrived: Next changes the address in place */
function watchEnd(request: IncomingMessage, response: ServerResponse, pathname: string): void {
  const { method = '', socket, headers } = request;
  const startedAt = performance.now();
  const bytesBefore = socket.bytesWritten;
  response.once('close', () => {
    const route = routePatternOf(pathname);
    const end: RequestEnd = {
      requestId: headers[REQUEST_ID_HEADER]?.toString() ?? '',
      kind: isStreamRoute(route) ? 'stream' : 'answer',
      method,
      route,
      status: response.headersSent ? response.statusCode : 'aborted',
      ms: performance.now() - startedAt,
      bytes: Math.max(0, socket.bytesWritten - bytesBefore),
    };
    metrics().observeRequest(end);
    logRequest(end);
  });
}
