import { randomUUID } from 'node:crypto';
import { DuckDbEngine } from './duckdb/engine';
import type { Engine, SqlRow } from './engine';
import { PostgresEngine } from './postgres/engine';
import type { Statement } from './sql';
import { IndexStore } from './store';

export type TestEngineOptions = {
  /** Path of the database, by default a new one, which is deleted when it is closed. */
  path?: string | undefined;
  timeoutMs?: number;
};

/** PostgreSQL in the Vitest project of that name, otherwise DuckDB. */
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

/** The database is deleted when it is closed. */
export async function openTestStore(now: () => number, ...keepers: string[]): Promise<IndexStore> {
  const named = keepers.map((name) => ({ name, baseUrl: `http://127.0.0.1:1/${name}` }));
  return IndexStore.open(await openTestEngine(), { keepers: named, storage: 'memory', now });
}

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
