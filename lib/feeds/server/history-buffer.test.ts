import { describe, expect, it } from 'vitest';
import { type FeedUpdate, parseFeedId } from '@/lib/core/feed';
import { unixSeconds } from '@/lib/core/time';
import { capacityPerFeed, HistoryBuffer } from './history-buffer';

const id = parseFeedId('a'.repeat(64));

function update(publishTime: number, price: bigint, slot?: string): FeedUpdate {
  const time = unixSeconds(publishTime);
  if (!id || time === undefined) throw new Error('not a feed update');
  return {
    id,
    price: { mantissa: price, expo: -8 },
    conf: { mantissa: 1n, expo: -8 },
    publishTime: time,
    slot,
  };
}

function remember(...updates: FeedUpdate[]) {
  const memory = new HistoryBuffer(0, () => 1_500);
  const verdicts = updates.map((update, i) => {
    const novelty = memory.judge(update);
    if (novelty === 'new') memory.add(update, i + 1, `${update.price.mantissa}`);
    return novelty;
  });
  return { memory, verdicts };
}

describe('the history buffer', () => {
  it('never goes back to an older publish time', () => {
    const { memory, verdicts } = remember(update(5, 10n), update(4, 99n));
    expect(verdicts).toEqual(['new', 'older']);
    expect(memory.lastText).toBe('10');
  });

  it('never goes back to an older slot of the same second, whatever the length of the number', () => {
    const { verdicts } = remember(
      update(5, 10n, '18446744073709551615'),
      update(5, 11n, '9'),
      update(5, 12n, '18446744073709551614'),
    );
    expect(verdicts).toEqual(['new', 'older', 'older']);
  });

  it('recognises updates that two overlapping streams both bring, in any interleaving', () => {
    const { verdicts } = remember(update(5, 1n), update(5, 2n), update(5, 1n), update(5, 2n), update(5, 3n));
    expect(verdicts).toEqual(['new', 'new', 'duplicate', 'duplicate', 'new']);
  });

  it('distinguishes updates of one slot by their figures, and equal figures by their slot', () => {
    expect(remember(update(5, 1n, '7'), update(5, 2n, '7')).verdicts).toEqual(['new', 'new']);
    expect(remember(update(5, 1n, '7'), update(5, 1n, '8')).verdicts).toEqual(['new', 'new']);
  });

  it('keeps a bounded number, and reports when a position was evicted', () => {
    const buffer = new HistoryBuffer(0, () => 10);
    buffer.begin(1_000);
    for (let n = 1; n <= 100; n += 1) buffer.add(update(n, BigInt(n)), n, `${n}`);
    const { updates, completeSinceS = 0 } = buffer.from(0, 100_000);
    expect(updates.length).toBeGreaterThanOrEqual(10);
    expect(updates.length).toBeLessThan(13);
    expect(completeSinceS).toBe(updates[0]?.publishS);
    expect(buffer.bytes).toBe(updates.reduce((sum, { text }) => sum + text.length, 0));
    const firstBuffered = updates[0]?.seq ?? 0;
    expect(buffer.after(firstBuffered - 2)).toBeUndefined();
    expect(buffer.after(firstBuffered)?.map(({ seq }) => seq)).toEqual(
      updates.slice(1).map(({ seq }) => seq),
    );
    expect(new HistoryBuffer(7, () => 10).after(6)).toBeUndefined();
  });

  it('returns the last half hour by publish time, and the second from which it is complete', () => {
    const buffer = new HistoryBuffer(0, () => 1_500);
    buffer.begin(1_000_000);
    for (const second of [1_000, 1_002, 4_000]) buffer.add(update(second, 1n), second, `${second}`);
    const from = (fromS: number, nowS: number) => {
      const { updates, completeSinceS } = buffer.from(fromS, nowS * 1000);
      return [updates.map(({ text }) => text), completeSinceS];
    };
    expect(from(0, 2_000)).toEqual([['1000', '1002', '4000'], 1_000]);
    expect(from(1_001, 2_000)).toEqual([['1002', '4000'], 1_000]);
    expect(from(0, 4_000)).toEqual([['4000'], 2_200]);
  });

  it('keeps less for each of many feeds, but enough to resume after a minute', () => {
    expect([1, 60, 100, 500].map(capacityPerFeed)).toEqual([1_500, 1_500, 1_000, 256]);
  });
});
