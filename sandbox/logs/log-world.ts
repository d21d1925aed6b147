import { type Scenario, ScenarioRows } from '@/sandbox/scenarios/scenario-rows';
import {
  firstPlace,
  type LogRow,
  networkAt,
  OUTCOME,
  type RowSource,
  type RowState,
  rowState,
  STATE,
} from './log-row';
import { type Keeper, LANES, laneAt } from './networks';
import { KIND, Mixer } from './random';
import { BLOCK, FactSource, historySeries, LIVE_SERIES, Schedule } from './schedule';

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
/** How long a request that was stuck before a scenario has taken while it counts as completed. */
const SETTLED_MS = 5000;

type Series = { source: RowSource; schedule: Schedule; facts: FactSource };
type LastInLane = { block: number; row: LogRow };

/** Rows of a keeper, newest first. */
export type RowList = { length: number; at: (place: number) => LogRow };

/** All that the log services know at one time: the rows of both keepers. Times in unix milliseconds. */
export class LogWorld {
  /** What addresses and the hashes of ordinary rows are drawn from. */
  readonly mixer: Mixer;
  private readonly history: Series;
  private readonly live: Series;
  /** Oldest first. */
  private rows: Record<Keeper, LogRow[]> = { main: [], test: [] };
  private anchorMs = 0;
  private atMs = 0;
  private nextLiveK = 0;
  /** Per lane how many requests there were before, counted from 1970. */
  private laneCounts: number[] = [];
  private lastInLane: (LastInLane | undefined)[] = [];
  private planned: ScenarioRows | undefined;

  /** `records`: rows of the past, over 14 days before `startMs`. */
  constructor(
    seed: number,
    private readonly records: number,
    startMs: number,
  ) {
    this.mixer = new Mixer(seed);
    const stuckEvery = Math.max(40, Math.round(records / STUCK_ROWS));
    const series = (stream: number, shape: typeof LIVE_SERIES, every: number, live: boolean): Series => {
      const schedule = new Schedule(new Mixer(seed, stream), shape);
      const mixer = new Mixer(seed, stream + 1);
      const requestKind = live ? KIND.liveRequest : KIND.historyRequest;
      const revealKind = live ? KIND.liveReveal : KIND.historyReveal;
      const source = { mixer, hashes: this.mixer, requestKind, revealKind };
      return { source, schedule, facts: new FactSource(this.mixer, mixer, schedule, every) };
    };
    this.history = series(1, historySeries(records), stuckEvery, false);
    this.live = series(3, LIVE_SERIES, LIVE_STUCK_EVERY, true);
    this.build(startMs);
  }

  /** The scenario that was set last, once its time has come. */
  get scenario(): ScenarioRows | undefined {
    return this.planned && this.atMs >= this.planned.scenario.sinceMs ? this.planned : undefined;
  }

  /**
   * Brings the world to a time: new rows arrive. From a time before the start, and after a very long way, it is
   * as though it had been started at that time. A scenario ends on a very long way, and is not there before
   * the time at which it was set.
   */
  moveTo(ms: number): void {
    if (ms < this.anchorMs) this.build(ms);
    const startMs = Math.max(this.anchorMs, this.planned?.scenario.sinceMs ?? 0);
    if ((ms - startMs) / LIVE_SERIES.slotMs > MAX_LIVE_ROWS) this.restart(ms);
    this.atMs = ms;
    this.addLiveRows();
    this.scenario?.moveTo(ms);
  }

  /** Builds the world as though the sandbox had been started at a time, without a scenario. */
  restart(ms: number): void {
    this.planned = undefined;
    this.build(ms);
  }

  /** Sets a scenario in the place of the one before. */
  setScenario(scenario: Scenario): void {
    this.planned = undefined;
    this.moveTo(scenario.sinceMs);
    this.planned = new ScenarioRows(scenario, (lane) => this.nextSequence(lane, scenario.fromMs));
    this.moveTo(scenario.sinceMs);
  }

  /** The rows of a keeper created at the times given, both included. Holds until the world is moved. */
  list(keeper: Keeper, minMs = Number.NEGATIVE_INFINITY, maxMs = Number.POSITIVE_INFINITY): RowList {
    const { scenario, atMs } = this;
    const last = Math.min(maxMs, atMs);
    // The rows of a scenario take the place of all others from its first time on.
    const before = scenario ? Math.min(last, scenario.scenario.fromMs - 1) : last;
    const older = between(this.rows[keeper], minMs, before);
    if (!scenario) return { length: older.length, at: older.at };
    const newer = between(scenario.rows[keeper], minMs, last);
    return {
      length: newer.length + older.length,
      at: (place) => (place < newer.length ? newer.at(place) : older.at(place - newer.length)),
    };
  }

  /** What has become of a row by now; rows that were stuck before a scenario count as completed in it. */
  getState(row: LogRow): RowState {
    const { scenario } = this;
    const isOlder = scenario && row.source !== scenario.source && row.createdMs < scenario.scenario.fromMs;
    return isOlder && row.finishMs > scenario.scenario.sinceMs
      ? { state: STATE.completed, updatedMs: row.createdMs + SETTLED_MS }
      : rowState(row, this.atMs);
  }

  private build(anchorMs: number): void {
    const { schedule } = this.history;
    const last = schedule.lastUntil(anchorMs);
    const first = last - this.records + 1;
    this.anchorMs = anchorMs;
    this.atMs = anchorMs;
    this.rows = { main: [], test: [] };
    this.lastInLane = [];
    const block = Math.floor(Math.min(first, last) / BLOCK);
    this.laneCounts = LANES.map(({ quota }) => block * quota);
    // Whole blocks: what stands before the first row only counts.
    for (let k = block * BLOCK; k <= last; k++) this.take(this.history, k, k >= first);
    this.lastInLane = [];
    this.nextLiveK = this.live.schedule.lastUntil(anchorMs) + 1;
  }

  private addLiveRows(): void {
    while (this.live.schedule.createdMs(this.nextLiveK) <= this.atMs) {
      this.take(this.live, this.nextLiveK, true);
      this.nextLiveK += 1;
    }
  }

  /** Counts the next request of a series and, where `isKept`, adds its row. */
  private take({ source, schedule, facts }: Series, k: number, isKept: boolean): void {
    const row = facts.row(source, k);
    const lane = schedule.getLane(k);
    const block = Math.floor(k / BLOCK);
    const before = this.lastInLane[lane];
    const count = this.laneCounts[lane] ?? 0;
    this.laneCounts[lane] = count + 1;
    row.sequence = sequenceAt(lane, count);
    // The same sequence in the same transaction would be the same request.
    const isTwin =
      before?.row.outcome === OUTCOME.never &&
      before.block === block &&
      row.lead !== before.row.lead &&
      source.mixer.fraction(TWIN, before.row.k) < 0.4;
    if (isTwin) {
      row.sequence = before.row.sequence;
      row.sender = before.row.sender;
      row.contribution = before.row.k;
    }
    this.lastInLane[lane] = { block, row };
    if (isKept) this.rows[networkAt(row.network).keeper].push(row);
  }

  /** The number of the next request of a lane at a time. */
  private nextSequence(lane: number, ms: number): number {
    const { network, provider } = laneAt(lane);
    const last = this.rows[networkAt(network).keeper].findLast(
      (row) => row.network === network && row.provider === provider && row.createdMs < ms,
    );
    return last ? last.sequence + 1 : sequenceAt(lane, this.laneCounts[lane] ?? 0);
  }
}

/** Of rows in order of creation those within the times, newest first. */
function between(rows: readonly LogRow[], minMs: number, maxMs: number): RowList {
  const createdMs = (place: number) => rows[place]?.createdMs ?? 0;
  const start = firstPlace(rows.length, (place) => createdMs(place) >= minMs);
  const end = Math.max(
    start,
    firstPlace(rows.length, (place) => createdMs(place) > maxMs),
  );
  return { length: end - start, at: (place) => rows[end - 1 - place] as LogRow };
}

/** The sequence number of a request before which its lane had `count`. */
function sequenceAt(lane: number, count: number): number {
  return 1 + count + Math.floor((count + 7 * lane) / GAP_EVERY);
}
