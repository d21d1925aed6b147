import 'server-only';
import { get, type IncomingMessage, request } from 'node:http';
import { createSseDecoder, type SseEvent } from '@/lib/upstream/sse';

/** A reader of a stream over real HTTP. Events are awaited in order. */
export class StreamReader {
  readonly events: SseEvent[] = [];
  text = '';
  ended = false;
  #wake: (() => void)[] = [];

  constructor(readonly res: IncomingMessage) {
    const decoder = createSseDecoder();
    res.on('data', (chunk: Buffer) => {
      this.text += chunk.toString();
      for (const item of decoder.push(chunk)) if (item.kind === 'event') this.events.push(item);
      this.#changed();
    });
    res.on('close', () => {
      this.ended = true;
      this.#changed();
    });
    res.on('error', () => {});
  }

  close(): void {
    this.res.destroy();
  }

  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => this.#wake.push(resolve));
  }

  async next(name: string | undefined): Promise<SseEvent> {
    for (;;) {
      const event = this.events.shift();
      if (!event) await this.until(() => this.events.length > 0);
      else if (event.event === name) return event;
    }
  }

  #changed(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}

/** Resolves with the head. */
export function openStream(url: string, headers: Record<string, string> = {}): Promise<StreamReader> {
  return new Promise((resolve, reject) => {
    get(url, { headers, agent: false }, (res) => resolve(new StreamReader(res))).on('error', reject);
  });
}

export async function wholeAnswer(
  url: string,
  init: { method?: string; headers?: Record<string, string> } = {},
) {
  return new Promise<{ status: number | undefined; headers: IncomingMessage['headers']; body: string }>(
    (resolve, reject) => {
      request(url, { agent: false, ...init }, (res) => {
        let body = '';
        res.on('data', (chunk) => {
          body += chunk;
        });
        res.on('end', () => resolve({ status: res.statusCode, headers: res.headers, body }));
      })
        .on('error', reject)
        .end();
    },
  );
}
