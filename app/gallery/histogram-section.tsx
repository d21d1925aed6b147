'use client';
import { Histogram, type HistogramProps } from '@/components/requests/histogram';
import { type HistogramAnswer, histogramPath, nothingOf } from '@/lib/client/histogram';
import type { LoadedRequests, Trouble } from '@/lib/client/requests';
import { type BucketCounts, noCounts, sumOf } from '@/lib/contract/codec/histogram';
import { defaultRequestsView, type RequestsView } from '@/lib/contract/codec/requests-url';
import { galleryRows } from './request-fixtures';
import { loaded, trouble } from './result-fixtures';
import { GallerySection, Specimen } from './specimen';
import { type Known, Still } from './still';

const nothing = () => {};
const BUCKETS = 60;
const MINUTE_MS = 60_000;

/** A quiet hour with an outage in it; the newest bucket has every state. */
function countsOf(index: number): BucketCounts {
  const isOutage = index > 34 && index < 43;
  const completed = isOutage ? index % 3 : 24 + ((index * 7) % 19);
  return {
    ...noCounts(),
    completed,
    'callback-failed': index % 9 === 4 ? 3 : 0,
    failed: isOutage ? 9 + (index % 4) : Number(index % 23 === 5),
    pending: index > 54 ? index - 52 : Number(isOutage),
    unknown: index === 59 || index === 12 ? 2 : 0,
  };
}

/** All rows of the first so many minutes. */
function sumOfAll(buckets: number): number {
  return Array.from({ length: buckets }, (_, at) => sumOf(countsOf(at))).reduce((sum, one) => sum + one, 0);
}

type Extent = { counted: number; buckets?: number; answer?: Partial<HistogramAnswer> };

/** An hour of minutes, of which the newest have been counted. */
function answerOf(asofMs: number, { counted, buckets = BUCKETS, answer }: Extent): HistogramAnswer {
  const toMs = Math.ceil(asofMs / MINUTE_MS) * MINUTE_MS;
  const fromMs = toMs - buckets * MINUTE_MS;
  const head = { fromMs, toMs, startMs: fromMs, endMs: asofMs, bucketMs: MINUTE_MS, buckets };
  return {
    ...nothingOf(new Date(asofMs).toISOString()),
    head: { ...head, exact: 'counts', total: String(sumOfAll(buckets)) },
    buckets: Array.from({ length: buckets }, (_, at) => (at >= buckets - counted ? countsOf(at) : undefined)),
    complete: counted >= buckets,
    ...answer,
  };
}

type Case = {
  name: string;
  /** Undefined before anything came. */
  answer?: HistogramAnswer;
  listing?: 'there' | 'none';
  trouble?: Trouble;
};

const FAILURE = { kind: 'failing', service: 'logs', detail: 'The request log service fails (503)' } as const;

function casesAt(nowMs: number): Case[] {
  const failed = { ...nothingOf(''), failure: FAILURE };
  return [
    { name: 'Complete, the part marked that the table shows', answer: answerOf(nowMs, { counted: BUCKETS }) },
    { name: 'Filling in', answer: answerOf(nowMs, { counted: 23 }) },
    { name: 'Counts asked for, none there', answer: nothingOf(new Date(nowMs).toISOString()) },
    {
      name: 'No rows at all',
      answer: answerOf(nowMs, { counted: 0, buckets: 0, answer: { complete: true } }),
    },
    { name: 'Counting failed', answer: failed },
    {
      name: 'Rows without a place in time',
      answer: answerOf(nowMs, { counted: BUCKETS, answer: { unplaced: 3 } }),
    },
    { name: 'Before the rows', listing: 'none' },
    { name: 'The rows failed', listing: 'none', trouble: trouble(FAILURE, nowMs) },
  ];
}

/** The rows of the first quarter of an hour before now, so that the mark does not cover the whole. */
function listingOf(view: RequestsView, nowMs: number): LoadedRequests {
  const rows = galleryRows(nowMs - 8 * MINUTE_MS)
    .filter((row) => row.kind === 'record')
    .slice(0, 7);
  return loaded(rows, nowMs, view);
}

function Case({ nowMs, at, of }: { nowMs: number; at: number; of: Case }) {
  // Each has a view of its own, or they would share one answer.
  const view: RequestsView = {
    ...defaultRequestsView(),
    time: { kind: 'last', range: '1h' },
    q: String(1000 + at),
  };
  const listing = of.listing === 'none' ? undefined : listingOf(view, nowMs);
  const known: Known =
    listing === undefined || of.answer === undefined
      ? []
      : [[['histogram', histogramPath(view, listing.asof)], of.answer]];
  const props: HistogramProps = { view, show: nothing, listing, trouble: of.trouble };
  return (
    <Still known={known}>
      <Histogram {...props} />
    </Still>
  );
}

/** Matches by time and state, above the table. */
export function HistogramSection({ nowMs }: { nowMs: number }) {
  return (
    <GallerySection name="histogram">
      {casesAt(nowMs).map((of, at) => (
        <Specimen key={of.name} name={of.name}>
          <Case nowMs={nowMs} at={at} of={of} />
        </Specimen>
      ))}
    </GallerySection>
  );
}
