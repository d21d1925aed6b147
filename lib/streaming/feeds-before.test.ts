import { describe, expect, it } from 'vitest';
import type { FeedId } from '@/lib/domain/feed';
import { MOST_BEFORE_S } from './feeds-before';
import { A, B, type Price, scriptedHub } from './scripted-hub';

/** The scripted clock begins here, unix seconds. */
const START_S = 1_700_000_000;
const tick = (id: string, second: number): Price => [id, second, START_S + second, -2, START_S + second - 1];

/** A server that has just started, with a reader whose stream was another one's before. */
async function takenOver(ids: FeedId[] = [A]) {
  const scripted = scriptedHub();
  const { service, prices, timers, send, opened } = scripted;
  for (const id of ids) prices.set(id, tick(id, 0));
  service.atTime = (second, asked) => asked.map((id) => tick(id, second - START_S));
  const page = scripted.watch(ids);
  await timers.advance(1_000);
  await send(...ids.map((id) => tick(id, 1)));
  const pass = async (seconds: number) => {
    for (let passed = 0; passed < seconds; passed += 5) {
      opened.at(-1)?.stream.send(':\n\n');
      await timers.advance(5_000);
    }
  };
  const filled = (id: FeedId) =>
    scripted.texts(id, START_S - 1_000)?.filter((text) => text.endsWith(' f')) ?? [];
  return { ...scripted, page, pass, filled };
}

describe('what readers lost before this server had their feeds', () => {
  it('is filled in as after an outage, and told by a mark', async () => {
    const { hub, pass, filled, marks } = await takenOver();
    hub.lacked([A], START_S - 4);
    await pass(20);
    expect(filled(A).length).toBeGreaterThanOrEqual(4);
    expect(filled(A)).toContain(`a=-4@${START_S - 4} f`);
    expect(marks()).toMatchObject([
      { kind: 'outage', fromMs: (START_S - 4) * 1000, ids: [A], fill: { state: 'done' } },
    ]);
  });

  it('costs the calls of one reader, however many ask', async () => {
    const { hub, pass, askedAt } = await takenOver();
    for (let reader = 0; reader < 50; reader += 1) hub.lacked([A], START_S - 4);
    await pass(20);
    const calls = askedAt.length;
    hub.lacked([A], START_S - 60);
    await pass(60);
    expect([calls, askedAt.length]).toEqual([calls, calls]);
    expect(new Set(askedAt.map(({ second }) => second)).size).toBe(calls);
  });

  it('waits for the stream where that does not stand yet', async () => {
    const { hub, timers, prices, service, watch, marks } = scriptedHub();
    prices.set(B, tick(B, 0));
    service.atTime = (second, ids) => ids.map((id) => tick(id, second - START_S));
    watch([B]);
    hub.lacked([B], START_S - 3);
    expect(marks([B])).toEqual([]);
    await timers.advance(10_000);
    expect(marks([B])).toMatchObject([{ kind: 'outage', fill: { state: 'done' } }]);
  });

  it('is left to the samples of the chart where it is long ago, and is nothing where we have it', async () => {
    const { hub, pass, askedAt, marks } = await takenOver([A, B]);
    hub.lacked([A], START_S - MOST_BEFORE_S - 5);
    hub.lacked([B], START_S + 1);
    await pass(20);
    expect([askedAt, marks()]).toEqual([[], []]);
  });
});
