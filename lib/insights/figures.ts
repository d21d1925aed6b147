import { countOf } from '@/lib/core/numbers';
import {
  answeredShare,
  callbacksOkShare,
  finishedOf,
  type SpanTotals,
  shareText,
} from '@/lib/core/span-figures';
import { formatAge, formatSpan, parseIsoTime, rangeName } from '@/lib/core/time';
import type { RequestsView } from '@/lib/requests/view';
import { countText, type FigureKind, lengthText } from './format';
import type { Insights, PendingNow, SpanFigures } from './insights-response';
import { bucketTotals, ofWholeBuckets } from './over-time';

/** A number of requests, a share (1 for all) or microseconds; null without data. */
type FigureValue = {
  value: number | null;
  /** Value in the previous span; of `pending`, at the start of the span. Null if unknown. */
  before: number | null;
  /** `same` also if there is nothing to compare with. */
  verdict: 'better' | 'worse' | 'same';
  /** Values of whole buckets (for pending, of every bucket); null without data. */
  overTime: (number | null)[];
  /** Range of most whole buckets: `mostly 3.5 s to 4.6 s`. Empty if there are too few. */
  range: string;
  /** `per 30 min`; empty for figures of a moment. */
  step: string;
  aside: string;
  /** Rows behind the figure, and the view of the table that shows them. */
  rows: number;
  view: Partial<RequestsView>;
};

type Figure = {
  id: 'requests' | 'answered' | 'callbacks-ok' | 'p50' | 'p95' | 'pending';
  label: string;
  /** Small text after the label. */
  hint?: string;
  text: (value: number) => string;
  kind: FigureKind;
  /** Rule by which a change is coloured. */
  rule?: string;
  find: (figures: SpanFigures, span: Span) => FigureValue;
};

type Span = Pick<Insights, 'asof' | 'startMs' | 'endMs' | 'buckets' | 'logBeginsMs' | 'pendingUnread'>;

/** If the log began within the previous span, every figure would seem to grow. */
export const hasSpanBefore = ({ startMs, endMs, logBeginsMs }: Omit<Span, 'asof' | 'buckets'>) =>
  logBeginsMs === null || logBeginsMs <= startMs - (endMs - startMs);

const callbackFailures = (counts: SpanTotals) => 1 - (callbacksOkShare(counts) ?? 1);

/** One failure of 179 is chance. */
const MIN_FAILURES = 5;
/** A smaller change of the answered share counts as no change. */
const RATE_STEP = 0.01;
/** Factor of growth for latencies, and the share of failed callbacks. */
const GROWN = 1.5;
/** Percentiles of fewer rows fluctuate. */
const MIN_CALLED = 20;

type TotalsFigure = Omit<Figure, 'find'> & {
  value: (totals: SpanTotals) => number | null;
  rows: (totals: SpanTotals) => number;
  view?: (totals: SpanTotals) => Partial<RequestsView>;
  aside?: (totals: SpanTotals) => string;
  /** Worse by so much that it deserves attention. */
  isWorse?: (a: SpanTotals, b: SpanTotals) => boolean;
};

function ofTotals({ value, rows, view, aside, isWorse = () => false, ...figure }: TotalsFigure): Figure {
  const verdictOf = (now: SpanTotals, before: SpanTotals | null): FigureValue['verdict'] => {
    if (before === null) return 'same';
    if (isWorse(now, before)) return 'worse';
    return isWorse(before, now) ? 'better' : 'same';
  };
  const find = ({ now, overTime, ...figures }: SpanFigures, span: Span): FigureValue => {
    const totalsBefore = hasSpanBefore(span) ? figures.before : null;
    const whole = ofWholeBuckets(overTime, span).map(bucketTotals);
    const logged = { ...span, startMs: Math.max(span.startMs, span.logBeginsMs ?? span.startMs) };
    const ranged = ofWholeBuckets(overTime, logged).map((totals) => value(bucketTotals(totals)));
    const range = rangeOf(ranged, figure.text);
    return {
      value: value(now),
      before: totalsBefore && value(totalsBefore),
      verdict: verdictOf(now, totalsBefore),
      overTime: whole.map(value),
      range,
      step: `per ${formatSpan(span.buckets.bucketMs)}`,
      aside: aside?.(now) ?? '',
      rows: rows(now),
      view: view?.(now) ?? {},
    };
  };
  return { ...figure, find };
}

const MIN_BUCKETS = 10;
/** Share left out at either end of a range. */
const LEFT_OUT = 0.1;

/** Contains four fifths of the values; empty if there are too few. */
function rangeOf(overTime: readonly (number | null)[], text: Figure['text']): string {
  const values = overTime.filter((value) => value !== null).toSorted((a, b) => a - b);
  if (values.length < MIN_BUCKETS) return '';
  const skipped = Math.floor(values.length * LEFT_OUT);
  const [low, high] = [values[skipped] ?? 0, values.at(-1 - skipped) ?? 0].map(text);
  const both = low === high ? low : `${low} to ${high}`;
  return `mostly ${both}`;
}

function latency(id: 'p50' | 'p95'): Figure {
  const value = (totals: SpanTotals) => totals[`${id}Us`];
  return ofTotals({
    id,
    label: `Latency ${id}`,
    hint: 'until logged',
    kind: 'length',
    rule: `Marked at ${GROWN} times the duration before, with at least ${MIN_CALLED} callbacks`,
    text: lengthText,
    value,
    rows: ({ called }) => called,
    view: ({ completed, callbackFailed, called }) => ({
      states: ['completed', 'callback-failed'],
      sort: 'duration.desc',
      // Percentiles exclude rows without a time to callback.
      ...(called === completed + callbackFailed ? {} : { duration: { min: '0' } }),
    }),
    aside: ({ called }) => `of ${countOf(called, 'callback')}`,
    isWorse: (a, b) => {
      const current = value(a);
      const previous = value(b);
      const isEnough = Math.min(a.called, b.called) >= MIN_CALLED;
      return isEnough && current !== null && previous !== null && current >= GROWN * previous;
    },
  });
}

export const FIGURES: readonly Figure[] = [
  ofTotals({
    id: 'requests',
    label: 'Requests',
    kind: 'count',
    text: countText,
    value: ({ requests }) => requests,
    rows: ({ requests }) => requests,
  }),
  ofTotals({
    id: 'answered',
    label: 'Answered',
    text: shareText,
    kind: 'share',
    rule: `Marked at ${RATE_STEP * 100} point less than before, with at least ${MIN_FAILURES} failures`,
    value: answeredShare,
    rows: finishedOf,
    view: () => ({ states: ['completed', 'callback-failed', 'failed'] }),
    aside: (now) => {
      const finished = countText(finishedOf(now));
      return now.failed === 0 ? `of ${finished} finished` : `${countText(now.failed)} of ${finished} failed`;
    },
    isWorse: (a, b) =>
      a.failed >= MIN_FAILURES &&
      (answeredShare(b) ?? Number.NaN) - (answeredShare(a) ?? Number.NaN) >= RATE_STEP,
  }),
  ofTotals({
    id: 'callbacks-ok',
    label: 'Callbacks OK',
    text: shareText,
    kind: 'share',
    rule: `Marked at ${GROWN} times the share of failures before, with at least ${MIN_FAILURES}`,
    value: callbacksOkShare,
    rows: ({ callbackFailed }) => callbackFailed,
    view: () => ({ states: ['callback-failed'] }),
    aside: ({ completed, callbackFailed }) =>
      `${countText(callbackFailed)} of ${countText(completed + callbackFailed)} failed`,
    isWorse: (a, b) => a.callbackFailed >= MIN_FAILURES && callbackFailures(a) >= GROWN * callbackFailures(b),
  }),
  latency('p50'),
  latency('p95'),
  {
    id: 'pending',
    label: 'Pending now',
    kind: 'count',
    text: countText,
    find: (figures, span) => {
      const { asof, pendingUnread } = span;
      const { pending: now, pendingAtStart, pendingOverTime } = figures;
      const { pending, stuck, oldestUs } = now;
      const unknown = unknownStates(figures.now);
      const oldest =
        oldestUs === null ? '' : `oldest ${formatAge((parseIsoTime(asof) ?? 0) - oldestUs / 1000)}`;
      return {
        value: pendingUnread ? null : pending,
        before: pendingUnread || !hasSpanBefore(span) ? null : pendingAtStart,
        overTime: pendingUnread ? [] : pendingOverTime,
        range: pendingUnread ? '' : rangeOf(ofWholeBuckets(pendingOverTime, span), countText),
        step: '',
        rows: pending,
        // Pending requests come and go; stuck ones stay.
        verdict: stuck > 0 && !pendingUnread ? 'worse' : 'same',
        aside: pendingUnread
          ? 'not counted yet'
          : [
              stuck === 0 ? '' : `${countText(stuck)} stuck`,
              oldest,
              // Requests in other states may be pending under the name of another version.
              unknown === 0 ? '' : `${countText(unknown)} of unknown state in range`,
            ]
              .filter(Boolean)
              .join(', '),
        view: { states: ['pending'], time: { kind: 'all' }, sort: 'created.asc' },
      };
    },
  },
];

const unknownStates = ({ requests, completed, callbackFailed, failed, pending }: SpanTotals) =>
  requests - completed - callbackFailed - failed - pending;

/** `vs previous 24 h`; pending requests are compared with the start: `vs 24 h ago`, `vs start of range`. */
export function comparedWith(
  id: Figure['id'],
  { range, startMs, endMs }: Pick<Insights, 'range' | 'startMs' | 'endMs'>,
): string {
  const span = range === null ? formatSpan(endMs - startMs) : rangeName(range);
  if (id !== 'pending') return `vs previous ${span}`;
  return range === null ? 'vs start of range' : `vs ${span} ago`;
}

export function sumOfPending(parts: readonly PendingNow[]): PendingNow {
  // The oldest stuck request is shown, because parked ones of another network are older.
  const stuck = parts.filter((part) => part.stuck > 0);
  const oldest = (stuck.length > 0 ? stuck : parts).flatMap(({ oldestUs }) => oldestUs ?? []);
  return {
    pending: parts.reduce((sum, part) => sum + part.pending, 0),
    stuck: parts.reduce((sum, part) => sum + part.stuck, 0),
    oldestUs: oldest.length === 0 ? null : Math.min(...oldest),
  };
}

/** Pending requests at the end of each bucket. */
export function pendingOverTime(
  flow: { atStart: number; came: readonly BucketRows[]; went: readonly BucketRows[] },
  buckets: number,
): number[] {
  const came = seriesOf(flow.came, buckets);
  const went = seriesOf(flow.went, buckets);
  let pending = flow.atStart;
  return came.map((rows, index) => {
    pending += rows - (went[index] ?? 0);
    return pending;
  });
}

export type BucketRows = { bucket: number; rows: number };

export function seriesOf(rows: readonly BucketRows[], buckets: number): number[] {
  const series = Array.from({ length: buckets }, () => 0);
  for (const { bucket, rows: count } of rows) series[bucket] = (series[bucket] ?? 0) + count;
  return series;
}

export function noTotals(): SpanTotals {
  const none = { p50Us: null, p95Us: null, p99Us: null };
  return {
    requests: 0,
    completed: 0,
    callbackFailed: 0,
    failed: 0,
    pending: 0,
    pendingGone: 0,
    called: 0,
    ...none,
  };
}
