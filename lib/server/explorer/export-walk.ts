import 'server-only';
import { createHash } from 'node:crypto';
import { type Failure, failed, type Outcome, ok } from '@/lib/domain/outcome';
import type { LogRow } from '@/lib/domain/request-record';
import { formatIsoMillis, parseIsoTime, unixMillis } from '@/lib/domain/units';
import { type MemoryShare, RememberedRows } from './export-memory';
import { isUnserved, type LogFilter } from './log-source';
import type { Part } from './parts';
import { type Moment, momentOf } from './time-order';

/** A row on its way into the file. */
export type WalkRow = {
  row: LogRow;
  keeper: string;
  /** When it was created, unix milliseconds; for an unreadable row the time of the row before it, and without one Infinity. */
  ms: number;
  /** The same time to the last digit. */
  moment: Moment;
  /** The same from one answer to the next, whatever state the row is in then; 22 characters. */
  identity: string;
};

/** Makes a call as often as patience has it. */
export type Ask = <T>(call: () => Promise<Outcome<T>>) => Promise<Outcome<T>>;

/** Unreadable rows have no time by which they could be forgotten: so many are remembered, then the oldest goes. */
const MOST_UNREADABLE_KNOWN = 10_000;
/** A slice brings rows again that are newer than its cursor by no more than this. */
export const WIDEST_WINDOW_MS = 1000;
/** Pages without a new row that are read before the service is taken not to heed `offset`. */
const MOST_STALE_PAGES = 3;

/**
 * Walks all rows of one part, newest first, a page at a time and with one page in memory. Every slice begins at the time of
 * the last row taken, that moment included, and skips what was taken of it: rows that leave the result or arrive
 * meanwhile shift no offset, so none is repeated or skipped. Offsets are used only within one moment.
 */
export class PartWalk {
  /** Matches when it began, by the first answer; undefined when the service gave no total. */
  expected: string | undefined;
  /** Whether the keeper serves the network of this part; one that it does not has no rows. */
  served: 'yes' | 'no' = 'yes';
  #buffer: WalkRow[] = [];
  #next = 0;
  #ended = false;
  /** The slice is all up to this time (unix milliseconds) and `#window` more; undefined before the first row. */
  #cursor: number | undefined;
  /** What the text of that time leaves open: rows of one written second may be up to a second apart. */
  #windowMs = WIDEST_WINDOW_MS;
  #offset = 0;
  /** Taken rows that the slice may bring again, newest first. */
  readonly #seen: RememberedRows;
  readonly #unreadable: RememberedRows;

  /**
   * @param limit rows of a page
   * @param share in which it counts what it remembers: up to one more identity for each row that is taken
   */
  constructor(
    readonly part: Part,
    private readonly limit: number,
    share: MemoryShare,
  ) {
    this.#seen = new RememberedRows(share);
    this.#unreadable = new RememberedRows(share);
  }

  get keeper(): string {
    return this.part.source.keeper;
  }

  /** The next row; undefined at the end, and before `fill`. */
  get head(): WalkRow | undefined {
    return this.#buffer[this.#next];
  }

  /** Whether `fill` has to be called before `head` says anything. */
  get needsFilling(): boolean {
    return !this.#ended && this.head === undefined;
  }

  take(): WalkRow {
    const row = this.head;
    if (row === undefined) throw new Error('A row was taken from a walk that has none.');
    this.#next += 1;
    this.#remember(row);
    return row;
  }

  /** Forgets what was read ahead: the next slice begins at the moment of `last`, the last row of all that was taken. */
  restart(last: WalkRow): void {
    this.#buffer = [];
    this.#next = 0;
    this.#ended = false;
    this.#offset = 0;
    this.#moveTo(last);
  }

  /** Reads on until there is a row that was not taken yet, or the end. */
  async fill(ask: Ask): Promise<Outcome<true>> {
    const slice = this.#slice();
    for (let stale = 0; ; ) {
      const page = await ask(() => this.part.source.page(slice, this.limit, this.#offset, 'background'));
      if (!page.ok) return this.#refused(page.failure);
      const { rows, total } = page.value;
      this.expected ??= total;
      const read = this.#rowsOf(rows);
      if (this.#offset > 0 && rows.length > 0 && !this.#isKnown(read[0]) && stale < MOST_STALE_PAGES) {
        // Rows of this very moment left the result, so the offset passed over others: once more from its beginning.
        stale += 1;
        this.#offset = 0;
        continue;
      }
      this.#ended = isLastPage(rows.length, total, this.#offset, this.limit);
      this.#keep(
        read.filter((row) => !this.#isKnown(row) && !this.#isTooNew(row)),
        rows.length,
      );
      if (this.head !== undefined || this.#ended) return ok(true);
      if (this.#offset > this.#seen.size + (MOST_STALE_PAGES + 1) * this.limit) return repeats();
    }
  }

  #refused(failure: Failure): Outcome<true> {
    if (!isUnserved(failure, this.part.filter)) return failed(failure);
    this.served = 'no';
    this.expected = '0';
    this.#ended = true;
    return ok(true);
  }

  /** A service whose order is a little off must not move the slice past rows that it has yet to bring: hence by time. */
  #keep(fresh: WalkRow[], read: number): void {
    this.#buffer = fresh.sort((a, b) => b.ms - a.ms);
    this.#next = 0;
    const oldest = this.#buffer.at(-1);
    const staysInMoment = oldest === undefined || (this.#cursor !== undefined && oldest.ms >= this.#cursor);
    // One row early, so that it can be seen whether rows have left meanwhile.
    this.#offset = staysInMoment ? this.#offset + Math.max(1, read - 1) : 0;
  }

  #slice(): LogFilter {
    const { filter } = this.part;
    if (this.#cursor === undefined) return filter;
    const end = this.#cursor + this.#windowMs;
    const given = filter.max === undefined ? undefined : parseIsoTime(filter.max);
    return given !== undefined && given <= end
      ? filter
      : { ...filter, max: formatIsoMillis(unixMillis(end)) };
  }

  #isKnown(row: WalkRow | undefined): boolean {
    return row !== undefined && (this.#seen.has(row.identity) || this.#unreadable.has(row.identity));
  }

  /** Newer than what was asked for: it stands in every answer, and was taken with the first. */
  #isTooNew({ row, ms }: WalkRow): boolean {
    return row.kind === 'record' && this.#cursor !== undefined && ms > this.#cursor + this.#windowMs;
  }

  #remember(taken: WalkRow): void {
    const { row, ms, identity } = taken;
    if (row.kind === 'unreadable') {
      this.#unreadable.add(identity, ms);
      if (this.#unreadable.size > MOST_UNREADABLE_KNOWN) this.#unreadable.forgetOldest();
      return;
    }
    this.#moveTo(taken);
    this.#seen.add(identity, ms);
  }

  /** Lowers the cursor to the time of a row, and forgets the rows that no slice brings again. */
  #moveTo({ row, ms }: WalkRow): void {
    // Before the first row that can be read there is no time to move to.
    if (ms >= (this.#cursor ?? Number.POSITIVE_INFINITY)) return;
    this.#cursor = ms;
    this.#windowMs = row.kind === 'record' && row.createdAt.text.includes('.') ? 1 : WIDEST_WINDOW_MS;
    this.#seen.forgetNewerThan(ms + this.#windowMs);
  }

  #rowsOf(rows: readonly LogRow[]): WalkRow[] {
    const known = new Map<string, number>();
    const first = rows.find((row) => row.kind === 'record');
    let time = timeOf(first) ?? { ms: this.#cursor ?? Number.POSITIVE_INFINITY, moment: '' };
    return rows.map((row) => {
      time = timeOf(row) ?? time;
      return { row, ...time, keeper: this.keeper, identity: identityOf(row, known) };
    });
  }
}

function timeOf(row: LogRow | undefined): { ms: number; moment: Moment } | undefined {
  if (row?.kind !== 'record') return undefined;
  return { ms: row.createdAt.ms, moment: momentOf(row.createdAt.text) };
}

/** Enough that no two rows are ever taken for one, even by a service that is out for it. */
const DIGEST_BYTES = 16;

/**
 * 22 characters whatever the service wrote, and a text of its own: a part of an answer would keep the whole of it. UTF-16,
 * since halves of pairs would be the same in UTF-8.
 */
function digestOf(text: string): string {
  return createHash('sha256').update(text, 'utf16le').digest().toString('base64url', 0, DIGEST_BYTES);
}

/** Keys tell requests apart; a keeper that wrote one down twice did so at two times. */
function identityOf(row: LogRow, known: Map<string, number>): string {
  const base = digestOf(row.kind === 'record' ? `${row.key}@${row.createdAt.text}` : row.key);
  const count = (known.get(base) ?? 0) + 1;
  known.set(base, count);
  return count === 1 ? base : digestOf(`${base}#${count}`);
}

/** A page that is not full ends the slice, unless the service counts more than it gave. */
function isLastPage(length: number, total: string | undefined, offset: number, limit: number): boolean {
  if (length === 0) return true;
  return length < limit && (total === undefined || BigInt(offset + length) >= BigInt(total));
}

function repeats(): Outcome<never> {
  return failed({
    kind: 'malformed',
    service: 'logs',
    detail: 'The request log service gives the same rows again and again.',
  });
}
