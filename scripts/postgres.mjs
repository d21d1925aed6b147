import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { findOrInstall, versionOf } from './project.mjs';

const MIN_MAJOR = 15;
const DEBIAN = '/usr/lib/postgresql';
const ADVICE =
  'No PostgreSQL 15 or newer found. Install one (Debian: apt-get install postgresql), or name the folder of its programs in POSTGRES_BIN, and run the tests again.';

/** Folder of programs: from POSTGRES_BIN, the system, or installed from Debian. */
export const ensurePostgres = () =>
  findOrInstall(findPostgres, 'PostgreSQL for the tests of the index', [['postgresql']], ADVICE);

/** Finds PostgreSQL like `ensurePostgres`, without installing anything. @returns {string | undefined} */
export function findPostgres() {
  const { POSTGRES_BIN, PATH = '' } = process.env;
  if (POSTGRES_BIN) return isNewEnough(POSTGRES_BIN) ? POSTGRES_BIN : undefined;
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  return [...versions.map((version) => join(DEBIAN, version, 'bin')), ...PATH.split(':')].find(isNewEnough);
}

function isNewEnough(folder) {
  if (!existsSync(join(folder, 'initdb'))) return false;
  const [, major] = /(\d+)/.exec(versionOf(join(folder, 'postgres')) ?? '') ?? [];
  return Number(major) >= MIN_MAJOR;
}
