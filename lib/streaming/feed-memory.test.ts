import { describe, expect, it } from 'vitest';
import { type FeedUpdate, parseFeedId } from '@/lib/domain/feed';
import { unixSeconds } from '@/lib/domain/units';
import { FeedMemory, KEPT_UPDATES } from './feed-memory';

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
  const memory = new FeedMemory(0);
  const verdicts = updates.map((one, i) => {
    const novelty = memory.judge(one);
    if (novelty === 'new') memory.keep(one, i + 1, `${one.price.mantissa}`);
    return novelty;
  });
  return { memory, verdicts };
}

describe('what is remembered of a feed', () => {
  it('takes newer publish times, and several updates of one second', () => {
    const { memory, verdicts } = remember(update(1, 10n), update(1, 11n), update(2, 10n));
    expect(verdicts).toEqual(['new', 'new', 'new']);
    expect(memory.lastText).toBe('10');
  });

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

  it('recognises what two overlapping streams both bring, in any interleaving', () => {
    const { verdicts } = remember(update(5, 1n), update(5, 2n), update(5, 1n), update(5, 2n), update(5, 3n));
    expect(verdicts).toEqual(['new', 'new', 'duplicate', 'duplicate', 'new']);
  });

  it('tells two updates of one slot apart by their figures, and equal figures apart by their slot', () => {
    expect(remember(update(5, 1n, '7'), update(5, 2n, '7')).verdicts).toEqual(['new', 'new']);
    expect(remember(update(5, 1n, '7'), update(5, 1n, '8')).verdicts).toEqual(['new', 'new']);
  });

  it('gives what came after a number, oldest first', () => {
    const { memory } = remember(update(1, 10n), update(2, 11n), update(3, 12n));
    expect(memory.after(1)?.map(({ text }) => text)).toEqual(['11', '12']);
    expect(memory.after(3)).toEqual([]);
  });

  it('says when it does not remember back to a number', () => {
    const many = Array.from({ length: KEPT_UPDATES + 5 }, (_, i) => update(i + 1, BigInt(i + 1)));
    const { memory } = remember(...many);
    expect(memory.after(4)).toBeUndefined();
    expect(memory.after(5)?.map(({ seq }) => seq)).toEqual(many.slice(5).map((_, i) => i + 6));
    expect(new FeedMemory(7).after(6)).toBeUndefined();
  });
});
