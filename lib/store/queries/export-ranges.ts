import 'server-only';
import type { SerialQueue } from '@/lib/core/serial-queue';
import type { Engine, Reader, SnapshotReader } from '@/lib/store/engine';
import { oneRow } from '@/lib/store/engine';
import { raw, type Sql, sql } from '@/lib/store/sql';

/** While a transaction is open, DuckDB keeps old row versions in memory and cannot checkpoint its log. */
const HOLD_MS = 10_000;

/**
 * Rows of an export. After `HOLD_MS` the transaction ends, and only unchanged rows are read: `rev` grows with every
 * write.
 */
export class ExportSnapshot {
  #reader: SnapshotReader | undefined;
  #reading: Promise<unknown> = Promise.resolve();
  readonly #timer: NodeJS.Timeout;

  private constructor(
    private readonly engine: Engine,
    private readonly queue: SerialQueue,
    reader: SnapshotReader,
    holdMs: number,
  ) {
    this.#reader = reader;
    this.#timer = setTimeout(() => this.release(), holdMs).unref();
  }

  static async open(engine: Engine, queue: SerialQueue, holdMs = HOLD_MS): Promise<ExportSnapshot> {
    return new ExportSnapshot(engine, queue, await engine.openSnapshot(), holdMs);
  }

  /** If the database file is reopened, the transaction ends and the rest is read without it. */
  read<T>(work: (from: Reader) => Promise<T>): Promise<T> {
    return this.queue.run(async () => {
      const reader = this.#reader;
      if (reader !== undefined) {
        const result = work(reader);
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

  /** Ends the transaction after the current query. */
  release(): void {
    clearTimeout(this.#timer);
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader === undefined) return;
    const end = () => reader.end().catch(() => undefined);
    void this.#reading.then(end, end);
  }
}

/** Rows are ordered by `time`, newest first, then by id. */
export type RangeSource = { table: 'requests' | 'unreadable'; time: string; where: Sql };

/** `maxCharacters` limits the JSON of a range's rows, unless a single row exceeds it. */
type RangeBounds = { maxRows: number; maxCharacters: number };

type Key = { at: number; id: string };
type Sized = Key & { characters: number };

/** Keys that are read at a time: about 2 MB. */
const MAX_KEYS = 8192;

/** Keys are read first, so that no query sorts the JSON of rows: 64 MB of memory suffice for any number of rows. */
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
    // Later writes have higher revisions than all rows of the snapshot.
    const pinned = { ...source, where: sql`${where} and rev <= ${rev ?? 0}` };
    return new OrderedRanges(snapshot, pinned, total, oldest ?? 0, newest ?? 0);
  }

  /** Each condition matches rows that are adjacent in the order. */
  async *ranges({ maxRows, maxCharacters }: RangeBounds): AsyncGenerator<Sql, void> {
    for await (const keys of this.#keys()) {
      for (let start = 0; start < keys.length; ) {
        let end = start;
        for (let characters = 0; end < keys.length && end - start < maxRows; end += 1) {
          characters += keys[end]?.characters ?? 0;
          if (end > start && characters > maxCharacters) break;
        }
        const first = keys[start];
        const last = keys[end - 1];
        if (first === undefined || last === undefined) return;
        yield sql`${this.source.where} and ${this.#keyRange(first, last)}`;
        start = end;
      }
    }
  }

  /** The width of the next span adapts to the number of rows. */
  async *#keys(): AsyncGenerator<Sized[], void> {
    if (this.total === 0) return;
    const { oldest, newest } = this;
    let width = Math.ceil(((newest - oldest) / this.total) * MAX_KEYS) + 1;
    let beforeUs = newest;
    let keyCondition = raw('true');
    for (;;) {
      const sinceUs = Math.max(oldest, beforeUs - width);
      const beyond = sql`${raw(this.source.time)} between ${sinceUs} and ${beforeUs} and ${keyCondition}`;
      const keys = await this.snapshot.read((from) => this.#keysOf(from, beyond));
      if (keys.length > 0) yield keys;
      const last = keys.at(-1);
      if (last !== undefined && keys.length === MAX_KEYS) {
        width = Math.max(1, Math.floor((beforeUs - last.at) * 1.5));
        beforeUs = last.at;
        keyCondition = this.#afterKey(last);
        continue;
      }
      if (sinceUs <= oldest) return;
      beforeUs = sinceUs - 1;
      keyCondition = raw('true');
      if (keys.length < MAX_KEYS / 2) width *= keys.length < MAX_KEYS / 8 ? 8 : 2;
    }
  }

  async #keysOf(from: Reader, beyond: Sql): Promise<Sized[]> {
    const { table, time, where } = this.source;
    const rows = sql`${raw(table)} where ${where}`;
    const order = raw(`order by ${time} desc, id`);
    const key = sql`${raw(time)} as at, cast(id as text) as id`;
    const keys = await from.all<Key>(
      sql`select ${key} from ${rows} and ${beyond} ${order} limit ${raw(MAX_KEYS)}`,
    );
    const first = keys[0];
    const last = keys.at(-1);
    if (first === undefined || last === undefined) return [];
    return from.all<Sized>(
      sql`select ${key}, length(wire) as characters from ${rows} and ${this.#keyRange(first, last)} ${order}`,
    );
  }

  #afterKey({ at, id }: Key): Sql {
    const time = raw(this.source.time);
    return sql`(${time} < ${at} or (${time} = ${at} and id > cast(${id} as uuid)))`;
  }

  #keyRange(first: Key, last: Key): Sql {
    const time = raw(this.source.time);
    return sql`${time} between ${last.at} and ${first.at}
      and (${time} < ${first.at} or id >= cast(${first.id} as uuid))
      and (${time} > ${last.at} or id <= cast(${last.id} as uuid))`;
  }
}
