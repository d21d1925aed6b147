/** For tests: a database of whichever engine they run against, a store in one, and how to read one piece by piece. */
import { randomUUID } from 'node:crypto';
import { DuckDbEngine } from './duckdb/engine';
import type { Engine, SqlRow } from './engine';
import { PostgresEngine } from './postgres/engine';
import type { Statement } from './sql';
import { IndexStore } from './store';

export type TestEngineOptions = {
  /** A database that stays under this name; default: a new one that is gone when it is closed. */
  path?: string | undefined;
  /** The longest wait for an answer, in milliseconds. */
  answerMs?: number;
};

/** PostgreSQL in Vitest's project of that name, else DuckDB. */
export async function openTestEngine({ path, ...options }: TestEngineOptions = {}): Promise<Engine> {
  const url = process.env.TEST_STORE === 'postgres' ? process.env.TEST_POSTGRES_URL : undefined;
  if (url === undefined)
    return DuckDbEngine.open({ memoryMb: 256, ...(path === undefined ? {} : { path }), ...options });
  return PostgresEngine.open({
    url,
    schema: path?.replaceAll(/\W/g, '_').slice(-60) ?? randomUUID(),
    ...options,
  });
}

/** A store of these keepers whose database is gone when it is closed. */
export async function openTestStore(now: () => number, ...keepers: string[]): Promise<IndexStore> {
  const named = keepers.map((name) => ({ name, baseUrl: `http://127.0.0.1:1/${name}` }));
  return IndexStore.open(await openTestEngine(), { keepers: named, storage: 'memory', now });
}

/** Rows in pieces; a reader that leaves ends the query. */
export async function* streamed<Row extends SqlRow>(
  engine: Engine,
  statement: Statement,
): AsyncGenerator<Row[], void> {
  const { pieces, end } = await engine.counted<Row>(statement);
  try {
    yield* pieces;
  } finally {
    await end();
  }
}
