import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sendError, sendJson } from '@/lib/upstream/service-fixture';
import { type FakeKeeper, storedRows } from './keeper-fixture';
import { eventually, expectSynced, fillKeeper, START_MS, syncBench } from './sync-harness';

const bench = syncBench();
const MINUTE_MS = 60_000;

function maxPerMinute(moments: readonly number[]): number {
  return Math.max(
    0,
    ...moments.map((at) => moments.filter((moment) => moment >= at && moment < at + MINUTE_MS).length),
  );
}

function callMoments(keeper: FakeKeeper): number[] {
  const moments: number[] = [];
  keeper.instead = () => {
    moments.push(keeper.nowMs());
    return false;
  };
  return moments;
}

describe('the sync of a keeper', () => {
  it('survives ten stops while it reads the history, and reads little twice', async () => {
    const { keeper, start } = await bench(100);
    fillKeeper(keeper, 14_000, 1000);
    const folder = await mkdtemp(join(tmpdir(), 'sync-'));
    const path = join(folder, 'index.duckdb');
    let pages = 0;
    keeper.instead = (_, { url, limit }) => {
      if (limit > 1 && url.searchParams.has('max_timestamp')) pages += 1;
      return false;
    };
    try {
      for (let stop = 1; stop <= 10; stop += 1) {
        const index = await start({ path });
        await eventually(async () => expect((await storedRows(index)).size).toBeGreaterThan(stop * 1000));
        await index.close();
      }
      const index = await start({ path });
      await index.sync.caughtUp();
      await expectSynced(index, keeper);
      expect(index.store.status()[0]).toMatchObject({ coversAll: true, rows: 14_000 });
      // One call per thousand rows, one at the end, and for each stop those whose rows were not written yet.
      expect(pages).toBeLessThanOrEqual(14 + 1 + 10 * 6);
      await index.close();
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('was read up to its newest row, also where that was created while the call was under way', async () => {
    const { keeper, start } = await bench(100);
    fillKeeper(keeper, 5, 1000);
    keeper.instead = () => {
      keeper.add(keeper.nowMs());
      return false;
    };
    const index = await start();
    const { engine, reads } = index.store;
    const newestAt = async (momentMs: number) => {
      const query = `select max(created_us) as us from requests where visible_us <= ${momentMs * 1000}`;
      return ((await engine.all<{ us: number }>(query))[0]?.us ?? 0) / 1000;
    };
    for (const calls of [1, 10]) {
      await eventually(() => expect(keeper.calls.length).toBeGreaterThan(calls));
      await eventually(() => expect(reads.readUpToMs('main')).not.toBeNull());
      const [momentMs, readUpToMs] = [reads.latestMs(['main'], 2000), reads.readUpToMs('main')];
      const newestMs = await newestAt(momentMs);
      expect(newestMs).toBeGreaterThan(START_MS);
      expect(momentMs).toBeGreaterThanOrEqual(newestMs);
      expect(readUpToMs).toBeGreaterThanOrEqual(newestMs);
    }
  });

  it('reads the complete gap after a pause', async () => {
    const { keeper, start } = await bench(100);
    fillKeeper(keeper, 3000, 1000, 20_000_000);
    const folder = await mkdtemp(join(tmpdir(), 'sync-'));
    const path = join(folder, 'index.duckdb');
    try {
      const before = await start({ path });
      await before.sync.caughtUp();
      await before.close();
      fillKeeper(keeper, 9000, 2000);
      const index = await start({ path });
      await index.sync.caughtUp();
      await expectSynced(index, keeper);
      await eventually(() =>
        expect(index.store.status()[0]).toMatchObject({ coversAll: true, state: 'live' }),
      );
      await index.close();
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('makes at most 20 calls a minute, and 70 with one or a hundred viewers', async () => {
    const { keeper, start } = await bench(60);
    fillKeeper(keeper, 2500, 10_000);
    for (let n = 0; n < 300; n += 1) keeper.add(START_MS - n * 400_000, 'pending');
    const index = await start({ callsPerSecond: 5 });
    await index.sync.caughtUp();
    keeper.add(START_MS - 5_000_000, 'failed');
    const idle = callMoments(keeper);
    const changing = setInterval(() => {
      const row = keeper.rows.find(({ state }) => state === 'pending');
      if (row !== undefined) row.state = 'completed';
      keeper.add(keeper.nowMs(), 'pending');
    }, 20);
    await eventually(() => expect((idle.at(-1) ?? 0) - (idle[0] ?? 0)).toBeGreaterThan(4 * MINUTE_MS));
    expect(maxPerMinute(idle)).toBeLessThanOrEqual(20);
    const looking = Array.from({ length: 100 }, () => index.store.addViewer());
    const watched = callMoments(keeper);
    await eventually(() => expect((watched.at(-1) ?? 0) - (watched[0] ?? 0)).toBeGreaterThan(3 * MINUTE_MS));
    expect(maxPerMinute(watched)).toBeLessThanOrEqual(70);
    clearInterval(changing);
    for (const end of looking) end();
  });

  it('has a new row and its outcome soon while a page is open, regardless of the count', async () => {
    const { keeper, start } = await bench(20);
    fillKeeper(keeper, 3000, 1000);
    const index = await start();
    await index.sync.caughtUp();
    index.store.addViewer();
    const polls = callMoments(keeper);
    const adding = setInterval(() => {
      keeper.extraTotal = (keeper.extraTotal + 1) % 3;
      for (const row of keeper.rows.slice(-4)) row.state = 'completed';
      keeper.add(keeper.nowMs(), 'pending');
    }, 10);
    const arrived: number[] = [];
    const sequences = new Set<number>();
    await eventually(async () => {
      for (const sequence of (await storedRows(index)).keys()) {
        if (sequence > 3000 && !sequences.has(sequence)) arrived.push(sequence);
        sequences.add(sequence);
      }
      expect(arrived.length).toBeGreaterThan(300);
    });
    clearInterval(adding);
    expect(new Set(arrived).size).toBe(arrived.length);
    await eventually(() => expectSynced(index, keeper));
    // A listing every two seconds and the rest of the budget, without an extra call for a wrong count.
    expect(maxPerMinute(polls)).toBeLessThanOrEqual(70);
    expect(keeper.calls.some(({ url }) => url.searchParams.has('network_id'))).toBe(false);
  });

  it('follows the service’s clock, 10 min ahead or set back by an hour', async () => {
    const { keeper, timers, start } = await bench(60);
    const ours = () => Math.floor(START_MS + timers.elapsed());
    let aheadMs = 10 * MINUTE_MS;
    keeper.nowMs = () => ours() + aheadMs;
    for (let n = 1200; n > 0; n -= 1) keeper.add(keeper.nowMs() - n * 1000);
    const index = await start({ nowMs: ours });
    await index.sync.caughtUp();
    await eventually(() =>
      expect(index.store.status()[0]?.notes).toEqual(["the service's clock is 10 min ahead of ours"]),
    );
    keeper.add(keeper.nowMs(), 'pending');
    await eventually(() => expectSynced(index, keeper));
    aheadMs -= 60 * MINUTE_MS;
    await eventually(() => expect(index.store.status()[0]?.notes.join()).toContain('50 min behind'));
    const row = keeper.add(keeper.nowMs(), 'pending');
    await eventually(() => expectSynced(index, keeper));
    row.state = 'completed';
    await eventually(() => expectSynced(index, keeper));
  });
});

describe('a service that fails', () => {
  it('is not called before its Retry-After, and loses nothing', async () => {
    const { keeper, start } = await bench(100);
    fillKeeper(keeper, 2500, 1000);
    const index = await start();
    await index.sync.caughtUp();
    const refused: number[] = [];
    keeper.instead = (response) => {
      refused.push(keeper.nowMs());
      if (refused.length > 2) return false;
      sendError(response, 429, 'slow down', { 'retry-after': '120' });
      return true;
    };
    keeper.add(keeper.nowMs());
    await eventually(() =>
      expect(index.store.status()[0]).toMatchObject({ state: 'failing', failure: { kind: 'rate-limited' } }),
    );
    const { nextTryMs = 0 } = index.store.status()[0]?.failure ?? {};
    expect(nextTryMs - (refused[0] ?? 0)).toBeGreaterThanOrEqual(119_000);
    await eventually(() => expectSynced(index, keeper));
    await eventually(() => expect(index.store.status()[0]).toMatchObject({ state: 'live', failure: null }));
    for (const [at, moment] of refused.slice(1, 3).entries()) {
      expect(moment - (refused[at] ?? 0)).toBeGreaterThanOrEqual(119_000);
    }
  });

  it.each([
    ['rejects the key', 401, 'unauthorized', 15],
    ['fails', 500, 'failing', 40],
    ['sends web pages', 200, 'malformed', 40],
  ])('%s: is retried with backoff for ten minutes', async (_, status, kind, most) => {
    const { keeper, start } = await bench(200);
    fillKeeper(keeper, 2500, 1000);
    const index = await start();
    await index.sync.caughtUp();
    const moments: number[] = [];
    const endsMs = keeper.nowMs() + 10 * MINUTE_MS;
    keeper.instead = (response) => {
      if (keeper.nowMs() > endsMs) return false;
      moments.push(keeper.nowMs());
      if (status === 200) sendJson(response, '<html>busy</html>');
      else sendError(response, status, 'no');
      return true;
    };
    keeper.add(keeper.nowMs());
    await eventually(() =>
      expect(index.store.status()[0]).toMatchObject({ state: 'failing', failure: { kind } }),
    );
    await eventually(() => expectSynced(index, keeper));
    expect(moments.length).toBeLessThan(most);
    await eventually(() => expect(index.store.status()[0]).toMatchObject({ state: 'live', failure: null }));
  });

  it('sends smaller pages when large ones time out', async () => {
    const { keeper, start } = await bench(100);
    fillKeeper(keeper, 1500, 1000);
    keeper.instead = (response, { limit }) => {
      if (limit <= 100) return false;
      sendJson(response, '{"requests":[');
      return true;
    };
    const index = await start();
    await eventually(() => expectSynced(index, keeper));
  });

  it('uses no old answer when a reset comes while a call is under way', async () => {
    const { keeper, start } = await bench(100);
    keeper.add(START_MS - 1000);
    const before = await (await fetch(`${keeper.url}/v1/logs`)).text();
    let answer: (() => void) | undefined;
    keeper.instead = (response) => {
      if (answer !== undefined) return false;
      answer = () => sendJson(response, before);
      return true;
    };
    const index = await start();
    await eventually(() => expect(answer).toBeDefined());
    keeper.rows = [];
    fillKeeper(keeper, 3000, 60_000);
    const anew = index.sync.resync(500_000);
    setTimeout(() => answer?.(), 50);
    await anew;
    await expectSynced(index, keeper);
  });
});
