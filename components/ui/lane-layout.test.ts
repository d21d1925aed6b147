import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LaneState } from '@/lib/domain/diagnosis/sequence-lane';
import {
  itemAt,
  itemsWithin,
  type LaneItem,
  laneLayout,
  middleOf,
  nextStandingOut,
  overviewOf,
  rangeOf,
  scrollTo,
} from './lane-layout';

const mark = (sequence: number, state: LaneState = 'completed', createdMs = sequence * 1000): LaneItem => ({
  kind: 'request',
  key: `main/1/0xab/${sequence}/0x${sequence}`,
  sequence: String(sequence),
  createdMs,
  state,
  twins: [],
});
const gap = (from: number, to: number): LaneItem => ({
  kind: 'gap',
  from: String(from),
  to: String(to),
  count: String(to - from + 1),
});
const marks = (count: number) => Array.from({ length: count }, (_, index) => mark(index));

describe('the layout of a lane', () => {
  it('finds every item by its middle, gaps too', () => {
    const items = fc.array(fc.boolean(), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(items, (kinds) => {
        const layout = laneLayout(kinds.map((isGap, index) => (isGap ? gap(index, index) : mark(index))));
        for (const index of kinds.keys()) expect(itemAt(layout, middleOf(layout, index))).toBe(index);
      }),
    );
  });

  it('gives the first and the last item for what is outside, and none for an empty lane', () => {
    const layout = laneLayout(marks(3));
    expect([itemAt(layout, -50), itemAt(layout, 5_000)]).toEqual([0, 2]);
    expect(itemAt(laneLayout([]), 10)).toBeUndefined();
    expect(itemsWithin(laneLayout([]), 0, 100)).toEqual([0, -1]);
  });

  it('shows no more items than fit, however many there are', () => {
    const layout = laneLayout(marks(5_000));
    const [first, last] = itemsWithin(layout, 30_000, 30_800);
    expect(last - first).toBeLessThan(70);
  });

  it('scrolls only as far as an item needs to be seen', () => {
    const layout = laneLayout(marks(1_000));
    expect(scrollTo(layout, 10, 0, 800)).toBe(0);
    const right = scrollTo(layout, 500, 0, 800);
    expect(middleOf(layout, 500)).toBeLessThan(right + 800);
    expect(scrollTo(layout, 999, 0, 800) + 800).toBe(layout.width);
    expect(scrollTo(layout, 0, 4_000, 800)).toBe(0);
  });

  it('goes from one that stands out to the next, and stays where there is none', () => {
    const items = [mark(1), mark(2, 'stuck'), mark(3), gap(4, 5), mark(6), mark(7, 'pending')];
    expect(nextStandingOut(items, 0, 1)).toBe(1);
    expect(nextStandingOut(items, 1, 1)).toBe(3);
    expect(nextStandingOut(items, 3, 1)).toBe(3);
    expect(nextStandingOut(items, 5, -1)).toBe(3);
  });

  it('lets one stuck request among thousands be seen in the overview', () => {
    const items = marks(5_000).with(2_500, mark(2_500, 'stuck'));
    const columns = overviewOf(items, laneLayout(items), 400);
    expect(columns.filter((kind) => kind === 'stuck').length).toBeGreaterThanOrEqual(1);
    expect(columns.indexOf('stuck')).toBeGreaterThan(195);
    expect(columns.indexOf('stuck')).toBeLessThan(205);
  });

  it('says of a selection which numbers and which times it spans, whichever way it was drawn', () => {
    const items = [mark(1, 'completed', 5_000), mark(2, 'failed', 4_000), gap(3, 3), mark(4, 'stuck', 9_000)];
    const range = { first: '1', last: '4', requests: 3, fromMs: 4_000, toMs: 9_000 };
    expect(rangeOf(items, 0, 3)).toEqual(range);
    expect(rangeOf(items, 3, 0)).toEqual(range);
    expect(rangeOf(items, 2, 2)).toBeUndefined();
  });
});
