import { EventSourceParserStream } from 'eventsource-parser/stream';

/** The little that is read of an update event. `r`: when the server received it, unix ms; `s`: slot. */
type Feed = { id: string; r: number; s: string };

/**
 * One reader that reads everything: when the server had each update, and whether the updates of every feed followed each
 * other without a gap. In the sandbox a feed of this bench has an update in every slot.
 */
export class StreamWitness {
  /** By number of the update: when the server received it, unix ms. */
  readonly receivedMs = new Map<number, number>();
  /** Updates that never came, by the slots of their feeds, since `watch` was called. */
  missed = 0;
  #watching = false;
  readonly #slots = new Map<string, number>();
  readonly #gone = new AbortController();

  /** Connects; over when the snapshot is there. */
  async open(url: string): Promise<void> {
    const { body } = await fetch(url, { signal: this.#gone.signal });
    const events = body?.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
    const reader = events?.getReader();
    const next = async () => (await reader?.read())?.value;
    while ((await next())?.event !== 'snapshot');
    const follow = async () => {
      for (let one = await next(); one !== undefined; one = await next()) {
        if (one.event === 'update') this.#take(Number(one.id?.split('.')[1]), JSON.parse(one.data).feeds);
      }
    };
    follow().catch((error: unknown) => {
      if (!this.#gone.signal.aborted) throw error;
    });
  }

  /** From now on nothing may be missed: the stream stands, and the first prices, which were asked for apart, are there. */
  watch(): void {
    this.#slots.clear();
    this.#watching = true;
  }

  close(): void {
    this.#gone.abort();
  }

  #take(number: number, feeds: readonly Feed[]): void {
    if (feeds[0]) this.receivedMs.set(number, feeds[0].r);
    for (const { id, s } of feeds) {
      const slot = Number(s);
      if (this.#watching) this.missed += Math.abs(slot - (this.#slots.get(id) ?? slot - 1) - 1);
      this.#slots.set(id, slot);
    }
  }
}
