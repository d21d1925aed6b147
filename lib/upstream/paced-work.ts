/** Work in pieces that share the event loop with everybody else. */
export type PacedWork = {
  /**
   * Runs a piece when it is its turn. Rejects with what the piece throws.
   * @param bytes size of the body that the piece is about
   */
  run<T>(bytes: number, piece: () => T): Promise<T>;
};

export type PacedWorkEdges = {
  /** Milliseconds since some fixed moment. */
  elapsed(): number;
  /** Calls back in the next turn of the event loop, after timers and sockets had theirs. */
  nextTurn(run: () => void): void;
};

/** No new piece begins in a turn that has taken this long. A piece of 1000 log rows takes about as long. */
const TURN_MS = 2;

/** Up to here a piece takes well under a millisecond, and does not wait for those that take longer. */
const SMALL_BYTES = 128 * 1024;

/**
 * Ten answers of 1000 rows that arrive together would block the event loop for ten times the work of one, and
 * every stream with it. So the pieces of all of them stand in line, first come, first served, and each turn
 * of the event loop takes only as many as fit. Small ones have a line of their own, which goes first; of the other at
 * least one piece is taken in each turn. The lines are bounded by the number of calls under way.
 *
 * Small ones wait for their turn too: the answers of one turn then leave together, and whoever reads them is woken once
 * instead of once per answer, which costs more than the work itself.
 */
export function createPacedWork(edges: PacedWorkEdges): PacedWork {
  const small: (() => void)[] = [];
  const large: (() => void)[] = [];
  let scheduled = false;

  const schedule = () => {
    if (scheduled || small.length + large.length === 0) return;
    scheduled = true;
    edges.nextTurn(turn);
  };
  const turn = () => {
    scheduled = false;
    const end = edges.elapsed() + TURN_MS;
    while (small.length > 0 && edges.elapsed() < end) small.shift()?.();
    do large.shift()?.();
    while (large.length > 0 && edges.elapsed() < end);
    schedule();
  };

  return {
    run(bytes, piece) {
      return new Promise((resolve, reject) => {
        const line = bytes <= SMALL_BYTES ? small : large;
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

/** The one line of this process. */
export const pacedWork = createPacedWork({
  elapsed: () => performance.now(),
  nextTurn: (run) => setImmediate(run),
});
