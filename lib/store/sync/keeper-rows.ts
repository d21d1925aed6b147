import 'server-only';
import type { LogRow } from '@/lib/core/request-record';
import type { Session } from '@/lib/store/engine';
import type { Ingested, PreparedRows } from '@/lib/store/ingest';
import {
  countRows,
  deleteOldest,
  type Gone,
  type Interval,
  markGone,
  type RowCounts,
  readCoverage,
  writeCoverage,
} from '@/lib/store/queries/sync';
import { BEGINNING_US } from '@/lib/store/schema';
import type { IndexedKeeper, IndexStore, ReadPart } from '@/lib/store/store';

/** The intervals with one more. Touching intervals are merged; newest first. */
function covering(intervals: readonly Interval[], added: Interval): Interval[] {
  if (added.fromUs > added.toUs) return [...intervals];
  const apart: Interval[] = [];
  let { fromUs, toUs } = added;
  for (const one of intervals) {
    if (one.fromUs > toUs + 1 || one.toUs + 1 < fromUs) apart.push(one);
    else {
      fromUs = Math.min(fromUs, one.fromUs);
      toUs = Math.max(toUs, one.toUs);
    }
  }
  return [...apart, { fromUs, toUs }].toSorted((one, other) => other.toUs - one.toUs);
}

/** The intervals cut at a moment. */
function coveredFrom(intervals: readonly Interval[], fromUs: number): Interval[] {
  const later = intervals.filter(({ toUs }) => toUs >= fromUs);
  return later.map((one) => ({ fromUs: Math.max(one.fromUs, fromUs), toUs: one.toUs }));
}

/** The newest uncovered span between `bottomUs` and the newest interval. */
export function newestGap(intervals: readonly Interval[], bottomUs: number): Interval | undefined {
  const [newest, next] = intervals;
  if (newest === undefined || newest.fromUs <= bottomUs) return undefined;
  const fromUs = next === undefined ? bottomUs : Math.max(bottomUs, next.toUs + 1);
  return { fromUs, toUs: newest.fromUs - 1 };
}

export const isFromBeginning = ({ fromUs }: Interval) => fromUs <= BEGINNING_US;

/**
 * Most rows deleted in one transaction, which takes a fraction of a second. New rows and the end of the
 * process wait meanwhile.
 */
const BATCH = 20_000;

/** The index as the sync of one keeper writes it: its rows, and the spans of which every row was read. */
export class KeeperRows {
  #coverage: readonly Interval[] = [];
  #counts: RowCounts;
  #countedAt = 0;
  /** Called when the coverage changes. */
  onCoverage: (() => void) | undefined;

  constructor(
    readonly store: IndexStore,
    readonly keeper: IndexedKeeper,
  ) {
    const known = store.status().find((one) => one.keeper === keeper.name);
    const { rows = 0, gone = 0, unreadable = 0 } = known ?? {};
    this.#counts = { rows, gone, unreadable, oldestUs: null };
  }

  /** Newest first. */
  get coverage(): readonly Interval[] {
    return this.#coverage;
  }

  /** Loads the state of the last run. */
  async load(): Promise<void> {
    this.#coverage = await readCoverage(this.store.engine, this.keeper.keeperId);
    await this.count();
  }

  /**
   * Writes rows and the span that they cover in one transaction, so that a span never counts as covered before its rows
   * are there.
   * @param read the read that the rows belong to; with its last part the read is complete
   */
  async put(
    rows: readonly LogRow[] | PreparedRows,
    as: 'new' | 'history',
    covered?: Interval,
    read?: ReadPart,
  ): Promise<Ingested> {
    const { keeperId, name } = this.keeper;
    if (rows.length === 0 && (covered === undefined || this.covers(covered))) {
      if (read?.isLast) this.store.recordRead(name, read.askedAtMs);
      return { added: 0, changed: 0 };
    }
    const alongside = async (session: Session) => {
      if (covered === undefined || this.covers(covered)) return;
      this.#coverage = covering(this.#coverage, covered);
      await writeCoverage(session, keeperId, this.#coverage);
      // Before the new moment is published: a keeper with a gap must not be called complete up to it.
      this.onCoverage?.();
    };
    try {
      const done = await this.store.ingest(keeperId, rows, as, { alongside, read });
      this.#counts = { ...this.#counts, rows: this.#counts.rows + done.added };
      return done;
    } catch (error) {
      // Nothing was written, so the coverage is restored.
      this.#coverage = await readCoverage(this.store.engine, keeperId);
      this.onCoverage?.();
      throw error;
    }
  }

  /**
   * Deletes rows older than a moment, unix microseconds, in batches: by creation, unreadable ones by when they were
   * last seen. Then coverage begins there, and disk space is returned.
   * @param sleep runs between two batches; its exception ends the deletion
   */
  async forgetBefore(beforeUs: number, rest: () => Promise<void>): Promise<void> {
    const { keeperId } = this.keeper;
    // First, so that no span counts as covered after its rows are gone.
    await this.store.write(async (session) => {
      // Even if the write fails: reading a span again does no harm.
      this.#coverage = coveredFrom(this.#coverage, beforeUs);
      await writeCoverage(session, keeperId, this.#coverage);
      this.onCoverage?.();
      return { result: undefined, isChange: false };
    });
    for (let hasMore = true; hasMore; ) {
      await rest();
      hasMore = await this.store.write(async (session) => {
        const result = await deleteOldest(session, keeperId, beforeUs, BATCH);
        return { result, isChange: true };
      });
    }
    await this.store.engine.compact();
  }

  markGone(gone: Gone): Promise<void> {
    return this.store.write(async (session, revision) => {
      await markGone(session, this.keeper.keeperId, gone, this.nowUs(), revision);
      return { result: undefined, isChange: true };
    });
  }

  nowUs(): number {
    return Math.floor(this.store.now() * 1000);
  }

  covers({ fromUs, toUs }: Interval): boolean {
    return fromUs > toUs || this.#coverage.some((one) => one.fromUs <= fromUs && one.toUs >= toUs);
  }

  /** Counts, as of the last count plus the rows written since. */
  get counts(): Readonly<RowCounts> {
    return this.#counts;
  }

  /** Counts again if something has changed. */
  async count(): Promise<void> {
    const { revision } = this.store;
    if (revision === this.#countedAt) return;
    this.#counts = await countRows(this.store.engine, this.keeper.keeperId);
    this.#countedAt = revision;
  }
}
