import { type Sink, SinkGate } from './sink-gate';
import type { Timers } from './timers';

/** Bytes that may wait for a client program that doesn't read, beyond the buffer of its socket. */
export const MAX_WAITING_BYTES = 1_000_000;

/**
 * One client program on a shared stream. It wants every event as the service sent it, so nothing is folded: what it has
 * not read waits, and over the bound it is cut, as the service itself does with a slow consumer. The waiting bytes are
 * shared with the other readers, not copied.
 */
export class RawReader {
  #gate: SinkGate | undefined;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #over = false;

  constructor(private readonly timers: Timers) {}

  /** Where its bytes go. What was sent before this waited, so that the first event of a new stream is not lost. */
  attach(sink: Sink): void {
    this.#gate = new SinkGate(sink, this.timers, () => this.#catchUp());
    if (this.#over) this.#gate.cut();
    else this.#catchUp();
  }

  send(bytes: Uint8Array): void {
    if (this.#over || (this.#waiting.length === 0 && this.#gate?.write(bytes))) return;
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.byteLength;
    if (this.#waitingBytes > MAX_WAITING_BYTES) this.cut();
  }

  /** Bytes without news; a reader that is full needs no sign of life. */
  heartbeat(bytes: Uint8Array): void {
    if (this.#waiting.length === 0) this.#gate?.write(bytes);
  }

  cut(): void {
    this.#finish();
    this.#gate?.cut();
  }

  end(): void {
    this.#finish();
    this.#gate?.end();
  }

  /** The reader is gone. */
  close(): void {
    this.#finish();
    this.#gate?.close();
  }

  #catchUp(): void {
    while (this.#gate?.open) {
      const bytes = this.#waiting.shift();
      if (!bytes) return;
      this.#waitingBytes -= bytes.byteLength;
      this.#gate.write(bytes);
    }
  }

  #finish(): void {
    this.#over = true;
    this.#waiting = [];
    this.#waitingBytes = 0;
  }
}
