import type { ServerResponse } from 'node:http';
import type { Reach } from './faults';
import type { SandboxStream, ServiceLabel } from './service';

/** What may wait for a reader that is too slow, in bytes, before `write` says so. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** One stream and where it belongs, as the faults see it. */
class OpenStream implements SandboxStream {
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

type Entry = { service: ServiceLabel; route: string; stream: OpenStream };

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
    const stream = new OpenStream(res, this.realNow);
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

  private each(reach: Reach, act: (stream: OpenStream) => void): number {
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
