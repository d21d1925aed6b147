import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FeedUpdate, readUpdateBody } from './feed';
import { AT, body, element, FEED_A } from './upgrade-check-fixture';
import { feedAgreement } from './upgrade-check-prices';

function update(parts: Parameters<typeof element>[1] = {}): FeedUpdate {
  const read = readUpdateBody(body(element(FEED_A, parts)));
  const one = read.ok ? read.value.updates[0] : undefined;
  if (one === undefined) throw new Error('no update');
  return one;
}

const standing = (old: FeedUpdate, upgraded: FeedUpdate) =>
  feedAgreement(old, upgraded, 'of the second').standing;

describe('two hosts that published a feed in the same second', () => {
  test('agree when every figure is the same number', () => {
    expect(standing(update(), update())).toBe('equal');
  });

  test('are within when the prices are apart by exactly both confidences together, and beyond by one more', () => {
    expect(standing(update({ price: '1000' }), update({ price: '1020' }))).toBe('within');
    expect(standing(update({ price: '1000' }), update({ price: '1021' }))).toBe('beyond');
    expect(standing(update({ price: '1021' }), update({ price: '1000' }))).toBe('beyond');
  });

  test('name the members that differ, also where the price does not', () => {
    const one = feedAgreement(update(), update({ conf: '11' }), 'of the second');
    expect([one.standing, one.differing]).toEqual(['within', ['confidence', 'EMA confidence']]);
  });
});

describe('another moment', () => {
  test('is no disagreement, however far the prices are apart', () => {
    const one = feedAgreement(update(), update({ price: '9999', at: AT + 3 }), 'of the second');
    expect([one.standing, one.laterS]).toEqual(['other-moment', 3]);
  });

  test('within a second is told by the slot, where a route takes any update of it', () => {
    const [old, upgraded] = [update({ slot: 7 }), update({ slot: 8, price: '9999' })];
    expect(feedAgreement(old, upgraded, 'of the slot').standing).toBe('other-moment');
    expect(feedAgreement(old, upgraded, 'of the second').standing).toBe('beyond');
  });
});

test('the judgement is the same from either side', () => {
  const parts = fc.record({
    price: fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }).map(String),
    conf: fc.bigInt({ min: 0n, max: 10n ** 18n }).map(String),
  });
  fc.assert(
    fc.property(parts, parts, (one, other) => {
      expect(standing(update(one), update(other))).toBe(standing(update(other), update(one)));
    }),
  );
});
