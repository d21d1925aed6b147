import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import type { Notice } from '@/lib/core/incident-record';
import type { ClusterState } from '@/lib/store/cluster-state';
import { oneRow } from '@/lib/store/engine';
import { madeRows } from '@/lib/store/rows-fixture';
import { sql } from '@/lib/store/sql';
import { StoreProcess } from '@/lib/store/store-process-harness';
import { clusterForTests, countOf, waitUntil } from './cluster-harness';

const { newDatabase, instance, leaderAndFollower, closeAfterwards } = clusterForTests();

describe('several instances', () => {
  it('share one index: one writes rows, all see them and their coverage', async () => {
    const [first, other] = await leaderAndFollower(await newDatabase());
    expect(other.store.keepers).toEqual(first.store.keepers);
    await expect(other.store.ingest(1, madeRows(0, 10), 'new')).rejects.toThrow('not writable');
    const notifications: number[] = [];
    other.store.onRevision((revision) => notifications.push(revision));
    first.store.report('main', { state: 'live', rows: 500, syncedAtMs: Date.now() });
    await first.store.ingest(1, madeRows(0, 500), 'new');
    await waitUntil(() => expect(notifications).toContain(first.store.revision));
    expect(other.store.revision).toBe(first.store.revision);
    expect(await countOf(other)).toBe(500);
    await waitUntil(() =>
      expect(other.store.status()[0]).toMatchObject({ state: 'live', storage: 'postgres', rows: 500 }),
    );
    expect(other.store.isLeader).toBe(false);
  });

  it('notify the leader that there is a viewer', async () => {
    const [first, other] = await leaderAndFollower(await newDatabase());
    let hurried = 0;
    first.store.attachSync({
      lateBy: () => 'dashboard',
      wake: () => {
        hurried += 1;
      },
    });
    const end = other.store.addViewer();
    await waitUntil(() => expect([first.store.isWatched, hurried]).toEqual([true, 1]));
    end();
    await waitUntil(() => expect(first.store.isWatched).toBe(false));
  });

  it('share acknowledgements and ended sessions', async () => {
    const [first, other] = await leaderAndFollower(await newDatabase());
    const acknowledgement = {
      kind: 'failure',
      id: 'x',
      atMs: 1,
      untilMs: null,
      note: 'ok',
      by: null,
      size: 1,
      cause: null,
    };
    await other.incidents.change({ acknowledge: [acknowledgement] });
    await waitUntil(() => expect(first.incidents.acknowledgements).toEqual([acknowledgement]));
    await other.store.shared?.endSession('session', Math.floor(Date.now() / 1000) + 60);
    await waitUntil(() => expect(first.store.shared?.endedSessions.has('session')).toBe(true));
    const third = await instance(await newDatabase());
    expect(third.store.shared?.endedSessions.size).toBe(0);
  });

  it('record incidents only as the leader', async () => {
    const [first, other] = await leaderAndFollower(await newDatabase());
    const notice: Notice = {
      ...{
        id: 'a',
        subject: 'keeper/main',
        kind: 'keeper.silent',
        title: 'silent',
        facts: '{}',
        sinceMs: null,
      },
      atMs: 1,
      endedMs: null,
      state: 'waiting',
      attempts: 0,
      nextMs: 1,
      sentMs: null,
      error: null,
    };
    await expect(other.incidents.changeAsLeader({ notices: [notice] })).rejects.toThrow('not writable');
    await first.incidents.changeAsLeader({ notices: [notice] });
    await waitUntil(() => expect(other.incidents.openNotices).toEqual([notice]));
    await first.store.engine.write(({ run }) => run('update shared_state set term = term + 1'));
    const sent = { ...notice, endedMs: 2, state: 'sent' as const };
    await expect(first.incidents.changeAsLeader({ notices: [sent] })).rejects.toThrow('not writable');
    await other.incidents.read();
    expect(other.incidents.openNotices).toEqual([notice]);
  });

  it('learn rows together with the moment up to which their keeper was read', async () => {
    const url = await newDatabase();
    const first = await instance(url);
    await waitUntil(() => expect(first.store.isLeader).toBe(true));
    const other = await instance(url);
    for (let read = 0; read < 3; read += 1) {
      const requestedAtMs = Date.now();
      await first.store.ingest(1, madeRows(read * 10, 10), 'new', {
        read: { upToMs: requestedAtMs, isLast: true },
      });
      await waitUntil(() => expect(other.store.revision).toBe(first.store.revision));
      expect(other.store.reads.latestMs(['main'], 2000)).toBe(requestedAtMs);
      const seen = sql`select count(*) as n from requests where visible_us <= ${requestedAtMs * 1000}`;
      expect((await oneRow<{ n: number }>(other.store.engine, seen)).n).toBe((read + 1) * 10);
    }
  });

  it('never see an older status after a newer one, however long a heartbeat takes', async () => {
    const url = await newDatabase();
    const first = await instance(url);
    await waitUntil(() => expect(first.store.isLeader).toBe(true));
    const shared = first.store.shared as ClusterState;
    let status = '{"n":1}';
    shared.share(() => ({ status, isWatched: false }));
    const statuses = async () => {
      const [row] = await first.store.engine.all<{ status: string }>('select status from leader');
      return JSON.parse(row?.status ?? '{}').n as number;
    };
    await waitUntil(async () => expect(await statuses()).toBe(1));
    // A heartbeat that starts during a write ends after it: a lock holds up both.
    const locker = new pg.Client({ connectionString: url });
    await locker.connect();
    await locker.query('set search_path to keeperscope; begin; select * from leader for update');
    const newer = '{"n":2}';
    const writing = shared
      .write(async () => ({ result: undefined, isChange: true, status: newer }))
      .then(() => {
        status = newer;
      });
    await pause(2500);
    await locker.query('commit');
    await locker.end();
    await writing;
    const notifications: number[] = [];
    const endsAt = performance.now() + 3000;
    while (performance.now() < endsAt) notifications.push(await statuses());
    expect(new Set(notifications)).toEqual(new Set([2]));
  });

  it('pin lists to moments that survive a change of the leader, whatever its clock says', async () => {
    const url = await newDatabase();
    const first = await instance(url, 60_000);
    await waitUntil(() => expect(first.store.isLeader).toBe(true));
    const other = await instance(url);
    await first.store.ingest(1, madeRows(0, 100), 'new');
    await waitUntil(() => expect(other.store.revision).toBe(first.store.revision));
    const pins = [first, other].map(({ store }) => store.reads.latestMs([], 2000) * 1000);
    const seenBy = async (us: number) =>
      (await oneRow(other.store.engine, sql`select count(*) as n from requests where visible_us <= ${us}`)).n;
    const before = await Promise.all(pins.map(seenBy));
    expect(before).toEqual([100, 100]);
    await first.store.close();
    await waitUntil(() => expect(other.store.isLeader).toBe(true));
    await other.store.ingest(1, madeRows(100, 100), 'new');
    expect(await Promise.all(pins.map(seenBy))).toEqual(before);
    expect(await seenBy(other.store.reads.latestMs([], 2000) * 1000)).toBe(200);
  });
});

async function process(url: string): Promise<StoreProcess> {
  const started = new StoreProcess(url);
  closeAfterwards(() => started.kill());
  await started.waitForLine('open');
  return started;
}

/** Two processes, of which the first is the leader. */
async function leaderWithFollower(url: string): Promise<[StoreProcess, StoreProcess]> {
  const first = await process(url);
  await first.waitForLine('leader', (value) => value === 'true');
  const second = await process(url);
  first.order('write');
  await first.waitForLine('written', (count) => Number(count) >= 1500);
  return [first, second];
}

describe('the leader', () => {
  it('is replaced within 15 s when it is killed, without losing an acknowledged row', async () => {
    const [first, second] = await leaderWithFollower(await newDatabase());
    await first.kill();
    const written = Number(first.last('written') ?? 1500);
    const killedMs = performance.now();
    await second.waitForLine('leader', (value) => value === 'true');
    expect(performance.now() - killedMs).toBeLessThan(15_000);
    second.order('count');
    expect(Number(await second.waitForLine('count'))).toBeGreaterThanOrEqual(written);
    second.order('write');
    await second.waitForLine('written');
  });

  it('is replaced within 15 s when it hangs, and writes nothing when it wakes up', async () => {
    const [first, second] = await leaderWithFollower(`${await newDatabase()}?application_name=dashboard`);
    first.child.kill('SIGSTOP');
    const stoppedMs = performance.now();
    await second.waitForLine('leader', (value) => value === 'true');
    expect(performance.now() - stoppedMs).toBeLessThan(15_000);
    second.order('count');
    const count = await second.waitForLine('count');
    first.child.kill('SIGCONT');
    await first.waitForLine('unwritable');
    second.order('count');
    expect(await second.waitForLine('count')).toBe(count);
    first.order('count');
    expect(await first.waitForLine('count')).toBe(count);
  });

  it('continues after the server was away for a moment', async () => {
    const url = await newDatabase();
    const { store } = await instance(url);
    await waitUntil(() => expect(store.isLeader).toBe(true));
    await store.engine.all(
      'select pg_terminate_backend(pid) as ended from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
    );
    await waitUntil(async () => {
      expect(store.isLeader).toBe(true);
      await store.ingest(1, madeRows(0, 10), 'new');
    });
    expect(store.storage).toBe('postgres');
  });
});
