import { EventQueue } from './event-queue';
import { FactSource, OUTCOME } from './facts';
import { hashOf, identify, KIND } from './identity';
import { LogIndex } from './log-index';
import { Mixer } from './mix';
import { LANES } from './networks';
import { RowTable, STATE, type State } from './row-table';
import { BLOCK, historySeries, LIVE_SERIES, Schedule } from './schedule';

/**
 * With more live rows than this (a week of them) the world is built anew, as though the sandbox had been
 * started now: the past then has its ordinary density again, and memory stays bounded.
 */
const MAX_LIVE_ROWS = 300_000;
/** About how many of the rows at the start never finish. */
const STUCK_ROWS = 25;
const LIVE_STUCK_EVERY = 4000;
/** Every so many requests of a lane one has no callback, so that its number is missing in the log. */
const GAP_EVERY = 97;
const TWIN = 40;

/** What identifies a row for good: its series and its number in it. */
export type RowIdentity = { live: boolean; k: number };

type SeriesState = { schedule: Schedule; facts: FactSource; own: Mixer };
type LastInLane = { block: number; k: number; sender: number; sequence: number; isStuck: boolean };

/** All that the log services know at one time: the rows of both keepers, their states, their indexes. */
export class LogWorld {
  readonly mixer: Mixer;
  private readonly history: SeriesState;
  private readonly live: SeriesState;
  private anchorMs = 0;
  private atMs = 0;
  private firstHistoryK = 0;
  private historyRows = 0;
  private firstLiveK = 0;
  private nextLiveK = 0;
  private nextLiveMs = 0;
  private rowTable = new RowTable(0);
  private logIndex = new LogIndex(this.rowTable);
  private events = new EventQueue();
  /** Per lane how many requests there were before, counted from 1970. */
  private laneCounts: number[] = [];
  private lastInLane: (LastInLane | undefined)[] = [];
  /** Rows that repeat a stuck request after a reorganisation, with the `k` of that request. */
  private readonly twins = new Map<number, number>();
  /** Counts the times that the world was built: row numbers hold within one. */
  private built = 0;

  /** `records`: rows of the past, over 14 days before `startMs` (unix milliseconds). */
  constructor(
    seed: number,
    private readonly records: number,
    startMs: number,
  ) {
    this.mixer = new Mixer(seed);
    const series = historySeries(records);
    const stuckEvery = Math.max(40, Math.round(records / STUCK_ROWS));
    this.history = this.seriesState(new Schedule(new Mixer(seed, 1), series), new Mixer(seed, 2), stuckEvery);
    this.live = this.seriesState(
      new Schedule(new Mixer(seed, 3), LIVE_SERIES),
      new Mixer(seed, 4),
      LIVE_STUCK_EVERY,
    );
    this.build(startMs);
  }

  get table(): RowTable {
    return this.rowTable;
  }

  get index(): LogIndex {
    return this.logIndex;
  }

  get generation(): number {
    return this.built;
  }

  /**
   * Brings the world to a time: new rows arrive, pending ones finish. Backwards it is built again; from a
   * time before the start, and after a very long way, as though it had been started at that time.
   */
  moveTo(ms: number): void {
    if (ms < this.atMs) this.build(Math.min(ms, this.anchorMs));
    if ((ms - this.anchorMs) / LIVE_SERIES.slotMs > MAX_LIVE_ROWS) this.build(ms);
    this.atMs = ms;
    this.addLiveRows();
    this.carryOutEvents();
  }

  /** Builds the world as though the sandbox had been started at a time. */
  restart(ms: number): void {
    this.build(ms);
  }

  identityOf(row: number): RowIdentity {
    return row < this.historyRows
      ? { live: false, k: this.firstHistoryK + row }
      : { live: true, k: this.firstLiveK + row - this.historyRows };
  }

  mixerOf({ live }: RowIdentity): Mixer {
    return live ? this.live.own : this.history.own;
  }

  /** 64 hex digits of the request transaction; the rows of one batch share it. */
  requestHash({ live, k }: RowIdentity): string {
    const lead = (live ? this.live : this.history).schedule.transactionOf(k);
    return hashOf(this.mixer, live ? KIND.liveRequest : KIND.historyRequest, lead);
  }

  revealHash({ live, k }: RowIdentity): string {
    return hashOf(this.mixer, live ? KIND.liveReveal : KIND.historyReveal, k);
  }

  /** The request whose random number this row gave as well: another one only for a reorganisation twin. */
  contributionOf(row: number): number {
    return this.twins.get(row) ?? this.identityOf(row).k;
  }

  /** When a failed request was revealed after all. */
  secondFinishMs(row: number): number {
    const { live, k } = this.identityOf(row);
    return (live ? this.live : this.history).facts.secondFinishMs(k, this.rowTable.finishAt(row));
  }

  /** The rows with a transaction hash, that of the request or of the reveal; 64 lower-case hex digits. */
  rowsOfTransaction(hash: string): number[] {
    const found = identify(this.mixer, hash);
    switch (found?.kind) {
      case KIND.historyRequest:
        return this.rowsOfBatch(false, found.id);
      case KIND.liveRequest:
        return this.rowsOfBatch(true, found.id);
      case KIND.historyReveal:
        return this.revealedRow(false, found.id);
      case KIND.liveReveal:
        return this.revealedRow(true, found.id);
      default:
        return [];
    }
  }

  /** The rows of a sender's address, 40 lower-case hex digits. */
  rowsOfSender(address: string): Iterable<number> {
    const found = identify(this.mixer, address);
    return found?.kind === KIND.sender ? this.logIndex.ofSender(found.id) : [];
  }

  private seriesState(schedule: Schedule, own: Mixer, stuckEvery: number): SeriesState {
    return { schedule, own, facts: new FactSource(this.mixer, own, schedule, stuckEvery) };
  }

  private rowOf(live: boolean, k: number): number | undefined {
    const row = live ? this.historyRows + k - this.firstLiveK : k - this.firstHistoryK;
    const [low, high] = live ? [this.historyRows, this.rowTable.length] : [0, this.historyRows];
    return row >= low && row < high ? row : undefined;
  }

  private rowsOfBatch(live: boolean, lead: number): number[] {
    const { schedule } = live ? this.live : this.history;
    const rows: number[] = [];
    for (let k = lead; schedule.transactionOf(k) === lead; k++) {
      const row = this.rowOf(live, k);
      if (row !== undefined) rows.push(row);
    }
    return rows;
  }

  private revealedRow(live: boolean, k: number): number[] {
    const row = this.rowOf(live, k);
    if (row === undefined) return [];
    const state = this.rowTable.state(row);
    return state === STATE.completed || state === STATE.callbackFailed ? [row] : [];
  }

  private build(anchorMs: number): void {
    const { schedule } = this.history;
    const last = schedule.lastUntil(anchorMs);
    const first = last - this.records + 1;
    this.built += 1;
    this.anchorMs = anchorMs;
    this.atMs = anchorMs;
    this.firstHistoryK = first;
    this.historyRows = 0;
    this.rowTable = new RowTable(this.records + 4096);
    this.logIndex = new LogIndex(this.rowTable);
    this.events = new EventQueue();
    this.lastInLane = [];
    this.twins.clear();
    const block = Math.floor(Math.min(first, last) / BLOCK);
    this.laneCounts = LANES.map(({ quota }) => block * quota);
    // Whole blocks: what stands before the first row only counts.
    for (let k = block * BLOCK; k <= last; k++) this.take(this.history, k, k >= first);
    this.historyRows = this.rowTable.length;
    this.lastInLane = [];
    this.firstLiveK = this.live.schedule.lastUntil(anchorMs) + 1;
    this.nextLiveK = this.firstLiveK;
    this.nextLiveMs = this.live.schedule.createdMs(this.nextLiveK);
    this.carryOutEvents();
  }

  private addLiveRows(): void {
    while (this.nextLiveMs <= this.atMs) {
      this.take(this.live, this.nextLiveK, true);
      this.nextLiveK += 1;
      this.nextLiveMs = this.live.schedule.createdMs(this.nextLiveK);
    }
  }

  /** Counts the next request of a series and, where `isKept`, adds its row. */
  private take(series: SeriesState, k: number, isKept: boolean): void {
    const facts = series.facts.of(k);
    const { lane } = facts;
    const block = Math.floor(k / BLOCK);
    const before = this.lastInLane[lane];
    const isTwin =
      before?.isStuck === true && before.block === block && series.own.fraction(TWIN, before.k) < 0.4;
    const count = this.laneCounts[lane] ?? 0;
    this.laneCounts[lane] = count + 1;
    const sequence = isTwin ? before.sequence : 1 + count + Math.floor((count + 7 * lane) / GAP_EVERY);
    const sender = isTwin ? before.sender : facts.sender;
    const isStuck = facts.outcome === OUTCOME.never;
    this.lastInLane[lane] = { block, k, sender, sequence, isStuck };
    if (!isKept) return;
    const row = this.rowTable.append({ ...facts, sender, sequence });
    if (isTwin) this.twins.set(row, before.k);
    this.settle(row, facts.finishMs);
  }

  /** Enters a new row into the indexes in the state that it has by now, and what is still to come. */
  private settle(row: number, finishMs: number): void {
    const state = firstStateOf(this.rowTable.outcome(row));
    if (finishMs > this.atMs) {
      if (Number.isFinite(finishMs)) this.events.push({ ms: finishMs, row, state });
    } else {
      this.rowTable.setState(row, state);
      this.expectSecondFinish(row);
    }
    this.logIndex.add(row);
  }

  private carryOutEvents(): void {
    for (let event = this.events.popUntil(this.atMs); event; event = this.events.popUntil(this.atMs)) {
      const isFirst = this.rowTable.state(event.row) === STATE.pending;
      this.logIndex.change(event.row, event.state as State);
      if (isFirst) this.expectSecondFinish(event.row);
    }
  }

  private expectSecondFinish(row: number): void {
    if (this.rowTable.outcome(row) !== OUTCOME.failedThenCompleted) return;
    this.events.push({ ms: this.secondFinishMs(row), row, state: STATE.completed });
  }
}

function firstStateOf(outcome: number): State {
  if (outcome === OUTCOME.completed) return STATE.completed;
  return outcome === OUTCOME.callbackFailed ? STATE.callbackFailed : STATE.failed;
}
