import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FAKE_KEY } from '@/lib/store/sync/keeper-fixture';
import { fillKeeper, syncBench } from '@/lib/store/sync/sync-harness';

const bench = syncBench();
let folder = '';
let path = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'index-'));
  path = join(folder, 'index.duckdb');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('the index stores nothing of the service’s key', async () => {
  const { keeper, start } = await bench(20);
  fillKeeper(keeper, 3000, 1000);
  const index = await start({ path });
  await index.sync.caughtUp();
  // In another process, because closing a file releases this process's lock on it.
  const filesHold = (text: string) =>
    execFileSync('sh', ['-c', 'cat *'], { cwd: folder, maxBuffer: 1e9 }).includes(text);
  expect(filesHold('0x')).toBe(true);
  const encodings = [
    FAKE_KEY,
    Buffer.from(FAKE_KEY).toString('base64'),
    Buffer.from(FAKE_KEY).toString('hex'),
  ];
  expect(encodings.filter(filesHold)).toEqual([]);
  await index.close();
  expect(encodings.filter(filesHold)).toEqual([]);
});
