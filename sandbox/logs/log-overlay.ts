import type { LogOrder, LogOrderKind, OrderOf } from './log-orders';
import type { LogQuery, Search } from './log-query';
import {
  isoTime,
  isRevealed,
  type LogRow,
  networkAt,
  OUTCOME,
  providerAddress,
  type RowSource,
  requestHash,
  STATE,
  type State,
} from './log-row';
import type { LogWorld, RowList } from './log-world';
import { type Keeper, NETWORKS } from './networks';
import { identify, KIND, Mixer } from './random';
import { type ShownRow, shownMs } from './row-writer';

const LATE = 90;
const SHUFFLE = 91;
const SENDER = 80;
const END = 81;

/** Rows that an order chose are named in its answer, this many at most. */
const NAMED_ROWS = 1000;
/** Rows of one order at most. Its number times this is the first of the numbers that its rows are drawn with. */
const MAX_EXTRA_ROWS = 2 ** 20;

/** Of these several hold side by side; of the others the last one holds. */
const GATHERING: readonly LogOrderKind[] = ['change', 'vanish', 'undelivered', 'burst', 'rate', 'clock'];

/** An order that holds. */
type Held<O extends LogOrder = LogOrder> = {
  order: O;
  /** Rises from order to order. */
  number: number;
  sinceMs: number;
  /** The rows that it chose. */
  chosen: Set<LogRow>;
  /** The rows that it made so far, oldest first. */
  made: LogRow[];
  /** No row is made after this time. */
  endMs: number;
};

/** One answer: the rows that are delivered, and how many there are by the service's count. */
export type LogPage = { rows: ShownRow[]; total: number };

/** What came of an order, or why it can't be carried out. */
type OrderResult = { ok: true; value: unknown } | { ok: false; problem: string };

/** The rows of one keeper as its log service gives them: those of the world, changed by orders. Times in unix ms. */
export class LogOverlay {
  private held: Held[] = [];
  private lastNumber = 0;
  private answers = 0;
  private readonly source: RowSource;
  private readonly mixer: Mixer;
  /** What the orders of these kinds come to. */
  private clocks: { sinceMs: number; offMs: number }[] = [];
  private changedMs: ReadonlyMap<LogRow, number> = new Map();

  constructor(
    private readonly world: LogWorld,
    private readonly keeper: Keeper,
    seed: number,
  ) {
    this.mixer = new Mixer(seed, 5);
    const { extraRequest: requestKind, extraReveal: revealKind } = KIND;
    this.source = { mixer: this.mixer, hashes: world.mixer, requestKind, revealKind };
  }

  /** Carries out an order at a time; the value says what it made. */
  start(order: LogOrder, nowMs: number): OrderResult {
    this.world.moveTo(nowMs);
    const chosen = isChoosing(order) ? this.choose(order, nowMs) : [];
    if (isChoosing(order) && chosen.length < order.count) {
      return { ok: false, problem: `there are only ${chosen.length} such rows` };
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
    return { ok: true, value: { kind: order.kind, at: isoTime(nowMs), rows, requests } };
  }

  /** All is as though the orders of a kind, or all, had never been given. */
  end(kind?: LogOrderKind): void {
    this.hold(kind === undefined ? [] : this.held.filter(({ order }) => order.kind !== kind));
  }

  active(): unknown[] {
    return this.held.map(({ order, sinceMs, chosen }) => {
      const { networks, ...said } = { networks: undefined, ...order };
      const networkIds = networks?.map((network) => NETWORKS[network]?.networkId);
      return { ...said, networkIds, since: isoTime(sinceMs), rows: chosen.size || undefined };
    });
  }

  /** How far the clock of the service is off. */
  clockOffMs(atMs: number): number {
    return this.clocks.findLast(({ sinceMs }) => sinceMs <= atMs)?.offMs ?? 0;
  }

  /** The networks that are not ready yet, and whether the configs say so. */
  starting(nowMs: number): { networks: readonly number[]; zero: boolean } | undefined {
    const starting = this.the('starting');
    if (!starting || nowMs >= starting.sinceMs + starting.order.minutes * 60_000) return undefined;
    return starting.order;
  }

  /** The answer to a question at a time. */
  page({ filter, search, offset, limit }: LogQuery, nowMs: number): LogPage {
    this.world.moveTo(nowMs);
    const { network, state, minMs, maxMs } = filter;
    const isPlain = network === undefined && state === undefined && search === undefined;
    if (isPlain && this.held.length === 0) {
      const list = this.world.list(this.keeper, minMs, maxMs);
      const count = Math.max(0, Math.min(limit, list.length - offset));
      const rows = Array.from({ length: count }, (_, index) => this.show(list.at(offset + index)));
      return { rows, total: list.length };
    }
    const isFound = this.foundBy(search);
    const found = this.rows(nowMs, minMs, maxMs).filter(
      (row) =>
        (network === undefined || row.network === network) &&
        (state === undefined || this.getState(row).state === state) &&
        isFound(row),
    );
    const every = this.the('repeat')?.order.every;
    const listed =
      every === undefined ? found : found.flatMap((row) => (row.k % every === 0 ? [row, row] : row));
    const unseen = this.chosenBy('undelivered');
    const rows = listed.slice(offset, offset + limit).filter((row) => !unseen.has(row));
    if (this.the('shuffle')) {
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
    if (this.held.length === 0) return toArray(this.world.list(this.keeper, minMs, maxMs));
    const extra = this.held.flatMap((held) => this.madeBy(held, nowMs)).reverse();
    const emptied = this.the('empty');
    const there = [...extra, ...toArray(this.world.list(this.keeper))].filter(
      (row) => !emptied || isAfter(row, emptied),
    );
    const vanished = this.chosenBy('vanish');
    const late = this.lateRows(there, nowMs);
    const writtenMs = ({ createdMs }: LogRow) => createdMs + this.clockOffMs(createdMs);
    return there
      .filter((row) => {
        const ms = writtenMs(row);
        return ms >= minMs && ms <= maxMs && !vanished.has(row) && !late.has(row);
      })
      .sort((a, b) => writtenMs(b) - writtenMs(a));
  }

  private getState(row: LogRow): { state: State; updatedMs: number } {
    const changedMs = this.changedMs.get(row);
    return changedMs === undefined
      ? this.world.getState(row)
      : { state: STATE.completed, updatedMs: changedMs };
  }

  /** A row as the orders have made it. */
  private show(row: LogRow): ShownRow {
    const { state, updatedMs } = this.getState(row);
    const createdOffMs = this.clockOffMs(row.createdMs);
    return { row, state, updatedMs, createdOffMs, updatedOffMs: this.clockOffMs(updatedMs) };
  }

  private foundBy(search: Search | undefined): (row: LogRow) => boolean {
    const { world } = this;
    switch (search?.kind) {
      case undefined:
        return () => true;
      case 'sequence':
        return ({ sequence }) => sequence === search.sequence;
      case 'sender': {
        const found = identify(world.mixer, search.address);
        return ({ sender }) => found?.kind === KIND.sender && found.id === sender;
      }
      case 'transaction': {
        const ordinary = identify(world.mixer, search.hash);
        const { scenario } = world;
        const ofScenario = scenario && identify(scenario.source.hashes, search.hash);
        return (row) => {
          const { hashes, requestKind, revealKind } = row.source;
          const found = hashes === world.mixer ? ordinary : ofScenario;
          if (found?.kind === requestKind) return found.id === row.lead;
          return found?.kind === revealKind && found.id === row.k && isRevealed(this.getState(row).state);
        };
      }
    }
  }

  /** The rows that are there (newest first) and not listed yet. */
  private lateRows(there: readonly LogRow[], nowMs: number): Set<LogRow> {
    const late = this.the('late');
    if (!late) return new Set();
    const { lateS, count, share } = late.order;
    const since = there.filter((row) => isAfter(row, late)).sort((a, b) => a.createdMs - b.createdMs);
    const chosen =
      share === undefined
        ? since.slice(0, count)
        : since.filter(({ k }) => this.mixer.fraction(LATE, k) < share);
    return new Set(chosen.filter(({ createdMs }) => createdMs > nowMs - lateS * 1000));
  }

  /** How wrong the total of the next answer is. */
  private racedBy(): number {
    const race = this.the('race');
    if (!race) return 0;
    this.answers += 1;
    const { by, share } = race.order;
    return Math.floor(this.answers * share) > Math.floor((this.answers - 1) * share) ? by : 0;
  }

  /** The newest rows that an order is about. */
  private choose(order: OrderOf<ChoosingKind>, nowMs: number): ShownRow[] {
    const undelivered = this.chosenBy('undelivered');
    const isFit = (row: LogRow): boolean => {
      const { state } = this.getState(row);
      if (order.kind === 'change') return state === STATE.failed;
      if (order.kind === 'vanish') return state !== STATE.pending;
      return state === STATE.completed && !undelivered.has(row);
    };
    const rows = this.rows(nowMs, undefined, nowMs - order.olderThanS * 1000);
    return rows
      .filter(isFit)
      .slice(0, order.count)
      .map((row) => this.show(row));
  }

  /** The rows that a burst or a rate has made until a time, oldest first. */
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
    const newest = made.at(-1);
    // Only after the clock was set back are there rows that have not come yet.
    return newest && newest.createdMs > lastMs ? made.filter((row) => row.createdMs <= lastMs) : made;
  }

  private makeRow(
    { number }: Held,
    { networks, pendingS }: OrderOf<'burst' | 'rate'>,
    index: number,
    createdMs: number,
  ): LogRow {
    const k = number * MAX_EXTRA_ROWS + index;
    const network = networks[index % networks.length] ?? 0;
    const end = this.mixer.fraction(END, k);
    return {
      ...{ source: this.source, k, createdMs, lead: k, contribution: k, gasLimit: undefined },
      network,
      // A provider of its own, so that its numbers meet no others.
      provider: number,
      // One of the four heavy senders of the network.
      sender: 10 + network * 4 + this.mixer.below(4, SENDER, k),
      sequence: 1 + Math.floor(index / networks.length),
      outcome: end < 0.97 ? OUTCOME.completed : end < 0.99 ? OUTCOME.callbackFailed : OUTCOME.failed,
      finishMs: createdMs + pendingS * 1000,
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

  /** The one that holds of a kind of which one holds. */
  private the<K extends LogOrderKind>(kind: K): Held<OrderOf<K>> | undefined {
    return this.all(kind)[0];
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

/** Whether a row came after an order was given; in the same millisecond the numbers of orders tell. */
function isAfter(row: LogRow, { sinceMs, number }: Held): boolean {
  if (row.createdMs !== sinceMs) return row.createdMs > sinceMs;
  return row.source.requestKind === KIND.extraRequest && row.k >= number * MAX_EXTRA_ROWS;
}

function toArray({ length, at }: RowList): LogRow[] {
  return Array.from({ length }, (_, place) => at(place));
}
