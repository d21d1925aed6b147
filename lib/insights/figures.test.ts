import { describe, expect, it } from 'vitest';
import type { SpanTotals } from '@/lib/core/span-figures';
import { COLUMN_SCHEMA } from '@/lib/requests/column-schema';
import { comparedWith, FIGURES, noTotals, pendingOverTime, seriesOf, sumOfPending } from './figures';
import type { SpanFigures } from './insights-response';

const totals = (change: Partial<SpanTotals>): SpanTotals => ({ ...noTotals(), ...change });

function figures(change: Partial<SpanFigures>): SpanFigures {
  return {
    now: noTotals(),
    before: noTotals(),
    pending: sumOfPending([]),
    pendingAtStart: 0,
    overTime: [],
    pendingOverTime: [],
    ...change,
  };
}

const span = {
  asof: '1970-01-01T00:00:02.999Z',
  logBeginsMs: -10_000,
  startMs: 500,
  endMs: 2999,
  buckets: { fromMs: 0, bucketMs: 1000, count: 3 },
};
const six = (change: Partial<SpanFigures>) =>
  FIGURES.map(({ id, find }) => ({ id, ...find(figures(change), span) }));
const figureOf = (id: string, change: Partial<SpanFigures>) => six(change).find((figure) => figure.id === id);

describe('the six figures', () => {
  it('have a fixed order, and values of the preceding span', () => {
    const now = totals({
      requests: 150,
      completed: 97,
      callbackFailed: 2,
      failed: 1,
      pending: 50,
      called: 99,
      p50Us: 3_000_000.5,
      p95Us: 9_000_000,
    });
    const before = totals({
      requests: 100,
      completed: 90,
      failed: 10,
      called: 90,
      p50Us: 6_000_001,
      p95Us: 0,
    });
    const shown = six({
      now,
      before,
      overTime: [now, before, noTotals()],
      pending: { pending: 3, stuck: 0, oldestUs: 1 },
      pendingAtStart: 2,
      pendingOverTime: [5, 4, 3],
    });
    expect(shown.map(({ id, value, before: previous }) => [id, value, previous])).toEqual([
      ['requests', 150, 100],
      ['answered', 0.99, 0.9],
      ['callbacks-ok', 97 / 99, 1],
      ['p50', 3_000_000.5, 6_000_001],
      ['p95', 9_000_000, 0],
      ['pending', 3, 2],
    ]);
    const courses = [
      [100, 0],
      [0.9, null],
      [1, null],
      [6_000_001, null],
      [0, null],
      [5, 4, 3],
    ];
    expect(shown.map(({ overTime }) => overTime)).toEqual(courses);
  });

  it('show the range of most whole steps since the log began, and no range for a few steps', () => {
    const steps = [0, 0, 900, 10, 11, 12, 13, 14, 15, 16, 17, 18, 1].map((requests) => totals({ requests }));
    const long = {
      ...span,
      logBeginsMs: 2000,
      startMs: 0,
      endMs: 12_999,
      buckets: { ...span.buckets, count: 13 },
    };
    const rangeOf = (overTime: SpanTotals[]) =>
      FIGURES[0]?.find(figures({ overTime }), { ...long, endMs: overTime.length * 1000 - 1 }).range;
    expect(rangeOf(steps)).toBe('mostly 10 to 18');
    expect(rangeOf(steps.slice(0, 11))).toBe('');
  });

  it('label the time until the keeper logged an answer as such, and not as time to callback', () => {
    const labels = FIGURES.map(({ label, hint = '' }) => `${label} ${hint}`.trim());
    expect(labels).toEqual([
      'Requests',
      'Answered',
      'Callbacks OK',
      'Latency p50 until logged',
      'Latency p95 until logged',
      'Pending now',
    ]);
    expect(COLUMN_SCHEMA.duration.label).toBe('Logged after');
  });

  it('have no comparison if the preceding span is incomplete', () => {
    for (const figure of six({ before: null, pendingAtStart: null })) {
      expect(figure).toMatchObject({ before: null, verdict: 'same' });
    }
  });
});

describe('a log that is younger than the comparison', () => {
  const change = { now: totals({ requests: 90 }), before: totals({ requests: 3 }), pendingAtStart: 1 };
  const values = (logBeginsMs: number | null) =>
    FIGURES.map(({ find }) => find(figures(change), { ...span, logBeginsMs }).before);

  it('has no comparison, because its growth would be that of the log', () => {
    expect(values(-1999)[0]).toBe(3);
    expect(values(-1998)).toEqual([null, null, null, null, null, null]);
    expect(values(null)[0]).toBe(3);
  });
});

it('pending requests are as old as they are now, whatever span is shown', () => {
  const pending = { pending: 1, stuck: 0, oldestUs: 1_000_000 };
  const figure = FIGURES.find(({ id }) => id === 'pending');
  const asideOf = (startMs: number, endMs: number) =>
    figure?.find(figures({ pending }), { ...span, asof: '1970-01-01T00:00:08Z', startMs, endMs }).aside;
  for (const [startMs, endMs] of [
    [0, 500],
    [7000, 8000],
    [0, 900_000],
  ] as const) {
    expect(asideOf(startMs, endMs)).toBe('oldest 7 s');
  }
});

const served = (completed: number, failed: number, callbackFailed = 0) =>
  totals({ requests: completed + failed + callbackFailed, completed, failed, callbackFailed });
const took = (p95Us: number | null, called = 100) => totals({ called, p95Us });

describe.each<[string, string, SpanTotals, SpanTotals, string]>([
  ['answered', 'one failure in 179', served(178, 1), served(179, 0), 'same'],
  ['answered', 'one failure in 3', served(2, 1), served(179, 0), 'same'],
  ['answered', 'five in 100', served(95, 5), served(100, 0), 'worse'],
  ['answered', 'five in 1,000', served(995, 5), served(1000, 0), 'same'],
  ['answered', 'none after ten', served(100, 0), served(90, 10), 'better'],
  ['answered', 'nothing finished', served(0, 0), served(90, 10), 'same'],
  ['answered', 'failed callbacks only', served(50, 0, 50), served(100, 0), 'same'],
  ['callbacks-ok', 'half of all', served(50, 0, 50), served(100, 0), 'worse'],
  ['callbacks-ok', 'four', served(50, 0, 4), served(100, 0), 'same'],
  ['callbacks-ok', 'more, of as many more requests', served(500, 0, 50), served(50, 0, 5), 'same'],
  ['callbacks-ok', 'gone', served(100, 0), served(50, 0, 50), 'better'],
  ['p95', 'half as slow again', took(15), took(10), 'worse'],
  ['p95', 'a little slower', took(14), took(10), 'same'],
  ['p95', 'faster', took(10), took(15), 'better'],
  ['p95', 'of few', took(100, 19), took(10), 'same'],
  ['p95', 'of nothing', took(null, 0), took(10), 'same'],
  ['requests', 'ten times as many', served(1000, 0), served(100, 0), 'same'],
])('%s: %s', (id, _name, now, before, verdict) => {
  it(verdict, () => expect(figureOf(id, { now, before })?.verdict).toBe(verdict));
});

it('requests in unknown states are named beside the pending ones, as they may be pending too', () => {
  const now = totals({ requests: 12, completed: 5, callbackFailed: 1, failed: 2, pending: 1 });
  const pending = { pending: 1, stuck: 1, oldestUs: 1_000_000 };
  expect(figureOf('pending', { now, pending })?.aside).toBe(
    '1 stuck, oldest 1 s, 3 of unknown state in range',
  );
  const none = { pending: 0, stuck: 0, oldestUs: null };
  expect(figureOf('pending', { now, pending: none })?.aside).toBe('3 of unknown state in range');
});

it('pending requests have a worse tone if one is stuck', () => {
  const pending = { pending: 300, stuck: 0, oldestUs: 1 };
  expect(figureOf('pending', { pending })?.verdict).toBe('same');
  expect(figureOf('pending', { pending: { ...pending, stuck: 1 } })?.verdict).toBe('worse');
});

it('pending requests are unknown until a keeper has been queried for them', () => {
  const pending = { pending: 3, stuck: 1, oldestUs: 1 };
  const figure = FIGURES.find(({ id }) => id === 'pending');
  expect(figure?.find(figures({ pending }), { ...span, pendingUnread: true })).toMatchObject({
    value: null,
    before: null,
    verdict: 'same',
    overTime: [],
    aside: 'not counted yet',
  });
});

it('pending requests of networks are summed, with the oldest stuck one, or else the oldest of all', () => {
  const parts = [
    { pending: 2, stuck: 1, oldestUs: 20 },
    { pending: 3, stuck: 0, oldestUs: 10 },
    { pending: 0, stuck: 0, oldestUs: null },
  ];
  expect(sumOfPending(parts)).toEqual({ pending: 5, stuck: 1, oldestUs: 20 });
  expect(sumOfPending(parts.slice(1))).toEqual({ pending: 3, stuck: 0, oldestUs: 10 });
  expect(sumOfPending([])).toEqual({ pending: 0, stuck: 0, oldestUs: null });
});

it('series have a count for each bucket, and pending counts follow arrivals and completions', () => {
  const came = [
    { bucket: 0, rows: 5 },
    { bucket: 2, rows: 1 },
  ];
  expect(seriesOf(came, 4)).toEqual([5, 0, 1, 0]);
  expect(pendingOverTime({ atStart: 2, came, went: [{ bucket: 1, rows: 6 }] }, 4)).toEqual([7, 1, 2, 2]);
});

it('names the basis of a change', () => {
  const ms = 90 * 60_000;
  expect(comparedWith('requests', { ...span, range: '24h' })).toBe('vs previous 24 h');
  expect(comparedWith('pending', { ...span, range: '7d' })).toBe('vs 7 d ago');
  expect(comparedWith('pending', { range: null, startMs: 0, endMs: ms })).toBe('vs start of range');
  expect(comparedWith('p95', { range: null, startMs: 0, endMs: ms })).toBe('vs previous 1 h 30 min');
});
