import { KEEPERS, type Keeper, LANES, NETWORKS } from './networks';
import { firstPlace, PostingList } from './posting-list';
import { type RowTable, STATE, type State } from './row-table';

/** Lists of each group: all rows, and one per state. */
const LISTS_PER_GROUP = 1 + Object.keys(STATE).length;
/** The keepers are groups 0 and 1, network n is group 2 + n. */
const groupOfKeeper = (keeper: Keeper) => KEEPERS.indexOf(keeper);
const groupOfNetwork = (network: number) => KEEPERS.length + network;

/** What a list is asked for; everything optional. Times in unix milliseconds, both ends included. */
export type RowFilter = {
  keeper: Keeper;
  /** Number of the network, see `NETWORKS`. */
  network?: number;
  state?: State;
  minMs?: number;
  maxMs?: number;
};

/** One page, newest first, and how many rows match in all. */
export type RowPage = { rows: number[]; total: number };

/** Rows that pass a filter, newest first. */
export type RowView = {
  length: number;
  /** The number of the row at a place from 0 to `length` - 1. */
  at: (place: number) => number;
  has: (row: number) => boolean;
};

/** The lists of rows by keeper and network, each with and without a state; by lane; by sender. */
export class LogIndex {
  private readonly lists = Array.from(
    { length: (KEEPERS.length + NETWORKS.length) * LISTS_PER_GROUP },
    () => new PostingList(),
  );
  private readonly byLane = LANES.map(() => new PostingList());
  private readonly bySender = new Map<number, PostingList>();

  constructor(private readonly table: RowTable) {}

  /** Takes up a row that was just added to the table, with the state it has there. */
  add(row: number): void {
    for (const group of this.groupsOf(row)) {
      this.list(group).insert(row);
      this.list(group, this.table.state(row)).insert(row);
    }
    this.byLane[this.table.lane(row)]?.insert(row);
    const sender = this.table.sender(row);
    const list = this.bySender.get(sender) ?? new PostingList(2);
    list.insert(row);
    this.bySender.set(sender, list);
  }

  /** Moves a row to another state. */
  change(row: number, state: State): void {
    for (const group of this.groupsOf(row)) {
      this.list(group, this.table.state(row)).remove(row);
      this.list(group, state).insert(row);
    }
    this.table.setState(row, state);
  }

  /** Takes out all rows from `first` on; they must still be in the table. */
  cut(first: number): void {
    for (const list of [...this.lists, ...this.byLane]) list.cut(first);
    for (let row = first; row < this.table.length; row++) {
      const sender = this.table.sender(row);
      const list = this.bySender.get(sender);
      list?.cut(first);
      if (list?.length === 0) this.bySender.delete(sender);
    }
  }

  /** The number of the newest row of a lane; undefined when the lane has none. */
  lastOfLane(lane: number): number | undefined {
    const list = this.byLane[lane];
    return list && list.length > 0 ? list.at(list.length - 1) : undefined;
  }

  /** The first row created at or after a time; the number of rows when there is none. */
  firstFrom(ms: number): number {
    return firstPlace(this.table.length, (row) => this.table.createdAt(row) >= ms);
  }

  /** A page out of all rows of a keeper. */
  page(filter: RowFilter, offset: number, limit: number): RowPage {
    const view = this.view(filter);
    const rows: number[] = [];
    for (let place = offset; place < view.length && rows.length < limit; place++) rows.push(view.at(place));
    return { rows, total: view.length };
  }

  /** All rows of a keeper that pass the filter, as long as no row is added and none changes. */
  view(filter: RowFilter): RowView {
    const group =
      filter.network === undefined ? groupOfKeeper(filter.keeper) : groupOfNetwork(filter.network);
    const list = this.list(group, filter.state);
    const { low, high } = this.rowsBetween(filter);
    const start = list.placeOf(low);
    const end = Math.max(start, list.placeOf(high));
    return {
      length: end - start,
      at: (place) => list.at(end - 1 - place),
      has: (row) => {
        const place = list.placeOf(row);
        return place >= start && place < end && list.at(place) === row;
      },
    };
  }

  /** Those of some candidates (row numbers, rising) that pass the filter. */
  viewOf(candidates: Iterable<number>, filter: RowFilter): RowView {
    const { low, high } = this.rowsBetween(filter);
    const rows: number[] = [];
    for (const row of candidates) {
      if (row >= low && row < high && this.passes(row, filter)) rows.push(row);
    }
    return {
      length: rows.length,
      at: (place) => rows.at(-1 - place) ?? -1,
      has: (row) => rows.includes(row),
    };
  }

  /** All rows of a sender, rising. */
  *ofSender(sender: number): Iterable<number> {
    const list = this.bySender.get(sender);
    for (let place = 0; list && place < list.length; place++) yield list.at(place);
  }

  /** All rows with a sequence number, of whatever network and provider, rising. */
  ofSequence(sequence: number): number[] {
    const found: number[] = [];
    for (const list of this.byLane) {
      // Within a lane the numbers rise with the rows.
      let place = firstPlace(list.length, (one) => this.table.sequence(list.at(one)) >= sequence);
      while (place < list.length && this.table.sequence(list.at(place)) === sequence) {
        found.push(list.at(place));
        place += 1;
      }
    }
    return found.sort((a, b) => a - b);
  }

  private passes(row: number, { keeper, network, state }: RowFilter): boolean {
    const own = LANES[this.table.lane(row)]?.network ?? 0;
    if (NETWORKS[own]?.keeper !== keeper) return false;
    return (
      (network === undefined || own === network) && (state === undefined || this.table.state(row) === state)
    );
  }

  /** The rows created within the times: from `low` up to but not including `high`. */
  private rowsBetween({ minMs, maxMs }: RowFilter): { low: number; high: number } {
    const count = this.table.length;
    const low = minMs === undefined ? 0 : this.firstFrom(minMs);
    const high = maxMs === undefined ? count : firstPlace(count, (row) => this.table.createdAt(row) > maxMs);
    return { low, high };
  }

  private groupsOf(row: number): [number, number] {
    const network = LANES[this.table.lane(row)]?.network ?? 0;
    return [groupOfKeeper(NETWORKS[network]?.keeper ?? 'main'), groupOfNetwork(network)];
  }

  private list(group: number, state?: State): PostingList {
    const list = this.lists[group * LISTS_PER_GROUP + (state === undefined ? 0 : 1 + state)];
    if (!list) throw new Error(`no group ${group}`);
    return list;
  }
}
