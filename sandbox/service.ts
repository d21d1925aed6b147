import type { IncomingMessage, ServerResponse } from 'node:http';

/** The name of every route that opens streams: faults of streams hold for it alone. */
export const STREAM_ROUTE = 'stream';

/** The key that every service of the sandbox asks for, as `Authorization: Bearer sandbox-key`. */
export const SANDBOX_KEY = 'sandbox-key';

/** The simulated services, by the names that faults and counters use. */
export const SERVICE_LABELS = ['logs:main', 'logs:test', 'updates', 'upgraded', 'router'] as const;
export type ServiceLabel = (typeof SERVICE_LABELS)[number];

/** Which requests or streams a fault hits. */
export type Reach = {
  /** '*': every service. */
  service: ServiceLabel | '*';
  /** Absent: every route of the service. */
  route?: string;
  /** How many requests or streams it hits; of the streams that are open, the newest. */
  count?: number;
};

/** What may wait for a reader that is too slow, in bytes, before `write` says so. */
const MAX_WAITING_BYTES = 1024 * 1024;

/**
 * One open server-sent-events stream. All stream faults act inside of it: a service only writes, and hears of
 * the end.
 */
export class SandboxStream {
  private readonly closeListeners: (() => void)[] = [];
  private silentUntil = 0;
  private over = false;

  constructor(
    private readonly res: ServerResponse,
    private readonly realNow: () => number,
  ) {
    res.once('close', () => this.finish());
    // A reset by the client is reported by 'close' as well; here it must only not be an exception.
    res.on('error', () => {});
  }

  get closed(): boolean {
    return this.over;
  }

  /**
   * Sends raw SSE text as it stands. During a silence it is thrown away. Returns false when the client reads
   * too slowly and more than 1 MB waits, or when the stream is closed.
   */
  write(sseText: string): boolean {
    if (this.over) return false;
    if (this.realNow() < this.silentUntil) return true;
    this.res.write(sseText);
    return this.res.writableLength < MAX_WAITING_BYTES;
  }

  /** Writes even while silent: only a fault does that. */
  writeRaw(text: string): void {
    if (!this.over) this.res.write(text);
  }

  /** The planned end: everything written so far is delivered. */
  end(): void {
    if (!this.over) this.res.end();
    this.finish();
  }

  /** Cuts the connection at once. */
  destroy(): void {
    this.res.destroy();
    this.finish();
  }

  silence(untilRealMs: number): void {
    this.silentUntil = untilRealMs;
  }

  /** Calls `listener` once when the stream is over, whoever ended it; at once when it is over already. */
  onClose(listener: () => void): void {
    if (this.over) listener();
    else this.closeListeners.push(listener);
  }

  private finish(): void {
    if (this.over) return;
    this.over = true;
    for (const listener of this.closeListeners.splice(0)) listener();
  }
}

type Entry = { service: ServiceLabel; route: string; stream: SandboxStream };

/** All open streams of the sandbox, so that faults and the end of the sandbox reach them. */
export class StreamRegistry {
  private readonly entries = new Set<Entry>();

  /** `realNow`: real milliseconds; faults are measured in real time, not by the sandbox clock. */
  constructor(private readonly realNow: () => number) {}

  /** Sends the head of a stream and registers it until it is over. */
  open(service: ServiceLabel, route: string, res: ServerResponse): SandboxStream {
    res.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    });
    res.flushHeaders();
    const stream = new SandboxStream(res, this.realNow);
    const entry = { service, route, stream };
    this.entries.add(entry);
    stream.onClose(() => this.entries.delete(entry));
    return stream;
  }

  /** Open streams of one route, or of a whole service; '*' is every service. */
  count(service: ServiceLabel | '*', route?: string): number {
    return this.reached({ service, route }).length;
  }

  /** The planned close, as after 24 hours. Returns how many streams it reached. */
  closeStreams(reach: Reach): number {
    return this.each(reach, (stream) => stream.end());
  }

  /** Cuts the connections without an end of the response. Returns how many streams it reached. */
  resetStreams(reach: Reach): number {
    return this.each(reach, (stream) => stream.destroy());
  }

  /** The streams open now send nothing more until `untilRealMs`; those opened later are not touched. */
  silence(reach: Reach, untilRealMs: number): number {
    return this.each(reach, (stream) => stream.silence(untilRealMs));
  }

  /** Writes raw SSE text to the open streams, as it stands. */
  inject(reach: Reach, text: string): number {
    return this.each(reach, (stream) => stream.writeRaw(text));
  }

  /** Cuts every stream: the sandbox ends. */
  destroyAll(): void {
    this.resetStreams({ service: '*' });
  }

  private each(reach: Reach, act: (stream: SandboxStream) => void): number {
    const found = this.reached(reach);
    for (const { stream } of found) act(stream);
    return found.length;
  }

  /** The newest first. */
  private reached({ service, route, count }: Reach): Entry[] {
    return [...this.entries]
      .reverse()
      .filter(
        (entry) =>
          (service === '*' || entry.service === service) && (route === undefined || entry.route === route),
      )
      .slice(0, count);
  }
}

/** A request with its path and query cut apart, both as they came. */
export type PlainRequest = {
  method: string;
  /** For a service: below its base, '/v2/updates/price/latest'. */
  path: string;
  /** What stands behind the question mark. */
  rawQuery: string;
  /** Empty when the request has none. */
  body: string;
  req: IncomingMessage;
};

export type SandboxRequest = PlainRequest & {
  query: URLSearchParams;
  /**
   * Answers 200 with `content-type: text/event-stream`, sends the head at once and registers the stream,
   * so that the faults of streams reach it. Call it instead of `res.writeHead`.
   */
  openStream(): SandboxStream;
};

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
