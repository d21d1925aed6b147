/** Rows per second, or why there is no such figure: too early to tell, or nothing came for a while. */
export type Pace = number | 'starting' | 'waiting';

/** The service answers a thousand rows at a time: some of its answers lie within this. */
const RATE_MS = 5000;
/** A rate of the first moments says nothing. */
const START_MS = 500;
/** A service that is well answers sooner. */
const SILENCE_MS = 3000;

/** Often enough to look alive. */
const PROGRESS_MS = 200;
/** As often it is looked whether anything came. */
const TICK_MS = 1000;

/** How fast an export goes at present. Times are milliseconds of any one clock. */
export class ExportPace {
  readonly #startMs: number;
  /** Rows that were there at a moment: the last one before the stretch that counts, and those within it. */
  #marks: { rows: number; atMs: number }[];

  constructor(startMs: number) {
    this.#startMs = startMs;
    this.#marks = [{ rows: 0, atMs: startMs }];
  }

  /** Something came: so many rows are there now. */
  add(rows: number, atMs: number): void {
    this.#marks.push({ rows, atMs });
    this.#marks = this.#marks.slice(this.#before(atMs));
  }

  at(nowMs: number): Pace {
    const [first, last] = [this.#marks[this.#before(nowMs)], this.#marks.at(-1)];
    if (first === undefined || last === undefined || nowMs - last.atMs >= SILENCE_MS) return 'waiting';
    const passedMs = Math.min(RATE_MS, nowMs - this.#startMs);
    return passedMs < START_MS ? 'starting' : Math.round((last.rows - first.rows) / (passedMs / 1000));
  }

  /** Which mark says how many rows there were when the stretch began. */
  #before(nowMs: number): number {
    return Math.max(
      0,
      this.#marks.findLastIndex((mark) => mark.atMs <= nowMs - RATE_MS),
    );
  }
}

export type PaceEdges = { now(): number; after(ms: number, run: () => void): () => void };

/** Tells the pace as rows come, at most so often, and while none do; at the end once more. */
export function paceTeller(edges: PaceEdges, tell: (pace: Pace) => void) {
  const pace = new ExportPace(edges.now());
  let toldMs = Number.NEGATIVE_INFINITY;
  let stop = () => {};
  const say = (nowMs: number) => {
    toldMs = nowMs;
    tell(pace.at(nowMs));
  };
  const wait = () => {
    stop();
    stop = edges.after(TICK_MS, () => {
      say(edges.now());
      wait();
    });
  };
  wait();
  return {
    /** @param rows that are there by now, in all */
    came(rows: number) {
      const nowMs = edges.now();
      pace.add(rows, nowMs);
      wait();
      if (nowMs - toldMs >= PROGRESS_MS) say(nowMs);
    },
    end() {
      stop();
      say(edges.now());
    },
  };
}
