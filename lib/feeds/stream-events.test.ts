import { describe, expect, it } from 'vitest';
import { type FeedUpdate, readUpdateBody } from '@/lib/core/feed';
import { compactFeedText, deltaText, readFeedStreamEvent, snapshotText } from './stream-events';

const id = 'ab'.repeat(32);

function update(price: string, expo: number, ema?: { price: string; expo: number }): FeedUpdate {
  const figures = { price, conf: '18446744073709551615', expo, publish_time: 1_700_000_000 };
  const ema_price = ema && { ...figures, ...ema };
  const body = readUpdateBody(JSON.stringify({ parsed: [{ id, price: figures, ema_price }] }));
  const read = body.ok ? body.value.updates[0] : undefined;
  if (!read) throw new Error('not a feed update');
  return read;
}

const feedOf = (text: string) => {
  const event = readFeedStreamEvent('update', deltaText([text], 0));
  return event?.name === 'update' ? event.value.feeds[0] : undefined;
};

describe('the compact stream', () => {
  it.each([
    ['-9223372036854775808', -18],
    ['0', 5],
    ['9223372036854775807', 0],
  ])('carries the price %s with exponent %i to the digit', (price, expo) => {
    expect(feedOf(compactFeedText(update(price, expo), 1_700_000_000_123))).toEqual({
      id,
      price: { mantissa: BigInt(price), expo },
      conf: { mantissa: 18_446_744_073_709_551_615n, expo },
      publishTimeS: 1_700_000_000,
      receivedMs: 1_700_000_000_123,
      isBackfilled: false,
    });
  });

  it('carries an average, with its own exponent only where that differs', () => {
    const same = compactFeedText(update('5', -8, { price: '6', expo: -8 }), 1);
    expect(feedOf(same)).toMatchObject({
      ema: { mantissa: 6n, expo: -8 },
      emaConf: { mantissa: 18_446_744_073_709_551_615n, expo: -8 },
    });
    expect(JSON.parse(same)).not.toHaveProperty('ee');
    const other = compactFeedText(update('5', -8, { price: '6', expo: -5 }), 1);
    expect(feedOf(other)).toMatchObject({ ema: { mantissa: 6n, expo: -5 } });
  });

  it('reads back a snapshot with missing feeds and the connection', () => {
    const connection = {
      state: 'failed' as const,
      sinceMs: 5,
      failure: { kind: 'rate-limited', detail: 'Too many "calls"\n', retryAfterS: 30 },
    };
    const text = snapshotText([compactFeedText(update('5', -8), 1)], ['zz"', id], connection);
    expect(readFeedStreamEvent('snapshot', text)).toEqual({
      name: 'snapshot',
      value: {
        feeds: [expect.objectContaining({ price: { mantissa: 5n, expo: -8 } })],
        missing: ['zz"', id],
        connection,
      },
    });
  });

  it('reads back connection states, refusals and how many updates were folded', () => {
    expect(readFeedStreamEvent('connection', JSON.stringify({ state: 'live', sinceMs: 7 }))).toEqual({
      name: 'connection',
      value: { state: 'live', sinceMs: 7 },
    });
    expect(readFeedStreamEvent('refused', JSON.stringify({ kind: 'too-many', detail: 'Enough.' }))).toEqual({
      name: 'refused',
      value: { kind: 'too-many', detail: 'Enough.' },
    });
    expect(readFeedStreamEvent('update', deltaText([], 3))).toEqual({
      name: 'update',
      value: { feeds: [], folded: 3 },
    });
  });

  it('leaves out feeds that cannot be read and keeps the others', () => {
    const good = compactFeedText(update('5', -8), 1);
    const event = readFeedStreamEvent('update', `{"feeds":[{"id":1},null,${good},{"id":"x","p":"1e5"}]}`);
    expect(event).toMatchObject({ value: { feeds: [{ price: { mantissa: 5n, expo: -8 } }] } });
  });

  it.each([
    ['snapshot', '{'],
    ['update', 'null'],
    ['connection', '{"state":"odd","sinceMs":1}'],
    ['snapshot', '{"feeds":[]}'],
    ['news', '{}'],
  ])('gives nothing for the event %s with %s', (name, data) => {
    expect(readFeedStreamEvent(name, data)).toBeUndefined();
  });
});
