import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fail, runCommand, say } from './project.mjs';

const OLDEST = 15;
const DEBIAN = '/usr/lib/postgresql';
const ADVICE =
  'No PostgreSQL 15 or newer found. Install one (Debian: apt-get install postgresql), or name the folder of its programs in POSTGRES_BIN, and run the tests again.';

/**
 * The folder of PostgreSQL's programs, for the tests of the index: the one named by POSTGRES_BIN, a system one, else Debian's
 * by apt when root. Ends with one line that says what to do when there is none.
 * @returns {Promise<string>}
 */
export async function ensurePostgres() {
  const found = findPostgres();
  if (found) return found;
  if (process.getuid?.() === 0 && version('apt-get') !== undefined) {
    say('Installing Debian’s PostgreSQL for the tests of the index …');
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    await runCommand('apt-get', ['update', '-qq'], { env });
    await runCommand('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'postgresql'], { env });
    const now = findPostgres();
    if (now) return now;
  }
  return fail(ADVICE);
}

/** The same without installing anything. @returns {string | undefined} */
export function findPostgres() {
  const { POSTGRES_BIN, PATH = '' } = process.env;
  if (POSTGRES_BIN) return isNewEnough(POSTGRES_BIN) ? POSTGRES_BIN : undefined;
  const debian = existsSync(DEBIAN)
    ? readdirSync(DEBIAN)
        .sort((a, b) => Number(b) - Number(a))
        .map((one) => join(DEBIAN, one, 'bin'))
    : [];
  return [...debian, ...PATH.split(':')].find(isNewEnough);
}

function isNewEnough(folder) {
  if (!existsSync(join(folder, 'initdb'))) return false;
  const [, major] = /(\d+)/.exec(version(join(folder, 'postgres')) ?? '') ?? [];
  return Number(major) >= OLDEST;
}

function version(command) {
  const { status, stdout } = spawnSync(command, ['--version'], { encoding: 'utf8', timeout: 30_000 });
  return status === 0 ? stdout : undefined;
}
