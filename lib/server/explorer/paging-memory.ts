import 'server-only';

/** A place in a list that does not move: so many rows of each part make so many of the whole. */
export type Checkpoint = { rank: number; positions: number[]; total: bigint | undefined };

/** Places that were found a moment ago, so that the page after one, or before, takes no search. */
export type PagingMemory = {
  /** @param list names a list that does not move: filters, times and the moment that it is pinned to */
  note(list: string, checkpoint: Checkpoint, nowMs: number): void;
  /** The last place at `rank` or at most `reach` rows before it. */
  find(list: string, rank: number, reach: number, nowMs: number): Checkpoint | undefined;
  forget(list: string): void;
};

const KEPT_MS = 60_000;
/** Lists, and places of each; the ones noted longest ago go first. A place is some hundred bytes. */
const MOST_LISTS = 100;
const MOST_PLACES = 50;

type Kept = Checkpoint & { untilMs: number };

export function createPagingMemory(): PagingMemory {
  const lists = new Map<string, Map<number, Kept>>();
  return {
    note(list, checkpoint, nowMs) {
      const places = lists.get(list) ?? new Map<number, Kept>();
      places.delete(checkpoint.rank);
      places.set(checkpoint.rank, { ...checkpoint, untilMs: nowMs + KEPT_MS });
      dropOldest(places, MOST_PLACES);
      lists.delete(list);
      lists.set(list, places);
      dropOldest(lists, MOST_LISTS);
    },
    find(list, rank, reach, nowMs) {
      let best: Kept | undefined;
      for (const kept of lists.get(list)?.values() ?? []) {
        const isNear = kept.rank <= rank && rank - kept.rank <= reach && kept.untilMs > nowMs;
        if (isNear && kept.rank >= (best?.rank ?? 0)) best = kept;
      }
      return best;
    },
    forget: (list) => void lists.delete(list),
  };
}

function dropOldest<K>(map: Map<K, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return;
    map.delete(key);
  }
}
