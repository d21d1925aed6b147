/** For tests: a database of whichever engine they run against, and how to read one piece by piece. */
import { DuckDbEngine } from './duckdb/engine';
import type { Engine, SqlParameter, SqlRow } from './engine';
import type { Schema } from './schema';

export type TestEngineOptions = { path?: string | undefined; schema?: Schema };

export function openTestEngine({ path, schema }: TestEngineOptions = {}): Promise<Engine> {
  return DuckDbEngine.open({
    memoryMb: 256,
    ...(path === undefined ? {} : { path }),
    ...(schema === undefined ? {} : { schema }),
  });
}

/** Rows in pieces; a reader that leaves ends the query. */
export async function* streamed<Row extends SqlRow>(
  engine: Engine,
  sql: string,
  parameters: readonly SqlParameter[] = [],
): AsyncGenerator<Row[], void> {
  const { pieces, end } = await engine.counted<Row>(sql, parameters);
  try {
    yield* pieces;
  } finally {
    await end();
  }
}
