import 'server-only';
import type { LogRow } from '@/lib/core/request-record';
import { type Head, headOf } from '@/lib/store/queries/sync';
import { wireMicros } from '@/lib/store/record-row';
import { BEGINNING_US } from '@/lib/store/schema';
import type { SyncParts } from './loss-detector';
import { Walk, wholeMs } from './walk';

/** Rows that come late: so far back from the newest one every listing begins. */
const OVERLAP_US = 30_000_000;
/** A row that is created so much later than now was not: its moment says nothing about what has been read. */
const FUTURE_US = 60_000_000;
/** What a listing of new rows does not reach with so many answers is left to the history. */
const MAX_ANSWERS = 3;
const NO_CEILING_US = Number.MAX_SAFE_INTEGER;

/** What a keeper has that we do not have yet: everything since the newest row that we know, less an overlap. */
export class NewRows {
  #isFirst = true;
  #readFromUs = BEGINNING_US;

  constructor(private readonly parts: SyncParts) {}

  /** Rows created from here on were read by the last listing. */
  get readFromUs(): number {
    return this.#readFromUs;
  }

  /** @returns how many rows the service counts in all, where this was asked */
  async read(): Promise<number | undefined> {
    const { rows } = this.parts;
    const ceilingUs = this.#ceilingUs();
    const head = await headOf(rows.store.engine, rows.keeper.keeperId, ceilingUs);
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
    const { calls, rows, lossDetector } = this.parts;
    const fromUs = this.#fromUs(head);
    this.#readFromUs = fromUs ?? BEGINNING_US;
    const isCut = head !== undefined && head.highestUs > ceilingUs;
    const span = { fromUs: fromUs && wholeMs(fromUs), toUs: isCut ? wholeMs(ceilingUs) : undefined };
    const walk = new Walk(span, true);
    let toUs = Math.max(head?.newestUs ?? BEGINNING_US, rows.coverage[0]?.toUs ?? BEGINNING_US);
    let total: number | undefined;
    // Without a known row one answer is enough to begin with: the history follows.
    const most = fromUs === undefined ? 1 : MAX_ANSWERS;
    let askedAtMs: number | undefined;
    let listsNewest = head === undefined;
    for (let answers = 0, isLast = false; !isLast; answers += 1) {
      const answer = await calls.ask('new', walk.listing);
      askedAtMs ??= answer.askedAtMs;
      if (answers === 0 && fromUs === undefined) total = answer.total;
      const { downToUs } = walk.take(answer);
      toUs = Math.max(toUs, newestUs(answer.rows, ceilingUs));
      const downTo = walk.isOver ? (fromUs ?? BEGINNING_US) : downToUs;
      const covered = downTo === undefined ? undefined : { fromUs: downTo, toUs };
      isLast = walk.isOver || walk.isStuck || answers + 1 >= most;
      // One that can't be read may be it.
      listsNewest ||= answer.rows.some(
        (row) => row.kind === 'unreadable' || wireMicros(row.createdAt) === head?.newestUs,
      );
      // Before these rows make the keeper look read: it may have lost all others.
      if (walk.isOver && !listsNewest && head !== undefined) {
        await lossDetector.missesNewest(head.newestUs, askedAtMs);
      }
      await rows.put(answer.rows, this.#isFirst ? 'history' : 'new', covered, { askedAtMs, isLast });
    }
    return total;
  }

  /** From where on to read: rows without an outcome are read again while they are young, so far as one answer reaches. */
  #fromUs(head: Head | undefined): number | undefined {
    if (head === undefined) return undefined;
    const { newestUs: newest, oldestOpenUs, readAgainUs } = head;
    const wanted = Math.min(newest - OVERLAP_US, oldestOpenUs ?? newest);
    const coveredTo = this.parts.rows.coverage[0]?.toUs ?? newest;
    return Math.min(Math.max(wanted, readAgainUs ?? wanted), coveredTo);
  }

  /** There are rows of a time to come: a clock that was set back, or was right only now. New ones may follow there. */
  async #readAhead(highestUs: number): Promise<void> {
    const { calls, rows } = this.parts;
    const answer = await calls.ask('new', { fromUs: wholeMs(highestUs) });
    await rows.put(answer.rows, 'new');
  }
}

/** The newest creation that is not of a time to come. */
function newestUs(rows: readonly LogRow[], ceilingUs: number): number {
  const moments = rows.flatMap((row) => (row.kind === 'record' ? [wireMicros(row.createdAt)] : []));
  return Math.max(BEGINNING_US, ...moments.filter((us) => us <= ceilingUs));
}
