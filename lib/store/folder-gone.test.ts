import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { DuckDbEngine } from './duckdb/engine';
import { FILE, openStore } from './open';
import { madeRows } from './rows-fixture';
import type { IndexStore } from './store';
import { StoreProcess } from './store-process-harness';

let parent = '';
let dataDir = '';
let store: IndexStore;
let messages: string[] = [];

beforeEach(async () => {
  parent = mkdtempSync(join(tmpdir(), 'gone-'));
  dataDir = join(parent, 'data');
  messages = [];
  store = await openStore({
    dataDir,
    memoryMb: 128,
    retryMs: 50,
    keepers: [{ name: 'main', baseUrl: 'http://127.0.0.1:1/logs' }],
    now: Date.now,
    say: (line) => messages.push(line),
  });
  await store.ingest(1, madeRows(0, 2000), 'new');
});
afterEach(async () => {
  await store.close();
  rmSync(parent, { recursive: true, force: true });
});

const count = async () => (await store.engine.all('select count(*) as n from requests'))[0]?.n;
const writes = (first: number) => store.ingest(1, madeRows(first, 10), 'new');
const soon = (check: () => void) => vi.waitFor(check, { timeout: 15_000, interval: 20 });

/** Rows are served, nothing is written, and a note gives the reason. */
async function isReadOnly(): Promise<void> {
  await expect(writes(5000)).rejects.toThrow('not writable');
  expect([store.storage, await count()]).toEqual(['read-only', 2000]);
  expect(store.status()[0]?.notes).toEqual([
    `The folder ${dataDir} is gone. Existing rows are shown, no new rows are added. Retrying every 30 s.`,
  ]);
  expect(messages.at(-1)).toMatch(/index\.duckdb is gone, or its folder is\. Existing rows are shown/);
}

it('serves its rows while its folder is gone, and writes them to the restored one', async () => {
  rmSync(dataDir, { recursive: true });
  await isReadOnly();
  mkdirSync(dataDir);
  await soon(() => expect(store.storage).toBe('file'));
  expect([await count(), store.status()[0]?.notes]).toEqual([2000, []]);
  await writes(6000);
  await store.close();
  store = await openStore({ dataDir, memoryMb: 128, keepers: store.keepers, now: Date.now });
  expect(await count()).toBe(2010);
});

it('continues with a folder that was moved away and back', async () => {
  renameSync(dataDir, join(parent, 'elsewhere'));
  await isReadOnly();
  renameSync(join(parent, 'elsewhere'), dataDir);
  await soon(() => expect(store.storage).toBe('file'));
  await writes(6000);
  expect(await count()).toBe(2010);
});

/** A closed index of `count` rows in a folder of its own. @returns its file */
async function otherIndex(rows: number): Promise<string> {
  const folder = join(parent, 'other');
  const other = await openStore({ dataDir: folder, memoryMb: 128, keepers: store.keepers, now: Date.now });
  await other.ingest(1, madeRows(9000, rows), 'new');
  await other.close();
  return join(folder, FILE);
}

it('keeps its own rows when another file replaces its file, and moves that one aside', async () => {
  const path = join(dataDir, FILE);
  renameSync(await otherIndex(10), path);
  await expect(writes(5000)).rejects.toThrow('not writable');
  expect(store.status()[0]?.notes).toEqual([
    `Another file was put in the place of ${path}. Existing rows are shown, no new rows are added. Retrying every 30 s.`,
  ]);
  await soon(() => expect(store.storage).toBe('file'));
  expect(await count()).toBe(2000);
  await writes(6000);
  expect(await count()).toBe(2010);
  const aside = readdirSync(dataDir).find((name) => /^index\.other-.*\.duckdb$/.test(name)) ?? '';
  expect(messages.join()).toContain(
    `Another file was put in the place of ${path}. It is kept as ${join(dataDir, aside)}.`,
  );
  const reopened = await DuckDbEngine.open({ path: join(dataDir, aside), memoryMb: 128 });
  expect(await reopened.all('select count(*) as n from requests')).toEqual([{ n: 10 }]);
  await reopened.close();
  await store.close();
  store = await openStore({ dataDir, memoryMb: 128, keepers: store.keepers, now: Date.now });
  expect(await count()).toBe(2010);
});

it('leaves a replaced file alone while another process uses it', async () => {
  const path = join(dataDir, FILE);
  renameSync(path, join(parent, 'taken.duckdb'));
  const holder = new StoreProcess(dataDir);
  try {
    await holder.waitForLine('open');
    await expect(writes(5000)).rejects.toThrow('not writable');
    // Enough time for several retries, one every 50 ms.
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect([store.storage, await count()]).toEqual(['read-only', 2000]);
    expect(readdirSync(dataDir).filter((name) => name.includes('other'))).toEqual([]);
  } finally {
    await holder.kill();
  }
  await soon(() => expect(store.storage).toBe('file'));
  expect(await count()).toBe(2000);
});
