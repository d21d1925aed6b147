import { describe, expect, it } from 'vitest';
import { settle } from '@/lib/core/timers-fixture';
import { A, B, C, events, scriptedHub, serviceDown } from './stream-fixtures';

describe('the hub and its readers', () => {
  it('sends a snapshot with the latest prices, then updates and the connection state', async () => {
    const { prices, watch, timers, send } = scriptedHub();
    prices.set(A, [A, 100, 10]).set(B, [B, 200, 10]);
    const { sink } = watch([A, B]);
    await timers.advance(100);
    await send([A, 101, 11]);
    expect(events(sink).map(({ name, data, id }) => [name, data, id])).toEqual([
      ['snapshot', 'a=100@10 b=200@10 |  | connecting', 'e.1'],
      ['connection', 'quiet', 'e.1'],
      ['update', 'a=101@11', 'e.2'],
      ['connection', 'live', 'e.2'],
    ]);
  });

  it('sends each watcher only its feeds, each update encoded once', async () => {
    const { watch, timers, send } = scriptedHub();
    const reader = watch([A]);
    const same = watch([A]);
    const other = watch([B]);
    await timers.advance(1_000);
    for (const { sink } of [reader, same, other]) sink.readEvents();
    await send([A, 1, 1], [B, 2, 1], [C, 3, 1]);
    expect([reader, same, other].map(({ readData }) => readData('update'))).toEqual([
      ['a=1@1'],
      ['a=1@1'],
      ['b=2@1'],
    ]);
  });

  it('folds updates above the rate: the latest wins, and the number of folded ones is sent', async () => {
    const { watch, timers, send } = scriptedHub();
    const { readData } = watch([A, B], { maxPerS: 2 });
    const unlimited = watch([A]);
    await timers.advance(1_000);
    for (let n = 1; n <= 4; n += 1) await send([A, n, n], [B, n, n]);
    expect(readData('update')).toEqual(['a=1@1 b=1@1']);
    await timers.advance(500);
    expect(readData('update')).toEqual(['a=4@4 b=4@4 +4']);
    await timers.advance(2_000);
    expect([readData('update'), unlimited.readData('update')]).toEqual([
      [],
      ['a=1@1', 'a=2@2', 'a=3@3', 'a=4@4'],
    ]);
  });

  it('sends a slow reader a snapshot once it has caught up, cuts a stalled one, and does not affect others', async () => {
    const { watch, timers, send, opened } = scriptedHub();
    const slow = watch([A, B]);
    const dead = watch([A, B]);
    const good = watch([A, B]);
    await timers.advance(1_000);
    for (const { sink } of [slow, dead, good]) sink.readEvents();
    slow.sink.stall();
    dead.sink.stall();
    for (let n = 1; n <= 50; n += 1) await send([A, n, n]);
    expect(good.readData('update')).toHaveLength(50);
    expect(slow.sink.chunks).toHaveLength(1);
    slow.sink.drain();
    expect(slow.readData('update')).toHaveLength(50);
    slow.sink.stall();
    for (let n = 51; n <= 900; n += 1) await send([A, n, n]);
    await send([B, 1, 50]);
    slow.sink.readEvents();
    slow.sink.drain();
    expect(slow.readData()).toEqual(['a=900@900 b=1@50 |  | live']);
    expect(good.readData('update')).toHaveLength(851);
    for (let passed = 0; passed < 30_000; passed += 10_000) {
      await timers.advance(10_000);
      opened[0]?.stream.send(':\n\n');
    }
    expect([slow.sink.state, dead.sink.state, good.sink.state]).toEqual(['open', 'destroyed', 'open']);
  });

  it('resumes a reader from memory by Last-Event-ID', async () => {
    const { watch, timers, send } = scriptedHub();
    const first = watch([A, B]);
    await timers.advance(1_000);
    await send([A, 1, 1], [B, 1, 1]);
    const lastEventId = first.sink.readEvents().at(-1)?.id;
    first.leave();
    await send([A, 2, 2]);
    await send([A, 3, 3], [B, 3, 3]);
    const again = watch([A, B], { lastEventId });
    await settle();
    expect(events(again.sink).map(({ name, data }) => `${name} ${data}`)).toEqual([
      'update a=2@2 a=3@3 b=3@3',
      'connection live',
    ]);
  });

  it.each([
    ['of another run of the server', 'other.1'],
    ['from the future', 'e.999'],
    ['that is no id of ours', 'e.x'],
    ['from before the feed was watched', 'e.1'],
  ])('gives a snapshot to a reader with an id %s', async (_, lastEventId) => {
    const { watch, timers, send } = scriptedHub();
    watch([A]);
    await timers.advance(1_000);
    await send([A, 1, 1]);
    watch([B]);
    await timers.advance(1_000);
    const { sink } = watch([A, B], { lastEventId });
    await settle();
    expect(sink.readEvents()[0]?.name).toBe('snapshot');
  });

  it('does not wait long for the latest prices before the first snapshot', async () => {
    const { service, watch, timers } = scriptedHub();
    service.latest = serviceDown;
    const { readData } = watch([A]);
    await timers.advance(1_000);
    expect(readData('snapshot')).toHaveLength(1);
  });

  it('sends heartbeats with the time, visible to scripts, and none to a reader whose buffer is full', async () => {
    const { hub, watch, timers } = scriptedHub();
    const { sink } = watch([A]);
    await timers.advance(1_000);
    sink.readEvents();
    hub.heartbeat();
    expect(sink.chunks.splice(0)).toEqual(['event: heartbeat\ndata: {"nowMs":1700000001000}\n\n']);
    sink.stall();
    hub.heartbeat();
    hub.heartbeat();
    expect(sink.chunks).toHaveLength(1);
  });

  it('replays two thousand missed updates, and sends a snapshot for one more', async () => {
    const { watch, timers, send } = scriptedHub();
    const first = watch([A, B]);
    await timers.advance(1_000);
    await send([A, 0, 1], [B, 0, 1]);
    const lastEventId = first.sink.readEvents().at(-1)?.id;
    for (let n = 1; n <= 1_000; n += 1) await send([A, n, n + 1], [B, n, n + 1]);
    const back = watch([A, B], { lastEventId });
    await settle();
    expect(back.readData('update')[0]?.split(' ')).toHaveLength(2_000);
    await send([A, 1_001, 1_002]);
    const late = watch([A, B], { lastEventId });
    await settle();
    expect(late.sink.readEvents().map(({ name }) => name)).toEqual(['snapshot']);
  });

  it('keeps nothing of readers that come and go', async () => {
    const { hub, watch, timers } = scriptedHub();
    watch([A]);
    await timers.advance(1_000);
    const before = timers.pending;
    for (let visit = 0; visit < 2_000; visit += 1) watch([A, B], { maxPerS: (visit % 7) + 1 }).leave();
    expect(hub.stats.watchers).toBe(1);
    await timers.advance(30_000);
    expect(timers.pending).toBeLessThanOrEqual(before + 1);
  });
});
