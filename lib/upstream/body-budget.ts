/** What one body holds of the bytes that all bodies may hold together. */
export type BodyShare = {
  /** Asks for so many bytes more. False when this body is the one that gives way: it then holds nothing. */
  take(bytes: number): boolean;
  /** All of it has come: it keeps what it holds, whatever others ask for, until it is released. */
  settle(): void;
  /** Nothing of it is needed any more. May be called twice. */
  release(): void;
};

export type BodyBudget = {
  /** @param giveWay called at most once: the body is to be dropped, since others need the room */
  join(giveWay: () => void): BodyShare;
};

type Holder = { bytes: number; standing: 'coming' | 'settled' | 'gone'; giveWay: () => void };

/**
 * Bounds what bodies that are read at the same time take together, where the cap of one body bounds only that one. When
 * there is no room for more, the largest of those that are still coming gives way, so that services which send far too much
 * cost the small answers of the others nothing. Of equal ones it is the latest.
 */
export function createBodyBudget(mostBytes: number): BodyBudget {
  const holders = new Set<Holder>();
  let held = 0;

  const release = (holder: Holder) => {
    held -= holder.bytes;
    holder.bytes = 0;
    holder.standing = 'gone';
    holders.delete(holder);
  };
  const makeRoom = () => {
    while (held > mostBytes) {
      const largest = largestComing(holders);
      if (largest === undefined) return;
      release(largest);
      largest.giveWay();
    }
  };

  return {
    join(giveWay) {
      const holder: Holder = { bytes: 0, standing: 'coming', giveWay };
      holders.add(holder);
      return {
        take(bytes) {
          if (holder.standing !== 'coming') return false;
          holder.bytes += bytes;
          held += bytes;
          makeRoom();
          return holders.has(holder);
        },
        settle() {
          if (holder.standing === 'coming') holder.standing = 'settled';
        },
        release: () => release(holder),
      };
    },
  };
}

function largestComing(holders: Iterable<Holder>): Holder | undefined {
  let largest: Holder | undefined;
  for (const holder of holders) {
    if (holder.standing === 'coming' && holder.bytes >= (largest?.bytes ?? 0)) largest = holder;
  }
  return largest;
}

/** One body at its cap, and a crowd of honest ones: forty thousand log rows together take about as much. */
const MOST_BYTES = 40 * 1024 * 1024;

/** The one of this process. */
export const bodyBudget = createBodyBudget(MOST_BYTES);
