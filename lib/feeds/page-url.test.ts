import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFeedReference } from '@/lib/core/feed';
import { type FeedPageView, formatFeedPageUrl, parseFeedPageUrl, spanText } from './page-url';

const DEFAULT_FEED_PAGE = { spanMs: 300_000, compared: [], mode: 'indexed', band: 'on' } as const;

const ID = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const reread = (url: string) => parseFeedPageUrl(new URL(url, 'http://page').searchParams);

const views: fc.Arbitrary<FeedPageView> = fc
  .record({
    spanMs: fc.integer({ min: 10, max: 604_800 }).map((seconds) => seconds * 1000),
    toMs: fc.option(fc.integer({ min: 0, max: 4e12 }), { nil: undefined }),
    compared: fc
      .uniqueArray(fc.constantFrom('Crypto.BTC/USD', 'FX.EUR/USD', 'A&B=C D+%/USD', ID), { maxLength: 3 })
      .map((texts) => texts.flatMap((text) => parseFeedReference(text) ?? [])),
    mode: fc.constantFrom('indexed' as const, 'axes' as const),
    band: fc.constantFrom('on' as const, 'off' as const),
  })
  .map(({ toMs, ...view }) => (toMs === undefined ? view : { ...view, toMs }));

describe('the address of a feed’s page', () => {
  it('reads back as the view that it was written from', () => {
    fc.assert(
      fc.property(views, (view) => {
        expect(reread(formatFeedPageUrl(ID, view))).toEqual({ view, problems: [] });
      }),
    );
  });

  it('is short if nothing was chosen, and keeps the slash of a symbol', () => {
    expect(formatFeedPageUrl('Crypto.BTC/USD', DEFAULT_FEED_PAGE)).toBe('/feeds/Crypto.BTC/USD');
    expect(formatFeedPageUrl(ID, { ...DEFAULT_FEED_PAGE, spanMs: 3_600_000 })).toBe(`/feeds/${ID}?window=1h`);
  });

  it('reports unreadable values, and uses the defaults instead', () => {
    const { view, problems } = reread(
      '/feeds/x?window=8d&to=noon&mode=log&band=half&options=benchmarks_only&with=0x1&colour=red',
    );
    expect(view).toEqual(DEFAULT_FEED_PAGE);
    expect(problems.map(({ param }) => param).sort()).toEqual([
      'band',
      'colour',
      'mode',
      'to',
      'window',
      'with',
    ]);
  });

  it('accepts at most four feeds in one chart', () => {
    const { view, problems } = reread('/feeds/x?with=A.A/B,A.C/D,A.E/F,A.G/H');
    expect([view.compared.length, problems.map(({ value }) => value)]).toEqual([3, ['A.G/H']]);
  });

  it('writes spans in the largest unit that they fill', () => {
    expect([60_000, 90_000, 7_200_000, 604_800_000].map(spanText)).toEqual(['1m', '90s', '2h', '7d']);
  });
});
