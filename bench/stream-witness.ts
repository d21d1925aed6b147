import { EventSourceParserStream } from 'eventsource-parser/stream';

/** `r`: time of receipt by the server, unix ms; `s`: slot. */
type Feed = { id: string; r: number; s: string };

/** Parses everything. In the sandbox the feeds of this bench have an update in every slot, so a missing slot is a gap. */
export class StreamWitness {
  /** Unix ms at the server, by the update's number. */
  readonly receivedMs = new Map<number, number>();
  /** Updates missing in the sequence of slots since `watch` was called. */
  missed = 0;
  #watching = false;
  readonly #slots = new Map<string, number>();
  readonly #gone = new AbortController();

  /** Resolves with the snapshot. */
  async open(url: string): Promise<void> {
    const { body } = await fetch(url, { signal: this.#gone.signal });
    const events = body?.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
    const reader = events?.getReader();
    const next = async () => (await reader?.read())?.value;
    while ((await next())?.event !== 'snapshot');
    const follow = async () => {
      for (let event = await next(); event !== undefined; event = await next()) {
        if (event.event === 'update')
          this.#record(Number(event.id?.split('.')[1]), JSON.parse(event.data).feeds);
      }
    };
    follow().catch((error: unknown) => {
      if (!this.#gone.signal.aborted) throw error;
    });
  }

  /** Call once the first prices, which are requested apart, have arrived. */
  watch(): void {
    this.#slots.clear();
    this.#watching = true;
  }

  close(): void {
    this.#gone.abort();
  }

  #record(number: number, feeds: readonly Feed[]): void {
    if (feeds[0]) this.receivedMs.set(number, feeds[0].r);
    for (const { id, s } of feeds) {
      const slot = Number(s);
      if (this.#watching) this.missed += Math.abs(slot - (this.#slots.get(id) ?? slot - 1) - 1);
      this.#slots.set(id, slot);
    }
  }
}
