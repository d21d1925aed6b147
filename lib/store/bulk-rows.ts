import 'server-only';
import type { Dialect, Engine } from './engine';
import { raw, type Sql, type SqlParameter, sql } from './sql';

// Many rows are one text that the engine splits: binding each value blocks the event loop three times as long.
const NULL = '\u001d';
const END_OF_VALUE = '\u001e';
const END_OF_ROW = '\u001f';
const SEPARATORS = new RegExp(`[\\u0000${NULL}${END_OF_VALUE}${END_OF_ROW}]`, 'g');

/** `type`: SQL type, if it is not text. */
type BulkColumn = { name: string; type?: string | undefined };

/** Separators in texts are replaced. @param json the last value; JSON text never contains separators */
export function bulkLine(values: readonly (SqlParameter | undefined)[], json?: string): string {
  const line = values
    .map((value) => (typeof value === 'string' ? value.replace(SEPARATORS, '\ufffd') : (value ?? NULL)))
    .join(END_OF_VALUE);
  return json === undefined ? line : line + END_OF_VALUE + json;
}

/** The buffer is reused, so that it creates no work for the garbage collector. */
export class BulkText {
  #room = Buffer.alloc(0);
  #used = 0;

  /** Valid until the next `add` or `clear`. */
  get bytes(): Uint8Array {
    return this.#room.subarray(0, this.#used);
  }

  add(lines: readonly string[]): void {
    if (lines.length === 0) return;
    const text = (this.#used === 0 ? '' : END_OF_ROW) + lines.join(END_OF_ROW);
    const needed = this.#used + Buffer.byteLength(text);
    if (needed > this.#room.length) {
      const larger = Buffer.allocUnsafeSlow(2 * needed);
      this.#room.copy(larger, 0, 0, this.#used);
      this.#room = larger;
    }
    this.#used += this.#room.write(text, this.#used);
  }

  clear(): void {
    this.#used = 0;
  }
}

/** Creates the table `stage`. */
export function stageStatement(dialect: Dialect, columns: readonly BulkColumn[], text: BulkText): Sql {
  const values = columns.map(({ name, type }, index) => {
    const value = `nullif(v[${index + 1}], chr(${NULL.charCodeAt(0)}))`;
    if (type === undefined) return `${value} as ${name}`;
    return `${/^(decimal|numeric)/i.test(type) ? dialect.decimal(value) : `cast(${value} as ${type})`} as ${name}`;
  });
  const lines = dialect.split(sql`${text.bytes}`, END_OF_ROW.charCodeAt(0));
  return sql`${raw(dialect.stage)} as select ${raw(values.join(', '))} from (
    select ${dialect.split(raw('line'), END_OF_VALUE.charCodeAt(0))} as v
    from (select unnest(${lines}) as line) as lines) as rows`;
}

export async function copyRows(
  from: Engine,
  to: Engine,
  table: string,
  onPiece: (done: number, total: number) => void = () => undefined,
): Promise<number> {
  const columns = await to.all<{ name: string; type: string }>(
    sql`select column_name as name, data_type as type from information_schema.columns
     where table_schema = current_schema() and table_name = ${table} order by ordinal_position`,
  );
  const names = columns.map(({ name }) => name);
  const texts = names.map((name) => `cast(${name} as text) as ${name}`);
  const { total, pieces, end } = await from.counted(sql`select ${raw(texts.join(', '))} from ${raw(table)}`);
  const text = new BulkText();
  let done = 0;
  try {
    for await (const rows of pieces) {
      text.clear();
      text.add(rows.map((row) => bulkLine(names.map((name) => row[name]))));
      await to.write(async (session) => {
        await session.run(stageStatement(to.dialect, columns, text));
        await session.run(`insert into ${table} (${names.join(', ')}) select ${names.join(', ')} from stage`);
      });
      done += rows.length;
      onPiece(done, total);
    }
  } finally {
    await end();
  }
  return done;
}
