import type { Scenario } from '@/sandbox/scenarios/catalogue';
import { type Part, Tale } from '@/sandbox/scenarios/tale';
import { EventQueue } from './event-queue';
import { FactSource, OUTCOME } from './facts';
import { LogIndex } from './log-index';
import { Mixer } from './mix';
import { NamedRows, type SeriesState } from './named-rows';
import { LANES } from './networks';
import { RowTable, STATE, type State } from './row-table';
import { BLOCK, historySeries, LIVE_SERIES, Schedule } from './schedule';
import { SetAside } from './set-aside';

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

type LastInLane = { block: number; k: number; sender: number; sequence: number; isStuck: boolean };

/** All that the log services know at one time: the rows of both keepers, their states, their indexes. */
export class LogWorld extends NamedRows {
  protected readonly history: SeriesState;
  protected readonly live: SeriesState;
  private anchorMs = 0;
  private atMs = 0;
  private nextLiveK = 0;
  private nextLiveMs = 0;
  private events = new EventQueue();
  /** Per lane how many requests there were before, counted from 1970. */
  private laneCounts: number[] = [];
  private lastInLane: (LastInLane | undefined)[] = [];
  /** Counts the times that the world was built or cut: row numbers hold within one. */
  private built = 0;
  private planned: Scenario | undefined;

  /** `records`: rows of the past, over 14 days before `startMs` (unix milliseconds). */
  constructor(
    seed: number,
    private readonly records: number,
    startMs: number,
  ) {
    super(new Mixer(seed));
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

  get generation(): number {
    return this.built;
  }

  /** The scenario that was set last; it is there from the time on at which it was set. */
  get scenario(): Scenario | undefined {
    return this.planned;
  }

  /** The rows of the plots of the scenario. */
  get parts(): readonly Part[] {
    return this.told?.tale.parts ?? [];
  }

  /**
   * Brings the world to a time: new rows arrive, pending ones finish. Backwards it is built again; from a
   * time before the start, and after a very long way, as though it had been started at that time. A
   * scenario ends on such a way, and is not there before the time at which it was set.
   */
  moveTo(ms: number): void {
    if (ms < this.atMs) this.build(Math.min(ms, this.anchorMs));
    const startMs = Math.max(this.anchorMs, this.planned?.sinceMs ?? 0);
    if ((ms - startMs) / LIVE_SERIES.slotMs > MAX_LIVE_ROWS) this.restart(ms);
    if (this.planned && !this.told && ms >= this.planned.sinceMs) {
      this.advance(this.planned.sinceMs);
      this.tell(this.planned);
    }
    this.advance(ms);
  }

  /** Builds the world as though the sandbox had been started at a time, without a scenario. */
  restart(ms: number): void {
    this.planned = undefined;
    this.build(ms);
  }

  /** Sets a scenario in the place of the one before, or none, at the time `ms`. */
  setScenario(scenario: Scenario | undefined, ms: number): void {
    this.planned = undefined;
    this.untell();
    this.moveTo(ms);
    this.planned = scenario;
    this.moveTo(ms);
  }

  private seriesState(schedule: Schedule, own: Mixer, stuckEvery: number): SeriesState {
    return { schedule, own, facts: new FactSource(this.mixer, own, schedule, stuckEvery) };
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
    this.told = undefined;
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

  /** Begins a scenario: its rows take the place of those from its first time on. */
  private tell(scenario: Scenario): void {
    const firstRow = this.logIndex.firstFrom(scenario.fromMs);
    const aside = new SetAside(this.rowTable, this.logIndex, firstRow);
    this.events.cut(firstRow);
    const tale = new Tale(scenario, firstRow, (lane) => {
      const last = this.logIndex.lastOfLane(lane);
      return last === undefined
        ? sequenceAt(lane, this.laneCounts[lane] ?? 0)
        : this.rowTable.sequence(last) + 1;
    });
    this.told = { tale, aside };
    this.built += 1;
  }

  /** Ends the scenario: everything is as though it had never been. */
  private untell(): void {
    const { told } = this;
    if (!told) return;
    this.told = undefined;
    this.built += 1;
    this.events.cut(told.tale.firstRow);
    for (const row of told.aside.putBack()) this.settle(row, this.rowTable.finishAt(row));
  }

  private advance(ms: number): void {
    this.atMs = ms;
    if (this.told) {
      for (const row of this.told.tale.rowsUntil(ms)) this.settle(this.rowTable.append(row), row.finishMs);
    } else {
      this.addLiveRows();
    }
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
    // The same sequence in the same transaction would be the same request.
    const isTwin =
      before?.isStuck === true &&
      before.block === block &&
      series.schedule.transactionOf(k) !== series.schedule.transactionOf(before.k) &&
      series.own.fraction(TWIN, before.k) < 0.4;
    const count = this.laneCounts[lane] ?? 0;
    this.laneCounts[lane] = count + 1;
    const sequence = isTwin ? before.sequence : sequenceAt(lane, count);
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

/** The sequence number of a request before which its lane had `count`. */
function sequenceAt(lane: number, count: number): number {
  return 1 + count + Math.floor((count + 7 * lane) / GAP_EVERY);
}
