import 'server-only';
import { setMaxListeners } from 'node:events';

/** Streams of lines that several readers share. */
export type SharedLines<Line> = {
  /**
   * The lines of `key`, from the first one: of the work that is under way, or was finished moments ago, else of new work by
   * `begin`. The work is called off when its last reader leaves. Rejects only when `signal` is aborted.
   */
  open(
    key: string,
    begin: (signal: AbortSignal) => AsyncIterable<Line>,
    signal: AbortSignal,
  ): AsyncGenerator<Line>;
};

export type SharedLinesOptions<Line> = {
  /** Unix milliseconds. */
  now: () => number;
  /** How long finished work is kept. */
  keptMs: number;
  /** How much finished work is kept, the latest. */
  mostKept: number;
  /** Whether work that ended with this line is worth keeping. */
  isGood: (last: Line) => boolean;
};

type Work<Line> = {
  lines: Line[];
  end: 'open' | { atMs: number } | { error: unknown };
  readers: number;
  given: AbortController;
  /** Called when a line came, or the end. */
  wake: Set<() => void>;
};

/** One piece of work for all who ask for the same at the same time. The lines of each are held until nobody reads them. */
export function shareLines<Line>(options: SharedLinesOptions<Line>): SharedLines<Line> {
  return new LineWorks(options);
}

class LineWorks<Line> implements SharedLines<Line> {
  readonly #options: SharedLinesOptions<Line>;
  readonly #works = new Map<string, Work<Line>>();

  constructor(options: SharedLinesOptions<Line>) {
    this.#options = options;
  }

  async *open(
    key: string,
    begin: (signal: AbortSignal) => AsyncIterable<Line>,
    signal: AbortSignal,
  ): AsyncGenerator<Line> {
    this.#prune();
    const work = this.#works.get(key) ?? this.#begin(key, begin);
    work.readers += 1;
    try {
      yield* read(work, signal);
    } finally {
      work.readers -= 1;
      if (work.readers === 0 && work.end === 'open') {
        this.#forget(key, work);
        work.given.abort();
      }
    }
  }

  #begin(key: string, source: (signal: AbortSignal) => AsyncIterable<Line>): Work<Line> {
    const given = new AbortController();
    const work: Work<Line> = { lines: [], end: 'open', readers: 0, given, wake: new Set() };
    // Many counts listen to it at once, which is no leak.
    setMaxListeners(0, given.signal);
    this.#works.set(key, work);
    void run(work, source, this.#options.now).then(() => {
      const last = work.lines.at(-1);
      const isWorthKeeping = !given.signal.aborted && last !== undefined && this.#options.isGood(last);
      if (!isWorthKeeping) this.#forget(key, work);
      this.#prune();
    });
    return work;
  }

  #forget(key: string, work: Work<Line>): void {
    if (this.#works.get(key) === work) this.#works.delete(key);
  }

  #prune(): void {
    const finished = [...this.#works].filter(([, { end }]) => end !== 'open');
    const tooMany = finished.slice(0, -this.#options.mostKept);
    const tooOld = finished.filter(([, { end }]) => this.#isOver(end));
    for (const [key, work] of [...tooMany, ...tooOld]) this.#forget(key, work);
  }

  #isOver(end: Work<Line>['end']): boolean {
    const { keptMs, now } = this.#options;
    return end !== 'open' && (!('atMs' in end) || end.atMs + keptMs <= now());
  }
}

async function run<Line>(
  work: Work<Line>,
  source: (signal: AbortSignal) => AsyncIterable<Line>,
  now: () => number,
): Promise<void> {
  const wake = () => {
    for (const go of work.wake) go();
  };
  try {
    for await (const line of source(work.given.signal)) {
      work.lines.push(line);
      wake();
    }
    work.end = { atMs: now() };
  } catch (error) {
    work.end = { error };
  }
  wake();
}

async function* read<Line>(work: Work<Line>, signal: AbortSignal): AsyncGenerator<Line> {
  for (let at = 0; ; ) {
    signal.throwIfAborted();
    const line = work.lines[at];
    if (line !== undefined) {
      at += 1;
      yield line;
    } else if (work.end === 'open') {
      await news(work, signal);
    } else {
      if ('error' in work.end) throw work.end.error;
      return;
    }
  }
}

/** Over with the next line, the end, or the reader's leave. */
function news<Line>(work: Work<Line>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      work.wake.delete(go);
      signal.removeEventListener('abort', go);
      resolve();
    };
    work.wake.add(go);
    signal.addEventListener('abort', go);
  });
}
