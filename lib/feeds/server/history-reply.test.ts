import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type FeedHistoryAnswer,
  feedHistoryPath,
  readFeedHistoryAnswer,
} from '@/lib/contract/codec/feed-history';
import { replaceSettings } from '@/lib/server/current-settings';
import { readSettings } from '@/lib/server/env';
import { closeServices, startServices } from '@/lib/server/services';
import { openStream, type StreamReader } from '@/lib/server/stream-reader';
import { answerFeedStream, resetStreams } from '@/lib/server/streams';
import { replyWithFeedHistory } from './history-reply';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const UNWATCHED = 'ff61491a931112ddf1bd8147cd1b641375f79f5825126d665480874634fd0ace';

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
  const answer = await replyWithFeedHistory(new Request(`http://localhost${path}`));
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
    );
    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({ kind: 'bad-request' }),
    ]);
  });
});
