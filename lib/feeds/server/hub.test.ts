import { describe, expect, it } from 'vitest';
import { settle } from '@/lib/core/timers-fixture';
import { A, B, C, events, numbered, scriptedHub, serviceDown, updateBody } from './stream-fixtures';

it('the stream of the pages reports why it ended, except when it was replaced', async () => {
  const { watch, timers, opened, ends, hub } = scriptedHub();
  watch([A]);
  await timers.advance(1_000);
  opened.at(-1)?.stream.end();
  await timers.advance(5_000);
  opened.at(-1)?.stream.break();
  await timers.advance(45_000);
  expect(ends.slice(0, 3)).toEqual(['planned', 'unreachable', 'timeout']);
  expect(hub.stats.losses).toBe(ends.length - 1);
  const before = ends.length;
  watch([B]);
  await timers.advance(2_000);
  expect([opened.at(-1)?.ids, ends.length]).toEqual([[A, B], before]);
});

describe('the hub and the service', () => {
  it('opens the new stream before it drops the old one when the union changes; nothing is lost or doubled', async () => {
    const { watch, timers, opened, send } = scriptedHub();
    const { readData } = watch([A]);
    await timers.advance(1_000);
    await send([A, 1, 1]);
    watch([B]);
    await timers.advance(10);
    opened[0]?.stream.send(`data: ${updateBody([A, 2, 2])}\n\n`);
    await timers.advance(100);
    expect([opened[0]?.stream.closed, opened.map(({ ids }) => [...ids])]).toEqual([true, [[A], [A, B]]]);
    await send([A, 2, 2], [A, 3, 3]);
    expect(readData('update')).toEqual(['a=1@1', 'a=2@2', 'a=3@3']);
  });

  it('counts and skips unreadable rows without reconnecting, and keeps good rows of the same event', async () => {
    const { watch, timers, send, hub, opened } = scriptedHub();
    const { readData } = watch([A, B]);
    await timers.advance(1_000);
    opened[0]?.stream.send('data: {"oops\n\ndata: null\n\ndata: {"binary":{"encoding":"hex","data":[]}}\n\n');
    await send([A, 'many', 5], [B, 7, 5]);
    expect(readData('update')).toEqual(['b=7@5']);
    expect(hub.stats.unreadable).toBe(3);
    expect(opened).toHaveLength(1);
  });

  it('marks unknown and malformed ids, and continues the others', async () => {
    const { prices, watch, timers, send } = scriptedHub();
    prices.set(A, [A, 1, 1]);
    const { sink, readData } = watch([A, C], { malformed: ['zzz'] });
    await timers.advance(100);
    expect(events(sink)[0]?.data).toBe('a=1@1 | c z | connecting');
    await send([A, 2, 2]);
    expect(readData('update')).toEqual(['a=2@2']);
  });

  it('reads the ids from a 404 by which the service refuses all feeds because of one', async () => {
    const { prices, watch, timers, opened, service, hub } = scriptedHub();
    prices.set(A, [A, 1, 1]);
    service.latest = { kind: 'missing', detail: `Price ids not found: 0x${C}` };
    const { readData } = watch([A, C]);
    await timers.advance(10);
    service.latest = undefined;
    await timers.advance(2_000);
    expect(readData('snapshot').at(-1)).toContain('| c |');
    expect(opened.map(({ ids }) => [...ids])).toEqual([[A]]);
    expect(hub.stats.upstreamStreams).toBe(1);
  });

  it('shows a feed again once it exists', async () => {
    const { prices, watch, timers, opened } = scriptedHub();
    prices.set(A, [A, 1, 1]);
    const { readData } = watch([A, C]);
    await timers.advance(100);
    prices.set(C, [C, 9, 9]);
    await timers.advance(31_000);
    expect(readData('snapshot').at(-1)).toMatch(/^a=1@1 c=9@9 \| {2}\|/);
    expect(opened.map(({ ids }) => [...ids])).toEqual([[A], [A, C]]);
    expect(opened.map(({ stream }) => stream.closed)).toEqual([true, false]);
  });

  it('reports an outage and its end inside the streams, with one attempt at a time for any number of pages', async () => {
    const { service, watch, timers, opened, prices, requests } = scriptedHub();
    prices.set(A, [A, 1, 1]);
    const pages = Array.from({ length: 50 }, () => watch([A]));
    await timers.advance(1_000);
    service.open = serviceDown;
    opened[0]?.stream.break();
    await timers.advance(600_000);
    service.open = undefined;
    prices.set(A, [A, 2, 2]);
    await timers.advance(40_000);
    expect(opened).toHaveLength(2);
    const updates = (pages[49]?.readData() ?? []).filter((text) => !text.startsWith('['));
    const first = ['a=1@1 |  | connecting', 'quiet', 'reconnecting unreachable', 'failed failing'];
    expect(updates.slice(0, 4)).toEqual(first);
    expect(updates.slice(-2)).toEqual(['quiet', 'a=2@2']);
    expect(requests.map(({ priority }) => priority)).toEqual(['user', 'background']);
  });

  it('does not call a reader live if the open stream lacks its feed, without affecting other readers', async () => {
    const { watch, timers, opened, send, service } = scriptedHub();
    const carried = watch([A]);
    await timers.advance(1_000);
    await send([A, 1, 1]);
    carried.readData();
    service.open = serviceDown;
    const unpriced = watch([A, B]);
    await timers.advance(3_000);
    expect(unpriced.readData('connection').at(-1)).toBe('failed failing');
    opened[0]?.stream.send(`data: ${updateBody([A, 2, 2])}\n\n`);
    await timers.advance(1_000);
    expect(new Set(carried.readData('connection'))).toEqual(new Set(['live']));
    service.open = undefined;
    await timers.advance(5_000);
    expect(unpriced.readData('connection').at(-1)).toBe('live');
  });

  it('closes the upstream stream and forgets its feeds 30 s after the last watcher, unless one returns before', async () => {
    const { watch, timers, opened, hub, texts } = scriptedHub();
    const first = watch([A]);
    await timers.advance(1_000);
    first.leave();
    await timers.advance(30_000 - 1);
    const second = watch([A]);
    await timers.advance(40_000 - 30_000 - 2_000);
    expect(opened.map(({ stream }) => stream.closed)).toEqual([false]);
    second.leave();
    opened[0]?.stream.send(':\n\n');
    await timers.advance(30_000);
    expect(opened.map(({ stream }) => stream.closed)).toEqual([true]);
    expect([hub.stats.feeds, hub.stats.watchers, timers.pending, texts(A)]).toEqual([0, 0, 0, undefined]);
  });

  it('carries a feed that left the union and came back', async () => {
    const { watch, timers, opened, prices } = scriptedHub();
    for (const id of [A, B, C]) prices.set(id, [id, 1, 1]);
    watch([A, B]);
    const passing = watch([C]);
    await timers.advance(1_000);
    passing.leave();
    await timers.advance(30_000);
    opened.at(-1)?.stream.break();
    await timers.advance(1_000);
    expect([...(opened.at(-1)?.ids ?? [])]).toEqual([A, B]);
    watch([C]);
    await timers.advance(1_000);
    expect([...(opened.at(-1)?.ids ?? [])].sort()).toEqual([A, B, C]);
  });

  it('spreads many feeds over a few streams and refuses more than it can hold', async () => {
    const { watch, timers, opened, prices, requests } = scriptedHub();
    const many = Array.from({ length: 500 }, (_, n) => numbered(n));
    for (const id of many) prices.set(id, [id, 1, 1]);
    watch(many);
    await timers.advance(1_000);
    expect(opened.map(({ ids }) => ids.length)).toEqual(Array(500 / 100).fill(100));
    expect(new Set(opened.flatMap(({ ids }) => ids)).size).toBe(500);
    expect(Math.max(...requests.map(({ ids }) => ids.length))).toBe(100);
    const { watched } = watch([numbered(100_000)]);
    expect(!watched.ok && watched.failure.kind).toBe('too-many');
  });

  it('keeps the last price of a feed that vanishes from the stream, and the others go on', async () => {
    const { watch, timers, send, opened } = scriptedHub();
    watch([A, B]);
    await timers.advance(1_000);
    await send([A, 1, 1], [B, 1, 1]);
    for (let n = 2; n <= 30; n += 1) {
      await send([A, n, n]);
      await timers.advance(5_000);
    }
    const late = watch([A, B]);
    await settle();
    expect(late.readData('snapshot')[0]).toBe('a=30@30 b=1@1 |  | live');
    expect(opened).toHaveLength(1);
  });

  it('ends every reader and leaves nothing behind when it stops', async () => {
    const { hub, watch, timers, opened } = scriptedHub();
    const reader = watch([A]);
    const two = watch([B]);
    await timers.advance(1_000);
    hub.stop();
    reader.leave();
    expect([reader.sink.state, two.sink.state, opened[0]?.stream.closed]).toEqual(['ended', 'ended', true]);
    expect(timers.pending).toBe(0);
    expect(watch([A]).watched.ok).toBe(false);
  });

  it('opens streams again at most once a second, however often the union changes', async () => {
    const { watch, timers, opened, prices } = scriptedHub();
    for (let n = 0; n < 100; n += 1) {
      prices.set(numbered(n), [numbered(n), 1, 1]);
      watch([numbered(n)]);
      await timers.advance(50);
    }
    await timers.advance(1_000);
    expect(opened.length).toBeLessThanOrEqual(7);
    expect(opened.at(-1)?.ids).toHaveLength(100);
  });
});
