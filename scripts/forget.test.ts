import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, it, onTestFinished } from 'vitest';
import { startPostgres } from '@/e2e/postgres-harness';
import { openIncidents, openStore } from '@/lib/store/open';
import { INCIDENT_SCHEMA } from '@/lib/store/schema';

async function inDatabase(path: string, ...statements: string[]) {
  const database = await DuckDBInstance.create(path);
  const connection = await database.connect();
  for (const statement of statements.slice(0, -1)) await connection.run(statement);
  const rows = (await connection.runAndReadAll(statements.at(-1) ?? '')).getRowsJson();
  connection.closeSync();
  database.closeSync();
  return rows;
}

it('a forgotten person is named nowhere in the file, and nobody else is affected', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'forget-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'incidents.duckdb');
  await inDatabase(
    file,
    ...INCIDENT_SCHEMA.flat(),
    `insert into acknowledgements values ('incident', 'a', 1, null, 'seen-by-alice', 'alice', 1, null)`,
    `insert into acknowledgements values ('incident', 'b', 1, null, 'kept', 'bob', 1, null)`,
    `insert into incident_events values ('a', 1, 'acknowledged', 1, null, null, 'seen-by-alice', 'alice', null)`,
    `insert into notices values ('t', 't', 'test', 'Test message sent by alice', '{}', 1, 1, 1, 'sent', 1, 1, 1, null)`,
  );
  execFileSync(process.execPath, ['scripts/forget.mjs', 'alice'], {
    env: { ...process.env, STORE_URL: '', DATA_DIR: folder },
  });
  expect(readFileSync(file).includes('alice')).toBe(false);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const all =
    'select id, note, by_name from acknowledgements union all select incident, note, by_name from incident_events';
  expect(await inDatabase(file, all)).toEqual([
    ['a', '', null],
    ['b', 'kept', 'bob'],
    ['a', null, null],
  ]);
});

it('a forgotten person is named in no row of PostgreSQL, and running instances are notified', async () => {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const url = await server.database('forget');
  const options = {
    storeUrl: () => url,
    memoryMb: 128,
    now: Date.now,
    keepers: [{ name: 'main', baseUrl: 'http://127.0.0.1:1/logs' }],
  };
  const index = await openStore(options);
  onTestFinished(() => index.close());
  const incidents = await openIncidents(options, index);
  index.shared?.start();
  const acknowledgement = { kind: 'failure', atMs: 1, untilMs: null, size: 1, cause: null };
  await incidents.change({
    acknowledge: [
      { ...acknowledgement, id: 'a', note: 'seen-by-alice', by: 'alice' },
      { ...acknowledgement, id: 'b', note: 'kept', by: 'bob' },
    ],
  });
  execFileSync(process.execPath, ['scripts/forget.mjs', 'alice'], {
    env: { ...process.env, STORE_URL: url },
  });
  const named = () => incidents.acknowledgements.map(({ id, note, by }) => [id, note, by]);
  await expect.poll(named, { timeout: 10_000 }).toEqual([
    ['a', '', null],
    ['b', 'kept', 'bob'],
  ]);
});
