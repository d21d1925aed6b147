/** Work in pieces that share the event loop with everybody else. */
export type PacedWork = {
  /** Runs a piece of some milliseconds when it is its turn. Rejects with what the piece throws. */
  run<T>(piece: () => T): Promise<T>;
};

export type PacedWorkEdges = {
  /** Milliseconds since some fixed moment. */
  elapsed(): number;
  /** Calls back in the next turn of the event loop, after timers and sockets had theirs. */
  nextTurn(run: () => void): void;
};

/** No new piece begins in a turn that has taken this long. A piece of 1000 log rows takes about as long. */
const TURN_MS = 2;

/**
 * Ten answers of 1000 rows that arrive together would block the event loop for ten times the work of one, and
 * every stream with it. So the pieces of all of them stand in one line, first come, first served, and each turn
 * of the event loop takes only as many as fit. The line is bounded by the number of calls under way.
 */
export function createPacedWork(edges: PacedWorkEdges): PacedWork {
  const line: (() => void)[] = [];
  let scheduled = false;

  const schedule = () => {
    if (scheduled || line.length === 0) return;
    scheduled = true;
    edges.nextTurn(turn);
  };
  const turn = () => {
    scheduled = false;
    const end = edges.elapsed() + TURN_MS;
    do line.shift()?.();
    while (line.length > 0 && edges.elapsed() < end);
    schedule();
  };

  return {
    run(piece) {
      return new Promise((resolve, reject) => {
        line.push(() => {
          try {
            resolve(piece());
          } catch (error) {
            reject(error);
          }
        });
        schedule();
      });
    },
  };
}

/** Up to here the work takes well under a millisecond, and waiting for a turn would only cost time. */
const SMALL_BYTES = 128 * 1024;

/** A piece of work on a body of this size: at once for a small one, for a large one when it is its turn. */
export async function workOnBody<T>(bytes: number, piece: () => T): Promise<T> {
  return bytes <= SMALL_BYTES ? piece() : pacedWork.run(piece);
}

/** The one line of this process. */
const pacedWork = createPacedWork({
  elapsed: () => performance.now(),
  nextTurn: (run) => setImmediate(run),
});
