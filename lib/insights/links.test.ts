import { describe, expect, it } from 'vitest';
import { FIGURES, noTotals } from './figures';
import { partOf, partPath, rowsPath, type Scope } from './links';
import { DEFAULT_INSIGHTS_VIEW } from './view';

const HOUR = 3_600_000;
const END_MS = Date.UTC(2026, 10, 20, 9, 30);
const SCOPE: Scope = {
  asof: new Date(END_MS).toISOString(),
  startMs: END_MS - 24 * HOUR,
  endMs: END_MS,
  view: DEFAULT_INSIGHTS_VIEW,
  keepers: ['main', 'test'],
};
const BUCKETS = { fromMs: END_MS - 24.5 * HOUR, bucketMs: HOUR, count: 25 };
const query = (path: string) => Object.fromEntries(new URLSearchParams(path.split('?')[1]));

describe('the rows of a span', () => {
  it('belong to all keepers unless the view names some, as of its moment', () => {
    const scope = { ...SCOPE, view: { ...DEFAULT_INSIGHTS_VIEW, keepers: ['test'] } };
    expect(new URLSearchParams(rowsPath(scope).split('?')[1]).getAll('keeper')).toEqual(['test']);
    const params = new URLSearchParams(rowsPath(SCOPE).split('?')[1]);
    expect(params.getAll('keeper')).toEqual([]);
    expect(params.get('from')).toBe('2026-11-19T09:30:00.000Z');
    expect([params.get('to'), params.get('asof')]).toEqual([null, '2026-11-20T09:30:00.000Z']);
  });

  it('end with a span of the past', () => {
    const between = { fromMs: SCOPE.startMs, toMs: END_MS - HOUR };
    const scope = { ...SCOPE, endMs: between.toMs, view: { ...DEFAULT_INSIGHTS_VIEW, between } };
    expect(query(rowsPath(scope)).to).toBe('2026-11-20T08:30:00.000Z');
    expect(query(partPath(scope, partOf({ ...scope, buckets: BUCKETS }, 24))).to).toBe(
      '2026-11-20T08:30:00.000Z',
    );
  });

  it.each([
    [0, 0, '2026-11-19T09:30:00.000Z', '2026-11-19T09:59:59.999999Z'],
    [1, 1, '2026-11-19T10:00:00.000Z', '2026-11-19T10:59:59.999999Z'],
    [3, 1, '2026-11-19T10:00:00.000Z', '2026-11-19T12:59:59.999999Z'],
    [24, 24, '2026-11-20T09:00:00.000Z', undefined],
  ])('of the buckets %d to %d begin and end with them', (a, b, from, to) => {
    const { from: begun, to: ended } = query(partPath(SCOPE, partOf({ ...SCOPE, buckets: BUCKETS }, a, b)));
    expect([begun, ended]).toEqual([from, to]);
  });
});

it('each figure counts the rows that its link shows', () => {
  const now = {
    ...noTotals(),
    requests: 20,
    completed: 9,
    callbackFailed: 3,
    failed: 2,
    pending: 6,
    called: 12,
  };
  const problemOf = (id: string, called = 12) => {
    const figures = { now: { ...now, called }, before: null, pendingAtStart: null, overTime: [] };
    const pending = { pending: 7, stuck: 0, oldestUs: null };
    const figure = FIGURES.find((figure) => figure.id === id);
    const { rows, view } =
      figure?.find(
        { ...figures, pending, pendingOverTime: [] },
        { ...SCOPE, buckets: BUCKETS, logBeginsMs: 0 },
      ) ?? {};
    const params = new URLSearchParams(rowsPath(SCOPE, view).split('?')[1]);
    return [rows, params.getAll('state').join(' '), params.get('duration'), params.get('range')];
  };
  expect(problemOf('requests')).toEqual([20, '', null, null]);
  expect(problemOf('answered')).toEqual([14, 'completed callback-failed failed', null, null]);
  expect(problemOf('callbacks-ok')).toEqual([3, 'callback-failed', null, null]);
  expect(problemOf('p95')).toEqual([12, 'completed callback-failed', null, null]);
  expect(problemOf('p50', 11)).toEqual([11, 'completed callback-failed', '0..', null]);
  expect(problemOf('pending')).toEqual([7, 'pending', null, 'all']);
});
