import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { openStore } from '@/lib/store/open';
import { madeRows } from '@/lib/store/rows-fixture';
import { clusterForTests, countOf, waitUntil } from './cluster-harness';

const { serverUrl, newDatabase, instance, leaderAndFollower, closeAfterwards } = clusterForTests();

describe('a server that becomes unreachable', () => {
  const END_ALL =
    'select pg_terminate_backend(pid) as ended from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()';

  it('ends queries and exports under way, but not the process', async () => {
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

  it('is reported, and its return as well', async () => {
    const url = await newDatabase();
    const messages: string[] = [];
    await instance(url, 0, (line) => messages.push(line));
    const name = new URL(url).pathname.slice(1);
    const admin = new pg.Client({ connectionString: serverUrl() });
    await admin.connect();
    await admin.query(`alter database "${name}" allow_connections false`);
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
    await waitUntil(() => expect(messages).toEqual([expect.stringMatching(/ does not answer\. Retrying/)]));
    await admin.query(`alter database "${name}" allow_connections true`);
    await waitUntil(() => expect(messages[1]).toMatch(/ is writable again\.$/));
    await admin.end();
  });

  it('is named in failures with its address but no password', async () => {
    const url = await newDatabase();
    const { store } = await instance(url);
    const name = new URL(url).pathname.slice(1);
    const admin = new pg.Client({ connectionString: serverUrl() });
    await admin.connect();
    await admin.query(`alter database "${name}" allow_connections false`);
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
    const detail = `The index’s database (PostgreSQL at ${new URL(url).host}/${name}) is down or unreachable.`;
    await expect(store.engine.all('select 1 as n')).rejects.toMatchObject({
      failure: { kind: 'index-unavailable', detail },
    });
    await expect(store.engine.counted('select 1 as n')).rejects.toThrow(detail);
    await expect(store.engine.write(({ run }) => run('select 1'))).rejects.toThrow(detail);
    await admin.query(`alter database "${name}" allow_connections true`);
    await admin.end();
  });

  it('with locked tables is reported within 15 s by reads, exports and writes, which work again afterwards', async () => {
    const url = await newDatabase();
    const { store } = await instance(url);
    const locker = new pg.Client({ connectionString: url });
    await locker.connect();
    await locker.query('set search_path to keeperscope; begin; lock table requests in access exclusive mode');
    const count = 'select count(*) as n from requests';
    const startedMs = performance.now();
    const reader = await store.engine.openSnapshot();
    const all = [
      reader.all(count),
      store.engine.all(count),
      store.engine.snapshot(({ all }) => all(count)),
      store.engine.counted(count),
      store.engine.write(({ run }) => run('delete from requests')),
    ];
    const reasons = (await Promise.allSettled(all)).map(
      (outcome) => outcome.status === 'rejected' && `${outcome.reason}`,
    );
    expect(reasons).toEqual(
      Array.from({ length: 5 }, () => expect.stringMatching(/did not answer within 12 s/)),
    );
    expect(performance.now() - startedMs).toBeLessThan(15_000);
    await reader.end();
    await locker.end();
    expect(await store.engine.all(count)).toEqual([{ n: 0 }]);
  });

  it('with locked tables does not delay the end of the process', async () => {
    const url = await newDatabase();
    const { store } = await instance(url);
    const locker = new pg.Client({ connectionString: url });
    await locker.connect();
    await locker.query('set search_path to keeperscope; begin; lock table requests in access exclusive mode');
    const queries = Promise.allSettled([
      store.engine.all('select count(*) as n from requests'),
      store.engine.write(({ run }) => run('delete from requests')),
    ]);
    const startedMs = performance.now();
    await store.close();
    expect(performance.now() - startedMs).toBeLessThan(5000);
    expect((await queries).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await locker.end();
  });

  it('with all connections in use is reported as busy, not down, and is used again once one is free', async () => {
    const { store } = await instance(await newDatabase());
    const readers = await Promise.all(Array.from({ length: 10 }, () => store.engine.openSnapshot()));
    const outcomes = await Promise.allSettled([
      store.engine.all('select 1 as n'),
      store.engine.counted('select 1 as n'),
      store.engine.write(({ run }) => run('select 1')),
    ]);
    for (const outcome of outcomes) {
      expect(outcome.status === 'rejected' && String(outcome.reason)).toMatch(
        /All connections to the index’s database \(PostgreSQL at \S+\) are busy/,
      );
    }
    expect([store.engine.state, store.storage]).toEqual(['busy', 'postgres']);
    const waiting = store.engine.all('select 2 as n');
    await readers[0]?.end();
    expect(await waiting).toEqual([{ n: 2 }]);
    for (const reader of readers) await reader.end();
  });

  it('that answers too slowly is reported as slow, not down, and its work is not aborted', async () => {
    const url = await newDatabase();
    const lines: string[] = [];
    const { store } = await instance(url, 0, (text) => lines.push(text));
    await waitUntil(() => expect(store.isLeader).toBe(true));
    const locker = new pg.Client({ connectionString: url });
    await locker.connect();
    await locker.query('set search_path to keeperscope; begin; lock table leader in access exclusive mode');
    const long = store.engine.all('select 1 as n from pg_sleep(11)');
    await waitUntil(() => expect(store.engine.state).toBe('slow'));
    expect(lines.at(-1)).toMatch(/ answers too slowly/);
    expect(lines.join()).not.toMatch(/does not answer/);
    expect(await long).toEqual([{ n: 1 }]);
    await locker.end();
    await waitUntil(() => expect(store.engine.state).toBe('ok'));
  });

  it('that accepts no writes is reported everywhere; the leader stays, and writes when it can', async () => {
    const url = await newDatabase();
    const messages: string[] = [];
    const first = await instance(url, 0, (line) => messages.push(line));
    await waitUntil(() => expect(first.store.isLeader).toBe(true));
    const other = await instance(url);
    const admin = new pg.Client({ connectionString: serverUrl() });
    await admin.connect();
    const readOnly = async (mode: 'on' | 'off') => {
      await admin.query(`alter system set default_transaction_read_only = ${mode}`);
      await admin.query('select pg_reload_conf()');
    };
    try {
      await readOnly('on');
      for (const { store } of [first, other]) {
        await waitUntil(() => expect(store.storage).toBe('read-only'));
        expect(store.status()[0]?.notes).toEqual([expect.stringMatching(/^PostgreSQL at \S+ is read-only/)]);
      }
      await expect(first.store.ingest(1, madeRows(0, 10), 'new')).rejects.toThrow('not writable');
      expect([first.store.isLeader, messages]).toEqual([true, [expect.stringMatching(/ is read-only, /)]]);
      const third = await instance(url);
      expect(third.store.storage).toBe('read-only');
      await readOnly('off');
      await waitUntil(() =>
        expect([first.store.storage, other.store.storage]).toEqual(['postgres', 'postgres']),
      );
      await first.store.ingest(1, madeRows(0, 10), 'new');
      expect([messages.at(-1), await countOf(other)]).toEqual([
        expect.stringMatching(/ writable again\.$/),
        10,
      ]);
    } finally {
      await readOnly('off');
      await admin.end();
    }
  });

  it('leaves no unusable connection open', async () => {
    const url = await newDatabase();
    const { store } = await instance(url);
    await store.engine.write(({ run }) => run('drop table leader'));
    await store.close();
    await expect(instance(url)).rejects.toThrow(/can’t be used: /);
    const admin = new pg.Client({ connectionString: serverUrl() });
    await admin.connect();
    const open = async () => {
      const sql = 'select count(*) as n from pg_stat_activity where datname = $1';
      return Number((await admin.query(sql, [new URL(url).pathname.slice(1)])).rows[0].n);
    };
    await waitUntil(async () => expect(await open()).toBe(0));
    await admin.end();
  });

  it('learns of a sign-out when it is back', async () => {
    const [first, other] = await leaderAndFollower(await newDatabase());
    await other.store.engine.write(({ run }) => run('alter table ended_sessions rename to away'));
    const untilS = Math.floor(Date.now() / 1000) + 60;
    await expect(other.store.shared?.endSession('late', untilS)).rejects.toThrow();
    await other.store.engine.write(({ run }) => run('alter table away rename to ended_sessions'));
    await waitUntil(() => expect(first.store.shared?.endedSessions.has('late')).toBe(true));
  });
});

describe('a broken connection', () => {
  it('is noticed within 15 s by a follower, which repeats its queries', async () => {
    const url = await newDatabase();
    const first = await instance(url);
    await waitUntil(() => expect(first.store.isLeader).toBe(true));
    const way = await silentProxy(url);
    const other = await instance(way.url);
    way.fallSilent();
    const query = other.store.engine.all('select 3 as n');
    await first.store.ingest(1, madeRows(0, 10), 'new');
    await waitUntil(() => expect(other.store.revision).toBe(first.store.revision));
    expect(await query).toEqual([{ n: 3 }]);
    expect(await countOf(other)).toBe(10);
  });

  it('is noticed within 15 s by the leader, which steps down for an instance that reaches the server', async () => {
    const url = await newDatabase();
    const way = await silentProxy(url);
    const first = await instance(way.url);
    await waitUntil(() => expect(first.store.isLeader).toBe(true));
    const other = await instance(url);
    way.fallSilent();
    const silentMs = performance.now();
    await expect(first.store.ingest(1, madeRows(0, 10), 'new')).rejects.toThrow('not writable');
    await waitUntil(async () => {
      const leader = [first, other].find(({ store }) => store.isLeader);
      await leader?.store.ingest(1, madeRows(0, 20), 'new');
      expect(leader).toBeDefined();
    });
    expect(performance.now() - silentMs).toBeLessThan(15_000);
    await waitUntil(() => expect(first.store.revision).toBe(other.store.revision));
    expect(await countOf(other)).toBe(20);
  });
});

/** A proxy to the server that can fall silent: its connections stay open, but nothing passes through. */
async function silentProxy(url: string): Promise<{ url: string; fallSilent: () => void }> {
  const target = new URL(url);
  const port = Number(target.port);
  const host = target.hostname;
  const sockets: Socket[] = [];
  const way = createServer((near) => {
    const far = connect(port, host);
    for (const socket of [near, far]) sockets.push(socket.on('error', () => undefined));
    near.pipe(far).pipe(near);
  });
  await once(way.listen(0, '127.0.0.1'), 'listening');
  closeAfterwards(async () => {
    for (const socket of sockets) socket.destroy();
    way.close();
  });
  target.port = String((way.address() as AddressInfo).port);
  return {
    url: target.href,
    fallSilent: () => {
      for (const socket of sockets) socket.unpipe().pause();
    },
  };
}

it('an unresponsive server is waited for, and named without its password', async () => {
  const url = serverUrl()
    .replace('keeperscope@', 'keeperscope:hush@')
    .replace(/:\d+\//, ':1/');
  const messages: string[] = [];
  const keepers = [{ name: 'main', baseUrl: 'http://127.0.0.1:1/logs' }];
  const options = {
    storeUrl: () => url,
    memoryMb: 128,
    keepers,
    now: Date.now,
    lockWaitMs: 1500,
    say: (line: string) => messages.push(line),
  };
  await expect(openStore(options)).rejects.toThrow(
    /^STORE_URL: the index at 127.0.0.1:1\/postgres can’t be used: .*ECONNREFUSED/,
  );
  expect(messages).toEqual([
    expect.stringMatching(/^STORE_URL: 127.0.0.1:1\/postgres does not answer .*waiting 1.5 s at most/),
  ]);
  expect(messages.join()).not.toContain('hush');
});
