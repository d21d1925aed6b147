import 'server-only';
import type { GatherTrouble } from '@/lib/contract/codec/triage';
import {
  DAY_MS,
  FINISHED_ROWS,
  type FinishedRows,
  type LoggedRow,
  type Piece,
  type WindowCount,
} from '@/lib/domain/diagnosis/evidence';
import type { NetworkEvidence } from '@/lib/domain/diagnosis/incident';
import { distinctRows, isFinished } from '@/lib/domain/diagnosis/logged-row';
import type { StretchToCount } from '@/lib/domain/diagnosis/network-incident';
import { type Outcome, ok } from '@/lib/domain/outcome';
import { WIRE_STATE } from '@/lib/domain/request-record';
import {
  isUnserved,
  type LogFilter,
  type LogSource,
  MOST_ROWS,
  queryText,
  type SourcePage,
} from '@/lib/server/explorer/log-source';
import type { Asking } from './asking';
import { KeptPiece, pieceOf } from './kept-piece';
import { isoOf, type ListedRecord, recordsOf, totalOf } from './log-rows';
import { knownUntil, type RowsOfStretch } from './other-log';

/** The newest rows of a network: its last one, a sample of how long requests take, perhaps all of the last day. */
export type LatestRows = {
  newest: ListedRecord | null;
  finished: FinishedRows;
  /** How many rows were created in the last 24 hours, where the sample reaches back so far. */
  lastDay: number | undefined;
};

/** Rows of the one call per network that a first view makes for them, beside those that are pending. */
const SAMPLE_ROWS = 200;
/** So few finished ones among the newest rows say little about how long requests take: completed ones are asked for. */
const FEW_FINISHED = 100;

/** How much is asked of a network. */
export type Depth = 'first-view' | 'one-request';

/** How long an answer serves networks that are well. One that has requests past normal is asked at every look. */
const LATEST_KEPT_MS = 30_000;
const DAY_KEPT_MS = 60_000;

/** E6 and what else a first view knows of one network of one keeper. */
export class NetworkLook {
  readonly #source: LogSource;
  readonly #networkId: string;
  readonly #depth: Depth;
  readonly #latest = new KeptPiece<LatestRows>();
  readonly #day = new KeptPiece<number>();
  #counts: KeptPiece<WindowCount>[] = [];
  /** The keeper has said that it does not know the network: it has nothing to tell. */
  #isUnserved = false;

  constructor(source: LogSource, networkId: string, depth: Depth = 'first-view') {
    this.#source = source;
    this.#networkId = networkId;
    this.#depth = depth;
  }

  /**
   * Asks for what is due.
   * @param need `latest`: an answer from before will not do
   * @param pending how many requests are known to be pending here: the sample should reach beyond them
   */
  async look(asking: Asking, nowMs: number, need: 'kept' | 'latest' = 'kept', pending = 0): Promise<void> {
    if (this.#isUnserved) return;
    if (need === 'kept' && !this.#latest.isOlderThan(LATEST_KEPT_MS, nowMs)) return;
    asking.plan(1);
    const filter: LogFilter = { networkId: this.#networkId };
    const limit = this.#depth === 'first-view' ? Math.min(MOST_ROWS, SAMPLE_ROWS + pending) : FINISHED_ROWS;
    const page = await this.#ask(asking, filter, limit);
    if (!page.ok && isUnserved(page.failure, filter)) {
      this.#isUnserved = true;
      return;
    }
    const latest = page.ok ? latestOf(page.value, nowMs) : page;
    const learnt = latest.ok ? ok(await this.#withFinished(latest.value, asking)) : latest;
    const query = queryText(filter, limit, 0);
    this.#latest.learn(learnt.ok ? ok({ value: learnt.value, query, atMs: nowMs }) : learnt, nowMs);
    await this.#lookAtDay(asking, nowMs, query);
  }

  /** Where hardly any of the newest rows is finished, the last completed ones say how long requests took before. */
  async #withFinished(latest: LatestRows, asking: Asking): Promise<LatestRows> {
    const { rows, completeSinceMs } = latest.finished;
    const isEnough = completeSinceMs === 0 || rows.filter(isFinished).length >= FEW_FINISHED;
    if (this.#depth === 'first-view' || isEnough) return latest;
    asking.plan(1);
    const filter: LogFilter = { networkId: this.#networkId, state: WIRE_STATE.completed };
    const page = await this.#ask(asking, filter, FINISHED_ROWS);
    if (!page.ok) return latest;
    return {
      ...latest,
      finished: { rows: distinctRows(rows, recordsOf(page.value.rows)), completeSinceMs },
    };
  }

  async #lookAtDay(asking: Asking, nowMs: number, latestQuery: string): Promise<void> {
    const { piece } = this.#latest;
    const covered = piece.kind === 'known' && piece.atMs === nowMs ? piece.value.lastDay : undefined;
    if (covered !== undefined) return this.#day.know({ value: covered, query: latestQuery, atMs: nowMs });
    if (!this.#day.isOlderThan(DAY_KEPT_MS, nowMs)) return;
    asking.plan(1);
    const filter: LogFilter = { networkId: this.#networkId, min: isoOf(nowMs - DAY_MS) };
    const total = await this.#count(asking, filter);
    this.#day.learn(total.ok ? ok({ ...total.value, atMs: nowMs }) : total, nowMs);
  }

  /** Counts these stretches; older counts are given up. */
  async count(stretches: readonly StretchToCount[], asking: Asking, nowMs: number): Promise<void> {
    asking.plan(stretches.length);
    this.#counts = await Promise.all(
      stretches.map(async ({ fromMs, toMs }) => {
        const kept = new KeptPiece<WindowCount>();
        const filter: LogFilter = { networkId: this.#networkId, min: isoOf(fromMs), max: isoOf(toMs) };
        const count = await this.#count(asking, filter);
        const learnt = count.ok
          ? ok({ ...count.value, value: { fromMs, toMs, total: count.value.value }, atMs: nowMs })
          : count;
        kept.learn(learnt, nowMs);
        return kept;
      }),
    );
  }

  #ask(asking: Asking, filter: LogFilter, limit: number): Promise<Outcome<SourcePage>> {
    return asking.ask(`Networks of ${this.#source.keeper}`, (priority) =>
      this.#source.page(filter, limit, 0, priority),
    );
  }

  async #count(asking: Asking, filter: LogFilter): Promise<Outcome<{ value: number; query: string }>> {
    const total = await asking.ask(`Counts of ${this.#source.keeper}`, (priority) =>
      this.#source.count(filter, priority),
    );
    return total.ok ? ok({ value: Number(total.value), query: queryText(filter, 1, 0) }) : total;
  }

  /** The newest rows as they were last seen, as far as they are complete. */
  get seen(): RowsOfStretch | undefined {
    const { piece } = this.#latest;
    if (piece.kind === 'missing') return undefined;
    const { rows, completeSinceMs } = piece.value.finished;
    return { rows, fromMs: completeSinceMs, toMs: knownUntil(piece.atMs) };
  }

  /** What is known was of another log. */
  forget(): void {
    this.#latest.forget();
    this.#day.forget();
    this.#counts = [];
    this.#isUnserved = false;
  }

  get lastDay(): Piece<number> {
    return this.#day.piece;
  }

  /** Undefined for a network that the keeper does not serve. */
  get evidence(): NetworkEvidence | undefined {
    if (this.#isUnserved) return undefined;
    return {
      networkId: this.#networkId,
      newest: this.newest,
      lastDay: this.#day.piece,
      finished: this.finished,
      counts: this.#counts.map(({ piece }) => piece),
    };
  }

  get newest(): Piece<LoggedRow | null> {
    return pieceOf(this.#latest.piece, ({ newest }) => newest);
  }

  get finished(): Piece<FinishedRows> {
    return pieceOf(this.#latest.piece, ({ finished }) => finished);
  }

  get troubles(): GatherTrouble[] {
    return [
      this.#trouble('Newest requests', this.#latest),
      this.#trouble('Requests of the last 24 hours', this.#day),
      ...this.#counts.map((count) => this.#trouble('Requests of a stretch of time', count)),
    ].flat();
  }

  #trouble(what: string, { failure, keptFromMs }: KeptPiece<unknown>): GatherTrouble[] {
    if (failure === undefined || this.#isUnserved) return [];
    const about = { keeper: this.#source.keeper, networkId: this.#networkId, what, failure };
    return [keptFromMs === undefined ? about : { ...about, keptFromMs }];
  }
}

/** Reads a page from the beginning of a network's list. Fails when no row of it can be read. */
export function latestOf(page: SourcePage, nowMs: number): Outcome<LatestRows> {
  const rows = recordsOf(page.rows);
  const isWhole = totalOf(page) <= page.rows.length;
  const oldestMs = Math.min(...rows.map(({ createdAt }) => createdAt.ms));
  // Rows that can't be read may be any; of the oldest moment there may be more behind the page.
  const completeSinceMs =
    rows.length < page.rows.length ? Number.MAX_SAFE_INTEGER : isWhole ? 0 : oldestMs + 1;
  const dayMs = nowMs - DAY_MS;
  const newest = rows.reduce<ListedRecord | null>(
    (last, row) => (last === null || row.createdAt.ms > last.createdAt.ms ? row : last),
    null,
  );
  if (newest === null && page.rows.length > 0) return { ok: false, failure: UNREADABLE };
  const lastDay =
    completeSinceMs <= dayMs ? rows.filter(({ createdAt }) => createdAt.ms >= dayMs).length : undefined;
  return ok({ newest, finished: { rows, completeSinceMs }, lastDay });
}

const UNREADABLE = {
  kind: 'malformed',
  service: 'logs',
  detail: 'None of the newest rows can be read.',
} as const;
