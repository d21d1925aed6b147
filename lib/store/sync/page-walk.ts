import 'server-only';
import type { LogRow } from '@/lib/core/request-record';
import { type Interval, idsIn } from '@/lib/store/queries/sync';
import { requestId, wireMicros } from '@/lib/store/record-row';
import type { Answer, LogsQuery, Rank } from './call-queue';
import type { KeeperParts } from './sync-status';

/** New rows of an answer. No row of the span above `downToUs` is missing; undefined if that is unknown. */
type WalkStep = { fresh: LogRow[]; downToUs: number | undefined };

/** Number of consecutive answers without a new row after which a listing is given up. */
const MAX_IDLE_ANSWERS = 20;
/** Number of consecutive empty answers that end a listing, even if the service counts more rows. */
const MAX_EMPTY_ANSWERS = 5;

/**
 * Walks through pages by time, and by offset within one moment. Rows may move or come twice, and a short answer may not
 * be the last.
 */
export class PageWalk {
  #toUs: number | undefined;
  #offset = 0;
  /** Keys of the rows since the last move in time. */
  #seen = new Set<string>();
  #idle = 0;
  #empty = 0;
  #isOver = false;
  #isOutOfOrder = false;

  /**
   * @param trustsTotal whether an answer that completes the service's total ends the listing. Otherwise answers without
   * a new row end it, as in the history, which a wrong total must not cut short.
   */
  constructor(
    private readonly span: Pick<LogsQuery, 'fromUs' | 'toUs' | 'state'>,
    private readonly trustsTotal = false,
  ) {
    this.#toUs = span.toUs;
  }

  get listing(): LogsQuery {
    return { ...this.span, toUs: this.#toUs, offset: this.#offset };
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** True if the service repeats the same rows, so that older rows are unknown. */
  get isStuck(): boolean {
    return !this.#isOver && this.#idle >= MAX_IDLE_ANSWERS;
  }

  get isOutOfOrder(): boolean {
    return this.#isOutOfOrder;
  }

  add({ rows, total, limit }: Answer): WalkStep {
    const fresh = rows.filter((row) => !this.#seen.has(row.key));
    const isShort = rows.length < limit;
    const bottom = bottomOf(rows);
    if (bottom?.isOutOfOrder) this.#isOutOfOrder = true;
    const counted = total ?? 0;
    if (fresh.length === 0) {
      this.#idle += 1;
      this.#empty = rows.length === 0 ? this.#empty + 1 : 0;
      const isCounted = counted <= this.#offset + limit;
      this.#isOver = (isShort && isCounted) || this.#empty >= MAX_EMPTY_ANSWERS;
      this.#offset += rowsToSkip(rows, limit);
    } else if (this.trustsTotal && isShort && total === this.#offset + rows.length) {
      this.#isOver = true;
    } else {
      this.#idle = 0;
      this.#moveOn(rows, limit, bottom?.us);
    }
    return { fresh, downToUs: bottom && bottom.us + 1 };
  }

  #moveOn(rows: readonly LogRow[], limit: number, bottomUs: number | undefined): void {
    // In whole milliseconds, because a service may not read as many digits as it writes.
    const toUs = bottomUs === undefined ? undefined : Math.ceil(bottomUs / 1000) * 1000;
    if (toUs !== undefined && (this.#toUs === undefined || toUs < this.#toUs)) {
      this.#toUs = toUs;
      this.#offset = 0;
      this.#seen = new Set();
    } else {
      this.#offset += rowsToSkip(rows, limit);
    }
    for (const row of rows) this.#seen.add(row.key);
  }
}

/** An answer may be shorter than its range or the limit, so some rows may come again, but none is missed. */
function rowsToSkip(rows: readonly LogRow[], limit: number): number {
  return rows.length === 0 ? limit : new Set(rows.map(({ key }) => key)).size;
}

/**
 * The moment down to which rows are known. Up to a tenth of them may be out of order, so it is then the 90th
 * percentile.
 */
function bottomOf(rows: readonly LogRow[]): { us: number; isOutOfOrder: boolean } | undefined {
  const moments = rows.flatMap((row) => (row.kind === 'record' ? [wireMicros(row.createdAt)] : []));
  const isOutOfOrder = moments.some((us, index) => index > 0 && us > (moments[index - 1] ?? us));
  const us = isOutOfOrder
    ? moments.toSorted((a, b) => b - a)[Math.floor((moments.length - 1) * 0.9)]
    : moments.at(-1);
  return us === undefined ? undefined : { us, isOutOfOrder };
}

export function floorToMs(us: number): number {
  return Math.floor(us / 1000) * 1000;
}

/** Our rows that are missing from two listings are marked as gone. @returns whether the listing came to an end */
export async function readAgain({ calls, rows }: KeeperParts, rank: Rank, span: Interval): Promise<boolean> {
  const { keeperId } = rows.keeper;
  const delivered = new Set<string>();
  for (let times = 1; times <= 2; times += 1) {
    const walk = new PageWalk({ fromUs: span.fromUs, toUs: span.toUs }, true);
    while (!walk.isOver && !walk.isStuck) {
      const { fresh } = walk.add(await calls.request(rank, walk.listing));
      for (const row of fresh) if (row.kind === 'record') delivered.add(requestId(keeperId, row));
      await rows.put(fresh, 'new');
    }
    if (!walk.isOver) return false;
    const missing = (await idsIn(rows.store.engine, keeperId, span)).filter((id) => !delivered.has(id));
    if (missing.length === 0) return true;
    if (times === 2) await rows.markGone({ ids: missing });
  }
  return true;
}
