import { expect, it } from 'vitest';
import type { FeedEntry, FeedId } from '@/lib/core/feed';
import { canJudgeFeeds, judgedFeeds, staleFeedsOf } from './stale-feeds';
import { A, B, scriptedHub, serviceDown } from './stream-fixtures';

const FLOORS = { lateS: 5, staleS: 60 };
const NOW_S = 1_700_000_000;

const whole = (...feeds: FeedEntry[]) => ({ feeds, isWhole: true });

async function stage() {
  const staged = scriptedHub();
  const { prices, watch, timers, hub } = staged;
  prices.set(A, [A, 1, NOW_S, -2, NOW_S - 1]).set(B, [B, 1, NOW_S, -2, NOW_S - 1]);
  watch([A, B]);
  await timers.advance(1_000);
  const closed = { id: B, symbol: 'FX.B', assetType: '', schedule: 'Etc/UTC;C,C,C,C,C,C,C;' };
  const stale = () => staleFeedsOf(hub, whole(closed), FLOORS).map(({ id }) => id.slice(0, 1));
  return { ...staged, stale };
}

it('a feed is stale while the stream goes on without it, unless its market is closed', async () => {
  const { timers, opened, stale } = await stage();
  for (let beat = 0; beat < 20; beat += 1) {
    opened[0]?.stream.send(':\n\n');
    await timers.advance(15_000);
  }
  expect(stale()).toEqual(['a']);
});

it('no feed is stale while the stream is down, or because our clock is wrong', async () => {
  const { hub, timers, opened, service, stale } = await stage();
  service.open = serviceDown;
  service.latest = serviceDown;
  opened[0]?.stream.break();
  expect(canJudgeFeeds(hub, whole())).toBe(true);
  await timers.advance(300_000);
  expect(stale()).toEqual([]);
  expect(canJudgeFeeds(hub, whole())).toBe(false);
  const behind = scriptedHub({ clockAheadMs: () => -300_000 });
  behind.prices.set(A, [A, 1, NOW_S - 300, -2, NOW_S - 301]);
  behind.watch([A]);
  await behind.timers.advance(2_000);
  expect(staleFeedsOf(behind.hub, whole(), FLOORS)).toEqual([]);
});

it('a stream that is refused says nothing of feeds that another stream carries', async () => {
  const { hub, prices, watch, timers, service, opened } = scriptedHub();
  prices.set(A, [A, 1, NOW_S, -2, NOW_S - 1]);
  const client = watch([A]);
  await timers.advance(1_000);
  service.open = { kind: 'rate-limited', service: 'updates', detail: 'One stream is allowed.' };
  // A stream carries at most a hundred feeds.
  const more = Array.from({ length: 100 }, (_, at) => at.toString(16).padStart(64, '0') as FeedId);
  for (const id of more) prices.set(id, [id, 1, NOW_S, -2, NOW_S - 1]);
  watch(more);
  await timers.advance(1_000);
  for (let beat = 0; beat < 20; beat += 1) {
    opened[0]?.stream.send(':\n\n');
    await timers.advance(15_000);
  }
  expect([hub.connectionOf([A]).failure, hub.connection.failure?.kind]).toEqual([undefined, 'rate-limited']);
  expect(client.readData('connection').filter((text) => /failed|reconnecting/.test(text))).toEqual([]);
  expect(staleFeedsOf(hub, whole(), FLOORS).map(({ id }) => id)).toEqual([A]);
});

it('no feed is stale before the directory has its market hours; a feed without any is marked', async () => {
  const { timers, opened, hub } = await stage();
  for (let beat = 0; beat < 20; beat += 1) {
    opened[0]?.stream.send(':\n\n');
    await timers.advance(15_000);
  }
  expect(judgedFeeds(hub, undefined, FLOORS)).toEqual([]);
  const always = { id: A, symbol: 'A', assetType: '', schedule: 'Etc/UTC;O,O,O,O,O,O,O;' };
  const marks = staleFeedsOf(hub, whole(always), FLOORS).map(({ id, hasHours }) => [
    id.slice(0, 1),
    hasHours,
  ]);
  expect(marks).toEqual([
    ['a', true],
    ['b', false],
  ]);
  // The list with the hours has not answered since the start, which may have been on a weekend.
  const part = { feeds: [always], isWhole: false };
  expect(judgedFeeds(hub, part, FLOORS).map(({ id }) => id.slice(0, 1))).toEqual(['a']);
});

it('a feed is judged by the pauses between its last updates, not by one of them, however old they are', async () => {
  const { hub, prices, watch, timers, opened, send } = scriptedHub();
  prices.set(A, [A, 1, NOW_S - 601, -2, NOW_S - 661]).set(B, [B, 1, NOW_S - 9]);
  watch([A, B]);
  await timers.advance(1_000);
  // One feed has an interval of 60 s and a last one of 1 s; the other an interval of 1 s and a last pause of 45 s.
  for (let index = 9; index >= 0; index -= 1) {
    await send([A, 10 + index, NOW_S - 60 * index, -2, NOW_S - 60 * (index + 1)]);
    await send([B, 10 + index, NOW_S - index, -2, NOW_S - index - 1]);
  }
  await send([A, 30, NOW_S + 1, -2, NOW_S], [B, 30, NOW_S + 45, -2, NOW_S]);
  const pass = async (minutes: number) => {
    for (let beat = 0; beat < 4 * minutes; beat += 1) {
      opened[0]?.stream.send(':\n\n');
      await timers.advance(15_000);
    }
    return staleFeedsOf(hub, whole(), FLOORS).map(({ id }) => id.slice(0, 1));
  };
  expect(await pass(3)).toEqual(['b']);
  expect(await pass(9)).toEqual(['a', 'b']);
  expect(await pass(40)).toEqual(['a', 'b']);
});

it('no feed is stale whose typical pause is unknown', async () => {
  const { hub, prices, watch, timers, opened } = scriptedHub();
  prices.set(A, [A, 1, NOW_S]);
  watch([A]);
  for (let beat = 0; beat < 20; beat += 1) {
    await timers.advance(15_000);
    opened[0]?.stream.send(':\n\n');
  }
  expect(judgedFeeds(hub, whole(), FLOORS)).toEqual([]);
});
