import { beforeEach, describe, expect, it } from 'vitest';
import { FakeBrowser } from '@/lib/client/feed-fakes';
import { FeedSamplesBook } from '@/lib/client/feed-samples';
import { FeedStore } from '@/lib/client/feed-store';
import type { CompactFeed } from '@/lib/contract/codec/feed-stream';
import { ok } from '@/lib/domain/outcome';
import { drawPage } from './page-drawing';

const BTC = 'aa'.repeat(32);
const ETH = 'bb'.repeat(32);
const live = { state: 'live', sinceMs: 0 };

let browser: FakeBrowser;
let store: FeedStore;
let asked: string[];
let book: FeedSamplesBook;

beforeEach(() => {
  browser = new FakeBrowser();
  // The drawing looks at the clock of the machine.
  browser.now = Date.now();
  store = new FeedStore(browser.edges, []);
  asked = [];
  book = new FeedSamplesBook({
    ...browser.edges,
    fetchLines: async (path) => {
      asked.push(path);
      return ok('ended');
    },
  });
});

function update(id: string, t: number, more: Partial<CompactFeed> = {}): CompactFeed {
  return { id, p: '100', c: '1', e: -2, t, r: t * 1_000, pp: t - 1, ...more };
}

function begin(feeds: readonly CompactFeed[], missing: readonly string[] = []): void {
  browser.source.open();
  browser.source.send('snapshot', { feeds, missing, connection: live });
  browser.paint();
}

const draw = (...ids: string[]) =>
  drawPage(store, book, {
    feeds: ids.map((id) => ({ id, symbol: id.slice(0, 1) })),
    window: { spanMs: 300_000 },
    scale: 'indexed',
    width: 600,
    height: 400,
    floors: { lateS: 5, staleS: 60 },
  });
const idsAsked = () => asked.map((path) => new URL(path, 'http://page').searchParams.get('ids'));

describe('the past of a chart', () => {
  it('is not asked for of a feed that the service does not know, which would cost a call for each moment', () => {
    store.watch([BTC, ETH]);
    draw(BTC, ETH);
    expect(asked).toEqual([]);
    begin([update(BTC, Math.floor(browser.now / 1000))], [ETH]);
    draw(BTC, ETH);
    expect(idsAsked()).toEqual([BTC]);
  });

  it('is asked for of a feed that is silent now', () => {
    store.watch([BTC]);
    begin([]);
    draw(BTC);
    expect(idsAsked()).toEqual([BTC]);
  });
});

describe('the gaps of a chart', () => {
  it('are told of each feed that is compared, and break its own line', () => {
    const nowS = Math.floor(browser.now / 1000);
    store.watch([BTC, ETH]);
    begin([]);
    for (let t = nowS - 20; t <= nowS; t += 1) {
      const isLost = t > nowS - 15 && t < nowS - 10;
      browser.source.send('update', { feeds: [update(BTC, t), ...(isLost ? [] : [update(ETH, t)])] });
      browser.paint();
    }
    const { gaps, names } = draw(BTC, ETH);
    expect(names).toEqual(['a', 'b']);
    expect(gaps.map((some) => some.map(({ kind }) => kind))).toEqual([[], ['missed']]);
  });
});
