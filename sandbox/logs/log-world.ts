import type { ScenarioName } from '@/sandbox/scenarios/catalogue';
import { Scenario } from '@/sandbox/scenarios/scenario';
import { type LogRow, type RowState, rowState } from './log-row';
import { type Keeper, LANES, laneAt, networkAt } from './networks';
import { Mixer } from './random';
import { BLOCK, naturalShape, Series, steadyShape } from './schedule';
import { addTroubles } from './troubles';

/** Limit of live rows. Beyond it the world is rebuilt, so that memory stays bounded. */
const MAX_LIVE_ROWS = 300_000;
/** Approximate. */
const STUCK_ROWS = 6;
/** Requests that would be younger are answered. */
const MIN_STUCK_AGE_MS = 24 * 3_600_000;
const STEADY_STUCK_EVERY = 4000;
/** One in this many requests of a lane has no callback, so the log lacks its number. */
const GAP_EVERY = 97;
const TWIN = 140;
/** Duration in a scenario of a request that was stuck before it. */
const SETTLED_MS = 5000;

/** The rows of both keepers. Times are unix ms. */
export class LogWorld {
  readonly mixer: Mixer;
  /** Rows before and after the start, at the natural rate. */
  private readonly natural: Series;
  private live: Series;
  /** Start of the sandbox, or the time at which the rate was set. */
  private liveSinceMs = 0;
  /** Oldest first. */
  private rows: Record<Keeper, LogRow[]> = { main: [], test: [] };
  private anchorMs = 0;
  private atMs = 0;
  private nextLiveK = 0;
  /** Earlier requests in each lane, counted from 1970. */
  private laneCounts: number[] = [];
  private lastInLane: ({ block: number; row: LogRow } | undefined)[] = [];
  private planned: Scenario | undefined;

  /** `records` past rows over `HISTORY_DAYS` before `startMs`. Later rows come at the same rate. */
  constructor(
    private readonly seed: number,
    private readonly records: number,
    startMs: number,
  ) {
    this.mixer = new Mixer(seed);
    const stuckEvery = Math.max(40, Math.round(records / STUCK_ROWS));
    this.natural = new Series(this.mixer, new Mixer(seed, 1), naturalShape(records), stuckEvery);
    this.live = this.natural;
    this.restart(startMs);
  }

  /** Undefined until the time of the scenario has come. */
  get scenario(): Scenario | undefined {
    return this.planned && this.atMs >= this.planned.sinceMs ? this.planned : undefined;
  }

  /** A time before the start, or far ahead, rebuilds the world as if started then. */
  moveTo(ms: number): void {
    if (ms < this.anchorMs) this.build(ms);
    const startMs = Math.max(this.liveSinceMs, this.planned?.sinceMs ?? 0);
    if ((ms - startMs) / this.live.shape.slotMs > MAX_LIVE_ROWS) this.rebuild(ms);
    this.atMs = ms;
    while (this.live.createdMs(this.nextLiveK) <= ms) this.addRow(this.live, this.nextLiveK++, true);
    this.scenario?.moveTo(ms);
  }

  /** Restarts the world at a time, without a scenario or a set rate. */
  restart(ms: number): void {
    this.live = this.natural;
    this.rebuild(ms);
  }

  /** Independent of the time of day; null restores the natural rate. */
  setRate(requestsPerMin: number | null, ms: number): void {
    this.moveTo(ms);
    for (const rows of Object.values(this.rows)) rows.splice(firstPlace(rows, ms + 1));
    this.live =
      requestsPerMin === null
        ? this.natural
        : new Series(this.mixer, new Mixer(this.seed, 3), steadyShape(requestsPerMin), STEADY_STUCK_EVERY);
    this.liveSinceMs = ms;
    this.lastInLane = [];
    this.nextLiveK = this.live.lastUntil(ms) + 1;
  }

  /** Null for the natural rate. */
  get rate(): number | null {
    return this.live === this.natural ? null : Math.round(60_000_000 / this.live.shape.slotMs) / 1000;
  }

  /** Replaces the previous scenario. */
  setScenario(name: ScenarioName, ms: number): void {
    this.planned = undefined;
    this.moveTo(ms);
    this.planned = new Scenario(this.seed, name, ms, (lane, fromMs) => this.nextSequence(lane, fromMs));
    this.moveTo(ms);
  }

  /** Rows between both times, inclusive, newest first. */
  list(keeper: Keeper, minMs = Number.NEGATIVE_INFINITY, maxMs = Number.POSITIVE_INFINITY): LogRow[] {
    const { scenario, atMs } = this;
    const last = Math.min(maxMs, atMs);
    if (!scenario) return rowsBetween(this.rows[keeper], minMs, last);
    // From its first time on, a scenario replaces all other rows.
    const older = rowsBetween(this.rows[keeper], minMs, Math.min(last, scenario.fromMs - 1));
    return [...rowsBetween(scenario.rows[keeper], minMs, last), ...older];
  }

  /** State of a row. Rows that were stuck before a scenario count as completed in it. */
  getState(row: LogRow): RowState {
    const { scenario } = this;
    const isOlder = scenario && row.source !== scenario.mixer && row.createdMs < scenario.fromMs;
    return isOlder && row.finishMs > scenario.sinceMs
      ? { state: 'Completed', updatedMs: row.createdMs + SETTLED_MS }
      : rowState(row, this.atMs);
  }

  private rebuild(ms: number): void {
    this.planned = undefined;
    this.build(ms);
  }

  private build(anchorMs: number): void {
    const last = this.natural.lastUntil(anchorMs);
    const first = last - this.records + 1;
    this.anchorMs = anchorMs;
    this.liveSinceMs = anchorMs;
    this.atMs = anchorMs;
    this.rows = { main: [], test: [] };
    this.lastInLane = [];
    const block = Math.floor(Math.min(first, last) / BLOCK);
    this.laneCounts = LANES.map(({ quota }) => block * quota);
    // Blocks are whole: rows before the first one are counted but not added.
    for (let k = block * BLOCK; k <= last; k++) this.addRow(this.natural, k, k >= first);
    addTroubles(this.rows.main, anchorMs);
    if (this.live !== this.natural) this.lastInLane = [];
    this.nextLiveK = this.live.lastUntil(anchorMs) + 1;
  }

  /** Counts the request, and adds its row if `isShown`. */
  private addRow(series: Series, k: number, isShown: boolean): void {
    const row = series.row(k);
    const isStuck = row.finishMs === Number.POSITIVE_INFINITY;
    if (isStuck && row.createdMs <= this.anchorMs && row.createdMs > this.anchorMs - MIN_STUCK_AGE_MS) {
      Object.assign(row, { outcome: 'Completed', finishMs: row.createdMs + SETTLED_MS });
    }
    const lane = series.getLane(k);
    const block = Math.floor(k / BLOCK);
    const previous = this.lastInLane[lane];
    const count = this.laneCounts[lane] ?? 0;
    this.laneCounts[lane] = count + 1;
    row.sequence = sequenceAt(lane, count);
    // Twins share a sequence, so their transactions differ (`lead`). Otherwise they would be one request.
    const isTwin =
      previous?.row.finishMs === Number.POSITIVE_INFINITY &&
      previous.block === block &&
      row.lead !== previous.row.lead &&
      row.source.fraction(TWIN, previous.row.k) < 0.4;
    if (isTwin) {
      const { sequence, sender, k: contribution } = previous.row;
      Object.assign(row, { sequence, sender, contribution });
    }
    this.lastInLane[lane] = { block, row };
    if (isShown) this.rows[networkAt(row.network).keeper].push(row);
  }

  private nextSequence(lane: number, ms: number): number {
    const { network, provider } = laneAt(lane);
    const last = this.rows[networkAt(network).keeper].findLast(
      (row) => row.network === network && row.provider === provider && row.createdMs < ms,
    );
    return last ? last.sequence + 1 : sequenceAt(lane, this.laneCounts[lane] ?? 0);
  }
}

/** Newest first, of rows in order of creation. */
function rowsBetween(rows: readonly LogRow[], minMs: number, maxMs: number): LogRow[] {
  return rows.slice(firstPlace(rows, minMs), firstPlace(rows, maxMs + 1)).reverse();
}

/** First row created at or after a time. */
function firstPlace(rows: readonly LogRow[], ms: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows[middle]?.createdMs ?? 0) >= ms) high = middle;
    else low = middle + 1;
  }
  return low;
}

function sequenceAt(lane: number, count: number): number {
  return 1 + count + Math.floor((count + 7 * lane) / GAP_EVERY);
}
