import 'server-only';

/**
 * The results of several pieces of work in the order in which they are known, at most `atOnce` under way. Ends with the
 * first rejection. Work that has begun when the reader leaves goes on, so it should watch a signal of its own.
 */
export async function* asKnown<T>(
  work: Iterable<() => Promise<T>>,
  atOnce: number,
): AsyncGenerator<T, void, void> {
  const underWay = new Map<number, Promise<{ id: number; value: T }>>();
  let begun = 0;
  for (const piece of work) {
    underWay.set(begun, started(piece, begun));
    begun += 1;
    if (underWay.size >= atOnce) yield await first(underWay);
  }
  while (underWay.size > 0) yield await first(underWay);
}

function started<T>(piece: () => Promise<T>, id: number): Promise<{ id: number; value: T }> {
  const result = piece().then((value) => ({ id, value }));
  // Whoever waits hears of it by the race; after the first rejection nobody does.
  result.catch(() => {});
  return result;
}

async function first<T>(underWay: Map<number, Promise<{ id: number; value: T }>>): Promise<T> {
  const { id, value } = await Promise.race(underWay.values());
  underWay.delete(id);
  return value;
}
