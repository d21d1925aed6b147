import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawnIndexes, rowSlots } from './row-slots';

const HEIGHT = 36;
const drawn = (indexes: readonly number[]) =>
  indexes.map((index) => ({ index, start: index * HEIGHT, end: (index + 1) * HEIGHT }));

describe('the rows that are drawn', () => {
  it('leave gaps as high as what is not drawn', () => {
    expect(rowSlots(drawn([2, 3, 9]), 20 * HEIGHT)).toEqual([
      { kind: 'gap', heightPx: 2 * HEIGHT, after: -1 },
      { kind: 'row', index: 2 },
      { kind: 'row', index: 3 },
      { kind: 'gap', heightPx: 5 * HEIGHT, after: 3 },
      { kind: 'row', index: 9 },
      { kind: 'gap', heightPx: 10 * HEIGHT, after: 9 },
    ]);
  });

  it('need no gap where all of them are there', () => {
    expect(rowSlots(drawn([0, 1]), 2 * HEIGHT)).toHaveLength(2);
    expect(rowSlots([], 0)).toEqual([]);
  });

  it('are a stretch and those that must stay, in order, each once', () => {
    expect(drawnIndexes(5, 7, [1, 6, undefined, 40, 1], 41)).toEqual([1, 5, 6, 7, 40]);
    expect(drawnIndexes(-3, 99, [-1, 7], 3)).toEqual([0, 1, 2]);
  });

  it('always stand as high as all rows together', () => {
    const place = fc.integer({ min: -5, max: 300 });
    fc.assert(
      fc.property(
        place,
        place,
        fc.array(place),
        fc.integer({ min: 0, max: 250 }),
        (from, to, kept, count) => {
          const indexes = drawnIndexes(from, to, kept, count);
          const slots = rowSlots(drawn(indexes), count * HEIGHT);
          const height = slots.reduce((sum, slot) => sum + (slot.kind === 'row' ? HEIGHT : slot.heightPx), 0);
          expect(height).toBe(count * HEIGHT);
          expect(slots.flatMap((slot) => (slot.kind === 'row' ? slot.index : []))).toEqual(indexes);
        },
      ),
    );
  });
});
