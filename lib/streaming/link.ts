import { readSse, type SseEvent, type SseItem } from './sse';
import type { TimerHandle, Timers } from './timers';

/**
 * A stream that the service has begun to answer. `close` frees its socket and ends the body. `withoutKey` is a text of an
 * event (its data, its name) as it may be passed on: the service may have repeated our key in it.
 */
export type OpenStream = {
  body: AsyncIterable<Uint8Array>;
  close(): void;
  withoutKey(text: string): string;
};

/**
 * Why a stream is over: the service ended it in good order, the connection broke, nothing came for too long
 * (half-open), or a line went over the cap.
 */
export type LinkEnd = 'ended' | 'broken' | 'silent' | 'overlong';

export type LinkListener = {
  item(item: SseItem): void;
  /** Called once, never after `close()`. */
  over(end: LinkEnd): void;
  /** An exception of ours while an item was handled. The stream goes on with the next one. */
  bug(error: unknown): void;
};

/**
 * One upstream stream from its first byte to its end. It watches for silence: comments and line ends count as life,
 * single bytes of a line that never ends don't.
 */
export class Link {
  /** Whether anything came at all. */
  alive = false;
  #over = false;
  #lastLifeMs: number;
  #watch: TimerHandle | undefined;

  constructor(
    private readonly stream: OpenStream,
    private readonly timers: Timers,
    private readonly silenceMs: number,
    private readonly listener: LinkListener,
  ) {
    this.#lastLifeMs = timers.now();
    this.#watchSilence(silenceMs);
    void this.#pump();
  }

  /** When the last item came, or the stream began. Unix milliseconds. */
  get lastLifeMs(): number {
    return this.#lastLifeMs;
  }

  /** Drops the stream without a word to the listener. */
  close(): void {
    if (this.#over) return;
    this.#over = true;
    this.timers.clear(this.#watch);
    this.stream.close();
  }

  async #pump(): Promise<void> {
    let end: LinkEnd = 'ended';
    try {
      for await (const item of readSse(this.stream.body)) {
        if (this.#over) return;
        if (item.kind === 'overlong') end = 'overlong';
        else this.#take(item.kind === 'event' ? this.#withoutKey(item) : item);
      }
    } catch {
      // What a body throws is a broken connection, whatever its class: a reset, an early end, a failed inflate.
      end = 'broken';
    }
    this.#finish(end);
  }

  #withoutKey({ event, data, id, ...rest }: SseEvent): SseEvent {
    const clean = (text: string | undefined) => text && this.stream.withoutKey(text);
    return { ...rest, event: clean(event), data: this.stream.withoutKey(data), id: clean(id) };
  }

  #take(item: SseItem): void {
    this.alive = true;
    this.#lastLifeMs = this.timers.now();
    try {
      this.listener.item(item);
    } catch (error) {
      this.listener.bug(error);
    }
  }

  // One timer that looks at the time of the last item costs less than one timer set anew per item.
  #watchSilence(inMs: number): void {
    this.#watch = this.timers.after(inMs, () => {
      const left = this.#lastLifeMs + this.silenceMs - this.timers.now();
      if (left > 0) this.#watchSilence(left);
      else this.#finish('silent');
    });
  }

  #finish(end: LinkEnd): void {
    if (this.#over) return;
    this.close();
    try {
      this.listener.over(end);
    } catch (error) {
      this.listener.bug(error);
    }
  }
}
