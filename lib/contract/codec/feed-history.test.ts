import { describe, expect, it } from 'vitest';
import { readUpdateBody } from '@/lib/domain/feed';
import { feedHistoryPath, feedHistoryText, readFeedHistoryAnswer, streamOptionPairs } from './feed-history';
import { compactFeedText } from './feed-stream';

const id = 'ab'.repeat(32);

function update() {
  const price = { price: '-5', conf: '18446744073709551615', expo: 5, publish_time: 1_700_000_000 };
  const metadata = { prev_publish_time: 1_699_999_999, proof_available_time: 1_700_000_001, slot: 123456789 };
  const body = readUpdateBody(JSON.stringify({ parsed: [{ id, price, metadata }] }));
  return (body.ok ? body.value.updates[0] : undefined) ?? expect.fail();
}

describe('the history of feeds', () => {
  it('is read back to the digit, with what was filled in and what the service told besides', () => {
    const updates = [compactFeedText(update(), 7), compactFeedText(update(), 8, 'filled')];
    const text = feedHistoryText([{ id, updates: updates.join(','), complete: 'since 1700000000' }], []);
    const plain = {
      id,
      p: '-5',
      c: '18446744073709551615',
      e: 5,
      t: 1_700_000_000,
      pp: 1_699_999_999,
      pa: 1_700_000_001,
      s: '123456789',
    };
    expect(readFeedHistoryAnswer(JSON.parse(text))).toEqual({
      feeds: [
        {
          id,
          updates: [
            { ...plain, r: 7 },
            { ...plain, r: 8, f: 1 },
          ],
          complete: 'since 1700000000',
        },
      ],
      marks: [],
    });
  });

  it.each([null, 5, {}, { feeds: 'none' }])('is not %j', (value) => {
    expect(readFeedHistoryAnswer(value)).toBeUndefined();
  });

  it('leaves out feeds that cannot be read', () => {
    const good = { id, updates: [], complete: 'yes' };
    const odd = [null, {}, { ...good, complete: 'maybe' }, { ...good, id: 1 }];
    expect(readFeedHistoryAnswer({ feeds: [...odd, good] })).toEqual({ feeds: [good], marks: [] });
  });

  it('is asked for by a path that holds ids, time, points and options', () => {
    const query = {
      ids: [id, id],
      fromS: 1_700_000_000.7,
      points: 1,
      options: { unordered: 'allowed' as const },
    };
    expect(feedHistoryPath(query)).toBe(
      `/api/view/feeds/history?ids=${id},${id}&from=1700000000&points=4&allow_unordered=true`,
    );
  });

  it('names only the options that are not the usual ones', () => {
    expect(streamOptionPairs()).toEqual([]);
    expect(streamOptionPairs({ benchmarks: 'only', invalidIds: 'refused' })).toEqual([
      ['benchmarks_only', 'true'],
      ['ignore_invalid_price_ids', 'false'],
    ]);
  });
});
