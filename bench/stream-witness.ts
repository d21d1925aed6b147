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
    const response = await fetch(url, { signal: this.#gone.signal });
    if (!response.ok || response.body === null) throw new Error(`${url} answered ${response.status}`);
    await new Promise<void>((resolve, reject) => {
      this.#read(response.body as ReadableStream<Uint8Array>, resolve).catch((error: unknown) =>
        this.#gone.signal.aborted ? resolve() : reject(error),
      );
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

  async #read(body: ReadableStream<Uint8Array>, begun: () => void): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of body) {
      const events = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) this.#event(event, begun);
    }
  }

  #event(text: string, begun: () => void): void {
    const [, digits, name, data] = /^id: \S+\.(\d+)\nevent: (\w+)\ndata: (.*)$/.exec(text) ?? [];
    if (name === 'snapshot') begun();
    if (name !== 'update' || data === undefined) return;
    const { feeds } = JSON.parse(data) as { feeds: Feed[] };
    if (feeds[0]) this.receivedMs.set(Number(digits), feeds[0].r);
    for (const { id, s } of feeds) {
      const slot = Number(s);
      if (this.#watching) this.missed += Math.abs(slot - (this.#slots.get(id) ?? slot - 1) - 1);
      this.#slots.set(id, slot);
    }
  }
}
