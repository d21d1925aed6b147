import 'server-only';
import type { Engine, HeldReader, Reader } from '@/lib/store/engine';
import { oneRow } from '@/lib/store/engine';
import { raw, type Sql, sql } from '@/lib/store/sql';

/** Exports read the index one after the other, range by range: together they take no more of the engine than one of them. */
export class ReadQueue {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}

/**
 * A transaction of an export lasts this long at most, in milliseconds. DuckDB keeps the old versions of changed rows in
 * memory for as long as somebody may read them, and can't write its log into the file.
 */
const HOLD_MS = 10_000;

/**
 * One moment of the index. Short exports read it in one transaction. After `HOLD_MS` the transaction is given up, and rows
 * are read that have not changed since: `rev` grows with every write.
 */
export class ExportSnapshot {
  #held: HeldReader | undefined;
  #reading: Promise<unknown> = Promise.resolve();
  readonly #timer: NodeJS.Timeout;

  private constructor(
    private readonly engine: Engine,
    private readonly queue: ReadQueue,
    held: HeldReader,
    holdMs: number,
  ) {
    this.#held = held;
    this.#timer = setTimeout(() => this.release(), holdMs).unref();
  }

  static async open(engine: Engine, queue: ReadQueue, holdMs = HOLD_MS): Promise<ExportSnapshot> {
    return new ExportSnapshot(engine, queue, await engine.hold(), holdMs);
  }

  /** A file of the database that was opened anew ends the transaction: the rest is read without one. */
  read<T>(work: (from: Reader) => Promise<T>): Promise<T> {
    return this.queue.run(async () => {
      const held = this.#held;
      if (held !== undefined) {
        const result = work(held);
        this.#reading = result;
        try {
          return await result;
        } catch {
          this.release();
        }
      }
      return this.engine.snapshot(work);
    });
  }

  /** Ends the transaction, after the query under way. */
  release(): void {
    clearTimeout(this.#timer);
    const held = this.#held;
    this.#held = undefined;
    if (held === undefined) return;
    const end = () => held.end().catch(() => undefined);
    void this.#reading.then(end, end);
  }
}

/** A table, and which of its rows are wanted in which order: by a moment, newest first, then by id. */
export type RangeSource = { table: 'requests' | 'unreadable'; time: string; where: Sql };

/** `maxCharacters`: of the rows' JSON together, unless one row alone has more. */
export type RangeBounds = { maxRows: number; maxCharacters: number };

type Key = { at: number; id: string };
type Sized = Key & { characters: number };

/** Keys are looked up for so many rows at a time: about 2 MB. */
const MAX_KEYS = 8192;

/**
 * The rows of a source cut into ranges. Keys come first, by narrow columns alone, so that no query ever sorts or reads the
 * JSON of rows that it does not return: an engine with 64 MB of memory reads any number of rows.
 */
export class OrderedRanges {
  private constructor(
    private readonly snapshot: ExportSnapshot,
    private readonly source: RangeSource,
    readonly total: number,
    private readonly oldest: number,
    private readonly newest: number,
  ) {}

  static async open(snapshot: ExportSnapshot, source: RangeSource): Promise<OrderedRanges> {
    const { table, time, where } = source;
    const { total, oldest, newest, rev } = await snapshot.read((from) =>
      oneRow<{ total: number; oldest: number | null; newest: number | null; rev: number | null }>(
        from,
        sql`select count(*) as total, min(${raw(time)}) as oldest, max(${raw(time)}) as newest, max(rev) as rev
         from ${raw(table)} where ${where}`,
      ),
    );
    // Every later write has a higher revision than all rows of the moment.
    const pinned = { ...source, where: sql`${where} and rev <= ${rev ?? 0}` };
    return new OrderedRanges(snapshot, pinned, total, oldest ?? 0, newest ?? 0);
  }

  /** Conditions, each of which fits rows that stand next to each other in the order. */
  async *ranges({ maxRows, maxCharacters }: RangeBounds): AsyncGenerator<Sql, void> {
    for await (const keys of this.#keys()) {
      for (let start = 0; start < keys.length; ) {
        let end = start;
        for (let characters = 0; end < keys.length && end - start < maxRows; end += 1) {
          characters += keys[end]?.characters ?? 0;
          if (end > start && characters > maxCharacters) break;
        }
        const [first, last] = [keys[start], keys[end - 1]];
        if (first === undefined || last === undefined) return;
        yield sql`${this.source.where} and ${this.#within(first, last)}`;
        start = end;
      }
    }
  }

  /** Looks back over a span of time that should hold so many rows, and learns its width from how many there were. */
  async *#keys(): AsyncGenerator<Sized[], void> {
    if (this.total === 0) return;
    const { oldest, newest } = this;
    let width = Math.ceil(((newest - oldest) / this.total) * MAX_KEYS) + 1;
    let [beforeUs, after] = [newest, raw('true')];
    for (;;) {
      const sinceUs = Math.max(oldest, beforeUs - width);
      const beyond = sql`${raw(this.source.time)} between ${sinceUs} and ${beforeUs} and ${after}`;
      const keys = await this.snapshot.read((from) => this.#keysOf(from, beyond));
      if (keys.length > 0) yield keys;
      const last = keys.at(-1);
      if (last !== undefined && keys.length === MAX_KEYS) {
        width = Math.max(1, Math.floor((beforeUs - last.at) * 1.5));
        [beforeUs, after] = [last.at, this.#after(last)];
        continue;
      }
      if (sinceUs <= oldest) return;
      [beforeUs, after] = [sinceUs - 1, raw('true')];
      if (keys.length < MAX_KEYS / 2) width *= keys.length < MAX_KEYS / 8 ? 8 : 2;
    }
  }

  async #keysOf(from: Reader, beyond: Sql): Promise<Sized[]> {
    const { table, time, where } = this.source;
    const [rows, order] = [sql`${raw(table)} where ${where}`, raw(`order by ${time} desc, id`)];
    const key = sql`${raw(time)} as at, cast(id as text) as id`;
    const keys = await from.all<Key>(
      sql`select ${key} from ${rows} and ${beyond} ${order} limit ${raw(MAX_KEYS)}`,
    );
    const [first, last] = [keys[0], keys.at(-1)];
    if (first === undefined || last === undefined) return [];
    return from.all<Sized>(
      sql`select ${key}, length(wire) as characters from ${rows} and ${this.#within(first, last)} ${order}`,
    );
  }

  #after({ at, id }: Key): Sql {
    const time = raw(this.source.time);
    return sql`(${time} < ${at} or (${time} = ${at} and id > cast(${id} as uuid)))`;
  }

  #within(first: Key, last: Key): Sql {
    const time = raw(this.source.time);
    return sql`${time} between ${last.at} and ${first.at}
      and (${time} < ${first.at} or id >= cast(${first.id} as uuid))
      and (${time} > ${last.at} or id <= cast(${last.id} as uuid))`;
  }
}
