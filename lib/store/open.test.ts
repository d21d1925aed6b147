import { execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Database } from './duckdb/database';
import { openStore } from './open';
import { madeRows } from './rows-fixture';
import type { IndexStore } from './store';
import { StoreProcess } from './store-process-harness';

// Each test starts processes, one after the other.
vi.setConfig({ testTimeout: 60_000 });

const folders: string[] = [];
const processes: StoreProcess[] = [];
const stores: IndexStore[] = [];

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'index-'));
  folders.push(folder);
  return folder;
}

function processOn(
  dataDir: string,
  options: ConstructorParameters<typeof StoreProcess>[1] = {},
): StoreProcess {
  const started = new StoreProcess(dataDir, options);
  processes.push(started);
  return started;
}

afterEach(async () => {
  await Promise.all(processes.splice(0).map((child) => child.kill()));
  await Promise.all(stores.splice(0).map((store) => store.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

type Opened = { store: IndexStore; messages: string[] };

async function openHere(
  dataDir: string | undefined,
  options: { lockWaitMs?: number; signal?: AbortSignal } = {},
): Promise<Opened> {
  const messages: string[] = [];
  const store = await openStore({
    dataDir,
    memoryMb: 256,
    keepers: [{ name: 'main', baseUrl: 'http://127.0.0.1:1/logs' }],
    now: Date.now,
    say: (line) => messages.push(line),
    ...options,
  });
  stores.push(store);
  return { store, messages };
}

async function countIn(dataDir: string): Promise<{ rows: number; distinct: number }> {
  const { store } = await openHere(dataDir);
  const [row] = await store.engine.all<{ rows: number; distinct: number }>(
    'select count(*) as rows, count(distinct sequence) as distinct from requests where length(wire) > 500',
  );
  await store.close();
  return row ?? { rows: 0, distinct: 0 };
}

/** A regularly closed file with some thousand rows. */
async function writtenFolder(): Promise<string> {
  const folder = newFolder();
  const { store } = await openHere(folder);
  for (let first = 0; first < 6000; first += 1000) await store.ingest(1, madeRows(first, 1000), 'new');
  await store.close();
  return folder;
}

function overwrite(path: string, at: number, bytes: Buffer): void {
  const file = openSync(path, 'r+');
  writeSync(file, bytes, 0, bytes.length, at);
  closeSync(file);
}

describe('the location of the index', () => {
  it('is a private file, in a folder that is created', async () => {
    const folder = join(newFolder(), 'data', 'of keepers');
    const { store } = await openHere(folder);
    expect(store.storage).toBe('file');
    expect(store.status()[0]).toMatchObject({ storage: 'file', notes: [] });
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
  });

  it('has no parts of exports that a killed process left', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'exports', 'keeperscope-export-x'), { recursive: true });
    writeFileSync(join(folder, 'exports', 'keeperscope-export-x', 'part.parquet'), 'PAR1');
    const { store } = await openHere(folder);
    expect(store.temporaryFolder).toBe(join(folder, 'exports'));
    expect(readdirSync(folder)).not.toContain('exports');
  });

  it('is memory where the folder cannot be created, with a note', async () => {
    const file = join(newFolder(), 'a-file');
    writeFileSync(file, '');
    const { store, messages } = await openHere(join(file, 'data'));
    expect(store.storage).toBe('memory');
    expect(store.status()[0]?.notes[0]).toMatch(/a-file.data \(ENOTDIR\): the index is in memory/);
    expect(messages).toEqual([`DATA_DIR: ${store.status()[0]?.notes[0]}`]);
  });
});

describe('a process that is killed', () => {
  it('loses no acknowledged row while it writes or streams rows', async () => {
    const folder = newFolder();
    for (let round = 0, atLeast = 0; round < 2; round += 1) {
      const writer = processOn(folder);
      expect(Number(await writer.waitForLine('open'))).toBeGreaterThanOrEqual(atLeast);
      writer.order('write');
      if (round === 1) writer.order('read');
      await writer.waitForLine('written', (count) => Number(count) >= atLeast + 1500 + round * 700);
      await writer.kill();
      atLeast = Number(writer.last('written') ?? atLeast);
      const { rows, distinct } = await countIn(folder);
      expect(rows).toBeGreaterThanOrEqual(atLeast);
      expect(distinct).toBe(rows);
      atLeast = rows;
    }
  });

  it('leaves a file that opens, even while it creates it', async () => {
    for (const delayMs of [0, 5, 20]) {
      const folder = newFolder();
      const beginner = processOn(folder);
      await beginner.waitForLine('opening');
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      await beginner.kill();
      expect(await countIn(folder)).toEqual({ rows: 0, distinct: 0 });
    }
  });
});

describe('a file that another process has', () => {
  it('is waited for, and taken over with all its rows', async () => {
    const folder = newFolder();
    const first = processOn(folder);
    await first.waitForLine('open');
    first.order('write');
    await first.waitForLine('written');
    const waiting = openHere(folder);
    first.order('read');
    await first.waitForLine('read');
    first.order('close');
    const { store, messages } = await waiting;
    const written = Number(first.last('written') ?? 500);
    const [row] = await store.engine.all<{ n: number }>('select count(*) as n from requests');
    expect(row?.n).toBeGreaterThanOrEqual(written);
    expect(messages[0]).toContain(`is in use by process ${first.child.pid}; waiting 60 s at most`);
  });

  it('is waited for until the timeout; then the file is named', async () => {
    const folder = newFolder();
    await processOn(folder).waitForLine('open');
    const line = new RegExp(`^The index ${folder}/index.duckdb is in use by process \\d+\\. Stop that one`);
    await expect(openHere(folder, { lockWaitMs: 300 })).rejects.toThrow(line);
  });

  it('is no longer waited for when the process ends', async () => {
    const folder = newFolder();
    await processOn(folder).waitForLine('open');
    await expect(openHere(folder, { signal: AbortSignal.timeout(100) })).rejects.toThrow(/abort/i);
  });
});

describe('a broken file', () => {
  const breakages: [string, (path: string) => void][] = [
    ['is no database', (path) => writeFileSync(path, 'not a database '.repeat(1000))],
    ['is empty', (path) => writeFileSync(path, '')],
    ['is cut short', (path) => truncateSync(path, 5000)],
    ['has another header', (path) => overwrite(path, 4096, Buffer.alloc(8192, 7))],
  ];
  for (const [what, breakIt] of breakages) {
    it(`${what} is moved aside, kept and named, and replaced by a new one`, async () => {
      const folder = await writtenFolder();
      const path = join(folder, 'index.duckdb');
      breakIt(path);
      const size = statSync(path).size;
      const { store, messages } = await openHere(folder);
      expect(store.storage).toBe('file');
      const [aside = ''] = readdirSync(folder).filter((name) => name.startsWith('index.broken-'));
      expect(statSync(join(folder, aside)).size).toBe(size);
      expect(store.status()[0]?.notes).toEqual([`A broken index is kept as ${join(folder, aside)}.`]);
      expect(messages).toEqual([`A broken index is kept as ${join(folder, aside)}. Starting a new one.`]);
    });
  }

  it('is moved aside together with its log', async () => {
    const folder = newFolder();
    const writer = processOn(folder);
    await writer.waitForLine('open');
    writer.order('write');
    await writer.waitForLine('written');
    await writer.kill();
    overwrite(join(folder, 'index.duckdb.wal'), 2000, Buffer.alloc(3000, 7));
    await openHere(folder);
    const aside = readdirSync(folder).filter((name) => name.startsWith('index.broken-'));
    expect(aside).toEqual([expect.stringMatching(/\.duckdb$/), expect.stringMatching(/\.duckdb\.wal$/)]);
  });

  it('that proves broken during a read is moved aside then', async () => {
    const folder = await writtenFolder();
    const path = join(folder, 'index.duckdb');
    // Beyond the headers and the parts that are read on opening, within the pages of the rows.
    const { size } = statSync(path);
    overwrite(path, Math.floor(size * 0.2), Buffer.alloc(Math.floor(size * 0.4), 7));
    const { store } = await openHere(folder);
    let lost = 0;
    store.onReplaced(() => {
      lost += 1;
    });
    const revision = store.revision;
    const [row] = await store.engine.all<{ n: number }>('select count(distinct wire) as n from requests');
    expect(row?.n).toBe(0);
    await expect.poll(() => lost).toBe(1);
    expect(store.revision).toBeGreaterThan(revision);
    expect(store.storage).toBe('file');
    expect(store.status()[0]?.notes[0]).toContain('index.broken-');
    const keepers = await store.engine.all('select keeper_id, name from keepers');
    expect(keepers).toEqual([{ keeper_id: 1, name: 'main' }]);
  });

  it('of a newer version stays as it is, and the start fails with a line that names it', async () => {
    const folder = newFolder();
    const path = join(folder, 'index.duckdb');
    const newer = await Database.open({ path, memoryMb: 256, readOnly: false });
    await newer.write(async (session) => {
      await session.run('create table schema_version (version integer not null)');
      await session.run('insert into schema_version values (99)');
    });
    await newer.close();
    const line = new RegExp(`^The index ${path} is of version 99, and this program supports \\d+ at most\\.`);
    await expect(openHere(folder)).rejects.toThrow(line);
    expect(readdirSync(folder)).toEqual(['index.duckdb']);
  });
});

/**
 * A folder on a disk of a few MB, with a way to enlarge it. If mounting is not permitted, the file size of the process
 * is limited instead.
 */
type SmallDisk = { folder: string; wrapper: string[]; grow: (pid: number) => void; free: () => void };

function smallDisk(): SmallDisk {
  const folder = newFolder();
  const mount = (...args: string[]) => execFileSync('mount', args, { stdio: 'ignore' });
  try {
    mount('-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', folder);
    return {
      folder,
      wrapper: [],
      grow: () => mount('-o', 'remount,size=200m', folder),
      free: () => execFileSync('umount', ['-l', folder]),
    };
  } catch {
    return {
      folder,
      wrapper: ['sh', '-c', 'ulimit -S -f 8192; exec "$@"', 'sh'],
      grow: (pid) => execFileSync('prlimit', ['--pid', String(pid), '--fsize=unlimited']),
      free: () => undefined,
    };
  }
}

describe('a full disk', () => {
  it('does not stop reads; writing continues once there is space', async () => {
    const disk = smallDisk();
    try {
      const keeper = processOn(disk.folder, { retryMs: 200, wrapper: disk.wrapper });
      await keeper.waitForLine('open');
      keeper.order('write');
      const written = Number(await keeper.waitForLine('unwritable'));
      expect(written).toBeGreaterThan(0);
      keeper.order('count');
      expect(Number(await keeper.waitForLine('count'))).toBeGreaterThanOrEqual(written);
      keeper.order('write');
      await keeper.waitForLine('unwritable');
      disk.grow(keeper.child.pid ?? 0);
      await keeper.waitForLine('storage', (storage) => storage === 'file');
      keeper.order('write');
      await keeper.waitForLine('written', (count) => Number(count) > written);
      await keeper.kill();
    } finally {
      disk.free();
    }
  });

  it('allows a start that reads existing rows', async () => {
    const disk = smallDisk();
    try {
      const filler = processOn(disk.folder, { wrapper: disk.wrapper });
      await filler.waitForLine('open');
      filler.order('write');
      const written = Number(await filler.waitForLine('unwritable'));
      await filler.kill();
      const next = processOn(disk.folder, { retryMs: 200, wrapper: disk.wrapper });
      expect(Number(await next.waitForLine('open'))).toBeGreaterThanOrEqual(written);
      await next.kill();
    } finally {
      disk.free();
    }
  });
});
