import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { enterProject, fail, say } from './project.mjs';

/** `npm run forget -- NAME`, while the dashboard is stopped: takes a person's name and notes out of the incidents for good. */
enterProject();
const [name] = process.argv.slice(2);
if (!name) fail('Whose name? npm run forget -- NAME');
const file = join(process.env.DATA_DIR || '.keeperscope', 'incidents.duckdb');
if (!existsSync(file)) fail(`${file} does not exist`);
const fresh = `${file}.new`;
rmSync(fresh, { force: true });
const database = await DuckDBInstance.create(':memory:');
const connection = await database.connect();
const quoted = (path) => `'${path.replaceAll("'", "''")}'`;
let forgotten = 0;
try {
  await connection.run(`attach ${quoted(file)} as old`);
  for (const [table, none] of [
    ['acknowledgements', "''"],
    ['incident_events', 'null'],
  ]) {
    const change = `update old.${table} set by_name = null, note = ${none} where by_name = $1`;
    forgotten += (await connection.run(change, [name])).rowsChanged;
  }
  // Written anew: a database keeps the bytes of what was changed until it needs their place.
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
