/** A PostgreSQL server for tests and benches, on a free port, with durability turned off. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { findPostgres } from '@/scripts/postgres.mjs';
import { freePort } from './dashboard';

export type PostgresServer = {
  url: string;
  /** Returns the URL of a new, empty database. */
  database(name: string): Promise<string>;
  stop(): Promise<void>;
};

const NONE =
  'No PostgreSQL 15 or newer found: `npm test` installs it where it may. Debian: apt-get install postgresql; elsewhere name its programs in POSTGRES_BIN.';
const START_MS = 60_000;
/** Reveals queries without an explicit order. */
const INITDB = ['--no-sync', '-A', 'trust', '-U', 'keeperscope', '--encoding=UTF8', '--locale=C.UTF-8'];
const ICU = ['--locale-provider=icu', '--icu-locale=en-US'];

/** `settings` are in addition to those that make it fast. */
export async function startPostgres(settings: readonly string[] = []): Promise<PostgresServer> {
  const programs = findPostgres();
  if (programs === undefined) throw new Error(NONE);
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
  const user = otherUser();
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  execFileSync(join(programs, 'initdb'), ['-D', data, ...INITDB, ...ICU], {
    ...user,
    cwd: folder,
    stdio: 'pipe',
  });
  const port = await freePort();
  const options = ['fsync=off', 'full_page_writes=off', 'max_connections=200', 'listen_addresses=127.0.0.1'];
  const args = [...options, `port=${port}`, `unix_socket_directories=${folder}`, ...settings];
  const server = spawn(
    join(programs, 'postgres'),
    ['-D', data, ...args.flatMap((option) => ['-c', option])],
    {
      ...user,
      cwd: folder,
      stdio: ['ignore', 'ignore', process.env.POSTGRES_LOG ? 'inherit' : 'ignore'],
    },
  );
  const kill = () => server.kill('SIGQUIT');
  process.once('exit', kill);
  const urlOf = (name: string) => `postgres://keeperscope@127.0.0.1:${port}/${name}`;
  const url = urlOf('postgres');
  await untilReady(server, url);
  return {
    url,
    database: async (name) => {
      await query(url, `create database ${pg.escapeIdentifier(name)}`);
      return urlOf(name);
    },
    stop: async () => {
      process.off('exit', kill);
      const ended = once(server, 'exit');
      if (server.exitCode === null && server.kill('SIGINT')) await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

async function untilReady(server: ChildProcess, url: string): Promise<void> {
  const sinceMs = performance.now();
  for (;;) {
    try {
      return await query(url, 'select 1');
    } catch (error) {
      if (server.exitCode !== null || performance.now() - sinceMs > START_MS) throw error;
      await pause(50);
    }
  }
}

/** PostgreSQL refuses to run as root. */
function otherUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const user = ['postgres', 'nobody'].flatMap((name) => users.filter(([login]) => login === name))[0];
  if (user === undefined)
    throw new Error('PostgreSQL does not run as root, and there is no user postgres or nobody.');
  return { uid: Number(user[2]), gid: Number(user[3]) };
}
