import type { Read } from '@/sandbox/control-input';
import { type ExtraRow, ExtraSeries, stateOf, wireRowOf } from './extra-rows';
import { identify, KIND } from './identity';
import type { RowView } from './log-index';
import type { LogOrder, LogOrderKind, OrderOf } from './log-orders';
import type { LogQuery, Search } from './log-query';
import type { LogWorld } from './log-world';
import { mergePage, type Put } from './merge-page';
import { Mixer } from './mix';
import { type Keeper, NETWORKS } from './networks';
import { STATE, type State } from './row-table';
import { providerAddress } from './row-writer';
import { shownMs, type WireRow } from './wire-row';

const LATE = 90;
const SHUFFLE = 91;

/** Rows that an order chose are named in its answer, this many at most. */
const NAMED_ROWS = 1000;
const PAGE = 1000;

/** Of these several hold side by side; of the others the last one holds. */
const GATHERING: readonly LogOrderKind[] = ['change', 'vanish', 'undelivered', 'burst', 'rate', 'clock'];

/** An order that holds. A row is known by its number in the world, or by the key of an extra row. */
type Held<O extends LogOrder = LogOrder> = {
  order: O;
  /** Rises from order to order. */
  number: number;
  sinceMs: number;
  /** The rows that it chose. */
  keys: Set<number>;
  series?: ExtraSeries;
};

type Entry = { key: number; row: WireRow };

/** Where a row stands in the list that is not the world's own. */
type Place = Put & { extra?: ExtraRow };

type Named = { network: number; sender: number; sequence: number };
type IsWanted = (row: Named, state: State, atMs: number, hasHash: (hash: string) => boolean) => boolean;

/** One answer: the rows that are delivered, and how many there are by the service's count. */
export type LogPage = { rows: WireRow[]; total: number };

/** The rows of one keeper as its log service gives them: those of the world, changed by orders. Times in unix ms. */
export class LogOverlay {
  private held: Held[] = [];
  private lastNumber = 0;
  private generation = -1;
  private answers = 0;
  /** What the orders of these kinds come to. */
  private clocks: { sinceMs: number; offMs: number }[] = [];
  private changedMs: ReadonlyMap<number, number> = new Map();
  private readonly mixer: Mixer;

  constructor(
    private readonly world: LogWorld,
    private readonly keeper: Keeper,
    seed: number,
  ) {
    this.mixer = new Mixer(seed, 5);
  }

  /** Carries out an order at a time; the value says what it made, the problem why it can't be done. */
  start(order: LogOrder, nowMs: number): Read<unknown> {
    this.moveTo(nowMs);
    const chosen = isChoosing(order) ? this.choose(order, nowMs) : [];
    if (isChoosing(order) && chosen.length < order.count) {
      return { ok: false, problem: `there are only ${chosen.length} such rows` };
    }
    this.lastNumber = Math.max(this.lastNumber + 1, Math.floor(nowMs / 1000));
    const held: Held = {
      ...{ order, number: this.lastNumber, sinceMs: nowMs },
      keys: new Set(chosen.map(({ key }) => key)),
      series: this.seriesOf(order, this.lastNumber, nowMs),
    };
    if (order.kind === 'rate') for (const { series } of this.all('rate')) series?.stop(nowMs);
    if (!GATHERING.includes(order.kind)) this.end(order.kind);
    this.hold([...this.held, held]);
    const rows = order.kind === 'burst' ? order.count : chosen.length;
    const requests = chosen.slice(0, NAMED_ROWS).map(({ row }) => this.nameOf(row));
    return { ok: true, value: { kind: order.kind, at: isoOf(nowMs), rows, requests } };
  }

  /** All is as though the orders of a kind, or all, had never been given. */
  end(kind?: LogOrderKind): void {
    this.hold(kind === undefined ? [] : this.held.filter(({ order }) => order.kind !== kind));
  }

  private hold(held: Held[]): void {
    this.held = held;
    this.clocks = this.all('clock').map(({ order, sinceMs }) => ({ sinceMs, offMs: order.offS * 1000 }));
    this.changedMs = new Map(
      this.all('change').flatMap(({ keys, sinceMs }) => [...keys].map((key) => [key, sinceMs] as const)),
    );
  }

  active(): unknown[] {
    return this.held.map(({ order, sinceMs, keys }) => {
      const { networks, ...said } = { networks: undefined, ...order };
      const networkIds = networks?.map((network) => NETWORKS[network]?.networkId);
      return { ...said, networkIds, since: isoOf(sinceMs), rows: keys.size || undefined };
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
  page(query: LogQuery, nowMs: number): LogPage {
    this.moveTo(nowMs);
    const { entries, total } = this.find(query, nowMs);
    const unseen = this.keysOf('undelivered');
    const rows = entries.filter(({ key }) => !unseen.has(key)).map(({ row }) => row);
    if (this.the('shuffle')) {
      rows.sort((a, b) => this.mixer.word(SHUFFLE, a.k) - this.mixer.word(SHUFFLE, b.k));
    }
    return { rows, total: Math.max(0, total + this.racedBy()) };
  }

  private moveTo(nowMs: number): void {
    this.world.moveTo(nowMs);
    if (this.generation === this.world.generation) return;
    this.generation = this.world.generation;
    // The numbers of the world's rows mean other rows now.
    for (const { keys } of this.held) for (const key of keys) if (key >= 0) keys.delete(key);
    this.hold(this.held);
  }

  /** What is counted, and of that a page. */
  private find(query: LogQuery, nowMs: number): { entries: Entry[]; total: number } {
    const view = this.worldView(query);
    const hidden = new Set([...this.keysOf('vanish'), ...this.lateKeys(nowMs)]);
    const altered = [...this.changedMs.keys(), ...this.misdatedRows()];
    const touched = [...new Set([...hidden, ...altered])].filter((key) => key >= 0);
    const gone = touched.filter((row) => view.has(row)).sort((a, b) => b - a);
    const put = this.extraPlaces(query, nowMs, hidden);
    put.push(...this.altered(touched, hidden, query));
    put.sort((a, b) => b.shownMs - a.shownMs || a.key - b.key);
    const every = this.the('repeat')?.order.every;
    const listed = mergePage(
      view,
      gone,
      put,
      query,
      (row) => this.world.table.createdAt(row),
      every === undefined ? undefined : (key) => key % every === 0,
    );
    return {
      entries: listed.map((one) => {
        if (typeof one === 'number') return this.entryOf(one);
        return one.extra ? this.entryOfExtra(one.extra, nowMs) : this.entryOf(one.key);
      }),
      total: view.length - gone.length + put.length,
    };
  }

  /** The rows of the world that match, but for those of an emptied store. */
  private worldView({ filter, search }: LogQuery): RowView {
    const { index } = this.world;
    const minMs = Math.max(filter.minMs ?? Number.NEGATIVE_INFINITY, this.emptiedMs() + 1);
    const own = { ...filter, minMs: Number.isFinite(minMs) ? minMs : undefined };
    return search ? index.viewOf(this.candidates(search), own) : index.view(own);
  }

  private candidates(search: Search): Iterable<number> {
    const { world } = this;
    switch (search.kind) {
      case 'transaction':
        return world.rowsOfTransaction(search.hash);
      case 'sender':
        return world.rowsOfSender(search.address);
      case 'sequence':
        return world.index.ofSequence(search.sequence);
    }
  }

  /** Those of some rows of the world that are there and match, as the orders have made them. */
  private altered(rows: number[], hidden: ReadonlySet<number>, query: LogQuery): Place[] {
    const isWanted = this.wantedBy(query);
    const places: Place[] = [];
    for (const key of rows) {
      if (hidden.has(key) || this.world.table.createdAt(key) <= this.emptiedMs()) continue;
      const { row } = this.entryOf(key);
      const place = { key, shownMs: shownMs(row) };
      if (isWanted(row, row.state, place.shownMs, (hash) => hasHash(row, hash))) places.push(place);
    }
    return places;
  }

  /** The extra rows that are there and match. There may be very many of them. */
  private extraPlaces(query: LogQuery, nowMs: number, hidden: ReadonlySet<number>): Place[] {
    const isWanted = this.wantedBy(query);
    const hash = query.search?.kind === 'transaction' ? query.search.hash : undefined;
    const found = hash === undefined ? undefined : identify(this.world.mixer, hash);
    const places: Place[] = [];
    for (const extra of this.extraRows(nowMs).reverse()) {
      const { key, k, createdMs } = extra;
      if (hidden.has(key)) continue;
      const state = this.changedMs.has(key) ? STATE.completed : stateOf(extra, nowMs);
      const place = { key, shownMs: createdMs + this.clockOffMs(createdMs), extra };
      const kind = found?.id === k ? found.kind : undefined;
      const isOfHash = kind === KIND.extraRequest || (kind === KIND.extraReveal && isRevealed(state));
      if (isWanted(extra, state, place.shownMs, () => isOfHash)) places.push(place);
    }
    return places;
  }

  /** Whether a row is one that a query asks for. */
  private wantedBy({ filter, search }: LogQuery): IsWanted {
    const { network, state, minMs = Number.NEGATIVE_INFINITY, maxMs = Number.POSITIVE_INFINITY } = filter;
    const isFound = this.foundBy(search);
    return (row, rowState, atMs, hasHash) =>
      atMs >= minMs &&
      atMs <= maxMs &&
      (network === undefined || row.network === network) &&
      (state === undefined || rowState === state) &&
      isFound(row, hasHash);
  }

  private foundBy(search: Search | undefined): (row: Named, hasHash: (hash: string) => boolean) => boolean {
    switch (search?.kind) {
      case undefined:
        return () => true;
      case 'transaction':
        return (_row, hasHash) => hasHash(search.hash);
      case 'sender': {
        const found = identify(this.world.mixer, search.address);
        return ({ sender }) => found?.kind === KIND.sender && found.id === sender;
      }
      case 'sequence':
        return ({ sequence }) => sequence === search.sequence;
    }
  }

  /** The extra rows of the store, series by series, each oldest first. */
  private extraRows(nowMs: number): ExtraRow[] {
    const all = ([] as ExtraRow[]).concat(...this.held.map(({ series }) => series?.until(nowMs) ?? []));
    const emptied = this.the('empty');
    return emptied ? all.filter((row) => isAfter(row, emptied)) : all;
  }

  private entryOf(row: number): Entry {
    return this.dress(row, this.world.wireRow(row));
  }

  private entryOfExtra(extra: ExtraRow, nowMs: number): Entry {
    return this.dress(extra.key, wireRowOf(extra, nowMs, this.mixer, this.world.mixer));
  }

  /** A row as the orders have made it. */
  private dress(key: number, row: WireRow): Entry {
    const updatedMs = this.changedMs.get(key);
    const own = updatedMs === undefined ? row : { ...row, state: STATE.completed, updatedMs };
    if (this.clocks.length > 0) {
      own.clockOff = {
        createdMs: this.clockOffMs(row.createdMs),
        updatedMs: this.clockOffMs(own.updatedMs),
      };
    }
    return { key, row: own };
  }

  /** The rows that are there and not listed yet. */
  private lateKeys(nowMs: number): Set<number> {
    const late = this.the('late');
    if (!late) return new Set();
    const { lateS, count, share } = late.order;
    const dueMs = nowMs - lateS * 1000;
    const fromMs = count === undefined ? Math.max(late.sinceMs, dueMs) : late.sinceMs;
    const { index, table } = this.world;
    const view = index.view({ keeper: this.keeper, minMs: fromMs + 1 });
    const born = this.extraRows(nowMs)
      .filter((row) => row.createdMs >= fromMs && isAfter(row, late))
      .map(({ key, createdMs }) => ({ key, createdMs }));
    for (let place = 0; place < view.length; place++) {
      born.push({ key: view.at(place), createdMs: table.createdAt(view.at(place)) });
    }
    born.sort((a, b) => a.createdMs - b.createdMs);
    const chosen =
      share === undefined
        ? born.slice(0, count)
        : born.filter(({ key }) => this.mixer.fraction(LATE, key) < share);
    return new Set(chosen.filter(({ createdMs }) => createdMs > dueMs).map(({ key }) => key));
  }

  /** The rows of the world whose time of creation the service has wrong. */
  private misdatedRows(): number[] {
    const rows: number[] = [];
    const first = this.clocks[0];
    if (!first) return rows;
    const { index, table } = this.world;
    const view = index.view({ keeper: this.keeper, minMs: first.sinceMs });
    for (let place = 0; place < view.length; place++) {
      const row = view.at(place);
      if (this.clockOffMs(table.createdAt(row)) !== 0) rows.push(row);
    }
    return rows;
  }

  /** Rows of the world created until then are gone. */
  private emptiedMs(): number {
    return this.the('empty')?.sinceMs ?? Number.NEGATIVE_INFINITY;
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
  private choose(order: LogOrder, nowMs: number): Entry[] {
    if (!isChoosing(order)) return [];
    const isFit = ({ key, row }: Entry): boolean => {
      if (order.kind === 'change') return row.state === STATE.failed;
      if (order.kind === 'vanish') return row.state !== STATE.pending;
      return row.state === STATE.completed && !this.keysOf('undelivered').has(key);
    };
    const filter = { keeper: this.keeper, maxMs: nowMs - order.olderThanS * 1000 };
    const chosen = new Map<number, Entry>();
    for (let offset = 0; chosen.size < order.count; offset += PAGE) {
      const { entries } = this.find({ filter, offset, limit: PAGE }, nowMs);
      for (const entry of entries.filter(isFit)) chosen.set(entry.key, entry);
      if (entries.length < PAGE) break;
    }
    return [...chosen.values()].slice(0, order.count);
  }

  private seriesOf(order: LogOrder, number: number, sinceMs: number): ExtraSeries | undefined {
    if (order.kind !== 'burst' && order.kind !== 'rate') return undefined;
    const { networks, pendingS } = order;
    const plan = { number, sinceMs, networks, pendingMs: pendingS * 1000 };
    if (order.kind === 'burst') {
      return new ExtraSeries({ ...plan, spacingMs: 0, count: order.count }, this.mixer);
    }
    const count = order.perS > 0 ? Number.POSITIVE_INFINITY : 0;
    return new ExtraSeries({ ...plan, spacingMs: 1000 / order.perS, count }, this.mixer);
  }

  private nameOf(row: WireRow): unknown {
    const network = NETWORKS[row.network];
    if (!network) throw new Error(`there is no network ${row.network}`);
    return {
      network_id: network.networkId,
      provider: `0x${providerAddress(this.world.mixer, network, row.provider)}`,
      sequence: row.sequence,
      request_tx_hash: `0x${row.requestHash()}`,
      created_at: isoOf(shownMs(row)),
    };
  }

  /** The one that holds of a kind of which one holds. */
  private the<K extends LogOrderKind>(kind: K): Held<OrderOf<K>> | undefined {
    return this.all(kind)[0];
  }

  private all<K extends LogOrderKind>(kind: K): Held<OrderOf<K>>[] {
    return this.held.filter((one): one is Held<OrderOf<K>> => one.order.kind === kind);
  }

  private keysOf(kind: 'vanish' | 'undelivered'): Set<number> {
    return new Set(this.all(kind).flatMap(({ keys }) => [...keys]));
  }
}

function isChoosing(order: LogOrder): order is OrderOf<'change' | 'vanish' | 'undelivered'> {
  return order.kind === 'change' || order.kind === 'vanish' || order.kind === 'undelivered';
}

/** Whether an extra row came after an order was given; in the same millisecond the numbers tell. */
function isAfter(row: ExtraRow, { sinceMs, number }: Held): boolean {
  return row.createdMs > sinceMs || (row.createdMs === sinceMs && row.series > number);
}

function hasHash(row: WireRow, hash: string): boolean {
  return row.requestHash() === hash || (isRevealed(row.state) && row.revealHash() === hash);
}

function isRevealed(state: State): boolean {
  return state === STATE.completed || state === STATE.callbackFailed;
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
