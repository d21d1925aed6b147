import 'server-only';

/** Gives a turn back. */
export type EndTurn = () => void;

/** Whoever takes turns: a reading of its own, or the name that a client is counted by. */
type Reader = object | string;

type Waiting = { readonly grant: (end: EndTurn) => void };

/**
 * Turns for scarce work, so many at once, given round by round: each reader that waits gets one before any gets a second.
 * Who waits is bounded by what the readers themselves keep waiting.
 */
export class FairTurns {
  readonly #atOnce: number;
  /** By reader, in the order of their next turn. */
  readonly #lines = new Map<Reader, Waiting[]>();
  #underWay = 0;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** Resolves with the end of the turn, which must be called; undefined when the signal was aborted first. */
  take(reader: Reader, signal: AbortSignal): Promise<EndTurn | undefined> {
    if (signal.aborted) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const waiting: Waiting = {
        grant: (end) => {
          signal.removeEventListener('abort', leave);
          resolve(end);
        },
      };
      const leave = () => {
        this.#leave(reader, waiting);
        resolve(undefined);
      };
      signal.addEventListener('abort', leave, { once: true });
      const line = this.#lines.get(reader);
      if (line === undefined) this.#lines.set(reader, [waiting]);
      else line.push(waiting);
      this.#serve();
    });
  }

  #leave(reader: Reader, waiting: Waiting): void {
    const rest = this.#lines.get(reader)?.filter((one) => one !== waiting) ?? [];
    if (rest.length === 0) this.#lines.delete(reader);
    else this.#lines.set(reader, rest);
  }

  #serve(): void {
    while (this.#underWay < this.#atOnce) {
      const next = this.#next();
      if (next === undefined) return;
      this.#underWay += 1;
      next.grant(this.#ending());
    }
  }

  /** The first of the reader whose turn it is, who then stands last. */
  #next(): Waiting | undefined {
    for (const [reader, line] of this.#lines) {
      const next = line.shift();
      this.#lines.delete(reader);
      if (line.length > 0) this.#lines.set(reader, line);
      if (next !== undefined) return next;
    }
    return undefined;
  }

  /** Calling it twice ends one turn only. */
  #ending(): EndTurn {
    let over = false;
    return () => {
      if (over) return;
      over = true;
      this.#underWay -= 1;
      this.#serve();
    };
  }
}
