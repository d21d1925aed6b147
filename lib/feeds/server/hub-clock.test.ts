import { describe, expect, it } from 'vitest';
import { settle } from '@/lib/core/timers-fixture';
import { readFeedStreamEvent } from '@/lib/feeds/stream-events';
import { A, B, C, type ListSink, type Price, scriptedHub } from './stream-fixtures';

/** Events since the last call, as `a=1` with a mark if misdated. */
function clockStates(sink: ListSink): string[] {
  return sink.readEvents().flatMap(({ name, data }) => {
    const event = readFeedStreamEvent(name, data);
    if (event?.name !== 'update' && event?.name !== 'snapshot') return [];
    return event.value.feeds.map(
      ({ id, price, misdating }) =>
        `${id.slice(0, 1)}=${price.mantissa}${misdating === undefined ? '' : ` ${misdating}`}`,
    );
  });
}

const NOW_S = 1_700_000_000;

async function stage(clockAheadMs?: number) {
  const staged = scriptedHub({ clockAheadMs: () => clockAheadMs });
  const { watch, timers, prices } = staged;
  for (const id of [A, B, C]) prices.set(id, [id, 0, NOW_S - 1]);
  const { sink } = watch([A, B, C]);
  await timers.advance(1_000);
  clockStates(sink);
  const nowS = () => Math.floor(timers.nowMs / 1000);
  /** All feeds publish now. @param offS offset of its clock, seconds */
  const publish = async (price: number, offS: Partial<Record<'a' | 'b' | 'c', number>> = {}) => {
    const all = [A, B, C].map((id): Price => {
      const off = offS[id.slice(0, 1) as 'a' | 'b' | 'c'] ?? 0;
      return [id, price, nowS() + off];
    });
    await staged.send(...all);
    return clockStates(sink);
  };
  const offMs = () => (staged.hub.connection.nowMs ?? 0) - timers.nowMs;
  return { ...staged, sink, publish, nowS, offMs };
}

describe('the clock of publish times', () => {
  it.each([31_536_000, 120, 8])(
    'a stamp %i s ahead is marked on its own feed and holds up no later one',
    async (aheadS) => {
      const { publish, timers, hub, offMs } = await stage();
      expect(await publish(1)).toEqual(['a=1', 'b=1', 'c=1']);
      await timers.advance(1_000);
      expect(await publish(2, { a: aheadS })).toEqual(['a=2 ahead', 'b=2', 'c=2']);
      await timers.advance(1_000);
      expect(await publish(3)).toEqual(['a=3', 'b=3', 'c=3']);
      expect([hub.stats.misdated, hub.stats.older, offMs()]).toEqual([1, 0, 0]);
    },
  );

  it.each([
    ['ms', 1_000],
    ['us', 1_000_000],
    ['ns', 1_000_000_000],
  ])('a stamp in %s is marked as such, and the price is not lost', async (unit, factor) => {
    const { send, sink, nowS, publish, hub } = await stage();
    const stamp = `${BigInt(nowS()) * BigInt(factor)}`;
    await send([A, 5, stamp as unknown as number], [B, 5, nowS()]);
    expect(clockStates(sink)).toEqual([`a=5 ${unit}`, 'b=5']);
    expect(await publish(6)).toEqual(['a=6', 'b=6', 'c=6']);
    expect(hub.stats.unreadable).toBe(0);
  });

  it('an update far behind the last one of its feed is marked and does not become its price', async () => {
    const { publish, timers, watch } = await stage();
    await publish(1);
    await timers.advance(1_000);
    expect(await publish(2, { b: -3_600 })).toEqual(['a=2', 'b=2 behind', 'c=2']);
    await timers.advance(1_000);
    expect(await publish(3)).toEqual(['a=3', 'b=3', 'c=3']);
    const late = watch([B]);
    await settle();
    expect(clockStates(late.sink)).toEqual(['b=3']);
  });

  it('feeds that are all ahead indicate that our clock is slow, and none is marked', async () => {
    const { publish, offMs } = await stage();
    expect(await publish(1, { a: 40, b: 41, c: 90_000 })).toEqual(['a=1', 'b=1', 'c=1 ahead']);
    expect(offMs()).toBe(41_000);
  });

  it('the Date header outweighs a single feed, and feeds that are all late are late', async () => {
    const ahead = await stage(600_000);
    expect(await ahead.publish(1, { a: 600, b: 600, c: 600 })).toEqual(['a=1', 'b=1', 'c=1']);
    expect(ahead.offMs()).toBe(600_000);
    const late = await stage(0);
    await late.publish(1, { a: -45, b: -45, c: -45 });
    expect(late.offMs()).toBe(0);
    const undated = await stage();
    undated.timers.nowMs += 700_000;
    await undated.publish(1, { a: -600, b: -600, c: -600 });
    expect(undated.offMs()).toBe(-600_000);
  });

  it('feeds of closed markets, sent with stamps of Friday, do not put a good stamp ahead', async () => {
    const { publish, offMs } = await stage();
    expect(await publish(1, { a: -172_800, b: -172_800 })).toEqual(['a=1 behind', 'b=1 behind', 'c=1']);
    expect(offMs()).toBe(0);
  });

  it('a feed alone never moves the clock', async () => {
    const { hub, watch, send, timers } = scriptedHub({ clockAheadMs: () => undefined });
    const { sink } = watch([A]);
    await timers.advance(1_000);
    await send([A, 1, NOW_S + 3_600]);
    expect(clockStates(sink).at(-1)).toBe('a=1 ahead');
    expect(hub.connection.nowMs).toBe(timers.nowMs);
  });

  it('updates taken before the clock was known do not block later ones', async () => {
    const clock: { aheadMs?: number } = { aheadMs: 7_200_000 };
    const { watch, send, timers } = scriptedHub({ clockAheadMs: () => clock.aheadMs });
    const { sink } = watch([A]);
    await timers.advance(1_000);
    await send([A, 1, NOW_S + 7_200]);
    clock.aheadMs = 0;
    await timers.advance(2_000);
    await send([A, 2, NOW_S + 2]);
    expect(clockStates(sink).slice(-2)).toEqual(['a=1', 'a=2']);
  });

  it('a misdated update does not take the place of a good one where a page reads slowly', async () => {
    const { watch, send, timers } = scriptedHub();
    const { sink } = watch([A], { maxPerS: 1 });
    await timers.advance(1_000);
    const nowS = Math.floor(timers.nowMs / 1000);
    await send([A, 1, nowS]);
    clockStates(sink);
    await send([A, 2, nowS]);
    await send([A, 3, nowS + 9_000]);
    await timers.advance(1_000);
    expect(clockStates(sink)).toEqual(['a=2', 'a=3 ahead']);
  });

  it('a late reader gets the misdated update of a feed without any other', async () => {
    const { watch, timers, prices } = scriptedHub();
    prices.set(C, [C, 4, NOW_S + 9_000]);
    watch([C]);
    await timers.advance(1_000);
    const late = watch([C]);
    await timers.advance(1_000);
    expect(clockStates(late.sink)).toEqual(['c=4 ahead']);
  });
});
