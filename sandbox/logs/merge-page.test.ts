import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergePage } from './merge-page';

/** Rows of the world by number, at ten times their number; keys below 0 are put in. */
const createdAt = (row: number) => row * 10;

test('any page is the one that a list written out by hand has', () => {
  const cases = fc.record({
    rows: fc.uniqueArray(fc.nat({ max: 60 })),
    goneEvery: fc.integer({ min: 1, max: 6 }),
    put: fc.uniqueArray(
      fc.record({ key: fc.integer({ min: -50, max: -1 }), shownMs: fc.nat({ max: 600 }) }),
      {
        selector: ({ key }) => key,
      },
    ),
    every: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
    offset: fc.nat({ max: 90 }),
    limit: fc.nat({ max: 20 }),
  });
  fc.assert(
    fc.property(cases, ({ rows, goneEvery, put, every, offset, limit }) => {
      const world = [...rows].sort((a, b) => b - a);
      const gone = goneEvery === 1 ? [] : world.filter((row) => row % goneEvery === 0);
      const inOrder = [...put].sort((a, b) => b.shownMs - a.shownMs || a.key - b.key);
      const isTwice = every === undefined ? undefined : (key: number) => key % every === 0;
      const all = [...inOrder, ...world.filter((row) => !gone.includes(row))];
      const timeOf = (one: (typeof all)[number]) => (typeof one === 'number' ? createdAt(one) : one.shownMs);
      const whole = all
        .sort((a, b) => timeOf(b) - timeOf(a))
        .flatMap((one) => (isTwice?.(typeof one === 'number' ? one : one.key) ? [one, one] : [one]));
      const view = {
        length: world.length,
        at: (place: number) => world[place] ?? -1,
        has: (row: number) => world.includes(row),
      };
      expect(mergePage(view, gone, inOrder, { offset, limit }, createdAt, isTwice)).toEqual(
        whole.slice(offset, offset + limit),
      );
    }),
  );
});
