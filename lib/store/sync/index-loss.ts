import 'server-only';
import * as z from 'zod';
import { tryParseJson } from '@/lib/core/text';
import { MINUTE_MS } from '@/lib/core/time';
import { readFact, rowsWithin, writeFact } from '@/lib/store/queries/sync';
import { BEGINNING_US } from '@/lib/store/schema';
import type { IndexLoss } from './keeper-rows';
import type { KeeperParts } from './sync-status';

/** Name of the stored fact, and of the member of `KeeperStatus`. */
const FACT = 'vanished';
/** `before`: rows from `fromUs` to `toUs` without losses. Older rows were deleted, but an audit may read some again. */
const form = z.object({
  sinceMs: z.number(),
  // Earlier versions stored no start.
  fromUs: z.number().default(BEGINNING_US),
  toUs: z.number(),
  before: z.number(),
  rows: z.number(),
  left: z.number(),
});
type SavedIndexLoss = z.infer<typeof form>;

/** After a loss in the index itself, the history is read again, and nothing is called complete until then. */
export class IndexLossWatch {
  #indexLoss: SavedIndexLoss | null = null;
  /** Rows are not counted again before this moment. */
  #nextCountMs = 0;

  constructor(private readonly parts: Pick<KeeperParts, 'rows' | 'status'>) {
    const { rows } = parts;
    rows.onIndexLoss = (loss) => this.#begin(loss);
    rows.onHistory = (added) => this.#historyAdded(added);
  }

  async load(): Promise<void> {
    const { rows } = this.parts;
    const text = await readFact(rows.store.engine, rows.keeper.keeperId, FACT);
    this.#report(form.safeParse(tryParseJson(text ?? '')).data ?? null);
  }

  async #begin({ before, lost, toUs }: IndexLoss): Promise<void> {
    this.#nextCountMs = 0;
    // The coverage is withdrawn first, so that nothing is called complete from here on.
    await this.parts.rows.withdrawCoverage();
    const sinceMs = this.parts.rows.store.now();
    const earlier = this.#indexLoss ?? { sinceMs, rows: 0, left: 0 };
    this.parts.status.update({ hasGap: true });
    this.#report({
      sinceMs: earlier.sinceMs,
      fromUs: BEGINNING_US,
      toUs,
      before: before + earlier.left,
      rows: earlier.rows + lost,
      left: earlier.left + lost,
    });
    await this.#save();
  }

  #historyAdded(added: number): void {
    if (this.#indexLoss === null || added === 0) return;
    this.#nextCountMs = 0;
    this.#report({ ...this.#indexLoss, left: Math.max(0, this.#indexLoss.left - added) });
  }

  /** Rows still missing when the history has been read to its end are no longer served. */
  async historyRead(): Promise<void> {
    const { store } = this.parts.rows;
    if (store.now() < this.#nextCountMs) return;
    this.#nextCountMs = store.now() + MINUTE_MS;
    await this.recount();
  }

  /** The process may have stopped between the last rows and their count. */
  async recount(): Promise<void> {
    if (this.#indexLoss === null) return;
    const { store, keeper } = this.parts.rows;
    const { before, left } = this.#indexLoss;
    const present = await rowsWithin(store.engine, keeper.keeperId, this.#indexLoss);
    if (present < before && before - present === left) return;
    this.#report(present >= before ? null : { ...this.#indexLoss, left: before - present });
    await this.#save();
  }

  /** Rows about to be deleted on purpose are not missing, so a count during the deletion excludes them. */
  async leaveOut(beforeUs: number): Promise<void> {
    if (this.#indexLoss === null) return;
    const { toUs, left } = this.#indexLoss;
    const { store, keeper } = this.parts.rows;
    if (beforeUs > toUs) this.#report(null);
    else {
      const span = { fromUs: beforeUs, toUs };
      const expected = (await rowsWithin(store.engine, keeper.keeperId, span)) + left;
      this.#report({ ...this.#indexLoss, ...span, before: expected });
    }
    await this.#save();
  }

  #report(loss: SavedIndexLoss | null): void {
    this.#indexLoss = loss;
    const { sinceMs = 0, rows = 0, left = 0 } = loss ?? {};
    this.parts.status.update({ vanished: loss && { sinceMs, rows, left } });
  }

  async #save(): Promise<void> {
    const { rows } = this.parts;
    await rows.store.write(async (session) => {
      await writeFact(session, rows.keeper.keeperId, FACT, JSON.stringify(this.#indexLoss));
      // Both are written together, so that the same loss is not counted again at the next start.
      await rows.writeCount(session);
      // Pages must learn of the loss at once.
      return { result: undefined, isChange: true };
    });
  }
}
