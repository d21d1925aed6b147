import { describe, expect, it } from 'vitest';
import { type HistogramAnswer, nothingOf } from '@/lib/client/histogram';
import { type HistogramHead, noCounts } from '@/lib/contract/codec/histogram';
import { formatUtcSeconds, unixMillis } from '@/lib/domain/units';
import { defaultRequestsView } from '@/lib/requests/view';
import {
  countsWords,
  failureWords,
  insteadWords,
  spanWords,
  standingWords,
  summaryWords,
  totalWords,
} from './histogram-words';

const moment = (ms: number) => formatUtcSeconds(unixMillis(ms));
const at = (text: string) => Date.parse(`2026-11-20T${text}Z`);
const HEAD: HistogramHead = {
  fromMs: at('06:00:00'),
  toMs: at('07:30:00'),
  startMs: at('06:10:00'),
  endMs: at('07:10:00'),
  bucketMs: 1_800_000,
  buckets: 3,
  exact: 'counts',
  total: '1234',
};
const COMPLETE: HistogramAnswer = {
  ...nothingOf('2026-11-20T07:10:00Z'),
  head: HEAD,
  buckets: [{ ...noCounts(), completed: 1200, pending: 4 }, noCounts(), { ...noCounts(), unknown: 30 }],
  complete: true,
};
const OPEN: HistogramAnswer = { ...COMPLETE, buckets: [undefined, noCounts(), undefined], complete: false };
const VIEW = defaultRequestsView();

it('names the day of a span once, unless it ends on another', () => {
  expect(spanWords(at('08:00:00'), at('08:30:00'), moment)).toBe('2026-11-20 08:00:00 – 08:30:00');
  expect(spanWords(at('08:00:00'), at('08:00:00') + 86_400_000, moment)).toBe(
    '2026-11-20 08:00:00 – 2026-11-21 08:00:00',
  );
  expect(spanWords(0, 1, () => '3 h ago')).toBe('3 h ago – 3 h ago');
});

it('counts only the states that there are', () => {
  expect(countsWords({ ...noCounts(), completed: 1200, pending: 1 })).toBe(
    '1,201 requests: 1,200 completed, 1 pending',
  );
  expect(countsWords(noCounts())).toBe('0 requests');
});

describe('how it stands', () => {
  const words = (shown?: HistogramAnswer, next?: HistogramAnswer) =>
    standingWords({ shown, next, of: 'view' });

  it('is how exact it is, or how far', () => {
    expect(words()).toBe('Counting…');
    expect(words(OPEN)).toBe('Counting 1 of 3');
    expect(words(COMPLETE)).toBe('Exact, from counts');
    expect(words({ ...COMPLETE, head: { ...HEAD, exact: 'rows' }, unplaced: 2 })).toBe(
      'Exact, from rows · 2 without a readable time',
    );
  });

  it('tells a newer one that is on its way, or that failed', () => {
    expect(words(COMPLETE, OPEN)).toBe('Counting 1 of 3');
    const failure = { kind: 'failing', service: 'logs', detail: 'It is down.' } as const;
    expect(words(COMPLETE, { ...OPEN, failure })).toBe('Not brought up to date: It is down');
    expect(failureWords({ ...OPEN, failure })).toBe('It is down');
  });
});

it('says that its bars are those of the view before', () => {
  expect(standingWords({ shown: COMPLETE, next: undefined, of: 'before' })).toBe('Still of the view before');
  expect(standingWords({ shown: COMPLETE, next: nothingOf(''), of: 'before' })).toBe(
    'Still of the view before · Counting…',
  );
});

describe('the figure above the bars', () => {
  const answer = { ...COMPLETE, head: HEAD };
  const words = (of: 'view' | 'before', asof: string | undefined, live?: number) =>
    totalWords({ answer, of, asof, view: live === undefined ? VIEW : { ...VIEW, live }, moment });

  it('is the total, or how much of it is counted', () => {
    expect(words('view', COMPLETE.asof)).toBe('1,234 requests');
    const open = { ...OPEN, head: HEAD };
    expect(totalWords({ answer: open, of: 'view', asof: OPEN.asof, view: VIEW, moment })).toBe(
      '0 requests counted of 1,234',
    );
  });

  it('is the moment instead where the rows are of another one, so that no two totals stand side by side', () => {
    expect(words('view', COMPLETE.asof, 1)).toBe('as of 2026-11-20 07:10:00');
    expect(words('view', '2026-11-20T07:10:01Z')).toBe('as of 2026-11-20 07:10:00');
    expect(words('view', undefined)).toBe('as of 2026-11-20 07:10:00');
  });

  it('is nothing for the bars of another view', () => {
    expect(words('before', COMPLETE.asof)).toBe('');
  });
});

it('has words for its place where nothing can be drawn', () => {
  const failure = { kind: 'failing', service: 'logs', detail: 'It is down.' } as const;
  expect(insteadWords({ ...OPEN, failure }, 'there')).toBe('Histogram not available: It is down');
  expect(insteadWords(COMPLETE, 'there')).toBe('There are no requests to count.');
  expect(insteadWords(undefined, 'there')).toBe('');
  expect(insteadWords(undefined, 'coming')).toBe('The histogram follows when the rows are there.');
  expect(insteadWords(undefined, 'failed')).toBe('The histogram is not available while the rows are not.');
});

it('is summed up in sentences', () => {
  expect(summaryWords({ ...COMPLETE, head: HEAD }, moment)).toBe(
    '1,234 requests: 1,200 completed, 4 pending, 30 other states. ' +
      '2026-11-20 06:10:00 – 07:10:00, in 3 buckets of 30 min. ' +
      'Most in 2026-11-20 06:00:00 – 06:30:00: 1,204.',
  );
});
