import 'server-only';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { posix } from 'node:path';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { ADDRESS_HEADER, callerOf, clientAddress, PEER_HEADER, QUERY_HEADER } from '@/lib/access/caller';
import { guardPage, HSTS, isBehindTls, PAGE_HEADERS } from '@/lib/access/guard';
import { MAX_ADDRESS, MAX_PARAMETERS, TOO_LONG_ADDRESS } from '@/lib/core/address-limit';
import { type Problem, problem } from '@/lib/core/problem';
import { plainGatewayPaths } from '@/lib/gateway/gateway';
import { clientLimits } from '@/lib/platform/descriptors';
import { identify, logRequest, REQUEST_ID_HEADER, type RequestEnd, withinRequest } from '@/lib/platform/log';
import { metrics } from '@/lib/platform/metrics';
import { answerBuiltFile, isBuiltFile } from './built-files';
import { splitUrl, writeProblem } from './stream-response';
import { STREAM_PATHS } from './streams';

/** So long may a request take to arrive with its body, and a reader leave unread what waits for him, in ms. */
const WHOLE_REQUEST_MS = 60_000;
/** So long a request waits for the start; in good order another process gives the index up sooner. */
const START_MS = 15_000;
const START_RETRY_S = 2;
/** Kept connections whose answer is out are let go this often while the process ends. */
const LET_GO_MS = 50;
type NextHandler = (request: IncomingMessage, response: ServerResponse) => unknown;

/** What every request meets before Next's handler: an id, no disguise, a count, a log line, the wait for the start. */
export class HttpServer {
  readonly #started: Promise<unknown>;
  readonly #sockets = new Set<Socket>();
  #isStarted = false;
  #isEnding = false;
  #server: Server | undefined;

  /** @param started a failure ends the process. @param canAnswer health is answered once it is over */
  constructor(
    started: Promise<unknown>,
    readonly canAnswer: Promise<unknown> = started,
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
    server.requestTimeout = WHOLE_REQUEST_MS;
    server.timeout = WHOLE_REQUEST_MS;
    const most = clientLimits();
    // More are closed at once: one that is accepted may be the descriptor that the index lacks.
    if (most !== undefined) server.maxConnections = most.connections;
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    server.on('request', (request, response) => this.#take(request, response, next));
    server.on('clientError', answerUnreadable);
  }

  /** What is under way is answered. Idle connections stay while a slow reader has anything left: Node calls it idle. */
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
    if (isBehindTls(callerOf(request))) response.setHeader('strict-transport-security', HSTS);
    const id = identify(request, response);
    const [pathname, rawQuery] = splitUrl(request);
    if (!pathname.startsWith('/api/')) {
      // Not in our proxy: Next answers addresses that it can't decode, and doubled slashes, without it.
      for (const [name, value] of Object.entries(PAGE_HEADERS)) response.setHeader(name, value);
    }
    watchEnd(request, response, routePatternOf(pathname));
    const refusal = refusalOf(request, pathname, rawQuery);
    if (refusal) {
      const allow: Record<string, string> = refusal.kind === 'method' ? { allow: 'GET, HEAD' } : {};
      writeProblem(response, refusal, { connection: 'close', ...allow });
      return;
    }
    const answer = () => withinRequest(id, () => next(request, response));
    const go = () => {
      if (this.#isStarted) next(request, response);
      else if (pathname === '/api/health') void this.canAnswer.then(answer, () => undefined);
      else void this.#whenStarted(response, answer);
    };
    const isBuilt = isBuiltFile(pathname) && guardPage(callerOf(request), request.method ?? '') === undefined;
    withinRequest(id, isBuilt ? () => void answerBuiltFile(request, response, pathname, go) : go);
  }

  async #whenStarted(response: ServerResponse, go: () => void): Promise<void> {
    await Promise.race([this.#started, delay(START_MS, undefined, { ref: false })]);
    if (response.destroyed) return;
    if (this.#isStarted) return go();
    const detail = 'The dashboard is starting: waiting for another process to release the index.';
    writeProblem(
      response,
      { ...problem('starting', detail), retryAfterS: START_RETRY_S },
      { connection: 'close' },
    );
  }
}

/** What Node can't read as a request. Too large a head is told like too long an address, which is what it mostly is. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  const isTooLong = error.code === 'HPE_HEADER_OVERFLOW';
  const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const [line, body] = isTooLong
    ? ['414 URI Too Long', JSON.stringify(problem('too-long', TOO_LONG_ADDRESS))]
    : [isLate ? '408 Request Timeout' : '400 Bad Request', ''];
  const type = isTooLong ? 'content-type: application/problem+json\r\n' : '';
  const head = `HTTP/1.1 ${line}\r\nconnection: close\r\n${type}content-length: ${Buffer.byteLength(body)}\r\n\r\n`;
  socket.end(head + body);
}

/** What Next must not begin with: it would keep 10 MB of a body. A form for signing in becomes a GET of its page. */
function refusalOf(request: IncomingMessage, pathname: string, rawQuery: string): Problem | undefined {
  if (pathname.length + rawQuery.length >= MAX_ADDRESS) return problem('too-long', TOO_LONG_ADDRESS);
  if (rawQuery.split('&', MAX_PARAMETERS + 1).length > MAX_PARAMETERS)
    return problem('bad-request', `At most ${MAX_PARAMETERS} query parameters.`);
  const { method = '' } = request;
  // The overlay of the development server posts to pages of its own.
  if (process.env.NODE_ENV === 'development' || pathname.startsWith('/api/')) return undefined;
  if (method === 'GET' || method === 'HEAD') return undefined;
  const refusal = guardPage(callerOf(request), method);
  if (refusal) return refusal;
  if (method !== 'POST' || pathname !== '/sign-in') return problem('method', 'Allowed: GET, HEAD.');
  request.method = 'GET';
  return undefined;
}

/** @param route of the address as it arrived: Next changes it in place */
function watchEnd(request: IncomingMessage, response: ServerResponse, route: string): void {
  const { method = '', socket, headers } = request;
  const startedAt = performance.now();
  const bytesBefore = socket.bytesWritten;
  response.once('close', () => {
    const end: RequestEnd = {
      requestId: headers[REQUEST_ID_HEADER]?.toString() ?? '',
      kind: STREAM_PATHS.has(route) ? 'stream' : 'answer',
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

/** Where requests go whose path must not match anything: no route has an encoded character in it. */
const NOWHERE = '/api/%20';
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const API = /^\/api(\/|$)/i;
/** By `/_next/data/<build>/x.json` Next answers route `/x` itself, past its proxy. Our own pages never ask for it. */
const DATA = /^\/_next\/data(\/|$)/i;
/** A whole URL (or `*`) in place of a path is one too: the host in it is not the one that is guarded. */
const DISGUISE = /^(?!\/)|[%\\]|\/\/|\/\.{1,2}(\/|$)/;

/**
 * Looks at a request before Next does, because Next would make a path match that was sent in disguise: it redirects
 * doubled slashes and one at the end, decodes encoded ones, follows dots, has a second address for each route, and
 * redirects to whatever host a whole URL in the request line names. The paths of our own routes need none of that.
 * Changes the request in place: a path that leads under /api in disguise leads nowhere, who asks is written down in
 * place of whatever the caller claims, and a method that Next can't handle (TRACE and the like) becomes one that every
 * route refuses.
 */
export function gateRequest(request: IncomingMessage): void {
  const { headers, rawHeaders, socket } = request;
  const [path, query] = splitUrl(request);
  if (!METHODS.has(request.method ?? '')) request.method = 'OPTIONS';
  headers[ADDRESS_HEADER] = clientAddress(socket.remoteAddress);
  headers[PEER_HEADER] = peerOf(request);
  headers[QUERY_HEADER] = query;
  const isDisguised = DISGUISE.test(path);
  const plain = isDisguised ? undisguised(path) : path;
  const isApi = API.test(plain);
  const isOdd = isDisguised || !path.startsWith('/api/') || path.endsWith('/');
  if (!path.startsWith('/') || DATA.test(plain) || (isApi && isOdd)) request.url = NOWHERE;
  // Next would send a caller with this header elsewhere before our route is asked.
  if (isApi) delete headers.rsc;
  // Node takes the first host of several; whoever stands before us may have taken the other one.
  const hosts = rawHeaders.filter((name, n) => n % 2 === 0 && name.toLowerCase() === 'host');
  if (hosts.length > 1) headers.host = '';
  // With this one Next answers in place of the route, whoever asks.
  delete headers['x-middleware-prefetch'];
}

/** Where the path leads once it is decoded. Byte by byte: what can't be decoded may still hold dots that are followed. */
function undisguised(path: string): string {
  const decoded = path.replace(/%[0-9a-f]{2}/gi, (byte) => String.fromCharCode(Number(`0x${byte.slice(1)}`)));
  return posix.normalize(decoded.replaceAll('\\', '/')).replace(/^\/+/, '/');
}

const SPEAKS_FOR_ANOTHER = /^(forwarded|via|x-real-ip|x-forwarded-(for|host|proto))$/;

/** A reverse proxy on this machine is a local peer too, but says that it speaks for another. */
function peerOf(request: IncomingMessage): 'local' | 'remote' {
  const address = request.socket.remoteAddress ?? '';
  const local = /^(::ffff:)?127\.|^::1$/.test(address);
  const isForAnother = Object.keys(request.headers).some((name) => SPEAKS_FOR_ANOTHER.test(name));
  return local && !isForAnother ? 'local' : 'remote';
}

/** Stands for every path that is none of ours: strangers choose those, so they are never told apart. */
export const OTHER_ROUTE = 'other';

const OWN_PATHS = [
  ...(['/api/health', '/api/metrics', '/api/session'] as const),
  ...(['/api/view/acknowledge', '/api/view/acknowledgements', '/api/view/alerts/test'] as const),
  ...(['/api/view/feeds', '/api/view/feeds/history', '/api/view/feeds/samples'] as const),
  ...(['/api/view/insights', '/api/view/insights/problems', '/api/view/networks'] as const),
  ...(['/api/view/pending', '/api/view/pending/diagnosis', '/api/view/pending/incident'] as const),
  ...(['/api/view/requests', '/api/view/requests/export', '/api/view/requests/find'] as const),
  ...(['/api/view/requests/one', '/api/view/requests/summary', '/api/view/requests/values'] as const),
  ...(['/api/view/services', '/api/view/services/check', '/api/view/symbols'] as const),
];
export type OwnPath = (typeof OWN_PATHS)[number];

const PAGES = 'requests pending pending/history pending/alerts feeds prices services sign-in icon.svg'.split(
  ' ',
);

const PLAIN: readonly string[] = [
  ...['', ...PAGES].map((path) => `/${path}`),
  ...OWN_PATHS,
  ...plainGatewayPaths(),
  ...STREAM_PATHS.keys(),
];
const OWN_TEXT: ReadonlyMap<string, string> = new Map(PLAIN.map((path) => [path, path]));

const WITH_VALUES: readonly (readonly [RegExp, string])[] = [
  [/^\/api\/(updates|upgraded)\/v2\/updates\/price\/[^/]+$/, '/v2/updates/price/{publish_time}'],
  [/^\/requests\/[^/]+\/[^/]+$/, '/requests/{network_id}/{sequence}'],
  [/^\/feeds\/.+$/, '/feeds/{id}'],
  [/^\/_next\/static\/.+$/, '/_next/static/{file}'],
];

/**
 * One of a few dozen texts of our own, whatever was asked for: a part of the address would keep all of it.
 * @param pathname without its query
 */
export function routePatternOf(pathname: string): string {
  const own = OWN_TEXT.get(pathname);
  if (own !== undefined) return own;
  for (const [form, pattern] of WITH_VALUES) {
    const [whole, host] = form.exec(pathname) ?? [];
    if (whole !== undefined) return host === undefined ? pattern : `/api/${host}${pattern}`;
  }
  return OTHER_ROUTE;
}
