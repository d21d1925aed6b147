import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rowOf } from './listing-fakes';
import { mergeNewestFirst } from './merge';
import type { PlacedRow } from './time-order';

/** A list of one part from moments, newest first; few distinct ones, so that many are the same. */
const moments = fc
  .array(fc.integer({ min: 10, max: 30 }), { maxLength: 30 })
  .map((list) => list.toSorted((a, b) => b - a).map(String));
const parts = fc.array(moments, { minLength: 1, maxLength: 6 });

function placed(list: readonly string[], part: number): PlacedRow[] {
  return list.map((moment, index) => {
    const row = rowOf({ id: part * 100 + index, networkId: '1', state: '', createdAt: '2026-01-01' });
    return { row: { ...row, keeper: 'main' }, moment, index };
  });
}

const nameOf = ({ part, index }: { part: number; index: number }) => `${part}:${index}`;

/** Everything, sorted; sorting is stable, so parts stay in their order and rows in their part's. */
function sorted(lists: readonly string[][]): string[] {
  return lists
    .flatMap((list, part) => list.map((moment, index) => ({ moment, part, index })))
    .sort((a, b) => Number(b.moment) - Number(a.moment))
    .map(nameOf);
}

test('whole lists merge into what sorting all of them gives', () => {
  fc.assert(
    fc.property(parts, fc.nat(100), (lists, most) => {
      const merged = mergeNewestFirst(
        lists.map((list, part) => ({ rows: placed(list, part), ended: true })),
        most,
      );
      expect(merged.starving).toBeUndefined();
      expect(merged.rows.map(nameOf)).toEqual(sorted(lists).slice(0, most));
    }),
  );
});

test('lists that are loaded in part merge as far as is certain, and name the part that is missing', () => {
  fc.assert(
    fc.property(parts, fc.array(fc.nat(30), { minLength: 6, maxLength: 6 }), (lists, loaded) => {
      const given = lists.map((list, part) => {
        const rows = placed(list, part).slice(0, loaded[part]);
        return { rows, ended: rows.length === list.length };
      });
      const { rows, starving } = mergeNewestFirst(given, 1000);
      expect(rows.map(nameOf)).toEqual(sorted(lists).slice(0, rows.length));
      if (starving === undefined) expect(rows).toHaveLength(lists.flat().length);
      else expect(given[starving]?.ended).toBe(false);
    }),
  );
});
