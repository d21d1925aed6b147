import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FeedId, type FeedUpdate, parseFeedId, type UpdateBody } from '@/lib/core/feed';
import { failed, type Outcome, ok } from '@/lib/core/outcome';
import type { UnixSeconds } from '@/lib/core/time';
import {
  type HistoryOfFeed,
  historyPath,
  readHistory,
  readSamples,
  samplesPath,
} from '@/lib/feeds/past-response';
import type { PriceUpdate } from '@/lib/feeds/price-update';
import { readFeedStreamEvent } from '@/lib/feeds/stream-events';
import { readSettings } from '@/lib/platform/settings';
import { replaceSettings } from '@/lib/platform/settings-fixture';
import { openStream, type StreamReader } from '@/lib/runtime/stream-reader-harness';
import { streamAnswer } from '@/lib/runtime/streams';
import { resetStreams } from '@/lib/runtime/streams-fixture';
import { closeServices, startServices } from '@/lib/services/services';
import { replyWithFeedHistory, replyWithFeedSamples, SampledPast, thinned } from './past';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const UNWATCHED = 'ff61491a931112ddf1bd8147cd1b641375f79f5825126d665480874634fd0ace';
const nowS = () => Math.floor(Date.now() / 1000);
const tooMany = Array.from({ length: 101 }, (_, n) => n.toString(16).padStart(64, '0')).join();
const requestOf = (path: string) => new Request(`http://localhost${path}`);

describe('the past of feeds', () => {
  let server: Server;
  let reader: StreamReader;

  beforeEach(async () => {
    const settings = readSettings({
      SANDBOX_PORT: '0',
      SANDBOX_RECORDS: '0',
      LOG_LEVEL: 'silent',
      UPDATES_CALLS_PER_S: '1000',
    });
    replaceSettings(settings);
    await startServices(settings);
    server = createServer((req, res) => void streamAnswer('feeds')(req, res));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    reader = await openStream(`http://127.0.0.1:${port}/api/feeds/stream?ids=${BTC}`);
  });
  afterEach(async () => {
    reader.close();
    resetStreams();
    server.close();
    await closeServices();
    replaceSettings(undefined);
  });

  async function history(ids: readonly string[], fromS: number, points = 10_000): Promise<HistoryOfFeed[]> {
    const answer = await replyWithFeedHistory(requestOf(historyPath(ids, fromS, points)));
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
    return readHistory(await answer.text());
  }

  it('equals the stream to the digit, with the second from which it is complete', async () => {
    const answers: PriceUpdate[] = [];
    while (answers.length < 3) {
      const event = readFeedStreamEvent('update', (await reader.next('update')).data);
      if (event?.name === 'update') answers.push(...event.value.feeds);
    }
    const since = nowS() - 600;
    const [watched, unwatched] = await history([BTC, UNWATCHED], since);
    expect(watched?.updates).toEqual(expect.arrayContaining(answers));
    expect(watched?.liveFromS).toBeGreaterThan(since);
    expect(unwatched?.updates).toEqual([]);
    expect((await history([BTC], 0, 4))[0]?.updates.length).toBeLessThanOrEqual(4);
  });

  it('is sampled at moments before that, marked as backfilled', async () => {
    const times = [nowS() - 300, nowS() - 200];
    const answer = await replyWithFeedSamples(requestOf(samplesPath([BTC, UNWATCHED], times)));
    const { samples, failure } = readSamples(await answer.text()) ?? expect.fail();
    expect([samples.map(({ t }) => t), failure]).toEqual([times, undefined]);
    for (const { t, feeds } of samples) {
      expect(feeds.map(({ id, isBackfilled }) => [id, isBackfilled])).toEqual([
        [BTC, true],
        [UNWATCHED, true],
      ]);
      for (const update of feeds) expect(update.publishTimeS).toBeGreaterThanOrEqual(t);
    }
  });

  it.each([
    ['no ids', 'history', 'from=1'],
    ['a bad id', 'history', `ids=${BTC},xyz&from=1`],
    ['no time', 'history', `ids=${BTC}`],
    ['two times', 'history', `ids=${BTC}&from=1&from=2`],
    ['a time with a sign', 'history', `ids=${BTC}&from=-1`],
    ['too few points', 'history', `ids=${BTC}&from=1&points=1`],
    ['too many ids', 'history', `ids=${tooMany}&from=1`],
    ['no moment', 'samples', `ids=${BTC}`],
    ['a moment in milliseconds', 'samples', `ids=${BTC}&times=1795000000000`],
    ['too many moments', 'samples', `ids=${BTC}&times=${Array.from({ length: 21 }, (_, n) => n).join()}`],
  ])('refuses a query with %s', async (_, route, query) => {
    const reply = route === 'history' ? replyWithFeedHistory : replyWithFeedSamples;
    const answer = await reply(requestOf(`/api/view/feeds/${route}?${query}`));
    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({ kind: 'bad-request' }),
    ]);
  });
});

const [A, B] = ['a', 'b'].map((digit) => parseFeedId(digit.repeat(64)) as FeedId) as [FeedId, FeedId];
const NOW_S = 1_800_000_000;
const PAST_S = NOW_S - 100_000;

function update(id: FeedId, t: number): FeedUpdate {
  const scaled = (mantissa: bigint) => ({ mantissa, expo: -2 });
  return { id, price: scaled(BigInt(t)), conf: scaled(5n), publishTime: t as UnixSeconds };
}

/** A service with an update every ten seconds. It refuses requests with a feed of `none`, as the real one does. */
function scripted(none: readonly FeedId[] = []) {
  const calls: string[] = [];
  let atOnce = 0;
  let maxAtOnce = 0;
  const request = async (t: number, ids: readonly FeedId[]): Promise<Outcome<UpdateBody>> => {
    calls.push(`${t - PAST_S} ${ids.map((id) => id[0]).join('')}`);
    atOnce += 1;
    maxAtOnce = Math.max(maxAtOnce, atOnce);
    await new Promise((resolve) => setImmediate(resolve));
    atOnce -= 1;
    if (ids.some((id) => none.includes(id)))
      return failed({ kind: 'missing', detail: 'Update data not found' });
    const updates = ids.map((id) => update(id, Math.ceil(t / 10) * 10));
    return ok({ updates, unreadable: [], parsedPresent: true });
  };
  const past = new SampledPast(request, () => NOW_S * 1000);
  const idsAt = async (t: number, ids: readonly FeedId[]) => {
    const answer = await past.samplesAt(t, ids);
    return answer.ok ? answer.value.map((text) => JSON.parse(text).id[0]).join('') : answer.failure.kind;
  };
  return { calls, past, idsAt, maxAtOnce: () => maxAtOnce };
}

describe('samples of feeds', () => {
  it('are requested once for any number of readers, one moment at a time', async () => {
    const { calls, idsAt, maxAtOnce } = scripted();
    const readers = [1, 2, 3].flatMap(() => [10, 20].map((t) => idsAt(PAST_S + t, [A, B])));
    expect(await Promise.all(readers)).toEqual(Array(6).fill('ab'));
    expect([calls, maxAtOnce()]).toEqual([['10 ab', '20 ab'], 1]);
    expect(await idsAt(PAST_S + 10, [B])).toBe('b');
    expect(calls).toHaveLength(2);
  });

  it('continue without a feed that has no data there, which is not requested for later moments', async () => {
    const { calls, idsAt } = scripted([B]);
    expect(await idsAt(PAST_S + 10, [A, B])).toBe('a');
    expect(calls).toEqual(['10 ab', '10 a', '10 b']);
    expect(await idsAt(PAST_S + 20, [A, B])).toBe('a');
    expect(calls.slice(3)).toEqual(['20 a']);
  });

  it('are requested again after a failure of the service', async () => {
    let isDown = true;
    const past = new SampledPast(async (t, ids) =>
      isDown
        ? failed({ kind: 'failing', detail: 'No.' })
        : ok({ updates: ids.map((id) => update(id, t)), unreadable: [], parsedPresent: true }),
    );
    expect(await past.samplesAt(PAST_S, [A])).toMatchObject({ ok: false });
    isDown = false;
    expect(await past.samplesAt(PAST_S, [A])).toMatchObject({ ok: true });
  });
});

it('thinning keeps the first, the last and every spike, in their order', () => {
  const updates = Array.from({ length: 1_000 }, (_, index) => ({
    seq: index,
    publishS: index,
    text: JSON.stringify({ p: index === 421 ? '99999999999999999999' : String(index % 7), e: 0 }),
  }));
  const chosen = thinned(updates, 50).map(({ seq }) => seq);
  expect(chosen.length).toBeLessThanOrEqual(50);
  expect(chosen).toEqual([...chosen].sort((a, b) => a - b));
  expect(chosen).toEqual(expect.arrayContaining([0, 421, 999]));
  expect(thinned(updates.slice(0, 40), 50)).toHaveLength(40);
});
