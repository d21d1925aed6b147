import 'server-only';

/**
 * The end of work that is done for one reader: the reader leaves, or the work is stopped. It does what `AbortSignal.any`
 * would, but for one thing: Node keeps a signal of that kind, with all that listens to it, until each listener is taken off,
 * which for a reader who stays to the end is never.
 */
export class WorkSignal {
  readonly #control = new AbortController();
  readonly #reader: AbortSignal;
  readonly #leave = () => this.stop();

  /** @param reader of the request, aborted when its connection is lost */
  constructor(reader: AbortSignal) {
    this.#reader = reader;
    if (reader.aborted) this.stop();
    else reader.addEventListener('abort', this.#leave, { once: true });
  }

  get signal(): AbortSignal {
    return this.#control.signal;
  }

  /** The work is not wanted any more. */
  stop(): void {
    this.#control.abort();
  }

  /** The work is done: what the reader does from now on is none of its business. */
  done(): void {
    this.#reader.removeEventListener('abort', this.#leave);
  }
}
