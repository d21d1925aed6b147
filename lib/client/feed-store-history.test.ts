import { beforeEach, describe, expect, it } from 'vitest';
import type { FeedHistoryAnswer, FeedHistoryQuery } from '@/lib/contract/codec/feed-history';
import type { FeedMark } from '@/lib/contract/codec/feed-marks';
import type { CompactFeed } from '@/lib/contract/codec/feed-stream';
import { FakeBrowser } from './feed-fakes';
import { PAGE_HISTORY } from './feed-history';
import { FeedStore } from './feed-store';
import type { WatchManner } from './feed-watching';

const BTC = 'aa'.repeat(32);
const ETH = 'bb'.repeat(32);
const live = { state: 'live', sinceMs: 0 };

let browser: FakeBrowser;
let store: FeedStore;
let asked: FeedHistoryQuery[];
let answer: FeedHistoryAnswer | undefined;
let nowS: number;

beforeEach(() => {
  browser = new FakeBrowser();
  nowS = browser.now / 1000;
  asked = [];
  answer = { feeds: [], marks: [] };
  const askHistory = async (query: FeedHistoryQuery) => {
    asked.push(query);
    return answer;
  };
  store = new FeedStore({ ...browser.edges, askHistory }, [], PAGE_HISTORY);
});

/** An update `ago` seconds old; the price is its age. */
function update(ago: number, more: Partial<CompactFeed> = {}): CompactFeed {
  return { id: BTC, p: String(ago), c: '1', e: 0, t: nowS - ago, r: (nowS - ago) * 1000 + 100, ...more };
}

function begin(feeds: readonly CompactFeed[], manner?: WatchManner): void {
  store.watch([BTC, ETH], manner);
  browser.source.open();
  browser.source.send('snapshot', { feeds, missing: [], connection: live });
}

/** Lets questions that are due be asked, and their answers arrive. */
async function settle(ms = 50): Promise<void> {
  browser.pass(ms);
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  browser.paint();
}

const history = (id: string, updates: CompactFeed[]) => ({ id, updates, complete: 'yes' as const });
const prices = () =>
  store
    .history(BTC)
    .points()
    .map(({ exact }) => exact.p);

describe('a chart that opens', () => {
  it('knows since when updates are received: by our server, or by this browser', async () => {
    begin([update(9)]);
    expect(store.feed(BTC).receivedFromS).toBeUndefined();
    browser.source.send('update', { feeds: [update(2), update(1)] });
    browser.paint();
    expect(store.feed(BTC).receivedFromS).toBe(nowS - 2);
    answer = {
      feeds: [{ id: BTC, updates: [update(9), update(5), update(2)], complete: `since ${nowS - 6}` }],
      marks: [],
    };
    store.openChart(BTC);
    await settle();
    expect(store.feed(BTC).receivedFromS).toBe(nowS - 6);
  });

  it('is filled with what our server remembers, without doubles, and goes on live', async () => {
    begin([update(3)]);
    answer = { feeds: [history(BTC, [update(9), update(6), update(3)])], marks: [] };
    store.openChart(BTC);
    browser.source.send('update', { feeds: [update(1)] });
    await settle();
    expect(asked).toMatchObject([{ ids: [BTC], fromS: nowS - 1_800 }]);
    expect(prices()).toEqual(['9', '6', '3', '1']);
    expect(store.feed(BTC).latest?.p).toBe('1');
    browser.source.send('update', { feeds: [update(0)] });
    browser.paint();
    expect(prices()).toEqual(['9', '6', '3', '1', '0']);
  });

  it('asks together with the others that open, and only once', async () => {
    begin([]);
    store.openChart(BTC);
    store.openChart(BTC);
    store.openChart(ETH);
    await settle();
    expect(asked).toMatchObject([{ ids: [BTC, ETH] }]);
  });

  it('keeps with each point the whole update and when this browser heard it', async () => {
    begin([update(3)]);
    const whole = update(1, { pp: nowS - 2, pa: nowS - 1, s: '77' });
    browser.source.send('update', { feeds: [whole] });
    browser.paint();
    expect(store.history(BTC).points().at(-1)).toMatchObject({ update: whole, heardMs: browser.now });
    expect(store.history(BTC).points()[0]?.heardMs).toBeUndefined();
  });

  it('asks once more when the question failed, and no further', async () => {
    begin([]);
    answer = undefined;
    store.openChart(BTC);
    await settle();
    await settle(5_000);
    await settle(60_000);
    expect(asked).toHaveLength(2);
  });
});

describe('a gap in the stream', () => {
  it('is asked for from the last update that is known', async () => {
    begin([update(9)]);
    store.openChart(BTC);
    await settle();
    answer = { feeds: [history(BTC, [update(7), update(5)])], marks: [] };
    browser.source.send('snapshot', { feeds: [update(2)], missing: [], connection: live });
    await settle();
    expect(asked.at(-1)).toMatchObject({ ids: [BTC], fromS: nowS - 9 });
    expect(prices()).toEqual(['9', '7', '5', '2']);
  });

  it('is none where a snapshot tells what was known', async () => {
    begin([update(9)]);
    store.openChart(BTC);
    await settle();
    browser.source.send('snapshot', { feeds: [update(9)], missing: [], connection: live });
    await settle();
    expect(asked).toHaveLength(1);
  });

  it('is not asked for where no chart is open', async () => {
    begin([update(9)]);
    store.openChart(BTC)();
    browser.source.send('snapshot', { feeds: [update(2)], missing: [], connection: live });
    await settle();
    expect(asked).toHaveLength(1);
  });
});

describe('marks', () => {
  it('come with the snapshot, oldest first, and go after half an hour', () => {
    const mark = (key: string, minutesAgo: number): FeedMark => ({
      key,
      kind: 'host',
      fromMs: browser.now - minutesAgo * 60_000,
    });
    store.watch([BTC]);
    browser.source.open();
    const marks = [mark('b', 1), mark('a', 20)];
    browser.source.send('snapshot', {
      feeds: [],
      missing: [],
      connection: { ...live, host: 'upgraded' },
      marks,
    });
    browser.paint();
    expect(store.marks().map(({ key }) => key)).toEqual(['a', 'b']);
    expect(store.stream().host).toBe('upgraded');
    browser.pass(15 * 60_000);
    browser.source.send('marks', { marks: [{ ...mark('c', 0) }] });
    expect(store.marks().map(({ key }) => key)).toEqual(['b', 'c']);
  });
});

describe('a stream with options', () => {
  it('is asked for with them, every update of it', () => {
    store.watch([BTC], { rate: 'every', options: { benchmarks: 'only' } });
    expect(browser.source.url).toBe(`/api/feeds/stream?ids=${BTC}&benchmarks_only=true`);
  });

  it('that may be out of order draws an older update where it belongs, and the price stays', () => {
    begin([update(9)], { options: { unordered: 'allowed' } });
    browser.source.send('update', { feeds: [update(3), update(5)] });
    browser.paint();
    expect(prices()).toEqual(['9', '5', '3']);
    expect(store.feed(BTC).latest?.p).toBe('3');
  });
});
