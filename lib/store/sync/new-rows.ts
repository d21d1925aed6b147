import 'server-only';
import type { LogRow } from '@/lib/core/request-record';
import type { ReadPart } from '@/lib/store/keeper-reads';
import { type Head, type Interval, readHead } from '@/lib/store/queries/sync';
import { wireMicros } from '@/lib/store/record-row';
import { BEGINNING_US } from '@/lib/store/schema';
import type { Answer } from './call-queue';
import type { SyncParts } from './keeper-loss';
import { floorToMs, PageWalk } from './page-walk';
import type { RowClock } from './row-clock';

/** Overlap of successive listings, for rows that become visible late. */
const OVERLAP_US = 30_000_000;
/** A row created further in the future than this does not count as the newest row read. */
const FUTURE_US = 60_000_000;
/** Older rows are left to the history. */
const MAX_ANSWERS = 3;
const NO_CEILING_US = Number.MAX_SAFE_INTEGER;

export class NewRows {
  #isFirst = true;
  #readFromUs = BEGINNING_US;

  constructor(
    private readonly parts: SyncParts,
    private readonly rowClock: RowClock,
  ) {}

  /** All rows created later have been read by the last listing. */
  get readFromUs(): number {
    return this.#readFromUs;
  }

  /** @returns the number of rows that the service counts in all, if it was requested */
  async read(): Promise<number | undefined> {
    const { rows } = this.parts;
    const ceilingUs = this.#ceilingUs();
    const head = await readHead(rows.store.engine, rows.keeper.keeperId, ceilingUs);
    if (head !== undefined && head.highestUs > ceilingUs) await this.#readAhead(head.highestUs);
    const total = await this.#list(head, ceilingUs);
    this.#isFirst = false;
    return total;
  }

  #ceilingUs(): number {
    const nowMs = this.parts.serviceNowMs();
    return nowMs === undefined ? NO_CEILING_US : Math.floor(nowMs * 1000) + FUTURE_US;
  }

  async #list(head: Head | undefined, ceilingUs: number): Promise<number | undefined> {
    const { calls, rows, keeperLoss } = this.parts;
    const fromUs = this.#fromUs(head);
    this.#readFromUs = fromUs ?? BEGINNING_US;
    const isCut = head !== undefined && head.highestUs > ceilingUs;
    const span = { fromUs: fromUs && floorToMs(fromUs), toUs: isCut ? floorToMs(ceilingUs) : undefined };
    const walk = new PageWalk(span, true);
    let toUs = Math.max(head?.newestUs ?? BEGINNING_US, rows.coverage[0]?.toUs ?? BEGINNING_US);
    let total: number | undefined;
    // If no row is known yet, one answer is enough: the history reads the rest.
    const maxAnswers = fromUs === undefined ? 1 : MAX_ANSWERS;
    let requestedAtMs: number | undefined;
    let upToMs: number | undefined;
    let listsNewest = head === undefined;
    for (let answers = 0, isLast = false; !isLast; answers += 1) {
      const answer = await calls.request('new', walk.listing);
      requestedAtMs ??= answer.requestedAtMs;
      upToMs ??= this.#completeUpTo(answer, ceilingUs);
      if (answers === 0 && fromUs === undefined) total = answer.total;
      const { downToUs } = walk.add(answer);
      toUs = Math.max(toUs, newestUs(answer.rows, ceilingUs));
      const downTo = walk.isOver ? (fromUs ?? BEGINNING_US) : downToUs;
      const covered = downTo === undefined ? undefined : { fromUs: downTo, toUs };
      isLast = walk.isOver || walk.isStuck || answers + 1 >= maxAnswers;
      // An unreadable row may be the newest known one.
      listsNewest ||= answer.rows.some(
        (row) => row.kind === 'unreadable' || wireMicros(row.createdAt) === head?.newestUs,
      );
      // This check comes before the read is recorded, because the keeper may have lost all other rows.
      if (walk.isOver && !listsNewest && head !== undefined) {
        await keeperLoss.onNewestMissing(head.newestUs, requestedAtMs);
      }
      await this.#put(answer, covered, { upToMs, isLast });
    }
    return total;
  }

  async #put(answer: Answer, covered?: Interval, read?: ReadPart): Promise<void> {
    const { rows, requestedAtMs } = answer;
    const moments = rows.flatMap((row) => (row.kind === 'record' ? [wireMicros(row.createdAt)] : []));
    if (moments.length > 0) this.rowClock.listed(Math.max(...moments) / 1000, requestedAtMs);
    const { newestUs } = await this.parts.rows.put(rows, this.#isFirst ? 'history' : 'new', covered, read);
    if (!this.#isFirst && newestUs !== undefined) this.rowClock.appeared(newestUs / 1000, requestedAtMs);
  }

  /**
   * The newest row in the first answer, if created during the call: all older rows were served by then. A row dated
   * later proves nothing, because its clock is ahead. A clock that is ahead by less than the call took is not noticed.
   */
  #completeUpTo({ rows, requestedAtMs, answeredAtMs }: Answer, ceilingUs: number): number {
    const { store, keeper } = this.parts.rows;
    const newestMs = Math.floor(newestUs(rows, ceilingUs) / 1000) - store.reads.clockAheadMs(keeper.name);
    return newestMs <= answeredAtMs ? Math.max(requestedAtMs, newestMs) : requestedAtMs;
  }

  /** Recent rows without an outcome are read again, as far as one answer reaches. */
  #fromUs(head: Head | undefined): number | undefined {
    if (head === undefined) return undefined;
    const { newestUs: newest, oldestOpenUs, readAgainUs } = head;
    const wanted = Math.min(newest - OVERLAP_US, oldestOpenUs ?? newest);
    const coveredTo = this.parts.rows.coverage[0]?.toUs ?? newest;
    return Math.min(Math.max(wanted, readAgainUs ?? wanted), coveredTo);
  }

  /** If a clock was set back, or is right only now, new rows may follow beyond the ceiling. */
  async #readAhead(highestUs: number): Promise<void> {
    const answer = await this.parts.calls.request('new', { fromUs: floorToMs(highestUs) });
    await this.#put(answer);
  }
}

/** Creation of the newest row that is not in the future. */
function newestUs(rows: readonly LogRow[], ceilingUs: number): number {
  const moments = rows.flatMap((row) => (row.kind === 'record' ? [wireMicros(row.createdAt)] : []));
  return Math.max(BEGINNING_US, ...moments.filter((us) => us <= ceilingUs));
}
