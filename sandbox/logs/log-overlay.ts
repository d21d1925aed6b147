import { Refusal } from '@/sandbox/service';
import type { LogOrder, OrderOf } from './log-orders';
import type { LogQuery } from './log-query';
import { type LogRow, providerAddress, type RowState, requestHash, type ShownRow } from './log-row';
import type { LogWorld } from './log-world';
import { type Keeper, NETWORKS, networkAt } from './networks';
import { Mixer } from './random';

const LATE = 190;
const SHUFFLE = 191;
const SENDER = 180;
const END = 181;

const MAX_LISTED_ROWS = 1000;
/** The number of an order, multiplied by this, is the first random number of its rows. */
const MAX_EXTRA_ROWS = 2 ** 20;

/** Kinds whose orders add up. For other kinds only the last order applies. */
const CUMULATIVE_KINDS: readonly LogOrder['kind'][] = [
  ...(['change', 'rewrite', 'vanish', 'undelivered', 'burst', 'rate', 'clock'] as const),
];

type ActiveOrder<O extends LogOrder = LogOrder> = {
  order: O;
  number: number;
  sinceMs: number;
  chosen: Set<LogRow>;
  made: LogRow[];
  endMs: number;
};

/** The rows of the world, changed by orders. Times are unix ms. */
export class LogOverlay {
  private activeOrders: ActiveOrder[] = [];
  private lastNumber = 0;
  private answers = 0;
  private readonly mixer: Mixer;
  /** Combined effect of all orders of the kind. */
  private clocks: { sinceMs: number; offMs: number }[] = [];
  private changedMs: ReadonlyMap<LogRow, number> = new Map();

  constructor(
    readonly world: LogWorld,
    private readonly keeper: Keeper,
    seed: number,
  ) {
    this.mixer = new Mixer(seed, 5);
  }

  /** Returns the order's result. Throws a Refusal. */
  start(order: LogOrder, nowMs: number): unknown {
    const { kind } = order;
    this.world.moveTo(nowMs);
    this.networksOf(order);
    const chosen = 'olderThanS' in order && 'count' in order ? this.choose(order, nowMs) : [];
    if ('olderThanS' in order && 'count' in order && chosen.length < order.count) {
      throw new Refusal(400, `there are only ${chosen.length} such rows`);
    }
    this.lastNumber = Math.max(this.lastNumber + 1, Math.floor(nowMs / 1000));
    if (kind === 'rate')
      for (const activeOrder of this.all(kind)) activeOrder.endMs = Math.min(activeOrder.endMs, nowMs);
    if (!CUMULATIVE_KINDS.includes(kind)) this.end(kind);
    const activeOrder: ActiveOrder = {
      order,
      number: this.lastNumber,
      sinceMs: nowMs,
      made: [],
      endMs: Number.POSITIVE_INFINITY,
      chosen: new Set(chosen),
    };
    this.setActive([...this.activeOrders, activeOrder]);
    const requests = chosen.slice(0, MAX_LISTED_ROWS).map((row) => {
      const network = networkAt(row.network);
      return {
        network_id: network.networkId,
        provider: providerAddress(this.world.mixer, network, row.provider),
        sequence: row.sequence,
        request_tx_hash: requestHash(row),
        created_at: new Date(this.writtenMs(row)),
      };
    });
    return { kind, at: new Date(nowMs), rows: kind === 'burst' ? order.count : chosen.length, requests };
  }

  /** Undoes the orders of a kind, or all. */
  end(kind?: LogOrder['kind']): void {
    this.setActive(kind === undefined ? [] : this.activeOrders.filter(({ order }) => order.kind !== kind));
  }

  active(): unknown[] {
    return this.activeOrders.map(({ order, sinceMs, chosen }) => {
      return { ...order, since: new Date(sinceMs), rows: chosen.size || undefined };
    });
  }

  clockOffMs(atMs: number): number {
    return this.clocks.findLast(({ sinceMs }) => sinceMs <= atMs)?.offMs ?? 0;
  }

  /** `zero`: the configs show the networks with id 0. */
  starting(nowMs: number): { networks: readonly number[]; zero: boolean } | undefined {
    const [starting] = this.all('starting');
    if (!starting || nowMs >= starting.sinceMs + starting.order.minutes * 60_000) return undefined;
    return { networks: this.networksOf(starting.order), zero: starting.order.zero };
  }

  /** The delivered rows, and the total as the service counts it. */
  page(
    { isFound, minMs, maxMs, offset, limit }: LogQuery,
    nowMs: number,
  ): { rows: ShownRow[]; total: number } {
    this.world.moveTo(nowMs);
    const all = this.rows(nowMs, minMs, maxMs);
    const matches = isFound ? all.filter((row) => isFound(row, this.getState(row).state)) : all;
    const interval = this.all('repeat')[0]?.order.every;
    const listed =
      interval === undefined
        ? matches
        : matches.flatMap((row) => (row.k % interval === 0 ? [row, row] : row));
    const unseen = this.chosenBy('undelivered');
    const rows = listed.slice(offset, offset + limit).filter((row) => !unseen.has(row));
    if (this.all('shuffle').length > 0) {
      rows.sort((a, b) => this.mixer.word(SHUFFLE, a.k) - this.mixer.word(SHUFFLE, b.k));
    }
    const shown = rows.map((row) => {
      const state = this.getState(row);
      const shownUpdatedMs = state.updatedMs + this.clockOffMs(state.updatedMs);
      return { row, ...state, shownCreatedMs: this.writtenMs(row), shownUpdatedMs };
    });
    const cap = this.all('cap')[0]?.order.total ?? Number.POSITIVE_INFINITY;
    return { rows: shown, total: Math.min(cap, Math.max(0, matches.length + this.racedBy())) };
  }

  /** All requests so far, unordered, because requests that the log service leaves out are on the chain as well. */
  requests(nowMs: number): LogRow[] {
    this.world.moveTo(nowMs);
    return [
      ...this.activeOrders.flatMap((activeOrder) => this.madeBy(activeOrder, nowMs)),
      ...this.world.list(this.keeper),
    ];
  }

  private setActive(activeOrders: ActiveOrder[]): void {
    this.activeOrders = activeOrders;
    this.clocks = this.all('clock').map(({ order, sinceMs }) => ({ sinceMs, offMs: order.offS * 1000 }));
    this.changedMs = new Map(
      [...this.all('change'), ...this.all('rewrite')].flatMap(({ chosen, sinceMs }) =>
        [...chosen].map((row) => [row, sinceMs] as const),
      ),
    );
  }

  /** When the row was written, by the clock of the service. */
  private writtenMs({ createdMs }: LogRow): number {
    return createdMs + this.clockOffMs(createdMs);
  }

  /** Rows by the times that the service wrote, newest first. */
  private rows(nowMs: number, minMs = Number.NEGATIVE_INFINITY, maxMs = Number.POSITIVE_INFINITY): LogRow[] {
    if (this.activeOrders.length === 0) return this.world.list(this.keeper, minMs, maxMs);
    const extra = this.activeOrders.flatMap((activeOrder) => this.madeBy(activeOrder, nowMs)).reverse();
    const [emptied] = this.all('empty');
    const [pruned] = this.all('prune');
    const oldestMs = pruned === undefined ? Number.NEGATIVE_INFINITY : nowMs - pruned.order.olderThanS * 1000;
    const rows = [...extra, ...this.world.list(this.keeper)].filter(
      (row) => row.createdMs >= oldestMs && (!emptied || this.isAfter(row, emptied)),
    );
    const hidden = new Set([...this.chosenBy('vanish'), ...this.lateRows(rows, nowMs)]);
    return rows
      .filter((row) => {
        const ms = this.writtenMs(row);
        return ms >= minMs && ms <= maxMs && !hidden.has(row);
      })
      .sort((a, b) => this.writtenMs(b) - this.writtenMs(a));
  }

  /** State of a row at the last query. */
  getState(row: LogRow): RowState {
    const updatedMs = this.changedMs.get(row);
    return updatedMs === undefined ? this.world.getState(row) : { state: 'Completed', updatedMs };
  }

  /** Newest first. */
  private lateRows(there: readonly LogRow[], nowMs: number): LogRow[] {
    const [late] = this.all('late');
    if (!late) return [];
    const { lateS, count, share = 1 } = late.order;
    const since = there.filter((row) => this.isAfter(row, late)).sort((a, b) => a.createdMs - b.createdMs);
    return since.slice(0, count).filter(({ k, createdMs }) => {
      return this.mixer.fraction(LATE, k) < share && createdMs > nowMs - lateS * 1000;
    });
  }

  private racedBy(): number {
    const race = this.all('race')[0]?.order;
    if (!race) return 0;
    this.answers += 1;
    const { by, share } = race;
    return Math.floor(this.answers * share) > Math.floor((this.answers - 1) * share) ? by : 0;
  }

  private choose({ kind, olderThanS, count }: Choosing, nowMs: number): LogRow[] {
    const undelivered = this.chosenBy('undelivered');
    const isFit = (row: LogRow): boolean => {
      const { state } = this.getState(row);
      if (kind === 'change') return state === 'Failed';
      if (kind === 'rewrite') return state === 'Completed';
      if (kind === 'vanish') return state !== 'Pending';
      return state === 'Completed' && !undelivered.has(row);
    };
    return this.rows(nowMs, undefined, nowMs - olderThanS * 1000)
      .filter(isFit)
      .slice(0, count);
  }

  private madeBy(activeOrder: ActiveOrder, nowMs: number): LogRow[] {
    const { order, made, sinceMs, endMs, number } = activeOrder;
    if (order.kind !== 'burst' && order.kind !== 'rate') return [];
    // A rate of 0 never brings a row.
    const [spacingMs, count] =
      order.kind === 'burst' ? [0, order.count] : [1000 / order.perS, MAX_EXTRA_ROWS];
    const networks = this.networksOf(order);
    const lastMs = Math.min(nowMs, endMs);
    while (made.length < count) {
      const index = made.length;
      const createdMs = Math.floor(sinceMs + (index + 1) * spacingMs);
      if (createdMs > lastMs) break;
      const k = number * MAX_EXTRA_ROWS + index;
      const network = networks[index % networks.length] ?? 0;
      const end = this.mixer.fraction(END, k);
      made.push({
        source: this.mixer,
        k,
        createdMs,
        lead: k,
        contribution: k,
        gasLimit: undefined,
        network,
        // A separate provider, so that sequence numbers don't collide.
        provider: number,
        // One of the four heavy senders of the network.
        sender: 10 + network * 4 + this.mixer.below(4, SENDER, k),
        sequence: 1 + Math.floor(index / networks.length),
        outcome: end < 0.97 ? 'Completed' : end < 0.99 ? 'CallbackErrored' : 'Failed',
        finishMs: createdMs + order.pendingS * 1000,
        lateRevealMs: Number.POSITIVE_INFINITY,
      });
    }
    // Rows later than now exist only after the clock was set back.
    return made.filter((row) => row.createdMs <= lastMs);
  }

  /** Networks of an order, by default all of this keeper. Throws a Refusal. */
  private networksOf(order: LogOrder): number[] {
    const numbers = NETWORKS.flatMap(({ keeper }, number) => (keeper === this.keeper ? [number] : []));
    const ids = 'networkIds' in order ? order.networkIds : undefined;
    return (
      ids?.map((id) => {
        const index = numbers.find((number) => networkAt(number).networkId === id);
        if (index === undefined) throw new Refusal(400, `"networkIds": ${id} is no network of this keeper`);
        return index;
      }) ?? numbers
    );
  }

  /** Within a millisecond, the numbers of the orders decide. */
  private isAfter(row: LogRow, { sinceMs, number }: ActiveOrder): boolean {
    if (row.createdMs !== sinceMs) return row.createdMs > sinceMs;
    return row.source === this.mixer && row.k >= number * MAX_EXTRA_ROWS;
  }

  private all<K extends LogOrder['kind']>(kind: K): ActiveOrder<OrderOf<K>>[] {
    return this.activeOrders.filter(
      (activeOrder): activeOrder is ActiveOrder<OrderOf<K>> => activeOrder.order.kind === kind,
    );
  }

  private chosenBy(kind: 'vanish' | 'undelivered'): Set<LogRow> {
    return new Set(this.all(kind).flatMap(({ chosen }) => [...chosen]));
  }
}

type Choosing = OrderOf<'change' | 'rewrite' | 'vanish' | 'undelivered'>;
