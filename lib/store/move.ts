import 'server-only';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { copyRows } from './bulk-rows';
import { folderFault } from './duckdb/disk';
import { DuckDbEngine } from './duckdb/engine';
import { type Engine, oneRow } from './engine';
import { FILE, INCIDENT_FILE } from './open';
import { preventSync } from './postgres/cluster';
import { POSTGRES_SCHEMA, PostgresEngine } from './postgres/engine';
import { databaseAddress } from './postgres/session';
import { INCIDENT_SCHEMA } from './schema';

/* No dashboard may write to either database during a move. */

const INDEX_TABLES = ['keepers', 'requests', 'unreadable', 'coverage', 'discrepancies', 'keeper_facts'];
const INCIDENT_TABLES = ['acknowledgements', 'incidents', 'incident_events', 'notices'];
const MEMORY_MB = 512;
const REPORT_EVERY_ROWS = 100_000;
const USAGE =
  'Usage: npm run move -- --from PLACE --to PLACE, where a place is a folder (DATA_DIR) or STORE_URL';

/** The message is for the operator. */
class MoveError extends Error {}

type StoreUrl = () => string | undefined;
type Location = { name: string; index: Engine; incidents: Engine; close: () => Promise<void> };

/** @param mustExist if false, a missing folder is created */
async function openLocation(location: string, mustExist: boolean, storeUrl: StoreUrl): Promise<Location> {
  const url = location === 'STORE_URL' ? storeUrl() : location;
  if (url === undefined) throw new MoveError('STORE_URL is not set.');
  const isUrl = location === 'STORE_URL' || /^postgres(ql)?:/.test(location);
  return isUrl ? openPostgres(url) : openFolder(resolve(location), mustExist);
}

async function openPostgres(url: string): Promise<Location> {
  const engine = await PostgresEngine.open({ url });
  const end = await preventSync(engine, POSTGRES_SCHEMA);
  if (end === undefined) throw new MoveError(`A dashboard is using ${databaseAddress(url)}. Stop it first.`);
  const close = async () => {
    await end();
    await engine.close();
  };
  return { name: databaseAddress(url), index: engine, incidents: engine, close };
}

async function openFolder(folder: string, mustExist: boolean): Promise<Location> {
  if (mustExist && !existsSync(join(folder, FILE))) throw new MoveError(`There is no index in ${folder}.`);
  const fault = await folderFault(folder);
  if (fault !== undefined) throw new MoveError(`${folder} can’t be used (${fault}).`);
  const index = await DuckDbEngine.open({ path: join(folder, FILE), memoryMb: MEMORY_MB });
  const incidentPath = join(folder, INCIDENT_FILE);
  const incidents = await DuckDbEngine.open({ path: incidentPath, memoryMb: 64, schema: INCIDENT_SCHEMA });
  const close = async () => {
    await incidents.close();
    await index.close();
  };
  return { name: folder, index, incidents, close };
}

async function digestOf(engine: Engine, table: string): Promise<string> {
  const ofRequests = ", ' ', count(distinct id), ' ', sum(length(wire)), ' ', sum(created_us % 1000003)";
  const query = `select concat(count(*)${table === 'requests' ? ofRequests : ''}) as digest from ${table}`;
  return (await oneRow<{ digest: string }>(engine, query)).digest;
}

/** @throws MoveError if the target is not empty, or the counts differ afterwards */
export async function move(
  from: string,
  to: string,
  say: (line: string) => void,
  storeUrl: StoreUrl = () => undefined,
): Promise<void> {
  process.umask(0o077);
  const source = await openLocation(from, true, storeUrl);
  const target = await openLocation(to, false, storeUrl).catch(async (error) => {
    await source.close();
    throw error;
  });
  try {
    const parts = [
      ...INDEX_TABLES.map((table) => ({ table, old: source.index, new: target.index })),
      ...INCIDENT_TABLES.map((table) => ({ table, old: source.incidents, new: target.incidents })),
    ];
    for (const { table, new: engine } of parts) {
      const [row] = await engine.all(`select 1 as present from ${table} limit 1`);
      if (row !== undefined)
        throw new MoveError(`${target.name} already holds an index (${table}). Move into an empty one.`);
    }
    for (const { table, old, new: engine } of parts) {
      let reportedRows = 0;
      await copyRows(old, engine, table, (done, total) => {
        if (done - reportedRows < REPORT_EVERY_ROWS && done !== total) return;
        reportedRows = done;
        say(`${table}: ${done.toLocaleString('en')} of ${total.toLocaleString('en')}`);
      });
    }
    if (target.index.kind === 'postgres') await advanceSharedState(target.index);
    const differing: string[] = [];
    for (const { table, old, new: engine } of parts) {
      if ((await digestOf(old, table)) !== (await digestOf(engine, table))) differing.push(table);
    }
    if (differing.length > 0)
      throw new MoveError(`The copy differs from what was copied: ${differing.join(', ')}.`);
    say(`Moved ${source.name} to ${target.name}; the counts match. The source is unchanged.`);
  } finally {
    await target.close();
    await source.close();
  }
}

/** Later writes must get a higher revision and moment than the copied rows. */
async function advanceSharedState(engine: Engine): Promise<void> {
  await engine.write(async ({ run }) => {
    await run(`update shared_state set
      revision = greatest(revision, (select coalesce(max(rev), 0) + 1 from requests)),
      seen_ms = greatest(seen_ms, (select coalesce(max(visible_us), 0) / 1000 + 1 from requests))`);
    await run('analyze requests');
  });
}

export async function main(storeUrl: StoreUrl): Promise<void> {
  try {
    const { from, to } = parseArgs({ options: { from: { type: 'string' }, to: { type: 'string' } } }).values;
    if (from === undefined || to === undefined) throw new MoveError(USAGE);
    await move(from, to, (line) => process.stderr.write(`${line}\n`), storeUrl);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
