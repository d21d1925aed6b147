import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from '@/e2e/postgres-harness';
import { move } from '@/lib/store/move';
import { openIncidents, openStore } from '@/lib/store/open';
import { madeRows } from '@/lib/store/rows-fixture';

let server: PostgresServer;
const folder = mkdtempSync(join(tmpdir(), 'move-'));
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

const keepers = [{ name: 'main', baseUrl: 'http://127.0.0.1:1/logs' }];
const acknowledgement = {
  kind: 'failure',
  id: 'x',
  atMs: 1,
  untilMs: null,
  note: '“ok”',
  by: null,
  size: 1,
  cause: null,
};

it('an index moves to PostgreSQL and back with its incidents, and replaces no existing one', async () => {
  const first = join(folder, 'first');
  const second = join(folder, 'second');
  const url = await server.database(randomUUID());
  const options = { memoryMb: 128, keepers, now: Date.now };
  const openIn = async (place: { dataDir?: string; storeUrl?: () => string }) => {
    const store = await openStore({ ...options, ...place });
    return { store, incidents: await openIncidents({ ...options, ...place }, store) };
  };
  const before = await openIn({ dataDir: first });
  await before.store.ingest(1, madeRows(0, 5000), 'new');
  await before.store.ingest(
    1,
    [{ kind: 'unreadable', key: 'odd', rawJson: '{"sequence":"x"}', problem: 'no' }],
    'new',
  );
  await before.incidents.change({ acknowledge: [acknowledgement] });
  const rowsOf = ({ engine }: typeof before.store) =>
    engine.all(
      'select cast(id as text) as id, cast(sequence as text) as sequence, created_us, wire, visible_us, rev from requests order by created_us',
    );
  const rows = await rowsOf(before.store);
  await before.incidents.close();
  await before.store.close();

  const messages: string[] = [];
  await move(
    first,
    'STORE_URL',
    (line) => messages.push(line),
    () => url,
  );
  expect(messages).toContain('requests: 5,000 of 5,000');
  expect(messages.at(-1)).toContain('the counts match');
  expect(messages.join()).not.toContain('keeperscope@');
  const shared = await openIn({ storeUrl: () => url });
  expect(await rowsOf(shared.store)).toEqual(rows);
  expect(shared.incidents.acknowledgements).toEqual([acknowledgement]);
  expect(shared.store.reads.latestMs([], 2000) * 1000).toBeGreaterThan(Number(rows[0]?.visible_us));
  await expect(move(first, url, () => {})).rejects.toThrow('already holds an index');
  shared.store.shared?.start();
  await expect.poll(() => shared.store.isLeader, { timeout: 15_000 }).toBe(true);
  await expect(move(url, second, () => {})).rejects.toThrow('Stop it first');
  await shared.store.close();

  await move(url, second, () => {});
  const after = await openIn({ dataDir: second });
  expect(await rowsOf(after.store)).toEqual(rows);
  expect(after.incidents.acknowledgements).toEqual([acknowledgement]);
  await after.incidents.close();
  await after.store.close();
  await expect(move(join(folder, 'none'), second, () => {})).rejects.toThrow('There is no index in');
});
