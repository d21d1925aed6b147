import type { TimerHandle, Timers } from './timers';

/** Where a reader's bytes go: a response of the web server, or a list in a test. */
export type Sink = {
  /** Takes the bytes. False means that its buffer is full now: nothing more until `onDrain` is called. */
  write(bytes: Uint8Array): boolean;
  /** Calls back once, when the buffer is empty again. */
  onDrain(run: () => void): void;
  /** Ends the answer in good order. */
  end(): void;
  /** Frees socket and buffer at once, whatever is still in them. */
  destroy(): void;
};

/** A reader whose buffer has been full for this long is not reading, and is cut. */
export const STALL_MS = 30_000;

/**
 * One reader of a stream. While the buffer of its socket is full, bytes wait in a bounded queue; they are shared with the
 * other readers, not copied. So a slow reader costs one buffer and one short queue, and the others never notice.
 */
export class Reader {
  #sink: Sink | undefined;
  #isFull = true;
  #isOver = false;
  #isBehind = false;
  #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  #stall: TimerHandle | undefined;

  /**
   * @param catchUp a reader for whom too much would wait loses all of it and is caught up once it reads again; without it
   * such a reader is cut
   */
  constructor(
    private readonly timers: Timers,
    private readonly mostQueuedBytes: number,
    private readonly catchUp?: () => void,
  ) {}

  /** Where its bytes go. What was sent before this waited, so that the first event of a new stream is not lost. */
  attach(sink: Sink): void {
    this.#sink = sink;
    if (this.#isOver) sink.destroy();
    else this.#drained();
  }

  send(bytes: Uint8Array): void {
    if (this.#isOver || this.#isBehind) return;
    if (this.#isFull) this.#keep(bytes);
    else this.#write(bytes);
  }

  /** Bytes without news: a reader that is full needs no sign of life. */
  sendSignOfLife(bytes: Uint8Array): void {
    if (!this.#isOver && !this.#isFull) this.#write(bytes);
  }

  /** Frees the reader's memory now. The sink says by its own close that it is gone. */
  cut(): void {
    if (this.#isOver) return;
    this.close();
    this.#sink?.destroy();
  }

  /** Ends the answer in good order. */
  end(): void {
    if (this.#isOver) return;
    this.close();
    this.#sink?.end();
  }

  /** The reader went away by itself. */
  close(): void {
    this.#isOver = true;
    this.#dropQueue();
    this.timers.clear(this.#stall);
  }

  #write(bytes: Uint8Array): void {
    if (this.#sink === undefined || this.#sink.write(bytes)) return;
    this.#isFull = true;
    this.#stall = this.timers.after(STALL_MS, () => this.cut());
    this.#sink.onDrain(() => {
      this.timers.clear(this.#stall);
      if (!this.#isOver) this.#drained();
    });
  }

  #drained(): void {
    this.#isFull = false;
    if (this.#isBehind) {
      this.#isBehind = false;
      this.catchUp?.();
    }
    while (!this.#isFull && this.#queue.length > 0) {
      const bytes = this.#queue.shift() as Uint8Array;
      this.#queuedBytes -= bytes.byteLength;
      this.#write(bytes);
    }
  }

  #keep(bytes: Uint8Array): void {
    this.#queue.push(bytes);
    this.#queuedBytes += bytes.byteLength;
    if (this.#queuedBytes <= this.mostQueuedBytes) return;
    this.#dropQueue();
    if (this.catchUp === undefined) this.cut();
    else this.#isBehind = true;
  }

  #dropQueue(): void {
    this.#queue = [];
    this.#queuedBytes = 0;
  }
}
