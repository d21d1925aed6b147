import type { IncomingHttpHeaders, ServerResponse } from 'node:http';

/** Sends the body in one piece and with its Content-Length, so that faults can cut or slow it. */
export function reply(
  res: ServerResponse,
  status: number,
  contentType: string,
  body: string,
  headers: Record<string, string> = {},
): void {
  const bytes = Buffer.from(body);
  res.writeHead(status, { ...headers, 'content-type': contentType, 'content-length': String(bytes.length) });
  res.end(bytes);
}

export const TEXT_TYPE = 'text/plain; charset=utf-8';

/** Errors of these services are plain text. */
export function replyText(
  res: ServerResponse,
  status: number,
  text: string,
  headers?: Record<string, string>,
): void {
  reply(res, status, TEXT_TYPE, text, headers);
}

/** Limit of waiting bytes, beyond which `write` returns false. */
const MAX_WAITING_BYTES = 1024 * 1024;

export class SandboxStream {
  /** Nothing is written before this time, in real milliseconds. */
  silentUntilMs = 0;

  constructor(
    readonly service: string,
    private readonly res: ServerResponse,
    private readonly realNow: () => number,
  ) {
    // A reset by the client is no error.
    res.on('error', () => {});
  }

  get closed(): boolean {
    return this.res.writableEnded || this.res.destroyed;
  }

  /** Returns false if more than 1 MB waits for a slow client, or if the stream is closed. */
  write(sseText: string): boolean {
    if (this.closed) return false;
    if (this.realNow() >= this.silentUntilMs) this.writeRaw(sseText);
    return this.res.writableLength < MAX_WAITING_BYTES;
  }

  /** Writes even while silent. Only faults use it. */
  writeRaw(text: string): void {
    this.res.write(text);
  }

  /** Everything written so far is delivered. */
  end(): void {
    this.res.end();
  }

  destroy(): void {
    this.res.destroy();
  }
}

export class StreamRegistry {
  private streams: SandboxStream[] = [];

  constructor(private readonly realNow: () => number) {}

  open(service: string, res: ServerResponse): SandboxStream {
    res.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    });
    res.flushHeaders();
    const stream = new SandboxStream(service, res, this.realNow);
    this.streams = [stream, ...this.streamsOf('*')];
    return stream;
  }

  /** Newest first; '*' for all services. */
  streamsOf(service: string, count?: number): SandboxStream[] {
    return this.streams
      .filter((stream) => !stream.closed && (service === '*' || stream.service === service))
      .slice(0, count);
  }
}

/** Older calls are only counted. */
const MAX_RECORDED_CALLS = 2000;

type Call = {
  /** Real time, ISO: tests measure gaps between calls regardless of the sandbox clock. */
  at: string;
  service: string;
  /** 'unknown' for a path that the service does not have. */
  route: string;
  method: string;
  path: string;
  query: string;
  headers: IncomingHttpHeaders;
  body: string | undefined;
};

/** Exact counts for each route, details of the latest calls. */
export class CallLog {
  private readonly counts = new Map<string, number>();
  private readonly recent: Call[] = [];

  add(call: Call): void {
    const key = `${call.service} ${call.route}`;
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
    this.recent.push(call);
    if (this.recent.length > MAX_RECORDED_CALLS) this.recent.shift();
  }

  /** `total` counts all calls since the last `clear`, including those without details. */
  find(service?: string, route?: string): { total: number; calls: Call[] } {
    const matches = (ofService = '', ofRoute = '') =>
      (service === undefined || ofService === service) && (route === undefined || ofRoute === route);
    const counts = [...this.counts].filter(([key]) => matches(...key.split(' ')));
    return {
      total: counts.reduce((sum, [, count]) => sum + count, 0),
      calls: this.recent.filter((call) => matches(call.service, call.route)),
    };
  }

  clear(): void {
    this.counts.clear();
    this.recent.length = 0;
  }
}
