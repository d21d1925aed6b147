import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';

/** The simulated services, by the names that faults and counters use. */
export const SERVICE_LABELS = ['logs:main', 'logs:test', 'updates', 'upgraded', 'router'] as const;
export type ServiceLabel = (typeof SERVICE_LABELS)[number];

/** The name of every route that opens streams: faults of streams hold for it alone. */
export const STREAM_ROUTE = 'stream';

/** The key that every service of the sandbox asks for, as `Authorization: Bearer sandbox-key`. */
export const SANDBOX_KEY = 'sandbox-key';

/**
 * One open server-sent-events stream. All stream faults act inside of it: a service only writes, and
 * hears of the end.
 */
export interface SandboxStream {
  /**
   * Sends raw SSE text as it stands (whole events or comments, with their blank line). During a silence
   * fault the text is thrown away. Returns false when the client reads too slowly and more than 1 MB
   * waits, or when the stream is closed.
   */
  write(sseText: string): boolean;
  /** The planned end: everything written so far is delivered, then the response ends. */
  end(): void;
  /** Cuts the connection at once. */
  destroy(): void;
  readonly closed: boolean;
  /**
   * Calls `listener` once when the stream is over, whoever ended it: the client, `end`, a fault, or the
   * sandbox closing. Called at once when it is over already.
   */
  onClose(listener: () => void): void;
}

export interface SandboxRequest {
  method: string;
  /** The path below the base of the service, as it came: '/v2/updates/price/latest'. */
  path: string;
  query: URLSearchParams;
  /** What stands behind the question mark, as it came. */
  rawQuery: string;
  headers: IncomingHttpHeaders;
  /** Empty when the request has none. */
  body: string;
  req: IncomingMessage;
  /**
   * Answers 200 with `content-type: text/event-stream`, sends the head at once and registers the stream,
   * so that the faults `close-stream`, `silence` and `event` reach it. Call it instead of `res.writeHead`.
   */
  openStream(): SandboxStream;
}

/**
 * One simulated service. The core has done the routing by base, the record of the call, the faults and
 * the key check before `handle` is called. An exception in `handle` becomes a 500 in plain text.
 */
export interface SandboxService {
  name: ServiceLabel;
  /** Path prefix, without a slash at its end: '/logs/main', '/updates', '/upgraded/hermes', '/router'. */
  base: string;
  /** All names that `route` can give, so that a fault for a misspelt route is refused. */
  routes: readonly string[];
  /**
   * The route's name ('latest') for a method and a path below the base; undefined for a path or a method
   * that it does not know. Asked with GET and POST too when the method fits nothing, to tell 405 from 404.
   */
  route(method: string, path: string): string | undefined;
  /** Whether the route answers 401 without the key. */
  keyNeeded(route: string): boolean;
  handle(route: string, request: SandboxRequest, res: ServerResponse): void | Promise<void>;
  /** How far its clock is ahead of that of the sandbox; absent: not at all. */
  clockOffMs?(): number;
  /** Back to the state after the start (`POST /control/reset`). The clock is set before. */
  reset?(): void;
  /** The sandbox ends: no timers may be left. Open streams are ended by the core. */
  close?(): void;
}

/**
 * Answers with a body in one piece, with its Content-Length, so that the faults which cut or slow a body
 * work on it. `headers` are sent beside content-type and content-length.
 */
export function reply(
  res: ServerResponse,
  status: number,
  contentType: string,
  body: string | Buffer,
  headers: Record<string, string> = {},
): void {
  const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : body;
  res.writeHead(status, { ...headers, 'content-type': contentType, 'content-length': String(bytes.length) });
  res.end(bytes);
}

/** Plain text: the form of all errors of these services. */
export function replyText(
  res: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string> = {},
): void {
  reply(res, status, 'text/plain; charset=utf-8', text, headers);
}

/** A body that is JSON already. */
export function replyJson(res: ServerResponse, status: number, json: string | Buffer): void {
  reply(res, status, 'application/json', json);
}
