import 'server-only';
import type { LogRow } from '@/lib/core/request-record';
import type { Ingested } from '@/lib/store/ingest';
import { countRows, type RowCounts, readCoverage, writeCoverage } from '@/lib/store/queries/sync';
import type { IndexedKeeper, IndexStore } from '@/lib/store/store';
import { coveredFrom, covering, type Interval } from './coverage';

/** The index as the sync of one keeper writes it: rows, and of which spans every row was read. */
export class KeeperRows {
  readonly store: IndexStore;
  readonly keeper: IndexedKeeper;
  #coverage: readonly Interval[] = [];
  #counts: RowCounts = { rows: 0, gone: 0, unreadable: 0, oldestUs: null };
  #countedAt = 0;

  constructor(store: IndexStore, keeper: IndexedKeeper) {
    this.store = store;
    this.keeper = keeper;
  }

  /** Newest first. */
  get coverage(): readonly Interval[] {
    return this.#coverage;
  }

  /** Reads what was known at the last stop. */
  async load(): Promise<void> {
    this.#coverage = await readCoverage(this.store.engine, this.keeper.keeperId);
    await this.count();
  }

  /**
   * Puts rows in; `covered` is stored in the same transaction, so that a span never counts as read before its rows are
   * there.
   */
  async put(rows: readonly LogRow[], as: 'new' | 'history', covered?: Interval): Promise<Ingested> {
    const { keeperId } = this.keeper;
    if (rows.length === 0 && (covered === undefined || this.covers(covered))) return { added: 0, changed: 0 };
    try {
      const done = await this.store.ingest(keeperId, rows, as, async (session) => {
        if (covered === undefined || this.covers(covered)) return;
        this.#coverage = covering(this.#coverage, covered);
        await writeCoverage(session, keeperId, this.#coverage);
      });
      this.#counts = { ...this.#counts, rows: this.#counts.rows + done.added };
      return done;
    } catch (error) {
      // Nothing was written, so nothing more is covered.
      this.#coverage = await readCoverage(this.store.engine, keeperId);
      throw error;
    }
  }

  /** What is older than a moment, unix microseconds, counts as read no more. */
  async coverFrom(fromUs: number): Promise<void> {
    const { keeperId } = this.keeper;
    await this.store.write(async (session) => {
      const coverage = coveredFrom(this.#coverage, fromUs);
      await writeCoverage(session, keeperId, coverage);
      // Whatever becomes of the write: to read a span again does no harm.
      this.#coverage = coverage;
      return { result: undefined, isChange: false };
    });
  }

  covers({ fromUs, toUs }: Interval): boolean {
    return fromUs > toUs || this.#coverage.some((one) => one.fromUs <= fromUs && one.toUs >= toUs);
  }

  /** What there is, as of the last count and what was put in since. */
  get counts(): Readonly<RowCounts> {
    return this.#counts;
  }

  /** Counts anew where something has changed. */
  async count(): Promise<void> {
    const { revision } = this.store;
    if (revision === this.#countedAt) return;
    this.#counts = await countRows(this.store.engine, this.keeper.keeperId);
    this.#countedAt = revision;
  }
}
