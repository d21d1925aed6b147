import 'server-only';
import * as z from 'zod';
import { tryParseJson } from '@/lib/core/text';
import { newestOf, readFact, rowsUpTo, writeFact } from '@/lib/store/queries/sync';
import type { KeeperParts } from './sync-status';

const FACT = 'vanished';
/** `before`: rows of the index before the loss, all created up to `toUs`. */
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

  constructor(private readonly parts: Pick<KeeperParts, 'rows' | 'status'>) {
    const { rows } = parts;
    rows.onVanished = (before, lost) => this.#begin(before, lost);
    rows.onHistory = (added) => this.#found(added);
  }

  /** Loads the state of the last run. */
  async load(): Promise<void> {
    const { rows } = this.parts;
    const text = await readFact(rows.store.engine, rows.keeper.keeperId, FACT);
    this.#tell(form.safeParse(tryParseJson(text ?? '')).data ?? null);
  }

  async #begin(before: number, rows: number): Promise<void> {
    const sinceMs = this.parts.rows.store.now();
    // First, so that nothing is called complete from here on.
    await this.parts.rows.withdraw();
    const { store, keeper } = this.parts.rows;
    const toUs = await newestOf(store.engine, keeper.keeperId);
    const known = this.#vanished ?? { sinceMs, toUs, before, rows: 0, left: 0 };
    this.parts.status.update({ hasGap: true });
    this.#tell({ ...known, rows: known.rows + rows, left: known.left + rows });
    await this.#keep();
  }

  #found(added: number): void {
    if (this.#vanished === null || added === 0) return;
    this.#tell({ ...this.#vanished, left: Math.max(0, this.#vanished.left - added) });
  }

  /** Called when the history was read to its end: what is missing then is no longer served. */
  async historyRead(): Promise<void> {
    if (this.#vanished === null) return;
    const { toUs, before, left } = this.#vanished;
    const { store, keeper } = this.parts.rows;
    const now = await rowsUpTo(store.engine, keeper.keeperId, toUs);
    if (now < before && before - now === left) return;
    this.#tell(now >= before ? null : { ...this.#vanished, left: before - now });
    await this.#keep();
  }

  #tell(vanished: Vanished | null): void {
    this.#vanished = vanished;
    const { sinceMs = 0, rows = 0, left = 0 } = vanished ?? {};
    this.parts.status.update({ vanished: vanished && { sinceMs, rows, left } });
  }

  async #keep(): Promise<void> {
    const { store, keeper } = this.parts.rows;
    await store.write(async (session) => {
      await writeFact(session, keeper.keeperId, FACT, JSON.stringify(this.#vanished));
      // Pages must learn it at once.
      return { result: undefined, isChange: true };
    });
  }
}
