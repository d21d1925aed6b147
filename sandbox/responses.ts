import type { ServerResponse } from 'node:http';

/** Answers with a body in one piece, with its Content-Length, so that the faults which cut or slow a body work on it. */
export function reply(
  res: ServerResponse,
  status: number,
  contentType: string,
  body: string,
  headers: Record<string, string> = {},
): void {
  const bytes = Buffer.from(body, 'utf8');
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

/** What may wait for a reader that is too slow, in bytes, before `write` says so. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** One open server-sent-events stream. All stream faults act inside of it: a service writes, and hears of the end. */
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

  /** False when the client reads too slowly and more than 1 MB waits, or when the stream is closed. */
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

/** All open streams of the sandbox, so that faults and the end of the sandbox reach them. */
export class StreamRegistry {
  private readonly services = new Map<SandboxStream, string>();

  /** `realNow`: real milliseconds; faults are measured in real time, not by the sandbox clock. */
  constructor(private readonly realNow: () => number) {}

  /** Sends the head of a stream and registers it until it is over. */
  open(service: string, res: ServerResponse): SandboxStream {
    res.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    });
    res.flushHeaders();
    const stream = new SandboxStream(res, this.realNow);
    this.services.set(stream, service);
    stream.onClose(() => this.services.delete(stream));
    return stream;
  }

  /** The open streams of a service, or ('*') of all, newest first. */
  of(service: string, count?: number): SandboxStream[] {
    const found = [...this.services].filter(([, name]) => service === '*' || name === service);
    return found
      .map(([stream]) => stream)
      .reverse()
      .slice(0, count);
  }
}
