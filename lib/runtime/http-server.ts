import 'server-only';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { posix } from 'node:path';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { ADDRESS_HEADER, clientAddress, PEER_HEADER, QUERY_HEADER, readCaller } from '@/lib/access/caller';
import { guardPage, HSTS, isBehindTls, PAGE_HEADERS } from '@/lib/access/guard';
import { MAX_ADDRESS, MAX_PARAMETERS, TOO_LONG_ADDRESS } from '@/lib/core/address-limit';
import { type ProblemDetails, problemDetails } from '@/lib/core/problem';
import { MINUTE_MS } from '@/lib/core/time';
import { clientLimits } from '@/lib/platform/descriptors';
import {
  assignRequestId,
  logRequest,
  REQUEST_ID_HEADER,
  type RequestEnd,
  withinRequest,
} from '@/lib/platform/log';
import { metrics } from '@/lib/platform/metrics';
import { answerBuiltFile, isBuiltFile } from './built-files';
import { builtRoutes, type PatternOf, routePatterns } from './route-patterns';
import { isEventStream, splitUrl, writeProblem } from './stream-response';

/** Time for a request to arrive with its body, and for a client to read buffered data. */
const REQUEST_TIMEOUT_MS = MINUTE_MS;
/** Wait of a request for the start. Usually the other process releases the index sooner. */
const MAX_START_WAIT_MS = 15_000;
const START_RETRY_S = 2;
/** Interval at which idle connections are closed while the process ends. */
const CLOSE_IDLE_INTERVAL_MS = 50;
type NextHandler = (request: IncomingMessage, response: ServerResponse) => unknown;

/**
 * Stands before Next, which can do none of this itself. Each piece has its test in `http-server.test.ts`, or the one named:
 * - a path sent in an ambiguous form reaches no route, and forwarding headers are not believed (`gateRequest`);
 * - an address that is too long, a method or a body that no page takes are refused before Next buffers 10 MB of a body;
 *   of several host names none is believed, so that the guard behind Next refuses the request;
 * - requests wait for the start, and `/api/health` answers during it (`e2e/http/index-file.test.ts`);
 * - what is under way is answered after a signal, slow readers included (`e2e/http/process.test.ts`);
 * - connections stay below the limit of open files (`e2e/http/limits.test.ts`);
 * - each request has an id, a line in the log and its figures in the metrics (`e2e/http/log.test.ts`, `metrics-sandbox.test.ts`).
 */
export class HttpServer {
  readonly #started: Promise<unknown>;
  readonly #sockets = new Set<Socket>();
  #isStarted = false;
  #isEnding = false;
  #server: Server | undefined;

  /** @param started ends the process if it rejects @param healthReady resolves when `/api/health` can be answered */
  constructor(
    started: Promise<unknown>,
    readonly healthReady: Promise<unknown> = started,
    private readonly patternOf: PatternOf = routePatterns(builtRoutes()),
  ) {
    this.#started = started.then(
      () => {
        this.#isStarted = true;
      },
      () => {},
    );
  }

  open(server: Server, next: NextHandler): void {
    this.#server = server;
    server.requestTimeout = REQUEST_TIMEOUT_MS;
    server.timeout = REQUEST_TIMEOUT_MS;
    const limits = clientLimits();
    // Further connections are closed at once: an accepted one may take the descriptor that the index needs.
    if (limits !== undefined) server.maxConnections = limits.connections;
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    server.on('request', (request, response) => this.#handle(request, response, next));
    server.on('clientError', answerUnreadable);
  }

  /** An idle connection is closed only without unsent data, because Node calls a slow reader idle too. */
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
    }, CLOSE_IDLE_INTERVAL_MS).unref();
    // The close method of Node's HTTP server would cut idle connections at once.
    NetServer.prototype.close.call(server, done);
  }

  #handle(request: IncomingMessage, response: ServerResponse, next: NextHandler): void {
    gateRequest(request);
    if (this.#isEnding) response.shouldKeepAlive = false;
    if (isBehindTls(readCaller(request))) response.setHeader('strict-transport-security', HSTS);
    const id = assignRequestId(request, response);
    const [pathname, rawQuery] = splitUrl(request);
    if (!pathname.startsWith('/api/')) {
      // Next skips our proxy for undecodable addresses and doubled slashes.
      for (const [name, value] of Object.entries(PAGE_HEADERS)) response.setHeader(name, value);
    }
    recordEnd(request, response, this.patternOf(pathname));
    const refusal = refusalOf(request, pathname, rawQuery);
    if (refusal) {
      const allow: Record<string, string> = refusal.kind === 'method' ? { allow: 'GET, HEAD' } : {};
      writeProblem(response, refusal, { connection: 'close', ...allow });
      return;
    }
    const answer = () => withinRequest(id, () => next(request, response));
    const go = () => {
      if (this.#isStarted) next(request, response);
      else if (pathname === '/api/health') void this.healthReady.then(answer, () => undefined);
      else void this.#whenStarted(response, answer);
    };
    const isBuilt =
      isBuiltFile(pathname) && guardPage(readCaller(request), request.method ?? '') === undefined;
    withinRequest(id, isBuilt ? () => void answerBuiltFile(request, response, pathname, go) : go);
  }

  async #whenStarted(response: ServerResponse, go: () => void): Promise<void> {
    await Promise.race([this.#started, delay(MAX_START_WAIT_MS, undefined, { ref: false })]);
    if (response.destroyed) return;
    if (this.#isStarted) return go();
    const detail = 'The dashboard is starting: waiting for another process to release the index.';
    writeProblem(
      response,
      { ...problemDetails('starting', detail), retryAfterS: START_RETRY_S },
      { connection: 'close' },
    );
  }
}

/** Answers a request that Node cannot parse. The usual cause of an oversized head is a long address. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  const isTooLong = error.code === 'HPE_HEADER_OVERFLOW';
  const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const [line, body] = isTooLong
    ? ['414 URI Too Long', JSON.stringify(problemDetails('too-long', TOO_LONG_ADDRESS))]
    : [isLate ? '408 Request Timeout' : '400 Bad Request', ''];
  const type = isTooLong ? 'content-type: application/problem+json\r\n' : '';
  const head = `HTTP/1.1 ${line}\r\nconnection: close\r\n${type}content-length: ${Buffer.byteLength(body)}\r\n\r\n`;
  socket.end(head + body);
}

/** Keeps bodies from Next, which would buffer 10 MB. A sign-in form becomes a GET of its page. */
function refusalOf(request: IncomingMessage, pathname: string, rawQuery: string): ProblemDetails | undefined {
  if (pathname.length + rawQuery.length >= MAX_ADDRESS) return problemDetails('too-long', TOO_LONG_ADDRESS);
  if (rawQuery.split('&', MAX_PARAMETERS + 1).length > MAX_PARAMETERS)
    return problemDetails('bad-request', `At most ${MAX_PARAMETERS} query parameters.`);
  const { method = '' } = request;
  // The development overlay posts to its own pages.
  if (process.env.NODE_ENV === 'development' || pathname.startsWith('/api/')) return undefined;
  if (method === 'GET' || method === 'HEAD') return undefined;
  const refusal = guardPage(readCaller(request), method);
  if (refusal) return refusal;
  if (method !== 'POST' || pathname !== '/sign-in') return problemDetails('method', 'Allowed: GET, HEAD.');
  request.method = 'GET';
  return undefined;
}

/** @param route from the original address, because Next changes the address in place */
function recordEnd(request: IncomingMessage, response: ServerResponse, route: string): void {
  const { method = '', socket, headers } = request;
  const startedAt = performance.now();
  const bytesBefore = socket.bytesWritten;
  response.once('close', () => {
    const end: RequestEnd = {
      requestId: headers[REQUEST_ID_HEADER]?.toString() ?? '',
      kind: isEventStream(response) ? 'stream' : 'answer',
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

/** A path that no route has, because none has an encoded character in its name. */
const UNROUTABLE_PATH = '/api/%20';
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const API = /^\/api(\/|$)/i;
/** Next answers `/_next/data/<build>/x.json` with route `/x` and skips the proxy. Our pages never use it. */
const DATA = /^\/_next\/data(\/|$)/i;
/** Encoded or doubled characters or dots, which parsers read differently, and whole URLs, whose host is not guarded. */
const AMBIGUOUS_PATH = /^(?!\/)|[%\\]|\/\/|\/\.{1,2}(\/|$)/;

/**
 * Changes a request in place before Next sees it. Next would redirect doubled and trailing slashes, decode characters,
 * resolve dots, serve a second address of each route, and redirect to the host of a whole URL. Our routes need none of
 * this, so an ambiguous path below /api becomes unroutable. The peer is recorded in headers that a caller cannot forge,
 * and a method that Next does not know (such as TRACE) becomes one that every route refuses.
 */
export function gateRequest(request: IncomingMessage): void {
  const { headers, rawHeaders, socket } = request;
  const [path, query] = splitUrl(request);
  if (!METHODS.has(request.method ?? '')) request.method = 'OPTIONS';
  headers[ADDRESS_HEADER] = clientAddress(socket.remoteAddress);
  headers[PEER_HEADER] = peerOf(request);
  headers[QUERY_HEADER] = query;
  const isAmbiguous = AMBIGUOUS_PATH.test(path);
  const plain = isAmbiguous ? decodedPath(path) : path;
  const isApi = API.test(plain);
  const isUnroutable = isAmbiguous || !path.startsWith('/api/') || path.endsWith('/');
  if (!path.startsWith('/') || DATA.test(plain) || (isApi && isUnroutable)) request.url = UNROUTABLE_PATH;
  // Next would redirect a request with this header before our route runs.
  if (isApi) delete headers.rsc;
  // Node uses the first of several, but a proxy in front may have used another one.
  const hosts = rawHeaders.filter((name, n) => n % 2 === 0 && name.toLowerCase() === 'host');
  if (hosts.length > 1) headers.host = '';
  // With this header Next answers in place of the route.
  delete headers['x-middleware-prefetch'];
}

/** Byte by byte, because an undecodable path may still contain dots that would be resolved. */
function decodedPath(path: string): string {
  const decoded = path.replace(/%[0-9a-f]{2}/gi, (byte) => String.fromCharCode(Number(`0x${byte.slice(1)}`)));
  return posix.normalize(decoded.replaceAll('\\', '/')).replace(/^\/+/, '/');
}

const FORWARDING_HEADER = /^(forwarded|via|x-real-ip|x-forwarded-(for|host|proto))$/;

/** A reverse proxy on this machine is a local peer too, but it adds forwarding headers. */
function peerOf(request: IncomingMessage): 'local' | 'remote' {
  const address = request.socket.remoteAddress ?? '';
  const local = /^(::ffff:)?127\.|^::1$/.test(address);
  const isForAnother = Object.keys(request.headers).some((name) => FORWARDING_HEADER.test(name));
  return local && !isForAnother ? 'local' : 'remote';
}
