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

/** A reader whose buffer has been full for this long is not reading. */
export const STALL_MS = 30_000;

/**
 * Stands before a sink and lets nothing through while its buffer is full, so that a slow reader costs at most one
 * buffer. What is held back meanwhile is for the caller to decide, in `onOpen`. A reader that stays full is cut.
 */
export class SinkGate {
  #open = true;
  #cut = false;
  #stall: TimerHandle | undefined;

  constructor(
    private readonly sink: Sink,
    private readonly timers: Timers,
    private readonly onOpen: () => void,
    private readonly stallMs: number = STALL_MS,
  ) {}

  /** Whether bytes would go through. */
  get open(): boolean {
    return this.#open && !this.#cut;
  }

  /** Writes when open; gives false, and takes nothing, when not. */
  write(bytes: Uint8Array): boolean {
    if (!this.open) return false;
    if (!this.sink.write(bytes)) this.#shut();
    return true;
  }

  /** Frees the reader's memory now. The sink says by its own close that it is gone. */
  cut(): void {
    if (this.#cut) return;
    this.close();
    this.sink.destroy();
  }

  /** Ends the answer in good order. */
  end(): void {
    if (this.#cut) return;
    this.close();
    this.sink.end();
  }

  /** The reader went away by itself: forget the timer, touch nothing. */
  close(): void {
    this.#cut = true;
    this.timers.clear(this.#stall);
  }

  #shut(): void {
    this.#open = false;
    this.#stall = this.timers.after(this.stallMs, () => this.cut());
    this.sink.onDrain(() => {
      this.timers.clear(this.#stall);
      if (this.#cut) return;
      this.#open = true;
      this.onOpen();
    });
  }
}
