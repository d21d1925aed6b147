import { describe, expect, it } from 'vitest';
import type { FeedId } from '@/lib/domain/feed';
import { MARKS_KEPT_MS } from './marks';
import { A, down, type Price, scriptedHub } from './scripted-hub';

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

/** A hub whose feeds publish every second, watched since the start. */
async function watched(ids: FeedId[] = [A]) {
  const scripted = scriptedHub();
  const { service, prices, timers, send, opened } = scripted;
  for (const id of ids) prices.set(id, tick(id, 0));
  const page = scripted.watch(ids);
  await timers.advance(1_000);
  await send(...ids.map((id) => tick(id, 1)));
  const nowS = () => Math.floor(timers.now() / 1000) - START_S;
  /** Time passes; a stream that stands stays alive. */
  const pass = async (seconds: number) => {
    for (let passed = 0; passed < seconds; passed += 5) {
      opened.at(-1)?.stream.send(':\n\n');
      await timers.advance(5_000);
    }
  };
  /** The stream breaks; so many seconds later the service works again, and its feeds have gone on. */
  const outage = async (seconds: number) => {
    service.open = down;
    opened.at(-1)?.stream.break();
    await timers.advance(seconds * 1000);
    for (const id of ids) prices.set(id, tick(id, nowS()));
    service.open = undefined;
    await pass(40);
  };
  return { ...scripted, page, pass, outage };
}

it('a service that closes its streams every 5 s for 2 min leaves gaps under 3 s, and is asked for one stream at a time', async () => {
  const { opened, prices, send, timers, marks, pass, hub } = await watched();
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
  const planned = marks();
  expect(planned).toHaveLength(24);
  for (const { kind, fromMs, untilMs = Number.POSITIVE_INFINITY } of planned) {
    expect(kind).toBe('planned');
    expect(untilMs - fromMs).toBeLessThan(3_000);
  }
  expect(hub.stats.losses).toBe(0);
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
