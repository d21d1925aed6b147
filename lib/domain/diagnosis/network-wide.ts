/** A pending request that is past normal, as far as R6 and R7 look at it. */
export type PastNormal = { ms: number; sender: string | undefined };

/** R6: at least so many pending, of so many senders, and so many percent of the rows since the oldest. */
export const NETWORK_WIDE = { pending: 5, senders: 3, percent: 80 } as const;

export type NetworkWide = {
  /** Index of the pending request with which it begins. */
  start: number;
  pending: number;
  senders: number;
  /** All rows since then: these pending ones and the others. */
  rows: number;
};

/**
 * Finds the longest stretch up to the newest pending request in which a network is stuck by `NETWORK_WIDE`. It begins
 * with the oldest pending request for which the figures hold, so that one straggler from before does not hide it.
 * @param past rising by time; pending requests within normal are left out, for the newest rows of a busy network are
 * always pending
 * @param others unix ms of the rows that are not pending, rising
 * @param unseenOthers rows that nobody has seen, taken for ones that finished after the first
 */
export function networkWide(
  past: readonly PastNormal[],
  others: readonly number[],
  unseenOthers = 0,
): NetworkWide | undefined {
  const senders = new Set<string>();
  let found: NetworkWide | undefined;
  let next = others.length;
  for (let start = past.length - 1; start >= 0; start--) {
    const { ms, sender } = past[start] as PastNormal;
    if (sender !== undefined) senders.add(sender);
    while (next > 0 && (others[next - 1] ?? 0) >= ms) next -= 1;
    const pending = past.length - start;
    const rows = pending + others.length - next + unseenOthers;
    if (isNetworkWide(pending, senders.size, rows)) found = { start, pending, senders: senders.size, rows };
  }
  return found;
}

export function isNetworkWide(pending: number, senders: number, rows: number): boolean {
  return (
    pending >= NETWORK_WIDE.pending &&
    senders >= NETWORK_WIDE.senders &&
    pending * 100 >= rows * NETWORK_WIDE.percent
  );
}

/** Rounded down, so that a share below a threshold never reads as the threshold. */
export function percentFloor(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.floor((part * 100) / whole);
}
