import { describe, expect, it } from 'vitest';
import { MARK_ROWS, markFlags } from './mark-flags';
import type { ChartMark } from './page-shades';

const frame = { fromMs: 0, toMs: 300_000, width: 1000, height: 400, leftPx: 0, rightPx: 0 };

function mark(key: string, atMs: number, words = 'Reconnected after 15 s'): ChartMark {
  return { key, kind: 'outage', atMs, words };
}

describe('flags of marks', () => {
  it('stand in one row where there is room', () => {
    const flags = markFlags([mark('a', 10_000), mark('b', 140_000), mark('c', 290_000)], frame);
    expect(flags.map(({ row }) => row)).toEqual([0, 0, 0]);
  });

  it('point to the middle of the chart, so that none is cut off', () => {
    const flags = markFlags([mark('a', 10_000), mark('b', 290_000)], frame);
    expect(flags.map(({ mark: { key }, side }) => `${key} ${side}`).sort()).toEqual(['a after', 'b before']);
  });

  it('stand above each other where two marks have one moment', () => {
    const flags = markFlags([mark('a', 100_000), mark('b', 100_000, 'Now from the second host')], frame);
    expect(new Set(flags.map(({ row }) => row)).size).toBe(2);
  });

  it('that point towards each other do not meet in one row', () => {
    const flags = markFlags([mark('a', 145_000), mark('b', 155_000)], frame);
    expect(new Set(flags.map(({ row }) => row)).size).toBe(2);
  });

  it('are left out where there is no room, the oldest first', () => {
    const many = Array.from({ length: 10 }, (_, at) => mark(String(at), 100_000 + at * 2_000));
    const flags = markFlags(many, frame);
    expect(flags).toHaveLength(MARK_ROWS);
    expect(flags.map(({ mark: { key } }) => key).sort()).toEqual(['7', '8', '9']);
  });
});
