import { Refusal } from '@/sandbox/query-values';
import type { LogOrder, LogOrderKind, OrderOf } from './log-orders';
import type { LogQuery, Search } from './log-query';
import {
  hasSender,
  hasTransaction,
  isoTime,
  type LogRow,
  providerAddress,
  type RowState,
  requestHash,
  type ShownRow,
  type State,
  shownMs,
} from './log-row';
import type { LogWorld } from './log-world';
import { type Keeper, NETWORKS, networkAt } from './networks';
import { Mixer } from './random';

const [LATE, SHUFFLE, SENDER, END] = [190, 191, 180, 181];

/** Rows that an order chose are named in its answer, this many at most. */
const NAMED_ROWS = 1000;
/** Rows of one order at most. Its number times this is the first of the numbers that its rows are drawn with. */
const MAX_EXTRA_ROWS = 2 ** 20;

/** Of these several hold side by side; of the others the last one holds. */
const GATHERING: readonly LogOrderKind[] = ['change', 'vanish', 'undelivered', 'burst', 'rate', 'clock'];

type Held<O extends LogOrder = LogOrder> = {
  order: O;
  /** Rises from order to order. */
  number: number;
  sinceMs: number;
  chosen: Set<LogRow>;
  made: LogRow[];
  /** No row is made after this time. */
  endMs: number;
};

/** The rows of one keeper as its log service gives them: those of the world, changed by orders. Times in unix ms. */
export class LogOverlay {
  private held: Held[] = [];
  private lastNumber = 0;
  private answers = 0;
  private readonly mixer: Mixer;
  /** What the orders of these kinds come to. */
  private clocks: { sinceMs: number; offMs: number }[] = [];
  private changedMs: ReadonlyMap<LogRow, number> = new Map();

  constructor(
    readonly world: LogWorld,
    private readonly keeper: Keeper,
    seed: number,
  ) {
    this.mixer = new Mixer(seed, 5);
  }

  /** Carries out an order at a time, and says what it made. Throws a Refusal. */
  start(order: LogOrder, nowMs: number): unknown {
    this.world.moveTo(nowMs);
    this.networksOf(order);
    const chosen = isChoosing(order) ? this.choose(order, nowMs) : [];
    if (isChoosing(order) && chosen.length < order.count) {
      throw new Refusal(400, `there are only ${chosen.length} such rows`);
    }
    this.lastNumber = Math.max(this.lastNumber + 1, Math.floor(nowMs / 1000));
    if (order.kind === 'rate') {
      for (const held of this.all('rate')) held.endMs = Math.min(held.endMs, nowMs);
    }
    if (!GATHERING.includes(order.kind)) this.end(order.kind);
    const held: Held = {
      ...{ order, number: this.lastNumber, sinceMs: nowMs, made: [], endMs: Number.POSITIVE_INFINITY },
      chosen: new Set(chosen.map(({ row }) => row)),
    };
    this.hold([...this.held, held]);
    const rows = order.kind === 'burst' ? order.count : chosen.length;
    const requests = chosen.slice(0, NAMED_ROWS).map((row) => this.describeRow(row));
    return { kind: order.kind, at: isoTime(nowMs), rows, requests };
  }

  /** All is as though the orders of a kind, or all, had never been given. */
  end(kind?: LogOrderKind): void {
    this.hold(kind === undefined ? [] : this.held.filter(({ order }) => order.kind !== kind));
  }

  active(): unknown[] {
    return this.held.map(({ order, sinceMs, chosen }) => {
      return { ...order, since: isoTime(sinceMs), rows: chosen.size || undefined };
    });
  }

  clockOffMs(atMs: number): number {
    return this.clocks.findLast(({ sinceMs }) => sinceMs <= atMs)?.offMs ?? 0;
  }

  /** The networks that are not ready yet, and whether the configs say so. */
  starting(nowMs: number): { networks: readonly number[]; zero: boolean } | undefined {
    const starting = this.all('starting')[0];
    if (!starting || nowMs >= starting.sinceMs + starting.order.minutes * 60_000) return undefined;
    return { networks: this.networksOf(starting.order), zero: starting.order.zero };
  }

  /** The answer to a question at a time: the rows that are delivered, and how many there are by the service's count. */
  page(query: LogQuery, nowMs: number): { rows: ShownRow[]; total: number } {
    const { network, state, search, minMs, maxMs, offset, limit } = query;
    this.world.moveTo(nowMs);
    let found = this.rows(nowMs, minMs, maxMs);
    if (network !== undefined || state !== undefined || search !== undefined) {
      const isFound = this.foundBy(search);
      found = found.filter((row) => {
        if (network !== undefined && row.network !== network) return false;
        const its = this.getState(row).state;
        return (state === undefined || its === state) && isFound(row, its);
      });
    }
    const every = this.all('repeat')[0]?.order.every;
    const listed =
      every === undefined ? found : found.flatMap((row) => (row.k % every === 0 ? [row, row] : row));
    const unseen = this.chosenBy('undelivered');
    const rows = listed.slice(offset, offset + limit).filter((row) => !unseen.has(row));
    if (this.all('shuffle').length > 0) {
      rows.sort((a, b) => this.mixer.word(SHUFFLE, a.k) - this.mixer.word(SHUFFLE, b.k));
    }
    return { rows: rows.map((row) => this.show(row)), total: Math.max(0, found.length + this.racedBy()) };
  }

  private hold(held: Held[]): void {
    this.held = held;
    this.clocks = this.all('clock').map(({ order, sinceMs }) => ({ sinceMs, offMs: order.offS * 1000 }));
    this.changedMs = new Map(
      this.all('change').flatMap(({ chosen, sinceMs }) => [...chosen].map((row) => [row, sinceMs] as const)),
    );
  }

  /** The rows that the service lists, by the times it wrote down, newest first. */
  private rows(nowMs: number, minMs = Number.NEGATIVE_INFINITY, maxMs = Number.POSITIVE_INFINITY): LogRow[] {
    if (this.held.length === 0) return this.world.list(this.keeper, minMs, maxMs);
    const extra = this.held.flatMap((held) => this.madeBy(held, nowMs)).reverse();
    const emptied = this.all('empty')[0];
    const there = [...extra, ...this.world.list(this.keeper)].filter(
      (row) => !emptied || this.isAfter(row, emptied),
    );
    const hidden = new Set([...this.chosenBy('vanish'), ...this.lateRows(there, nowMs)]);
    const writtenMs = ({ createdMs }: LogRow) => createdMs + this.clockOffMs(createdMs);
    return there
      .filter((row) => {
        const ms = writtenMs(row);
        return ms >= minMs && ms <= maxMs && !hidden.has(row);
      })
      .sort((a, b) => writtenMs(b) - writtenMs(a));
  }

  private getState(row: LogRow): RowState {
    const updatedMs = this.changedMs.get(row);
    return updatedMs === undefined ? this.world.getState(row) : { state: 'Completed', updatedMs };
  }

  private show(row: LogRow): ShownRow {
    const { state, updatedMs } = this.getState(row);
    const createdOffMs = this.clockOffMs(row.createdMs);
    return { row, state, updatedMs, createdOffMs, updatedOffMs: this.clockOffMs(updatedMs) };
  }

  private foundBy(search: Search | undefined): (row: LogRow, state: State) => boolean {
    switch (search?.kind) {
      case undefined:
        return () => true;
      case 'sequence':
        return ({ sequence }) => sequence === search.sequence;
      case 'sender':
        return hasSender(this.world.mixer, search.address);
      case 'transaction':
        return hasTransaction(search.hash);
    }
  }

  /** Of the rows that are there (newest first) those not listed yet. */
  private lateRows(there: readonly LogRow[], nowMs: number): LogRow[] {
    const late = this.all('late')[0];
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

  private choose({ kind, olderThanS, count }: OrderOf<ChoosingKind>, nowMs: number): ShownRow[] {
    const undelivered = this.chosenBy('undelivered');
    const isFit = (row: LogRow): boolean => {
      const { state } = this.getState(row);
      if (kind === 'change') return state === 'Failed';
      if (kind === 'vanish') return state !== 'Pending';
      return state === 'Completed' && !undelivered.has(row);
    };
    return this.rows(nowMs, undefined, nowMs - olderThanS * 1000)
      .filter(isFit)
      .slice(0, count)
      .map((row) => this.show(row));
  }

  private madeBy(held: Held, nowMs: number): LogRow[] {
    const { order, made, sinceMs } = held;
    if (order.kind !== 'burst' && order.kind !== 'rate') return [];
    const spacingMs = order.kind === 'burst' ? 0 : 1000 / order.perS;
    const count = order.kind === 'burst' ? order.count : order.perS > 0 ? MAX_EXTRA_ROWS : 0;
    const createdMs = (index: number) => Math.floor(sinceMs + (index + 1) * spacingMs);
    const lastMs = Math.min(nowMs, held.endMs);
    while (made.length < count && createdMs(made.length) <= lastMs) {
      made.push(this.makeRow(held, order, made.length, createdMs(made.length)));
    }
    // Only after the clock was set back are there rows that have not come yet.
    return made.filter((row) => row.createdMs <= lastMs);
  }

  private makeRow(
    { number }: Held,
    order: OrderOf<'burst' | 'rate'>,
    index: number,
    createdMs: number,
  ): LogRow {
    const k = number * MAX_EXTRA_ROWS + index;
    const networks = this.networksOf(order);
    const network = networks[index % networks.length] ?? 0;
    const end = this.mixer.fraction(END, k);
    return {
      ...{ source: this.mixer, k, createdMs, lead: k, contribution: k, gasLimit: undefined },
      network,
      // A provider of its own, so that its numbers meet no others.
      provider: number,
      // One of the four heavy senders of the network.
      sender: 10 + network * 4 + this.mixer.below(4, SENDER, k),
      sequence: 1 + Math.floor(index / networks.length),
      outcome: end < 0.97 ? 'Completed' : end < 0.99 ? 'CallbackErrored' : 'Failed',
      finishMs: createdMs + order.pendingS * 1000,
      secondMs: Number.POSITIVE_INFINITY,
    };
  }

  private describeRow(shown: ShownRow): unknown {
    const { row } = shown;
    const network = networkAt(row.network);
    return {
      network_id: network.networkId,
      provider: providerAddress(this.world.mixer, network, row.provider),
      sequence: row.sequence,
      request_tx_hash: `0x${requestHash(row)}`,
      created_at: isoTime(shownMs(shown)),
    };
  }

  /** The numbers of the networks that an order names, or of all of this keeper. */
  private networksOf(order: LogOrder): number[] {
    const own = NETWORKS.flatMap(({ keeper }, number) => (keeper === this.keeper ? [number] : []));
    const ids = 'networkIds' in order ? order.networkIds : undefined;
    return (
      ids?.map((id) => {
        const found = own.find((number) => networkAt(number).networkId === id);
        if (found === undefined) throw new Refusal(400, `"networkIds": ${id} is no network of this keeper`);
        return found;
      }) ?? own
    );
  }

  /** Whether a row came after an order was given; in the same millisecond the numbers of orders tell. */
  private isAfter(row: LogRow, { sinceMs, number }: Held): boolean {
    if (row.createdMs !== sinceMs) return row.createdMs > sinceMs;
    return row.source === this.mixer && row.k >= number * MAX_EXTRA_ROWS;
  }

  private all<K extends LogOrderKind>(kind: K): Held<OrderOf<K>>[] {
    return this.held.filter((one): one is Held<OrderOf<K>> => one.order.kind === kind);
  }

  private chosenBy(kind: 'vanish' | 'undelivered'): Set<LogRow> {
    return new Set(this.all(kind).flatMap(({ chosen }) => [...chosen]));
  }
}

type ChoosingKind = 'change' | 'vanish' | 'undelivered';

function isChoosing(order: LogOrder): order is OrderOf<ChoosingKind> {
  return order.kind === 'change' || order.kind === 'vanish' || order.kind === 'undelivered';
}
