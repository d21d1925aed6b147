import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type FeedHistoryAnswer,
  feedHistoryPath,
  readFeedHistoryAnswer,
} from '@/lib/contract/codec/feed-history';
import { replaceSettings } from './current-settings';
import { readSettings } from './env';
import { FairTurns } from './fair-turns';
import { replyWithFeedHistory } from './feed-history-reply';
import { closeServices, startServices } from './services';
import { openStream, type StreamReader } from './stream-reader';
import { answerFeedStream, resetStreams } from './streams';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const UNWATCHED = 'ff61491a931112ddf1bd8147cd1b641375f79f5825126d665480874634fd0ace';

const SOMEBODY = { keys: ['somebody'] };

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
  server = createServer((req, res) => void answerFeedStream(req, res));
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

async function history(path: string): Promise<FeedHistoryAnswer> {
  const answer = await replyWithFeedHistory(new Request(`http://localhost${path}`), SOMEBODY);
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
  return readFeedHistoryAnswer(await answer.json()) ?? expect.fail();
}

const nowS = () => Math.floor(Date.now() / 1000);

describe('the history route', () => {
  it('gives what the stream brought, to the digit, and says from when on it is complete', async () => {
    const told: string[] = [];
    while (told.length < 3) {
      const { feeds } = JSON.parse((await reader.next('update')).data);
      told.push(...feeds.map((feed: object) => JSON.stringify(feed)));
    }
    const since = nowS() - 600;
    const { feeds, marks } = await history(feedHistoryPath({ ids: [BTC, UNWATCHED], fromS: since }));
    expect(feeds.map(({ id }) => id)).toEqual([BTC, UNWATCHED]);
    const remembered = feeds[0]?.updates.map((update) => JSON.stringify(update)) ?? [];
    expect(remembered).toEqual(expect.arrayContaining(told));
    expect(feeds[0]?.complete).toMatch(/^since \d+$/);
    expect(Number(feeds[0]?.complete.slice(6))).toBeGreaterThan(since);
    expect(feeds[1]).toMatchObject({ updates: [], complete: expect.stringMatching(/^since/) });
    expect(marks).toEqual([]);
    const now = await history(feedHistoryPath({ ids: [BTC], fromS: nowS() + 5 }));
    expect(now.feeds).toEqual([{ id: BTC, updates: [], complete: 'yes' }]);
  });

  it('has what is lacked from before its memory filled in, and only where somebody says so', async () => {
    await reader.next('update');
    const [{ complete }] = (await history(feedHistoryPath({ ids: [BTC], fromS: nowS() - 600 }))).feeds as [
      FeedHistoryAnswer['feeds'][0],
    ];
    const fromS = Number(complete.slice(6)) - 5;
    expect((await history(feedHistoryPath({ ids: [BTC], fromS }))).marks).toEqual([]);
    const { marks } = await history(feedHistoryPath({ ids: [BTC], fromS, lacks: 'yes' }));
    expect(marks).toMatchObject([{ kind: 'outage', fromMs: fromS * 1000, ids: [BTC] }]);
    for (;;) {
      const told = JSON.parse((await reader.next('marks')).data).marks;
      if (told[0]?.fill?.state === 'done') break;
    }
    const { feeds } = await history(feedHistoryPath({ ids: [BTC], fromS }));
    const filled = feeds[0]?.updates.filter(({ f }) => f !== undefined) ?? [];
    expect(new Set(filled.map(({ t }) => t)).size).toBeGreaterThanOrEqual(4);
  });

  it('gives at most as many as asked for', async () => {
    for (let n = 0; n < 6; n += 1) await reader.next('update');
    const { feeds } = await history(feedHistoryPath({ ids: [BTC], fromS: 0, points: 4 }));
    expect(feeds[0]?.updates.length).toBeLessThanOrEqual(4);
  });

  it('knows nothing before the first reader', async () => {
    resetStreams();
    const { feeds } = await history(feedHistoryPath({ ids: [BTC], fromS: 0 }));
    expect(feeds[0]?.updates).toEqual([]);
  });

  it('puts one answer together at a time, and none for who has left meanwhile', async () => {
    const turns = new FairTurns(1);
    const endOther = await turns.take('somebody else', new AbortController().signal);
    const leaving = new AbortController();
    const ask = (signal?: AbortSignal) => {
      const request = new Request(`http://localhost${feedHistoryPath({ ids: [BTC], fromS: 0 })}`, { signal });
      return replyWithFeedHistory(request, SOMEBODY, turns);
    };
    const given: string[] = [];
    const left = ask(leaving.signal).then(() => given.push('who left'));
    const waits = ask();
    void waits.then(() => given.push('who waits'));
    for (let n = 0; n < 20; n += 1) await turn();
    expect(given).toEqual([]);
    leaving.abort();
    await left;
    expect(given).toEqual(['who left']);
    endOther?.();
    expect(readFeedHistoryAnswer(await (await waits).json())?.feeds).toHaveLength(1);
    expect((await ask()).status).toBe(200);
  });

  it.each([
    ['no ids', 'from=1'],
    ['a bad id', `ids=${BTC},xyz&from=1`],
    ['no time', `ids=${BTC}`],
    ['two times', `ids=${BTC}&from=1&from=2`],
    ['a time with a sign', `ids=${BTC}&from=-1`],
    ['too few points', `ids=${BTC}&from=1&points=1`],
    ['too many points', `ids=${BTC}&from=1&points=99999`],
    ['an option that is no option', `ids=${BTC}&from=1&allow_unordered=maybe`],
    [
      'too many ids',
      `ids=${Array.from({ length: 61 }, (_, n) => n.toString(16).padStart(64, '0')).join()}&from=1`,
    ],
  ])('refuses %s', async (_, query) => {
    const answer = await replyWithFeedHistory(
      new Request(`http://localhost/api/view/feeds/history?${query}`),
      SOMEBODY,
    );
    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({ kind: 'bad-request' }),
    ]);
  });
});
