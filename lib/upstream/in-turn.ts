/** Up to here a piece takes well under a millisecond. */
const SMALL_BYTES = 128 * 1024;

let line: Promise<unknown> = Promise.resolve();

/**
 * Large answers are worked on one piece at a time, each in a turn of the event loop of its own: ten that arrive together
 * would else hold every stream for ten times as long. The line is as long as calls are under way.
 * @param bytes size of the body that the piece is about; a small one does not wait
 */
export async function inTurn<T>(bytes: number, piece: () => T): Promise<T> {
  if (bytes <= SMALL_BYTES) return piece();
  const turn = line.then(() => new Promise((next) => setImmediate(next))).then(piece);
  line = turn.catch(() => {});
  return turn;
}
