import type { OpenStream } from './connection';

/** A hand-made upstream stream for tests: says what it is told, when it is told. */
export class ScriptedStream implements OpenStream {
  closed = false;
  readonly #chunks: Uint8Array[] = [];
  #end: 'open' | 'ended' | 'broken' = 'open';
  #wake: (() => void) | undefined;

  readonly body: AsyncIterable<Uint8Array> = { [Symbol.asyncIterator]: () => ({ next: () => this.#next() }) };

  send(chunk: string | Uint8Array): void {
    this.#chunks.push(typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk);
    this.#wake?.();
  }

  /** The service ends the stream in good order. */
  end(): void {
    this.#end = 'ended';
    this.#wake?.();
  }

  /** The connection is reset. */
  break(): void {
    this.#end = 'broken';
    this.#wake?.();
  }

  close(): void {
    this.closed = true;
    this.#wake?.();
  }

  withoutKey(text: string): string {
    return text.replaceAll('s3cret', '[key]');
  }

  async #next(): Promise<IteratorResult<Uint8Array>> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk) return { done: false, value: chunk };
      if (this.#end === 'broken') throw new Error('reset');
      if (this.#end === 'ended' || this.closed) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
