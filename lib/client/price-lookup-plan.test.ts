import { describe, expect, it } from 'vitest';
import { unixMicros } from '@/lib/domain/units';
import { cellKey } from './price-lookup';
import { askAbout, numberedFeed } from './price-lookup-fakes';
import { countCalls, planLookup, splitFeeds } from './price-lookup-plan';

const HALF_PAST = unixMicros(1_795_176_000_500_001n);

describe('the calls of a lookup', () => {
  it('ask the update services for the second, and the router for the microsecond, as a bare integer', () => {
    const { calls } = planLookup(askAbout(1, { at: HALF_PAST }));
    expect(calls.map(({ request, askedUs }) => [request.path, askedUs])).toEqual([
      ['/api/updates/v2/updates/price/1795176000', 1_795_176_000_000_000n],
      ['/api/upgraded/v2/updates/price/1795176000', 1_795_176_000_000_000n],
      ['/api/router/v1/price', HALF_PAST],
    ]);
    const { request } = calls[2] ?? {};
    expect(request?.method === 'POST' ? request.body : '').toContain('"timestamp":1795176000500001}');
  });

  it('hand every parameter on', () => {
    const options = {
      encoding: 'base64',
      parsed: 'no',
      invalid: 'refused',
      verbose: 'no',
      binary: 'no',
      channel: 'real_time',
      properties: ['price', 'newOne'],
      formats: ['evm'],
      sources: ['updates', 'deprecated', 'router'],
    } as const;
    const { calls } = planLookup(askAbout(2, { at: HALF_PAST, options }));
    const [first, , second, third] = calls.map(({ request }) =>
      request.method === 'GET' ? request.query : request.body,
    );
    const ids = [1, 2].map((n) => `ids%5B%5D=${numberedFeed(n).feedId}`).join('&');
    expect(first).toBe(`${ids}&encoding=base64&parsed=false&ignore_invalid_price_ids=false`);
    expect(second).toBe(`id=${numberedFeed(2).feedId}&publish_time=1795176000&verbose=false&binary=false`);
    expect(third).toBe(
      '{"channel":"real_time","priceFeedIds":[1,2],"properties":["price","newOne"],"formats":["evm"],"timestamp":1795176000500001}',
    );
  });

  it('leave out what can’t be asked, with the reason', () => {
    const feeds = [
      numberedFeed(1, { minChannel: 'fixed_rate@200ms' }),
      numberedFeed(2, { state: 'coming_soon' }),
      numberedFeed(3, { routerId: undefined }),
      numberedFeed(4, { feedId: undefined }),
      numberedFeed(5, { minChannel: 'warp', state: 'brand_new' }),
    ].map(({ routerId, feedId, ...feed }) => ({
      ...feed,
      ...(routerId ? { routerId } : {}),
      ...(feedId ? { feedId } : {}),
    }));
    const ask = askAbout(0, {
      feeds,
      options: { channel: 'fixed_rate@50ms', sources: ['updates', 'router'] },
    });
    const { calls, given } = planLookup(ask);
    expect(calls.map(({ source, feeds: some }) => [source, some.map(({ symbol }) => symbol)])).toEqual([
      ['updates', ['Feed.1', 'Feed.2', 'Feed.3', 'Feed.5']],
      ['router', ['Feed.4', 'Feed.5']],
    ]);
    const reasons = feeds.map((feed) => given.get(cellKey(feed, 'router')));
    expect(reasons.map((cell) => (cell?.kind === 'not-asked' ? [cell.why, cell.detail] : cell))).toEqual([
      ['below-min-channel', 'fixed_rate@200ms'],
      ['not-served', 'coming_soon'],
      ['no-router-id', undefined],
      undefined,
      undefined,
    ]);
    const blind = planLookup({ ...ask, directory: 'missing' });
    expect(blind.given.get(cellKey(feeds[2] ?? numberedFeed(3), 'router'))).toMatchObject({
      why: 'directory-missing',
    });
  });

  it('are counted with those that come later', () => {
    const options = { sources: ['updates', 'upgraded', 'deprecated', 'router'] } as const;
    expect(countCalls(askAbout(100, { options }))).toBe(103);
    expect(countCalls(askAbout(3, { options, at: HALF_PAST }))).toBe(6);
  });

  it('are split at the ids that a refusal names, whole ids only', () => {
    const [call] = planLookup(askAbout(12, { options: { sources: ['router'] } })).calls;
    if (call === undefined) throw new Error('no call');
    const parts = (text: string) =>
      splitFeeds(call, text).map((part) => part.map(({ routerId }) => routerId).join(' '));
    expect(parts('price feed 1 (FX) is not stable')).toEqual(['2 3 4 5 6 7 8 9 10 11 12', '1']);
    expect(parts('no such luck, 4711')).toEqual(['1 2 3 4 5 6', '7 8 9 10 11 12']);
  });
});
