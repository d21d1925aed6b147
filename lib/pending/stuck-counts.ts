import type { Incident, Single } from './answers';

/**
 * How many requests are stuck: those of incidents, young ones too, and single ones. `stuck` leaves out what somebody has
 * acknowledged and single requests older than a day, which are parked. Badge, title, heading, overview and metrics count
 * by this.
 */
export type StuckCounts = { stuck: number; acknowledged: number; parked: number };

/** Whether somebody has acknowledged an incident, by its id, or a single request, by its key. */
export type IsAcknowledged = (kind: 'incident' | 'request', id: string) => boolean;

type Found = {
  incidents: readonly Pick<Incident, 'id' | 'size' | 'keeper' | 'networkId'>[];
  singles: readonly Pick<Single, 'key' | 'isParked' | 'keeper' | 'networkId'>[];
};

/**
 * @param isAcknowledged by the id of an incident or the key of a single request
 * @param unexamined requests older than a day that are only counted
 * @param isCounted picks networks of keepers; all by default
 */
export function stuckCounts(
  { incidents, singles }: Found,
  isAcknowledged: IsAcknowledged,
  unexamined: number,
  isCounted: (place: { keeper: string; networkId: string }) => boolean = () => true,
): StuckCounts {
  const counts = { stuck: 0, acknowledged: 0, parked: unexamined };
  for (const incident of incidents.filter(isCounted)) {
    counts[isAcknowledged('incident', incident.id) ? 'acknowledged' : 'stuck'] += incident.size;
  }
  for (const single of singles.filter(isCounted)) {
    const isQuiet = isAcknowledged('request', single.key);
    counts[single.isParked ? 'parked' : isQuiet ? 'acknowledged' : 'stuck'] += 1;
  }
  return counts;
}

/** A pending request of a network; `ms`: when it was created, unix milliseconds. */
type PendingRow = { key: string; ms: number };

/** Moments in unix milliseconds, both included. */
type Span = { fromMs: number; toMs: number };

/**
 * The stuck ones among the pending requests of a network as spans of creation time, so that SQL can count them. A
 * millisecond in which others were created too is in no span: its stuck requests are named by `keys`.
 * @param rows all pending requests of the network, oldest first
 */
export function stuckSpans(
  rows: readonly PendingRow[],
  isStuck: (key: string) => boolean,
): { spans: Span[]; keys: string[] } {
  const spans: Span[] = [];
  const keys: string[] = [];
  let last: Span | undefined;
  for (let at = 0; at < rows.length; ) {
    const ms = rows[at]?.ms ?? 0;
    const same: string[] = [];
    for (; rows[at]?.ms === ms; at += 1) same.push(rows[at]?.key ?? '');
    const stuck = same.filter(isStuck);
    if (stuck.length < same.length) {
      last = undefined;
      keys.push(...stuck);
    } else if (last === undefined) {
      last = { fromMs: ms, toMs: ms };
      spans.push(last);
    } else last.toMs = ms;
  }
  return { spans, keys };
}
