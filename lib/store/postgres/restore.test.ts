import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, it } from 'vitest';
import { FakeKeeper, FastTimers } from '@/lib/store/sync/keeper-fixture';
import { IndexSync } from '@/lib/store/sync/sync';
import { HttpService } from '@/lib/upstream/http-service';
import { createRequestLogClient } from '@/lib/upstream/request-log';
import { findPostgres } from '@/scripts/postgres.mjs';
import { clusterForTests, countOf } from './cluster-harness';

const exec = promisify(execFile);
const run = (program: string, args: string[]) => exec(join(findPostgres() ?? '', program), args);
const cluster = clusterForTests();
const file = join(tmpdir(), `restore-${process.pid}.dump`);
afterEach(() => rm(file, { force: true }));

it('a backup that is restored while an instance runs is followed by the rows since, under new revisions', async () => {
  const url = await cluster.newDatabase();
  const keeper = await new FakeKeeper(Date.now).start();
  for (let count = 0; count < 1000; count += 1) keeper.add(Date.now() - 3_600_000 + count * 1000);
  const instance = await cluster.instance(url);
  const { store } = instance;
  const timers = new FastTimers(10);
  const http = new HttpService({
    service: 'logs',
    label: 'logs:main',
    baseUrl: keeper.url,
    apiKey: () => 'key',
    callsPerSecond: 10_000,
    timers,
    headersTimeoutMs: 3_600_000,
    totalTimeoutMs: 3_600_000,
  });
  const client = createRequestLogClient(http);
  const sync = new IndexSync({
    store,
    sources: [{ keeper: 'main', client, clockAheadMs: () => 0, callsPerSecond: undefined }],
    historyDays: undefined,
    onError: () => undefined,
    timers,
  });
  cluster.closeAfterwards(async () => {
    await sync.close();
    await http.close();
    await keeper.stop();
  });
  await expect.poll(() => store.isLeader, { timeout: 20_000 }).toBe(true);
  sync.start();
  await sync.caughtUp();
  await expect.poll(() => store.status()[0]?.audit?.agrees, { timeout: 20_000 }).toBe(true);
  await run('pg_dump', ['-Fc', '-n', 'keeperscope', '-f', file, url]);
  for (let count = 0; count < 300; count += 1) keeper.add(Date.now() - 2_000_000 + count * 1000);
  for (let count = 0; count < 50; count += 1) keeper.add(Date.now() - 50 + count);
  await expect.poll(() => countOf(instance), { timeout: 60_000 }).toBe(1350);
  await expect.poll(() => store.status()[0]?.rows, { timeout: 60_000 }).toBe(1350);
  const { revision } = store;
  await run('pg_restore', ['--clean', '--if-exists', '-n', 'keeperscope', '-d', url, file]);
  await expect.poll(() => store.revision, { timeout: 60_000 }).toBeGreaterThan(revision);
  // Everything from after the backup is read again. No revision or moment is one from before.
  await expect.poll(() => countOf(instance).catch(() => 0), { timeout: 60_000 }).toBe(1350);
  await expect
    .poll(() => store.status()[0], { timeout: 60_000 })
    .toMatchObject({ rows: 1350, coversAll: true, history: null, vanished: null, failure: null });
}, 120_000);
