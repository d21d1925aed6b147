import 'server-only';
import * as z from 'zod';
import { tryParseJson } from '@/lib/core/text';
import type { KeeperStatus } from '@/lib/requests/keeper-status';
import { countsIn, momentAtRowOffset, readFact, writeFact } from '@/lib/store/queries/sync';
import { BEGINNING_US } from '@/lib/store/schema';
import type { KeeperParts } from './sync-status';
import { wholeMs } from './walk';

/** So few rows that are missing are no loss: a chain that went another way takes some with it. */
const MIN_LOST = 100;
const FACT = 'lost';

type Lost = NonNullable<KeeperStatus['lost']>;

const lostForm = z.object({ fromMs: z.number(), sinceMs: z.number(), theirs: z.number(), ours: z.number() });

/** Whether a keeper still has what it served: a store may be emptied, and replaced by a younger one. */
export class LossDetector {
  /** A suspicion that the audit has not looked into yet. */
  #isAlarmed = false;
  #lost: Lost | null = null;

  /** @param onAlarm the audit should compare now */
  constructor(
    private readonly parts: KeeperParts,
    private readonly onAlarm: () => void,
  ) {}

  /** Reads what was known at the last stop. */
  async load(): Promise<void> {
    const { rows, status } = this.parts;
    const text = await readFact(rows.store.engine, rows.keeper.keeperId, FACT);
    this.#lost = lostForm.safeParse(tryParseJson(text ?? '')).data ?? null;
    status.tell({ lost: this.#lost });
  }

  /** The audit begins. @returns whether it should believe a difference at once */
  takeAlarm(): boolean {
    const isAlarmed = this.#isAlarmed;
    this.#isAlarmed = false;
    return isAlarmed;
  }

  /**
   * The newest row that we hold is not listed any more: the first sign of an emptied store. All rows are counted at once.
   * @param newestUs creation of that row. @param askedAtMs when this was noticed, unix milliseconds
   */
  async missesNewest(newestUs: number, askedAtMs: number): Promise<void> {
    if (this.#isAlarmed) return;
    const { rows } = this.parts;
    const lastReadMs = rows.store.readUpToMs(rows.keeper.name);
    const { total } = await this.parts.calls.ask('new', { limit: 1 });
    const coveredToMs = rows.coverage[0] && Math.floor(rows.coverage[0].toUs / 1000);
    const ours = await this.#served();
    if (total === undefined || total >= ours) return;
    this.#isAlarmed = true;
    // Rows of a loss that is told already may still be in the middle of being marked as gone.
    const isTold = this.#lost !== null && this.#lost.ours >= ours;
    try {
      const isMuch = total === 0 || ours - total >= MIN_LOST;
      if (!isTold && isMuch && !(await this.#servesUpTo(newestUs))) {
        await this.#tell({
          fromMs: lastReadMs ?? coveredToMs ?? askedAtMs,
          sinceMs: askedAtMs,
          theirs: total,
          ours,
        });
      }
    } finally {
      this.onAlarm();
    }
  }

  /** The service counts fewer rows of a span than before, of which we hold `ours`. Most of them gone, and the newest too, is a loss. */
  async fell({
    theirs,
    ours,
    toUs,
    lastReadMs,
  }: {
    theirs: number;
    ours: number;
    /** Where the span ends. */
    toUs: number;
    lastReadMs: number;
  }): Promise<void> {
    if (theirs === 0 ? ours === 0 : theirs >= ours / 2 || ours - theirs < MIN_LOST) return;
    if (this.#lost !== null && this.#lost.ours >= ours) return;
    if (await this.#servesUpTo(toUs)) return;
    const sinceMs = this.parts.rows.store.now();
    await this.#tell({ fromMs: Math.min(lastReadMs, sinceMs), sinceMs, theirs, ours });
  }

  /** All of them are served again, from a copy of the store. */
  async counted(theirs: number): Promise<void> {
    if (this.#lost !== null && theirs >= this.#lost.ours && this.parts.rows.counts.gone === 0) {
      await this.#keep(null);
    }
  }

  /**
   * Whether the service still lists most of the rows that we hold from just before a moment. Then its store is the same one,
   * and a smaller total tells of a service that throws old rows away, or that counts no further.
   */
  async #servesUpTo(toUs: number): Promise<boolean> {
    const { rows, calls } = this.parts;
    const { store, keeper } = rows;
    const span = { fromUs: BEGINNING_US, toUs };
    const edgeUs = await momentAtRowOffset(store.engine, keeper.keeperId, span, 'before', MIN_LOST);
    if (edgeUs === null) return false;
    const last = { fromUs: wholeMs(edgeUs), toUs: wholeMs(toUs + 999) };
    const ours = (await countsIn(store.engine, keeper.keeperId, last)).all;
    const listed = await calls.ask('new', last);
    return listed.rows.length >= Math.min(ours, listed.limit) / 2;
  }

  /** Rows that the service had when it was last asked. */
  async #served(): Promise<number> {
    const { rows } = this.parts;
    await rows.count();
    return rows.counts.rows - rows.counts.gone;
  }

  async #tell(lost: Lost): Promise<void> {
    const { theirs, ours } = lost;
    // Whatever was compared before says nothing any more.
    this.parts.status.tell({ audit: { atMs: lost.sinceMs, ours, theirs, agrees: false } });
    await this.#keep(lost);
  }

  async #keep(lost: Lost | null): Promise<void> {
    const { rows, status } = this.parts;
    this.#lost = lost;
    status.tell({ lost });
    await rows.store.write(async (session) => {
      await writeFact(session, rows.keeper.keeperId, FACT, JSON.stringify(lost));
      // Pages hear of it at once.
      return { result: undefined, isChange: true };
    });
  }
}

/** All parts of the sync of one keeper. */
export type SyncParts = KeeperParts & { lossDetector: LossDetector };
