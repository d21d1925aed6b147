import 'server-only';
import * as z from 'zod';
import { tryParseJson } from '@/lib/core/text';
import type { KeeperStatus } from '@/lib/requests/keeper-status';
import {
  countsIn,
  goneSince,
  type Interval,
  momentAtRowOffset,
  readFact,
  servedSince,
  writeFact,
} from '@/lib/store/queries/sync';
import { BEGINNING_US } from '@/lib/store/schema';
import { floorToMs } from './page-walk';
import type { KeeperParts } from './sync-status';

/** A chain reorganisation removes only a few rows. In a small store, half of the rows count as a loss. */
const MIN_LOST = 100;
const MIN_LOST_OF_SMALL = 10;
const isLoss = (theirs: number, ours: number) =>
  theirs === 0
    ? ours > 0
    : ours - theirs >= Math.min(MIN_LOST, Math.max(MIN_LOST_OF_SMALL, Math.ceil(ours / 2)));
/** Time in which further missing rows belong to the same loss: an audit reports only the rows of its span. */
const SAME_LOSS_MS = 300_000;
/** Name of the stored fact, and of the member of `KeeperStatus`. */
const FACT = 'lost';

type KeeperLoss = NonNullable<KeeperStatus['lost']>;

const keeperLossForm = z.object({
  fromMs: z.number(),
  sinceMs: z.number(),
  theirs: z.number(),
  ours: z.number(),
});

/** Finds and reports that a keeper lost rows: its store may have been emptied, or replaced by a younger one. */
export class KeeperLossDetector {
  /** A suspicion that the audit has not examined yet. */
  #isAlarmed = false;
  #keeperLoss: KeeperLoss | null = null;

  /** @param onAlarm requests an audit */
  constructor(
    private readonly parts: KeeperParts,
    private readonly onAlarm: () => void,
  ) {}

  async load(): Promise<void> {
    const { rows, status } = this.parts;
    const text = await readFact(rows.store.engine, rows.keeper.keeperId, FACT);
    this.#keeperLoss = keeperLossForm.safeParse(tryParseJson(text ?? '')).data ?? null;
    status.update({ lost: this.#keeperLoss });
  }

  /** @returns whether the audit should act on a difference that appears for the first time */
  consumeAlarm(): boolean {
    const isAlarmed = this.#isAlarmed;
    this.#isAlarmed = false;
    return isAlarmed;
  }

  /**
   * Looks for a loss when the newest known row is no longer listed, as in an emptied store. All rows up to it are counted at
   * once, because a younger store may have more rows in all.
   */
  async onNewestMissing(newestUs: number, requestedAtMs: number): Promise<void> {
    if (this.#isAlarmed) return;
    const { rows } = this.parts;
    const lastReadMs = rows.store.reads.readUpToMs(rows.keeper.name);
    const { total } = await this.parts.calls.request('new', { toUs: floorToMs(newestUs + 999), limit: 1 });
    const coveredToMs = rows.coverage[0] && Math.floor(rows.coverage[0].toUs / 1000);
    const ours = await this.#countUpTo(newestUs, requestedAtMs);
    if (total === undefined || total >= ours) return;
    this.#isAlarmed = true;
    // The rows of a reported loss may not all be marked as gone yet.
    const isReported = this.#keeperLoss !== null && this.#keeperLoss.ours >= ours;
    try {
      if (!isReported && isLoss(total, ours) && !(await this.#servesUpTo(newestUs, ours))) {
        const { fromMs, sinceMs } = this.#reportedSince(requestedAtMs) ?? {
          fromMs: lastReadMs ?? coveredToMs ?? requestedAtMs,
          sinceMs: requestedAtMs,
        };
        await this.#report({ fromMs, sinceMs, theirs: total, ours });
      }
    } finally {
      this.onAlarm();
    }
  }

  /** Reports missing rows that an audit counted as a loss, unless they are only the oldest, which a service may delete. */
  async onCountFell({
    theirs,
    ours,
    span,
    lastReadMs,
  }: {
    theirs: number;
    ours: number;
    span: Interval;
    lastReadMs: number;
  }): Promise<void> {
    if (!isLoss(theirs, ours)) return;
    if (this.#keeperLoss !== null && this.#keeperLoss.ours >= ours) return;
    if ((await this.#servesUpTo(span.toUs, ours)) && !(await this.#servesFrom(span, ours))) return;
    const sinceMs = this.parts.rows.store.now();
    await this.#report({ fromMs: Math.min(lastReadMs, sinceMs), sinceMs, theirs, ours });
  }

  /**
   * Ends a loss when too few rows are missing: a backup of the store may serve most of them again.
   * @param served all rows of the service, as an audit since `auditedMs` that found no difference counted them;
   * undefined if its totals are capped
   */
  async onCountServed(served = Number.POSITIVE_INFINITY, auditedMs: number): Promise<void> {
    const loss = this.#keeperLoss;
    if (loss === null || auditedMs < loss.sinceMs) return;
    const { store, keeper } = this.parts.rows;
    const lost = { toUs: loss.sinceMs * 1000, sinceUs: loss.fromMs * 1000 };
    const missing = await goneSince(store.engine, keeper.keeperId, lost);
    // Rows too young for an audit may be missing without being marked.
    const theirs = Math.max(0, Math.min(served, loss.ours - missing));
    if (!isLoss(theirs, loss.ours)) await this.#save(null);
    else if (theirs !== loss.theirs) await this.#save({ ...loss, theirs });
  }

  /** A recent loss, to which more missing rows belong. */
  #reportedSince(nowMs: number): KeeperLoss | undefined {
    return this.#keeperLoss !== null && nowMs - this.#keeperLoss.sinceMs < SAME_LOSS_MS
      ? this.#keeperLoss
      : undefined;
  }

  /** Rows of a recent loss that are already marked as gone are included. */
  async #countUpTo(toUs: number, nowMs: number): Promise<number> {
    const { store, keeper } = this.parts.rows;
    const recent = this.#reportedSince(nowMs);
    if (recent === undefined) {
      return (await countsIn(store.engine, keeper.keeperId, { fromUs: BEGINNING_US, toUs })).all;
    }
    // One query, because rows may be marked, or served again, between two.
    return servedSince(store.engine, keeper.keeperId, { toUs, sinceUs: recent.sinceMs * 1000 });
  }

  /** If most rows before a moment are listed, the store is the same: it deletes old rows, or caps its totals. */
  async #servesUpTo(toUs: number, ours: number): Promise<boolean> {
    const edgeUs = await this.#edge({ fromUs: BEGINNING_US, toUs }, 'before', ours);
    return edgeUs !== null && this.#serves({ fromUs: edgeUs, toUs });
  }

  /** Whether the service still lists most of our oldest rows of a span. */
  async #servesFrom({ fromUs, toUs }: Interval, ours: number): Promise<boolean> {
    const edgeUs = await this.#edge({ fromUs, toUs }, 'after', ours);
    return edgeUs !== null && this.#serves({ fromUs, toUs: edgeUs });
  }

  /** The last of a few rows from one end of a span; null if there are none. */
  #edge(span: Interval, side: 'after' | 'before', ours: number): Promise<number | null> {
    const { store, keeper } = this.parts.rows;
    const minLost = Math.max(1, Math.min(MIN_LOST, Math.floor(ours / 4)));
    return momentAtRowOffset(store.engine, keeper.keeperId, span, side, minLost);
  }

  async #serves({ fromUs, toUs }: Interval): Promise<boolean> {
    const { rows, calls } = this.parts;
    const { store, keeper } = rows;
    const span = { fromUs: fromUs <= BEGINNING_US ? fromUs : floorToMs(fromUs), toUs: floorToMs(toUs + 999) };
    const ours = (await countsIn(store.engine, keeper.keeperId, span)).all;
    const listed = await calls.request('new', {
      ...span,
      fromUs: fromUs <= BEGINNING_US ? undefined : span.fromUs,
    });
    return listed.rows.length >= Math.min(ours, listed.limit) / 2;
  }

  async #report(loss: KeeperLoss): Promise<void> {
    const { theirs, ours } = loss;
    // Earlier comparisons no longer apply.
    this.parts.status.update({ audit: { atMs: loss.sinceMs, ours, theirs, agrees: false } });
    await this.#save(loss);
  }

  async #save(loss: KeeperLoss | null): Promise<void> {
    const { rows, status } = this.parts;
    this.#keeperLoss = loss;
    status.update({ lost: loss });
    await rows.store.write(async (session) => {
      await writeFact(session, rows.keeper.keeperId, FACT, JSON.stringify(loss));
      // Pages must learn of the loss at once.
      return { result: undefined, isChange: true };
    });
  }
}

export type SyncParts = KeeperParts & { keeperLoss: KeeperLossDetector };
