import { setMaxListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { ok } from '@/lib/domain/outcome';
import { ManualTimers } from '@/lib/upstream/manual-timers';
import { type Counts, createCounts } from './counts';
import { FakeLog, settled, tooMany } from './counts-fakes';

const NOW = Date.UTC(2026, 10, 20, 8);
const AT = '2026-11-20T07:59:00Z';
const never = new AbortController().signal;
setMaxListeners(0, never);

function started(rows = 3) {
  const timers = new ManualTimers();
  const log = new FakeLog(Array.from({ length: rows }, () => ({ at: AT, state: 'Pending' })));
  return { timers, log, counts: createCounts({ now: () => NOW + timers.elapsed(), timers }) };
}

const ask = (counts: Counts, log: FakeLog, filter = {}) => counts.count(log, filter, { signal: never });

/** Holds every count back until it is let go. */
function held(log: FakeLog): { release: () => void } {
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  log.answer = async () => {
    await gate;
    return undefined;
  };
  return { release: () => release() };
}

describe('a count', () => {
  it('is asked once for all who want it at the same time and for 10 s after', async () => {
    const { counts, log, timers } = started();
    const both = await Promise.all([ask(counts, log), ask(counts, log)]);
    expect(both).toEqual([ok('3'), ok('3')]);
    timers.advance(9_999);
    expect(await ask(counts, log)).toEqual(ok('3'));
    expect(log.asked).toHaveLength(1);
    timers.advance(1);
    log.rows = [];
    expect(await ask(counts, log)).toEqual(ok('0'));
  });

  it('is kept for five minutes when its time is over for an hour and states do not matter', async () => {
    const { counts, log, timers } = started();
    const old = { max: '2026-11-20T06:59:59.999999999Z' };
    await ask(counts, log, old);
    await ask(counts, log, { ...old, state: 'Pending' });
    timers.advance(299_999);
    await ask(counts, log, old);
    await ask(counts, log, { ...old, state: 'Pending' });
    expect(log.asked).toHaveLength(3);
    timers.advance(1);
    await ask(counts, log, old);
    expect(log.asked).toHaveLength(4);
  });

  it('belongs to its keeper and to every part of its filter', async () => {
    const { counts, log } = started();
    const other = new FakeLog([], 'test');
    const filters = [{}, { networkId: '1' }, { state: 'Pending' }, { query: '1' }, { min: AT }, { max: AT }];
    for (const filter of filters) await ask(counts, log, filter);
    expect(log.asked).toEqual(filters);
    expect(await ask(counts, other)).toEqual(ok('0'));
  });

  it('is asked anew when a fresh one is wanted, which then is the kept one', async () => {
    const { counts, log } = started();
    await ask(counts, log);
    log.rows = [];
    expect(await counts.count(log, {}, { signal: never, age: 'fresh' })).toEqual(ok('0'));
    expect(await ask(counts, log)).toEqual(ok('0'));
    expect(log.asked).toHaveLength(2);
  });

  it('that failed is asked again by the next one', async () => {
    const { counts, log } = started();
    const failure = { kind: 'failing', detail: 'down' } as const;
    log.answer = async () => ({ ok: false, failure });
    expect(await ask(counts, log)).toEqual({ ok: false, failure });
    log.answer = async () => undefined;
    expect(await ask(counts, log)).toEqual(ok('3'));
  });

  it('goes out with at most seven others to the same keeper', async () => {
    const { counts, log } = started();
    const gate = held(log);
    const all = Array.from({ length: 30 }, (_, n) => ask(counts, log, { networkId: String(n) }));
    await settled();
    expect(log.underWay).toBe(8);
    gate.release();
    await Promise.all(all);
    expect(log.mostUnderWay).toBe(8);
    expect(log.asked).toHaveLength(30);
  });

  it('is kept only for so long as others do not push it out', async () => {
    const { counts, log } = started();
    for (let n = 0; n < 5001; n += 1) await ask(counts, log, { networkId: String(n) });
    await ask(counts, log, { networkId: '1' });
    expect(log.asked).toHaveLength(5001);
    await ask(counts, log, { networkId: '0' });
    expect(log.asked).toHaveLength(5002);
  });
});

describe('our own call budget', () => {
  it('only slows a count down: it is asked again after the seconds that the refusal names', async () => {
    const { counts, log, timers } = started();
    log.answer = async () => (log.asked.length <= 2 ? tooMany(3) : undefined);
    const count = ask(counts, log);
    await settled();
    timers.advance(2_999);
    await settled();
    expect(log.asked).toHaveLength(1);
    timers.advance(1);
    await settled();
    timers.advance(3_000);
    expect(await count).toEqual(ok('3'));
    expect(log.asked).toHaveLength(3);
  });

  it('is waited for a bounded number of times', async () => {
    const { counts, log, timers } = started();
    log.answer = async () => tooMany(1);
    const count = ask(counts, log);
    for (let n = 0; n < 10; n += 1) {
      await settled();
      timers.advance(1_000);
    }
    expect(await count).toMatchObject({ ok: false, failure: { kind: 'too-many' } });
    expect(log.asked).toHaveLength(6);
  });

  it('is not waited for by those who have left, and no timer stays behind', async () => {
    const { counts, log, timers } = started();
    log.answer = async () => tooMany(5);
    const leaving = new AbortController();
    const count = counts.count(log, {}, { signal: leaving.signal });
    await settled();
    expect(timers.pending).toBe(1);
    leaving.abort();
    await expect(count).rejects.toThrow();
    await settled();
    expect(timers.pending).toBe(0);
    expect(log.asked).toHaveLength(1);
  });
});

describe('who leaves', () => {
  it('takes the question along when it waits for its turn and nobody else wants it', async () => {
    const { counts, log } = started();
    const gate = held(log);
    const first = Array.from({ length: 8 }, (_, n) => ask(counts, log, { networkId: String(n) }));
    const leaving = new AbortController();
    const alone = counts.count(log, { networkId: 'alone' }, { signal: leaving.signal });
    const shared = counts.count(log, { networkId: 'shared' }, { signal: leaving.signal });
    const staying = ask(counts, log, { networkId: 'shared' });
    await settled();
    leaving.abort();
    await expect(alone).rejects.toThrow();
    await expect(shared).rejects.toThrow();
    gate.release();
    await Promise.all(first);
    expect(await staying).toEqual(ok('0'));
    expect(log.asked.map(({ networkId }) => networkId)).not.toContain('alone');
  });

  it('is not answered at all when gone before asking', async () => {
    const { counts, log } = started();
    await expect(counts.count(log, {}, { signal: AbortSignal.abort() })).rejects.toThrow();
    expect(log.asked).toEqual([]);
  });
});
