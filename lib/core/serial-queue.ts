/** Runs work one piece at a time, in order. A failure reaches only its own caller. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => T | Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Resolves, even after a failure, when the work queued so far has ended. */
  get idle(): Promise<unknown> {
    return this.#last;
  }
}
