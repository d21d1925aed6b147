import 'server-only';
import type { LogRow } from '@/lib/core/request-record';
import { SerialQueue } from '@/lib/core/serial-queue';
import type { Session } from '@/lib/store/engine';
import type { Ingested, PreparedRows } from '@/lib/store/ingest';
import type { ReadPart } from '@/lib/store/keeper-reads';
import type { IndexedKeeper } from '@/lib/store/keepers';
import {
  countRows,
  deleteOldest,
  type GoneRows,
  type Interval,
  markGone,
  newestRowUs,
  type RowCounts,
  readCoverage,
  readFact,
  writeCoverage,
  writeFact,
  writeRead,
} from '@/lib/store/queries/sync';
import { BEGINNING_US } from '@/lib/store/schema';
import type { IndexStore } from '@/lib/store/store';

/** Touching intervals are merged; the result is newest first. */
function covering(intervals: readonly Interval[], added: Interval): Interval[] {
  if (added.fromUs > added.toUs) return [...intervals];
  const apart: Interval[] = [];
  let { fromUs, toUs } = added;
  for (const interval of intervals) {
    if (interval.fromUs > toUs + 1 || interval.toUs + 1 < fromUs) apart.push(interval);
    else {
      fromUs = Math.min(fromUs, interval.fromUs);
      toUs = Math.max(toUs, interval.toUs);
    }
  }
  return [...apart, { fromUs, toUs }].toSorted((a, b) => b.toUs - a.toUs);
}

function coveredFrom(intervals: readonly Interval[], fromUs: number): Interval[] {
  const later = intervals.filter(({ toUs }) => toUs >= fromUs);
  return later.map((interval) => ({ fromUs: Math.max(interval.fromUs, fromUs), toUs: interval.toUs }));
}

/** The newest uncovered span between `bottomUs` and the newest interval. */
export function newestGap(intervals: readonly Interval[], bottomUs: number): Interval | undefined {
  const [newest, next] = intervals;
  if (newest === undefined || newest.fromUs <= bottomUs) return undefined;
  const fromUs = next === undefined ? bottomUs : Math.max(bottomUs, next.toUs + 1);
  return { fromUs, toUs: newest.fromUs - 1 };
}

export const isFromBeginning = ({ fromUs }: Interval) => fromUs <= BEGINNING_US;

/** One batch takes a fraction of a second, for which new rows and the end of the process wait. */
const BATCH = 20_000;

const ROWS_FACT = 'rows';

/** `before`: rows that the index should have, all created up to `toUs`, unix microseconds. */
export type IndexLoss = { before: number; lost: number; toUs: number };

/** The part of the index that the sync of one keeper writes: its rows, and the spans of which every row was read. */
export class KeeperRows {
  #coverage: readonly Interval[] = [];
  #counts: RowCounts;
  #countedAt = 0;
  /** Writes and counts take turns, so that the rows written since a count are known exactly. */
  readonly #queue = new SerialQueue();
  /** Rows counted by this process or the previous one. Undefined while old rows are deleted. */
  #countedRows: number | undefined;
  /** Rows added since the last count. */
  #added = 0;
  #addedByHistory = 0;
  /** Creation of the newest row at the last count. */
  #countedToUs: number | undefined;
  #isForgetting = false;
  onCoverage: (() => void) | undefined;
  /** Called when rows have vanished. Only `deleteBefore` deletes rows on purpose. */
  onIndexLoss: ((loss: IndexLoss) => Promise<void>) | undefined;
  onHistory: ((added: number) => void) | undefined;

  constructor(
    readonly store: IndexStore,
    readonly keeper: IndexedKeeper,
  ) {
    const status = store.status().find((status) => status.keeper === keeper.name);
    const { rows = 0, gone = 0, unreadable = 0 } = status ?? {};
    this.#counts = { rows, gone, unreadable, oldestUs: null };
  }

  /** Newest first. */
  get coverage(): readonly Interval[] {
    return this.#coverage;
  }

  async load(): Promise<void> {
    const { engine } = this.store;
    const { keeperId } = this.keeper;
    this.#coverage = await readCoverage(engine, keeperId);
    const rows = Number(await readFact(engine, keeperId, ROWS_FACT));
    this.#countedRows = Number.isSafeInteger(rows) ? rows : undefined;
    await this.count();
  }

  /** A stored count shows a loss after a restart too. A read without rows is stored here only. */
  async storeCount(): Promise<void> {
    await this.store.write(async (session) => {
      await this.writeCount(session);
      const upToMs = this.store.reads.readUpToMs(this.keeper.name);
      const clockAheadMs = this.store.reads.clockAheadMs(this.keeper.name);
      if (upToMs !== null) await writeRead(session, this.keeper.keeperId, { upToMs, clockAheadMs });
      return { result: undefined, isChange: false };
    });
  }

  async writeCount(session: Session): Promise<void> {
    const rows = this.#countedRows;
    if (rows === undefined || this.#isForgetting) return;
    await writeFact(session, this.keeper.keeperId, ROWS_FACT, String(rows));
  }

  /** The history up to the newest row will be read again. */
  withdrawCoverage(): Promise<void> {
    const [newest] = this.#coverage;
    return this.#coverFrom(newest?.toUs ?? 0);
  }

  #coverFrom(fromUs: number, alongside?: (session: Session) => Promise<void>): Promise<void> {
    return this.store.write(async (session) => {
      // The coverage shrinks even if the write fails: reading a span again does no harm.
      this.#coverage = coveredFrom(this.#coverage, fromUs);
      await writeCoverage(session, this.keeper.keeperId, this.#coverage);
      await alongside?.(session);
      this.onCoverage?.();
      return { result: undefined, isChange: false };
    });
  }

  /** Rows and coverage are one transaction, so that a span never counts as covered before its rows exist. */
  put(
    rows: readonly LogRow[] | PreparedRows,
    as: 'new' | 'history',
    covered?: Interval,
    read?: ReadPart,
  ): Promise<Ingested> {
    return this.#queue.run(() => this.#put(rows, as, covered, read));
  }

  async #put(
    rows: readonly LogRow[] | PreparedRows,
    as: 'new' | 'history',
    covered: Interval | undefined,
    read: ReadPart | undefined,
  ): Promise<Ingested> {
    const { keeperId, name } = this.keeper;
    if (rows.length === 0 && (covered === undefined || this.covers(covered))) {
      if (read?.isLast) this.store.reads.recordRead(name, read.upToMs);
      return { added: 0, changed: 0 };
    }
    const alongside = async (session: Session) => {
      if (covered === undefined || this.covers(covered)) return;
      this.#coverage = covering(this.#coverage, covered);
      await writeCoverage(session, keeperId, this.#coverage);
      // Called before the new moment is published: a keeper with a gap must not be called complete up to it.
      this.onCoverage?.();
    };
    try {
      const done = await this.store.ingest(keeperId, rows, as, { alongside, read });
      this.#counts = { ...this.#counts, rows: this.#counts.rows + done.added };
      this.#added += done.added;
      if (as === 'history') {
        this.#addedByHistory += done.added;
        this.onHistory?.(done.added);
      }
      return done;
    } catch (error) {
      // Nothing was written, so the coverage is restored.
      this.#coverage = await readCoverage(this.store.engine, keeperId);
      this.onCoverage?.();
      throw error;
    }
  }

  /** An unreadable row is deleted by the time when it was last seen. @param pause awaited before each batch; its exception ends the deletion */
  async deleteBefore(beforeUs: number, pause: () => Promise<void>): Promise<void> {
    const { keeperId } = this.keeper;
    this.#isForgetting = true;
    this.#countedRows = undefined;
    // The coverage is cut first: no span counts as covered after its rows are gone, and no deleted row as
    // vanished.
    await this.#coverFrom(beforeUs, (session) => writeFact(session, keeperId, ROWS_FACT, '0'));
    for (let hasMore = true; hasMore; ) {
      await pause();
      hasMore = await this.store.write(async (session) => {
        const result = await deleteOldest(session, keeperId, beforeUs, BATCH);
        return { result, isChange: true };
      });
    }
    // This waits for its turn, because a running count has not seen all deletions.
    await this.#queue.run(() => {
      this.#isForgetting = false;
    });
    await this.store.engine.compact();
  }

  markGone(gone: GoneRows): Promise<void> {
    return this.store.write(async (session, revision) => {
      await markGone(session, this.keeper.keeperId, gone, this.nowUs(), revision);
      return { result: undefined, isChange: true };
    });
  }

  nowUs(): number {
    return Math.floor(this.store.now() * 1000);
  }

  covers({ fromUs, toUs }: Interval): boolean {
    return (
      fromUs > toUs || this.#coverage.some((interval) => interval.fromUs <= fromUs && interval.toUs >= toUs)
    );
  }

  /** Counts of the last query, plus the rows written since. */
  get counts(): Readonly<RowCounts> {
    return this.#counts;
  }

  count(): Promise<void> {
    return this.#queue.run(() => this.#count());
  }

  async #count(): Promise<void> {
    const { revision } = this.store;
    if (revision === this.#countedAt) return;
    const counted = this.#countedRows;
    const counts = await countRows(this.store.engine, this.keeper.keeperId);
    this.#counts = counts;
    this.#countedAt = revision;
    if (this.#isForgetting) return;
    this.#countedRows = counts.rows;
    const newestUs = await newestRowUs(this.store.engine, this.keeper.keeperId);
    const toUs = this.#countedToUs ?? newestUs;
    this.#countedToUs = newestUs;
    const expected = (counted ?? 0) + this.#addedByHistory;
    const lost = counted === undefined ? 0 : counted + this.#added - counts.rows;
    this.#added = 0;
    this.#addedByHistory = 0;
    if (lost > 0) await this.onIndexLoss?.({ before: expected, lost, toUs });
  }
}
