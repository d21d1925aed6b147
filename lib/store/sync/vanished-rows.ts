import 'server-only';
import * as z from 'zod';
import { tryParseJson } from '@/lib/core/text';
import { newestOf, readFact, rowsUpTo, writeFact } from '@/lib/store/queries/sync';
import type { KeeperParts } from './sync-status';

const FACT = 'vanished';
/** `before`: rows that the index would have without losses, all created up to `toUs`. */
const form = z.object({
  sinceMs: z.number(),
  toUs: z.number(),
  before: z.number(),
  rows: z.number(),
  left: z.number(),
});
type Vanished = z.infer<typeof form>;

/**
 * Follows a loss of rows in the index itself (a damaged or partly restored database): the history is read again, and
 * nothing is called complete before.
 */
export class VanishedRows {
  #vanished: Vanished | null = null;
  /** The history was read to its end since the last loss, so that only further rows of it change what is missing. */
  #isSettled = false;

  constructor(private readonly parts: Pick<KeeperParts, 'rows' | 'status'>) {
    const { rows } = parts;
    rows.onVanished = (now, lost) => this.#begin(now, lost);
    rows.onHistory = (added) => this.#found(added);
  }

  /** Loads the state of the last run. */
  async load(): Promise<void> {
    const { rows } = this.parts;
    const text = await readFact(rows.store.engine, rows.keeper.keeperId, FACT);
    this.#tell(form.safeParse(tryParseJson(text ?? '')).data ?? null);
  }

  /** @param now rows that the index still has */
  async #begin(now: number, lost: number): Promise<void> {
    this.#isSettled = false;
    // First, so that nothing is called complete from here on.
    await this.parts.rows.withdraw();
    const { store, keeper } = this.parts.rows;
    const toUs = await newestOf(store.engine, keeper.keeperId);
    const { sinceMs, rows, left } = this.#vanished ?? { sinceMs: store.now(), rows: 0, left: 0 };
    this.parts.status.update({ hasGap: true });
    this.#tell({ sinceMs, toUs, before: now + left + lost, rows: rows + lost, left: left + lost });
    await this.#keep();
  }

  #found(added: number): void {
    if (this.#vanished === null || added === 0) return;
    this.#isSettled = false;
    this.#tell({ ...this.#vanished, left: Math.max(0, this.#vanished.left - added) });
  }

  /** Called when the history was read to its end: what is missing then is no longer served. */
  async historyRead(): Promise<void> {
    if (this.#vanished === null || this.#isSettled) return;
    this.#isSettled = true;
    const { toUs, before, left } = this.#vanished;
    const { store, keeper } = this.parts.rows;
    const now = await rowsUpTo(store.engine, keeper.keeperId, toUs);
    if (now < before && before - now === left) return;
    this.#tell(now >= before ? null : { ...this.#vanished, left: before - now });
    await this.#keep();
  }

  /** Called when rows created before a moment were deleted on purpose: they are not missing. */
  async forgotten(beforeUs: number): Promise<void> {
    if (this.#vanished === null) return;
    const { toUs, left } = this.#vanished;
    const { store, keeper } = this.parts.rows;
    if (beforeUs > toUs) this.#tell(null);
    else {
      const before = (await rowsUpTo(store.engine, keeper.keeperId, toUs)) + left;
      this.#tell({ ...this.#vanished, before });
    }
    await this.#keep();
  }

  #tell(vanished: Vanished | null): void {
    this.#vanished = vanished;
    const { sinceMs = 0, rows = 0, left = 0 } = vanished ?? {};
    this.parts.status.update({ vanished: vanished && { sinceMs, rows, left } });
  }

  async #keep(): Promise<void> {
    const { rows } = this.parts;
    await rows.store.write(async (session) => {
      await writeFact(session, rows.keeper.keeperId, FACT, JSON.stringify(this.#vanished));
      // Together, so that the same loss is not counted again at the next start.
      await rows.writeCount(session);
      // Pages must learn it at once.
      return { result: undefined, isChange: true };
    });
  }
}
