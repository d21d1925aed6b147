import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readFeedStreamEvent } from '@/lib/contract/codec/feed-stream';
import { type FeedId, parseFeedId } from '@/lib/domain/feed';
import { MOVE_AFTER_MS } from '@/lib/feeds/server/host-choice';
import { LINGER_MS } from '@/lib/feeds/server/hub';
import { ListSink } from '@/lib/feeds/server/list-sink';
import { ManualTimers } from '@/lib/feeds/server/manual-timers';
import { replaceSettings } from '@/lib/server/current-settings';
import { readSettings } from '@/lib/server/env';
import { closeServices, type Services, startServices } from '@/lib/server/services';
import { FeedHubs } from './hubs';

const BTC = parseFeedId('e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43') as FeedId;
const UNKNOWN = parseFeedId('00'.repeat(32)) as FeedId;

let running: Services;
let hubs: FeedHubs;
let timers: ManualTimers;

beforeEach(async () => {
  const settings = readSettings({
    SANDBOX_PORT: '0',
    SANDBOX_RECORDS: '0',
    LOG_LEVEL: 'silent',
    UPDATES_CALLS_PER_S: '1000',
  });
  replaceSettings(settings);
  running = await startServices(settings);
  timers = new ManualTimers(Date.now());
  hubs = new FeedHubs({
    timers,
    random: () => 0.5,
    bug: (error) => {
      throw error;
    },
  });
});
afterEach(async () => {
  hubs.stop();
  await closeServices();
  replaceSettings(undefined);
});

async function control(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const { control: address } = running.sandbox?.addresses ?? { control: '' };
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${address}${path}`, { method, headers, body: body && JSON.stringify(body) });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Record<string, unknown>;
}

/** A reader whose events can be waited for: services answer in real time, and only our own waits are by hand. */
class WaitingSink extends ListSink {
  #wake: (() => void) | undefined;
  readonly #events: ReturnType<ListSink['take']> = [];

  override write(bytes: Uint8Array): boolean {
    const taken = super.write(bytes);
    this.#wake?.();
    return taken;
  }

  /** The next event that fits, and everything before it is dropped. */
  async until(fits: (event: NonNullable<ReturnType<typeof readFeedStreamEvent>>) => boolean) {
    for (;;) {
      this.#events.push(...this.take());
      for (let next = this.#events.shift(); next; next = this.#events.shift()) {
        const event = readFeedStreamEvent(next.name, next.data);
        if (event && fits(event)) return event;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

function watch(options: Parameters<FeedHubs['of']>[0] = {}, ids = [BTC]) {
  const sink = new WaitingSink();
  const watched = hubs.of(options).watch({ ids, malformed: [], sink });
  if (!watched.ok) throw new Error(watched.failure.detail);
  return { sink, leave: watched.value };
}

const state = (sink: WaitingSink, wanted: string) =>
  sink.until(({ name, value }) => name === 'connection' && 'state' in value && value.state === wanted);
const live = (sink: WaitingSink) => state(sink, 'live');

describe('the hubs of our pages', () => {
  it('move to the second host when the first stays down, and say so', async () => {
    const { sink } = watch();
    await timers.advance(1_100);
    expect(await live(sink)).toMatchObject({ value: { host: 'updates' } });
    const fault = { kind: 'status', status: 503 };
    await control('POST', '/faults', { service: 'updates', route: 'stream', fault });
    await control('POST', '/faults', {
      service: 'updates',
      route: 'stream',
      fault: { kind: 'reset-stream' },
    });
    await state(sink, 'reconnecting');
    await timers.advance(MOVE_AFTER_MS);
    const mark = await sink.until(
      ({ name, value }) => name === 'marks' && 'marks' in value && value.marks?.[0]?.kind === 'host',
    );
    expect(mark).toMatchObject({ value: { marks: [{ host: 'upgraded' }] } });
    expect(await live(sink)).toMatchObject({ value: { host: 'upgraded' } });
  });

  it('open a stream of their own for each set of options, and give it up when nobody reads with them', async () => {
    const usual = watch();
    const unordered = watch({ unordered: 'allowed' });
    const same = watch({ unordered: 'allowed' });
    await timers.advance(1_100);
    for (const { sink } of [usual, unordered, same]) await live(sink);
    expect(hubs.stats).toMatchObject({ upstreamStreams: 2, watchers: 3 });
    expect((await control('GET', '/calls?service=updates&route=stream')).total).toBe(2);
    const updates = hubs.stats.updates;
    unordered.leave();
    same.leave();
    await timers.advance(LINGER_MS);
    await timers.advance(LINGER_MS);
    hubs.heartbeat();
    expect(hubs.known({ unordered: 'allowed' })).toBeUndefined();
    expect(hubs.known({})).toBeDefined();
    expect(hubs.stats).toMatchObject({ watchers: 1, feeds: 1 });
    expect(hubs.stats.updates).toBeGreaterThanOrEqual(updates);
  });

  it('bring older updates where they are allowed', async () => {
    const { sink } = watch({ unordered: 'allowed' });
    await timers.advance(1_100);
    let newest = 0;
    let older = false;
    while (!older) {
      const event = await sink.until(({ name }) => name === 'update');
      for (const { t } of event.name === 'update' ? event.value.feeds : []) {
        older ||= t < newest;
        newest = Math.max(newest, t);
      }
    }
    expect(older).toBe(true);
  });

  it('bring only the first update of each second with benchmarks only', async () => {
    const { sink } = watch({ benchmarks: 'only' });
    await timers.advance(1_100);
    const seconds: number[] = [];
    while (seconds.length < 3) {
      const event = await sink.until(({ name }) => name === 'update');
      if (event.name === 'update') seconds.push(...event.value.feeds.map(({ t }) => t));
    }
    expect(new Set(seconds).size).toBe(seconds.length);
  });

  it('name an id that the service refuses, and carry the others', async () => {
    const { sink } = watch({ invalidIds: 'refused' }, [BTC, UNKNOWN]);
    await timers.advance(1_100);
    const missing = await sink.until(
      ({ name, value }) => name === 'snapshot' && 'missing' in value && value.missing.includes(UNKNOWN),
    );
    expect(missing).toBeDefined();
    const update = sink.until(({ name }) => name === 'update');
    await timers.advance(5_000);
    expect(await update).toMatchObject({ value: { feeds: [{ id: BTC }] } });
  });
});
