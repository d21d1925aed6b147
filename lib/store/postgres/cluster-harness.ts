import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest';
import { type PostgresServer, startPostgres } from '@/e2e/postgres-harness';
import type { IncidentStore } from '@/lib/store/incident-store';
import { type OpenOptions, openIncidents, openStore } from '@/lib/store/open';
import type { IndexStore } from '@/lib/store/store';

export type Instance = { store: IndexStore; incidents: IncidentStore };

export const waitUntil = (check: () => void | Promise<void>) =>
  vi.waitFor(check, { timeout: 15_000, interval: 50 });

export const countOf = async ({ store }: Instance) =>
  (await store.engine.all<{ n: number }>('select count(*) as n from requests'))[0]?.n;

/** Stores that a test opened are closed after it, the last one first. */
export function clusterForTests() {
  const open: IndexStore[] = [];
  const closings: (() => Promise<void>)[] = [];
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterEach(async () => {
    await Promise.all(closings.splice(0).map((close) => close()));
    for (const store of open.splice(0)) await store.close();
  });
  afterAll(() => server.stop());

  async function instance(url: string, aheadMs = 0, say?: (line: string) => void): Promise<Instance> {
    const options: OpenOptions = {
      ...(say && { say }),
      storeUrl: () => url,
      memoryMb: 128,
      keepers: [{ name: 'main', baseUrl: 'http://127.0.0.1:1/logs' }],
      now: () => Date.now() + aheadMs,
    };
    const store = await openStore(options);
    const incidents = await openIncidents(options, store);
    open.unshift(store);
    store.shared?.start();
    return { store, incidents };
  }

  return {
    serverUrl: () => server.url,
    newDatabase: () => server.database(randomUUID()),
    instance,
    async leaderAndFollower(url: string): Promise<[Instance, Instance]> {
      const leader = await instance(url);
      await waitUntil(() => expect(leader.store.isLeader).toBe(true));
      return [leader, await instance(url)];
    },
    closeAfterwards: (close: () => Promise<void>) => void closings.push(close),
  };
}
