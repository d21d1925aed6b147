import { describe, expect, it } from 'vitest';
import { failureInsights, failureTrend, type GroupedFailures, MAX_GROUPS } from './failures';

const group = (name: string, rows = 1) => ({
  group: name,
  rows,
  callbacks: 0,
  firstUs: 1,
  lastUs: 2,
  senders: 1,
  example: `${name} 17`,
});

const grouped = (change: Partial<GroupedFailures>): GroupedFailures => ({
  totals: [],
  groups: 0,
  rows: 0,
  members: [],
  byNetwork: [],
  overTime: [],
  earlierGroups: new Set(),
  judgedGroups: new Set(['a', 'b', 'c']),
  ...change,
});

describe('groups of failures', () => {
  it('list their networks, those with most failures first, and a count for each bucket', () => {
    const insights = failureInsights(
      grouped({
        totals: [group('a', 5), group('b', 1)],
        groups: 2,
        rows: 6,
        byNetwork: [
          { group: 'a', networkId: '8453', rows: 1 },
          { group: 'b', networkId: '1', rows: 1 },
          { group: 'a', networkId: '42161', rows: 4 },
        ],
        overTime: [
          { group: 'a', bucket: 2, rows: 5 },
          { group: 'b', bucket: 0, rows: 1 },
        ],
        earlierGroups: new Set(['a']),
      }),
      3,
    );
    expect(insights.groups[0]).toEqual({
      ...group('a', 5),
      cause: { step: expect.any(String) },
      networks: [
        { networkId: '42161', rows: 4 },
        { networkId: '8453', rows: 1 },
      ],
      overTime: [0, 0, 5],
      isNew: false,
    });
    expect(insights.groups[1]).toMatchObject({ group: 'b', overTime: [1, 0, 0], isNew: true });
    expect(insights).toMatchObject({ rows: 6, others: { groups: 0, rows: 0 } });
  });

  it('are only counted beyond the first 200', () => {
    const totals = Array.from({ length: MAX_GROUPS + 3 }, (_, index) => group(String(index), 300 - index));
    const rows = totals.reduce((sum, total) => sum + total.rows, 0);
    const insights = failureInsights(grouped({ totals, groups: 900, rows: rows + 50 }), 1);
    expect(insights.groups).toHaveLength(200);
    expect(insights.others).toEqual({ groups: 700, rows: 50 + 100 + 99 + 98 });
  });

  it('are not called new while the days before are incomplete', () => {
    const { groups } = failureInsights(grouped({ totals: [group('a')], earlierGroups: undefined }), 1);
    expect(groups[0]?.isNew).toBeNull();
  });
});

it.each([
  [[], 'steady'],
  [[5], 'steady'],
  [[1, 1, 1, 2], 'steady'],
  [[0, 0, 3, 3], 'rising'],
  [[1, 1, 2, 2], 'rising'],
  [[3, 3, 0, 0], 'falling'],
  [[3, 3, 3, 3], 'steady'],
  [[3, 9, 3], 'steady'],
  [[0, 9, 6], 'rising'],
] as const)('the trend of %j is %s', (overTime, expected) => {
  expect(failureTrend(overTime, { startMs: 1000, logBeginsMs: null })).toBe(expected);
});

it('a log that began within the span has no trend: its first buckets are empty', () => {
  expect(failureTrend([0, 0, 3, 3], { startMs: 1000, logBeginsMs: 1001 })).toBeUndefined();
  expect(failureTrend([0, 0, 3, 3], { startMs: 1000, logBeginsMs: 1000 })).toBe('rising');
});
