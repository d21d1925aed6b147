/** A place in the stream of one run of our server: updates are numbered in the order of their coming. */
export type StreamPlace = { readonly epoch: string; readonly seq: number };

/** Reads the id of an event; undefined for none, and for one of another form. */
export function readPlace(id: string): StreamPlace | undefined {
  const [, epoch, digits] = /^(.*)[.-](\d{1,15})$/.exec(id) ?? [];
  return epoch === undefined ? undefined : { epoch, seq: Number(digits) };
}

/** Whether a stream that has come to `a` is known to have all that one at `b` has. Places of different runs have no order. */
export function hasReached(a: StreamPlace | undefined, b: StreamPlace | undefined): boolean {
  return a !== undefined && b !== undefined && a.epoch === b.epoch && a.seq >= b.seq;
}

/** Whether it may still come there. */
export function mayReach(a: StreamPlace | undefined, b: StreamPlace | undefined): boolean {
  return a !== undefined && b !== undefined && a.epoch === b.epoch && a.seq < b.seq;
}
