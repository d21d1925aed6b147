import { describe, expect, it } from 'vitest';
import type { FeedId } from '@/lib/domain/feed';
import type { Failure } from '@/lib/domain/outcome';
import { MARKS_KEPT_MS } from './feed-marks';
import { FILL_PAUSE_MS, MOST_FAILURES } from './gap-filling';
import { A, B, C, down, type Price, scriptedHub } from './scripted-hub';

/** The scripted clock begins here, unix seconds. */
const START_S = 1_700_000_000;
const at = (second: number) => START_S + second;
/** The update of a feed that publishes every second; its price is the second. */
const tick = (id: string, second: number, every = 1): Price => [
  id,
  second,
  at(second),
  -2,
  at(second - every),
];

/** A hub whose feeds publish every second, watched since the start; its outages are filled by a service that has all. */
async function watched(ids: FeedId[] = [A]) {
  const scripted = scriptedHub();
  const { service, prices, timers, send, opened } = scripted;
  for (const id of ids) prices.set(id, tick(id, 0));
  const page = scripted.watch(ids);
  await timers.advance(1_000);
  await send(...ids.map((id) => tick(id, 1)));
  service.atTime = (second, asked) => asked.map((id) => tick(id, second - START_S));
  const nowS = () => Math.floor(timers.now() / 1000) - START_S;
  /** Time passes; a stream that stands stays alive. */
  const pass = async (seconds: number) => {
    for (let passed = 0; passed < seconds; passed += 5) {
      opened.at(-1)?.stream.send(':\n\n');
      await timers.advance(5_000);
    }
  };
  /** The stream breaks; so many seconds later the service works again, and its feeds have gone on or not. */
  const outage = async (seconds: number, feeds: 'moved' | 'unmoved' = 'moved') => {
    service.open = down;
    opened.at(-1)?.stream.break();
    await timers.advance(seconds * 1000);
    for (const id of ids) prices.set(id, tick(id, feeds === 'moved' ? nowS() : 1));
    service.open = undefined;
    await pass(40);
  };
  return { ...scripted, page, pass, outage };
}

describe('what was missed', () => {
  it('is filled with the first update of each second, newest first, one call at a time with a pause', async () => {
    const { outage, pass, askedAt, texts } = await watched();
    await outage(10);
    await pass(60);
    const seconds = askedAt.map(({ second }) => second - START_S);
    const last = seconds[0] ?? 0;
    expect(last).toBeGreaterThan(8);
    expect(seconds).toEqual(Array.from({ length: last - 1 }, (_, n) => last - n));
    for (const [n, { atMs }] of askedAt.entries()) {
      expect(atMs - (askedAt[n - 1]?.atMs ?? 0)).toBeGreaterThanOrEqual(FILL_PAUSE_MS);
    }
    expect(texts(A)).toEqual([
      `a=0@${at(0)}`,
      `a=1@${at(1)}`,
      ...Array.from({ length: last - 1 }, (_, n) => `a=${n + 2}@${at(n + 2)} f`),
      `a=${last + 1}@${at(last + 1)}`,
    ]);
  });

  it('is told by a mark: when it began and ended, how far the filling is, and that it is done', async () => {
    const { outage, page, marks, hub } = await watched();
    page.sink.take();
    await outage(10);
    const told = page.sink.take().filter(({ name }) => name === 'marks');
    expect(told.every(({ data }) => JSON.parse(data).length === 1)).toBe(true);
    const states = told.map(({ data }) => JSON.parse(data)[0]?.fill?.state);
    expect([states.slice(0, 3), states.at(-1)]).toEqual([[undefined, undefined, 'filling'], 'done']);
    const [mark] = marks();
    expect(mark).toMatchObject({ kind: 'outage', fromMs: (START_S + 1) * 1000, fill: { state: 'done' } });
    expect(mark?.fill?.doneS).toBe(mark?.fill?.ofS);
    expect(mark?.untilMs).toBeGreaterThanOrEqual((START_S + 11) * 1000);
    expect(hub.stats.filled).toBeGreaterThan(8);
  });

  it('is no news: no reader gets it as an update, and the last price stays', async () => {
    const { outage, pass, page, watch, timers } = await watched();
    await outage(10);
    await pass(60);
    expect(page.take('update').join(' ')).not.toContain(' f');
    const late = watch([A]);
    await timers.advance(1);
    expect(late.take('snapshot')[0]).toMatch(/^a=\d+@\d+ \|/);
  });

  it('costs one call for all feeds of a second, and none for seconds without an update', async () => {
    const { askedAt, service, outage, marks } = await watched([A, B]);
    service.atTime = (second, ids) =>
      ids.map((id) => tick(id, Math.ceil((second - START_S - 1) / 5) * 5 + 1, 5));
    await outage(21);
    expect(askedAt.map(({ second, ids }) => [second - START_S, ids])).toEqual(
      [21, 16, 11, 6].map((second) => [second, [A, B]]),
    );
    expect(marks()[0]?.fill?.state).toBe('done');
  });

  it('is nothing where the feed has not moved: no call', async () => {
    const { askedAt, marks, outage } = await watched();
    await outage(20, 'unmoved');
    expect([askedAt, marks()[0]?.fill?.state]).toEqual([[], 'done']);
  });

  it('is asked for second by second where the service does not tell the time of the update before', async () => {
    const { askedAt, service, outage, texts } = await watched();
    service.atTime = (second, ids) => ids.map((id) => [id, second - START_S, second]);
    await outage(10);
    expect(askedAt.length).toBeGreaterThanOrEqual(9);
    expect(texts(A)?.filter((text) => text.endsWith(' f'))).toHaveLength(9);
  });

  it('waits as long as the service asks, and gives up after failures in a row, saying what it has', async () => {
    const { outage, pass, askedAt, service, marks } = await watched();
    let left = 3;
    const limited: Failure = { kind: 'rate-limited', detail: 'Slow down.', retryAfterS: 30 };
    const has = service.atTime;
    service.atTime = (second, ids) => {
      left -= 1;
      return left < 0 ? limited : has(second, ids);
    };
    await outage(20);
    await pass(600);
    expect(askedAt).toHaveLength(3 + MOST_FAILURES);
    for (let n = 4; n < askedAt.length; n += 1) {
      expect((askedAt[n]?.atMs ?? 0) - (askedAt[n - 1]?.atMs ?? 0)).toBeGreaterThanOrEqual(30_000);
    }
    expect(marks()[0]?.fill).toMatchObject({ state: 'partial', doneS: expect.any(Number) });
  });

  it.each([
    ['a rejected key', { kind: 'unauthorized', detail: 'No.' } as Failure, 1],
    ['a service that has nothing so old', { kind: 'missing', detail: 'Update data not found' } as Failure, 3],
  ])('is said to be not recoverable after %s', async (_, failure, calls) => {
    const { outage, askedAt, service, marks } = await watched();
    service.atTime = () => failure;
    await outage(20);
    expect([askedAt.length, marks()[0]?.fill?.state]).toEqual([calls, 'impossible']);
  });

  it('is filled for the other feeds where the service fails all for one', async () => {
    const { outage, pass, service, texts, marks } = await watched([A, B]);
    const has = service.atTime;
    service.atTime = (second, ids) =>
      ids.includes(B) ? { kind: 'missing', detail: 'Update data not found' } : has(second, ids);
    await outage(10);
    await pass(60);
    expect(texts(A)?.filter((text) => text.endsWith(' f')).length).toBeGreaterThan(7);
    expect(texts(B)?.filter((text) => text.endsWith(' f'))).toEqual([]);
    expect(marks([B])[0]?.fill?.state).toBe('partial');
  });

  it('is asked for no feed that the service does not know, which leaves nothing undone', async () => {
    const { outage, pass, askedAt, service, marks, watch } = await watched();
    watch([C]);
    await pass(5);
    service.atTime = (second, ids) => ids.filter((id) => id === A).map((id) => tick(id, second - START_S));
    await outage(10);
    await pass(60);
    expect(askedAt.length).toBeGreaterThan(7);
    expect(askedAt.every(({ ids }) => !ids.includes(C))).toBe(true);
    expect(marks()[0]?.fill?.state).toBe('done');
  });

  it('goes back no further than half an hour', async () => {
    const { outage, pass, askedAt, marks } = await watched();
    await outage(3_600);
    await pass(1_200);
    const oldest = Math.min(...askedAt.map(({ second, atMs }) => second - Math.floor(atMs / 1000)));
    expect(oldest).toBeGreaterThanOrEqual(-1_800);
    expect(askedAt.length).toBeGreaterThan(1_000);
    expect(marks()[0]?.fill).toMatchObject({ state: 'partial' });
  });

  it('is not asked for when nobody watches any more', async () => {
    const { outage, timers, askedAt, page, hub } = await watched();
    await outage(600);
    page.leave();
    await timers.advance(31_000);
    const asked = askedAt.length;
    await timers.advance(60_000);
    expect(askedAt.length).toBe(asked);
    hub.stop();
    expect(timers.pending).toBe(0);
  });
});

describe('a service that closes its streams every 5 s for 2 min', () => {
  it('costs no update: each second is received or filled in, with gaps under 3 s and one stream at a time', async () => {
    const { opened, prices, send, timers, texts, marks, pass, hub } = await watched();
    for (let second = 2; second <= 120; second += 1) {
      await timers.advance(1_000);
      prices.set(A, tick(A, second));
      if (!opened.at(-1)?.stream.closed) await send(tick(A, second));
      if (second % 5 === 4) {
        await timers.advance(0);
        opened.at(-1)?.stream.end();
      }
      expect(opened.filter(({ stream }) => !stream.closed).length).toBeLessThanOrEqual(1);
    }
    await pass(60);
    const seconds = texts(A)?.map((text) => Number(text.split('@')[1]?.split(' ')[0]) - START_S);
    expect(new Set(seconds)).toEqual(new Set(Array.from({ length: 121 }, (_, second) => second)));
    const planned = marks();
    expect(planned).toHaveLength(24);
    for (const { kind, fromMs, untilMs = Number.POSITIVE_INFINITY, fill } of planned) {
      expect([kind, fill?.state]).toEqual(['planned', 'done']);
      expect(untilMs - fromMs).toBeLessThan(3_000);
    }
    expect(hub.stats.losses).toBe(0);
  });
});

describe('marks', () => {
  it('call a close in good order planned, and an outage what no stream follows', async () => {
    const { opened, timers, marks, service } = await watched();
    opened.at(-1)?.stream.end();
    await timers.advance(3_000);
    expect(marks()).toMatchObject([{ kind: 'planned', untilMs: expect.any(Number) }]);
    const [planned] = marks();
    expect((planned?.untilMs ?? 0) - (planned?.fromMs ?? 0)).toBeLessThan(3_000);
    service.open = down;
    opened.at(-1)?.stream.end();
    await timers.advance(3_000);
    expect(marks()[1]).toMatchObject({ kind: 'outage' });
    expect(marks()[1]).not.toHaveProperty('untilMs');
  });

  it('begin a half-open connection at its last sign of life', async () => {
    const { timers, marks } = await watched();
    await timers.advance(45_000);
    expect(marks()[0]).toMatchObject({ kind: 'outage', fromMs: (START_S + 1) * 1000 });
  });

  it('stand in the snapshot of whoever comes later, and after a resume', async () => {
    const { outage, watch, timers, page } = await watched();
    const lastEventId = page.sink.take().at(-1)?.id;
    await outage(5);
    page.leave();
    const [late, again] = [watch([A]), watch([A], { lastEventId })];
    await timers.advance(1);
    expect(late.take('snapshot')[0]).toContain('"kind":"outage"');
    const resumed = again.sink.take();
    expect(resumed.map(({ name }) => name)).toEqual(['update', 'connection', 'marks']);
    expect(resumed[2]?.data).toContain('"kind":"outage"');
  });

  it('concern only the feeds of their stream when there are several', async () => {
    const { watch, timers, opened, prices } = scriptedHub();
    const many = Array.from({ length: 101 }, (_, n) => n.toString(16).padStart(64, '0') as FeedId);
    for (const id of many) prices.set(id, [id, 1, 1]);
    const page = watch(many);
    const other = watch([many[0] as FeedId]);
    await timers.advance(1_000);
    page.sink.take();
    other.sink.take();
    opened[1]?.stream.end();
    await timers.advance(3_000);
    expect(page.take('marks').length).toBeGreaterThan(0);
    expect(other.take('marks')).toEqual([]);
  });

  it('are forgotten after half an hour', async () => {
    const { opened, timers, pass, marks } = await watched();
    opened.at(-1)?.stream.end();
    await timers.advance(3_000);
    expect(marks()).toHaveLength(1);
    await pass(MARKS_KEPT_MS / 1000);
    expect(marks()).toEqual([]);
  });
});
