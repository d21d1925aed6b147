import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type PostgresServer, startPostgres } from '@/e2e/postgres-harness';
import type { Notice } from '@/lib/core/incident-record';
import { oneRow } from '@/lib/store/engine';
import type { IncidentStore } from '@/lib/store/incident-store';
import { type OpenOptions, openIncidents, openStore } from '@/lib/store/open';
import { madeRows } from '@/lib/store/rows-fixture';
import { sql } from '@/lib/store/sql';
import type { IndexStore } from '@/lib/store/store';
import { StoreProcess } from '@/lib/store/store-process-harness';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

const open: { close(): Promise<void> }[] = [];
const processes: StoreProcess[] = [];
afterEach(async () => {
  await Promise.all(processes.splice(0).map((one) => one.kill()));
  for (const one of open.splice(0)) await one.close();
});

const newDatabase = () => server.database(randomUUID());

type Instance = { store: IndexStore; incidents: IncidentStore };

/** @param aheadMs of its clock */
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

const soon = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 15_000, interval: 50 });

async function leaderAndFollower(url: string): Promise<[Instance, Instance]> {
  const one = await instance(url);
  await soon(() => expect(one.store.isLeader).toBe(true));
  return [one, await instance(url)];
}

const countOf = async ({ store }: Instance) =>
  (await store.engine.all<{ n: number }>('select count(*) as n from requests'))[0]?.n;

describe('several instances', () => {
  it('have one index: one writes rows, all see them and how far they reach', async () => {
    const [one, other] = await leaderAndFollower(await newDatabase());
    expect(other.store.keepers).toEqual(one.store.keepers);
    await expect(other.store.ingest(1, madeRows(0, 10), 'new')).rejects.toThrow('not writable');
    const heard: number[] = [];
    other.store.onRevision((revision) => heard.push(revision));
    one.store.report('main', { state: 'live', rows: 500, syncedAtMs: Date.now() });
    await one.store.ingest(1, madeRows(0, 500), 'new');
    await soon(() => expect(heard).toContain(one.store.revision));
    expect(other.store.revision).toBe(one.store.revision);
    expect(await countOf(other)).toBe(500);
    await soon(() =>
      expect(other.store.status()[0]).toMatchObject({ state: 'live', storage: 'postgres', rows: 500 }),
    );
    expect(other.store.isLeader).toBe(false);
  });

  it('tell the one that syncs that somebody looks', async () => {
    const [one, other] = await leaderAndFollower(await newDatabase());
    let hurried = 0;
    one.store.onWatched = () => {
      hurried += 1;
    };
    const end = other.store.look();
    await soon(() => expect([one.store.isWatched, hurried]).toEqual([true, 1]));
    end();
    await soon(() => expect(one.store.isWatched).toBe(false));
  });

  it('share acknowledgements and ended sessions', async () => {
    const [one, other] = await leaderAndFollower(await newDatabase());
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
    await soon(() => expect(one.incidents.acknowledgements).toEqual([acknowledgement]));
    await other.store.shared?.endSession('session', Math.floor(Date.now() / 1000) + 60);
    await soon(() => expect(one.store.shared?.endedSessions.has('session')).toBe(true));
    const third = await instance(await newDatabase());
    expect(third.store.shared?.endedSessions.size).toBe(0);
  });

  it('write down what becomes of incidents only while they are the one that syncs', async () => {
    const [one, other] = await leaderAndFollower(await newDatabase());
    const notice: Notice = {
      ...{
        id: 'a',
        subject: 'keeper/main',
        kind: 'keeper.silent',
        title: 'silent',
        facts: '{}',
        sinceMs: null,
      },
      ...{ atMs: 1, endedMs: null, state: 'waiting', attempts: 0, nextMs: 1, sentMs: null, error: null },
    };
    await expect(other.incidents.changeAsLeader({ notices: [notice] })).rejects.toThrow('not writable');
    await one.incidents.changeAsLeader({ notices: [notice] });
    await soon(() => expect(other.incidents.openNotices).toEqual([notice]));
    await one.store.engine.write(({ run }) => run('update shared_state set term = term + 1'));
    const sent = { ...notice, endedMs: 2, state: 'sent' as const };
    await expect(one.incidents.changeAsLeader({ notices: [sent] })).rejects.toThrow('not writable');
    await other.incidents.read();
    expect(other.incidents.openNotices).toEqual([notice]);
  });

  it('pin lists to moments that hold over a change of the one that syncs, whatever its clock says', async () => {
    const url = await newDatabase();
    const one = await instance(url, 60_000);
    await soon(() => expect(one.store.isLeader).toBe(true));
    const other = await instance(url);
    await one.store.ingest(1, madeRows(0, 100), 'new');
    await soon(() => expect(other.store.revision).toBe(one.store.revision));
    const pins = [one, other].map(({ store }) => store.pinMs(2000) * 1000);
    const seenBy = async (us: number) =>
      (await oneRow(other.store.engine, sql`select count(*) as n from requests where visible_us <= ${us}`)).n;
    const before = await Promise.all(pins.map(seenBy));
    expect(before).toEqual([100, 100]);
    await one.store.close();
    await soon(() => expect(other.store.isLeader).toBe(true));
    await other.store.ingest(1, madeRows(100, 100), 'new');
    expect(await Promise.all(pins.map(seenBy))).toEqual(before);
    expect(await seenBy(other.store.pinMs(2000) * 1000)).toBe(200);
  });
});

async function process(url: string): Promise<StoreProcess> {
  const started = new StoreProcess(url);
  processes.push(started);
  await started.hears('open');
  return started;
}

/** Of two processes, the first syncs and writes. */
async function writing(url: string): Promise<[StoreProcess, StoreProcess]> {
  const first = await process(url);
  await first.hears('leader', (is) => is === 'true');
  const second = await process(url);
  first.order('write');
  await first.hears('written', (count) => Number(count) >= 1500);
  return [first, second];
}

describe('the one that syncs', () => {
  it('is replaced within 15 s when it is killed, and no row that it acknowledged is lost', async () => {
    const [first, second] = await writing(await newDatabase());
    await first.kill();
    const written = Number(first.last('written') ?? 1500);
    const killedMs = performance.now();
    await second.hears('leader', (is) => is === 'true');
    expect(performance.now() - killedMs).toBeLessThan(15_000);
    second.order('count');
    expect(Number(await second.hears('count'))).toBeGreaterThanOrEqual(written);
    second.order('write');
    await second.hears('written');
  });

  it('is replaced within 15 s when it hangs, and writes nothing when it wakes up', async () => {
    const [first, second] = await writing(`${await newDatabase()}?application_name=dashboard`);
    first.child.kill('SIGSTOP');
    const stoppedMs = performance.now();
    await second.hears('leader', (is) => is === 'true');
    expect(performance.now() - stoppedMs).toBeLessThan(15_000);
    second.order('count');
    const count = await second.hears('count');
    first.child.kill('SIGCONT');
    await first.hears('unwritable');
    second.order('count');
    expect(await second.hears('count')).toBe(count);
    first.order('count');
    expect(await first.hears('count')).toBe(count);
  });

  it('goes on when the server was away for a moment', async () => {
    const url = await newDatabase();
    const { store } = await instance(url);
    await soon(() => expect(store.isLeader).toBe(true));
    await store.engine.all(
      'select pg_terminate_backend(pid) as ended from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
    );
    await soon(async () => {
      expect(store.isLeader).toBe(true);
      await store.ingest(1, madeRows(0, 10), 'new');
    });
    expect(store.storage).toBe('postgres');
  });
});

describe('a server that goes away', () => {
  const END_ALL =
    'select pg_terminate_backend(pid) as ended from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()';

  it('in the middle of a query or an export ends these, and not the process', async () => {
    const url = await newDatabase();
    const { store } = await instance(url);
    const other = await instance(url);
    const rows = await store.engine.counted('select generate_series(1, 5000) as n');
    let tries = 0;
    const query = store.engine.snapshot(async ({ all }) => {
      tries += 1;
      if (tries === 1) await other.store.engine.all(END_ALL);
      return all('select 1 as n');
    });
    expect([await query, tries]).toEqual([[{ n: 1 }], 2]);
    await expect(rows.pieces.next()).rejects.toThrow();
    await rows.end();
    expect(await store.engine.all('select 2 as n')).toEqual([{ n: 2 }]);
  });

  it('is said, and that it is there again', async () => {
    const url = await newDatabase();
    const said: string[] = [];
    await instance(url, 0, (line) => said.push(line));
    const name = new URL(url).pathname.slice(1);
    const admin = new pg.Client({ connectionString: server.url });
    await admin.connect();
    await admin.query(`alter database "${name}" allow_connections false`);
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
    await soon(() => expect(said).toEqual([expect.stringMatching(/ does not answer\. Retrying/)]));
    await admin.query(`alter database "${name}" allow_connections true`);
    await soon(() => expect(said[1]).toMatch(/ is writable again\.$/));
    await admin.end();
  });

  it('and takes no writes is said everywhere; who syncs goes on, and writes when it can', async () => {
    const url = await newDatabase();
    const said: string[] = [];
    const one = await instance(url, 0, (line) => said.push(line));
    await soon(() => expect(one.store.isLeader).toBe(true));
    const other = await instance(url);
    const admin = new pg.Client({ connectionString: server.url });
    await admin.connect();
    const readOnly = async (is: 'on' | 'off') => {
      await admin.query(`alter system set default_transaction_read_only = ${is}`);
      await admin.query('select pg_reload_conf()');
    };
    try {
      await readOnly('on');
      for (const { store } of [one, other]) {
        await soon(() => expect(store.storage).toBe('read-only'));
        expect(store.status()[0]?.notes).toEqual([expect.stringMatching(/^PostgreSQL is read-only/)]);
      }
      await expect(one.store.ingest(1, madeRows(0, 10), 'new')).rejects.toThrow('not writable');
      expect([one.store.isLeader, said]).toEqual([true, [expect.stringMatching(/ is read-only, /)]]);
      const third = await instance(url);
      expect(third.store.storage).toBe('read-only');
      await readOnly('off');
      await soon(() => expect([one.store.storage, other.store.storage]).toEqual(['postgres', 'postgres']));
      await one.store.ingest(1, madeRows(0, 10), 'new');
      expect([said.at(-1), await countOf(other)]).toEqual([expect.stringMatching(/ writable again\.$/), 10]);
    } finally {
      await readOnly('off');
      await admin.end();
    }
  });

  it('leaves no connection open where it can’t be used', async () => {
    const url = await newDatabase();
    const { store } = await instance(url);
    await store.engine.write(({ run }) => run('drop table leader'));
    await store.close();
    await expect(instance(url)).rejects.toThrow(/can’t be used: /);
    const admin = new pg.Client({ connectionString: server.url });
    await admin.connect();
    const open = async () => {
      const sql = 'select count(*) as n from pg_stat_activity where datname = $1';
      return Number((await admin.query(sql, [new URL(url).pathname.slice(1)])).rows[0].n);
    };
    await soon(async () => expect(await open()).toBe(0));
    await admin.end();
  });

  it('hears of a sign-out when it is there again', async () => {
    const [one, other] = await leaderAndFollower(await newDatabase());
    await other.store.engine.write(({ run }) => run('alter table ended_sessions rename to away'));
    const untilS = Math.floor(Date.now() / 1000) + 60;
    await expect(other.store.shared?.endSession('late', untilS)).rejects.toThrow();
    await other.store.engine.write(({ run }) => run('alter table away rename to ended_sessions'));
    await soon(() => expect(one.store.shared?.endedSessions.has('late')).toBe(true));
  });
});

describe('a connection that leads nowhere', () => {
  it('is noticed within 15 s by one that follows: queries under way are asked again', async () => {
    const url = await newDatabase();
    const one = await instance(url);
    await soon(() => expect(one.store.isLeader).toBe(true));
    const way = await silentWay(url);
    const other = await instance(way.url);
    way.fallSilent();
    const query = other.store.engine.all('select 3 as n');
    await one.store.ingest(1, madeRows(0, 10), 'new');
    await soon(() => expect(other.store.revision).toBe(one.store.revision));
    expect(await query).toEqual([{ n: 3 }]);
    expect(await countOf(other)).toBe(10);
  });

  it('is noticed within 15 s by the one that syncs: it gives up its place, and one that reaches the server takes it', async () => {
    const url = await newDatabase();
    const way = await silentWay(url);
    const one = await instance(way.url);
    await soon(() => expect(one.store.isLeader).toBe(true));
    const other = await instance(url);
    way.fallSilent();
    const silentMs = performance.now();
    await expect(one.store.ingest(1, madeRows(0, 10), 'new')).rejects.toThrow('not writable');
    await soon(async () => {
      const leader = [one, other].find(({ store }) => store.isLeader);
      await leader?.store.ingest(1, madeRows(0, 20), 'new');
      expect(leader).toBeDefined();
    });
    expect(performance.now() - silentMs).toBeLessThan(15_000);
    await soon(() => expect(one.store.revision).toBe(other.store.revision));
    expect(await countOf(other)).toBe(20);
  });
});

/** A way to a server that may fall silent: its connections stay open then, and nothing comes through. */
async function silentWay(url: string): Promise<{ url: string; fallSilent: () => void }> {
  const target = new URL(url);
  const [port, host] = [Number(target.port), target.hostname];
  const sockets: Socket[] = [];
  const way = createServer((near) => {
    const far = connect(port, host);
    for (const socket of [near, far]) sockets.push(socket.on('error', () => undefined));
    near.pipe(far).pipe(near);
  });
  await once(way.listen(0, '127.0.0.1'), 'listening');
  open.push({
    close: async () => {
      for (const socket of sockets) socket.destroy();
      way.close();
    },
  });
  target.port = String((way.address() as AddressInfo).port);
  return {
    url: target.href,
    fallSilent: () => {
      for (const socket of sockets) socket.unpipe().pause();
    },
  };
}

it('a server that does not answer is waited for, and named without its password', async () => {
  const url = server.url.replace('keeperscope@', 'keeperscope:hush@').replace(/:\d+\//, ':1/');
  const said: string[] = [];
  const keepers = [{ name: 'main', baseUrl: 'http://127.0.0.1:1/logs' }];
  const options = {
    storeUrl: () => url,
    memoryMb: 128,
    keepers,
    now: Date.now,
    lockWaitMs: 1500,
    say: (line: string) => said.push(line),
  };
  await expect(openStore(options)).rejects.toThrow(
    /^STORE_URL: the index at 127.0.0.1:1\/postgres can’t be used: .*ECONNREFUSED/,
  );
  expect(said).toEqual([
    expect.stringMatching(/^STORE_URL: 127.0.0.1:1\/postgres does not answer .*waiting 1.5 s at most/),
  ]);
  expect(said.join()).not.toContain('hush');
});
