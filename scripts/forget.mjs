import { chmodSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { enterProject, fail, say } from './project.mjs';

/**
 * `npm run forget -- NAME`: removes a name and its notes from incidents and test messages. If they are stored in a
 * file, the dashboard has to be stopped first.
 */
enterProject();
const [name] = process.argv.slice(2);
if (!name) fail('Whose name? npm run forget -- NAME');
const { STORE_URL, STORE_URL_FILE, DATA_DIR } = process.env;
/** Changes to rows that name somebody. */
const NAMED = [
  ['acknowledgements', "by_name = null, note = '' where by_name = $1"],
  ['incident_events', 'by_name = null, note = null where by_name = $1'],
  ['notices', "title = 'Test message' where kind = 'test' and title = 'Test message sent by ' || $1"],
];
const change = (table, named) => `update ${table} set ${named}`;

if (STORE_URL || STORE_URL_FILE) await forgetInPostgres();
else await forgetInFile(join(DATA_DIR || '.keeperscope', 'incidents.duckdb'));

async function forgetInPostgres() {
  const { default: pg } = await import('pg');
  const url = () => STORE_URL || readFileSync(STORE_URL_FILE, 'utf8').trim();
  try {
    const client = new pg.Client({ connectionString: url(), connectionTimeoutMillis: 5000 });
    await client.connect();
    await client.query('set search_path to keeperscope');
    let forgotten = 0;
    for (const [table, named] of NAMED)
      forgotten += (await client.query(change(table, named), [name])).rowCount;
    // Makes every instance reload its data.
    await client.query('update shared_state set revision = revision + 1');
    // A table keeps the bytes of changed rows until it reuses their space.
    for (const [table] of NAMED) await client.query(`vacuum full ${table}`);
    await client.end();
    say(`${forgotten} rows of STORE_URL no longer name ${name}. Dumps and archived WAL are yours to delete.`);
  } catch (error) {
    fail(`STORE_URL: the rows could not be changed: ${error.code ?? error.message}`);
  }
}

async function forgetInFile(file) {
  if (!existsSync(file)) fail(`${file} does not exist`);
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const fresh = `${file}.new`;
  rmSync(fresh, { force: true });
  const database = await DuckDBInstance.create(':memory:');
  const connection = await database.connect();
  const quoted = (path) => `'${path.replaceAll("'", "''")}'`;
  let forgotten = 0;
  try {
    await connection.run(`attach ${quoted(file)} as old`);
    for (const [table, named] of NAMED) {
      forgotten += (await connection.run(change(`old.${table}`, named), [name])).rowsChanged;
    }
    // The database keeps the bytes of changed rows until it reuses their space.
    await connection.run(`attach ${quoted(fresh)} as fresh`);
    await connection.run('copy from database old to fresh');
    await connection.run('detach fresh');
    await connection.run('detach old');
  } catch (error) {
    fail(`${file} could not be rewritten (is the dashboard stopped?): ${error.message.split('\n')[0]}`);
  }
  connection.closeSync();
  chmodSync(fresh, 0o600);
  renameSync(fresh, file);
  say(
    `${forgotten} rows of ${file} no longer name ${name}. Copies (${file}.v<n>, backups) are yours to delete.`,
  );
}
