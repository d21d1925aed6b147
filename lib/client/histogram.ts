'use client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type BucketCounts,
  type HistogramHead,
  type HistogramLine,
  readHistogramLine,
} from '@/lib/contract/codec/histogram';
import type { Failure } from '@/lib/domain/outcome';
import { parseIsoTime } from '@/lib/domain/units';
import { formatRequestsUrl, type RequestsView } from '@/lib/requests/view';
import { nextAttemptMs } from './explain-failure';
import { filtersOnly } from './facets';
import { fetchLines } from './line-stream';

/** A histogram as far as it is known. */
export type HistogramAnswer = {
  /** ISO time that it is pinned to. */
  asof: string;
  /** Undefined before the first line. */
  head: HistogramHead | undefined;
  /** By index; undefined where it has not been counted yet. */
  buckets: readonly (BucketCounts | undefined)[];
  /** Rows without a place in time. */
  unplaced: number;
  complete: boolean;
  /** Why it ended before that. */
  failure?: Failure;
};

/** Buckets asked for: an hour, a day and a month then come in minutes, half hours and half days. */
const BUCKETS = 61;

export function nothingOf(asof: string): HistogramAnswer {
  return { asof, head: undefined, buckets: [], unplaced: 0, complete: false };
}

/** The answer with the lines that came; lines that are not ours are left out. */
export function withHistogramLines(answer: HistogramAnswer, lines: readonly string[]): HistogramAnswer {
  const next = { ...answer, buckets: [...answer.buckets] };
  for (const text of lines) {
    const line = readHistogramLine(text);
    if (line !== undefined) takeLine(next, line);
  }
  return next;
}

type Open = HistogramAnswer & { buckets: (BucketCounts | undefined)[] };

function takeLine(answer: Open, line: HistogramLine): void {
  switch (line.kind) {
    case 'head':
      answer.head = line.head;
      answer.buckets = Array.from({ length: line.head.buckets }, () => undefined);
      break;
    case 'bucket':
      if (line.index < answer.buckets.length) answer.buckets[line.index] = line.counts;
      break;
    case 'unplaced':
      answer.unplaced = line.rows;
      break;
    case 'complete':
      answer.complete = true;
      break;
    case 'problem':
      answer.failure = line.failure;
      break;
  }
}

/** How many buckets have been counted. */
export function countedBuckets({ buckets }: HistogramAnswer): number {
  return buckets.filter((counts) => counts !== undefined).length;
}

export function histogramPath(view: RequestsView, asof: string): string {
  const { search } = new URL(formatRequestsUrl({ ...filtersOnly(view), asof }), 'http://page');
  return `/api/view/requests/histogram${search}&buckets=${BUCKETS}`;
}

type Load = {
  asof: string;
  signal: AbortSignal;
  onAnswer: (answer: HistogramAnswer) => void;
  fetch?: typeof globalThis.fetch;
};

/** Asks for a histogram; rejects only when the signal is aborted. */
export async function loadHistogram(
  path: string,
  { asof, signal, onAnswer, fetch }: Load,
): Promise<HistogramAnswer> {
  let answer = nothingOf(asof);
  const onLines = (lines: string[]) => {
    answer = withHistogramLines(answer, lines);
    onAnswer(answer);
  };
  const ended = await fetchLines(path, { signal, onLines, fetch });
  if (answer.complete || answer.failure !== undefined) return answer;
  return { ...answer, failure: ended.ok ? CUT_OFF : ended.failure };
}

const CUT_OFF: Failure = { kind: 'unreachable', detail: 'The answer was cut off.' };

/** While new rows are followed a histogram is asked for anew at most so often, and no sooner than it would show. */
const LIVE_PAUSE_MS = 15_000;
const VISIBLE_SHARE = 6;

/** The pin that is asked for now, and the complete answer to it, once there is one. */
type Held = { pin: string; answer: HistogramAnswer | undefined };

/**
 * The moment to pin the histogram to, when the list has moved on to `asof`. A list that is followed moves every second;
 * its histogram is completed first, and then waits until the difference is worth its counts.
 */
export function nextPin({ pin, answer }: Held, asof: string, pace: 'live' | 'still'): string {
  if (pace === 'still') return asof;
  if (answer === undefined) return pin;
  const passedMs = (parseIsoTime(asof) ?? 0) - (parseIsoTime(pin) ?? 0);
  const pauseMs = Math.max(LIVE_PAUSE_MS, (answer.head?.bucketMs ?? 0) / VISIBLE_SHARE);
  return passedMs >= pauseMs ? asof : pin;
}

/**
 * What is to be shown, and how the next one stands while that is still the one before. `of`: whether it is of the view
 * itself, or of the one that was shown before.
 */
export type ShownHistogram = {
  shown: HistogramAnswer | undefined;
  next: HistogramAnswer | undefined;
  of: 'view' | 'before';
};

/** The answer that was shown last, and the view it is of, whatever its moment. */
type Last = { of: string; answer: HistogramAnswer };

/** Whether an answer is what is to be shown while the next one is on its way. */
export function worthKeeping(last: Last | undefined, of: string, answer: HistogramAnswer): 'yes' | 'no' {
  if (answer.complete) return last?.answer === answer && last.of === of ? 'no' : 'yes';
  if (answer.head === undefined || answer.failure !== undefined || last?.answer === answer) return 'no';
  return last?.of === of && last.answer.complete ? 'no' : 'yes';
}

/** What is shown, when `answer` is how far the one of the view `of` is. */
export function shownHistogram(
  last: Last | undefined,
  of: string,
  answer: HistogramAnswer | undefined,
): ShownHistogram {
  const isDone = answer?.complete === true;
  if (last?.of === of && last.answer.complete && !isDone) {
    return { shown: last.answer, next: answer, of: 'view' };
  }
  const isBegun = isDone || answer?.head !== undefined || answer?.failure !== undefined;
  return isBegun || last === undefined || last.of === of
    ? { shown: answer, next: undefined, of: 'view' }
    : { shown: last.answer, next: answer, of: 'before' };
}

/**
 * The histogram of a view's matches at `asof` (ISO; undefined while it is not known: then nothing is asked). The one
 * before stays until the new one is complete, if only the moment has changed, else until the new one has begun.
 */
export function useHistogram(view: RequestsView, asof: string | undefined): ShownHistogram {
  const { asof: _asof, ...anyTime } = filtersOnly(view);
  const of = formatRequestsUrl(anyTime);
  const [last, setLast] = useState<Last>();
  const before = last?.of === of && last.answer.complete ? last.answer : undefined;
  const pin = usePin(of, asof, before, view.live === undefined ? 'still' : 'live');
  const path = pin === undefined ? '' : histogramPath(view, pin);
  const key = ['histogram', path];
  const { data } = useQuery({
    queryKey: key,
    queryFn: ({ client, signal }) =>
      loadHistogram(path, {
        asof: pin ?? '',
        signal,
        onAnswer: (answer) => void client.setQueryData(key, answer),
      }),
    enabled: pin !== undefined,
    staleTime: 60_000,
    refetchOnWindowFocus: false,
    refetchInterval: ({ state }) => againAfterMs(state.data?.failure),
  });
  if (data !== undefined && worthKeeping(last, of, data) === 'yes') setLast({ of, answer: data });
  return shownHistogram(last, of, data);
}

/** The pin to ask for; it stays as it is while the list's is not known. */
function usePin(
  of: string,
  asof: string | undefined,
  before: HistogramAnswer | undefined,
  pace: 'live' | 'still',
): string | undefined {
  const [kept, keep] = useState<{ of: string; pin: string }>();
  const held = kept?.of === of ? kept.pin : undefined;
  if (asof === undefined) return held;
  const answer = before?.asof === held ? before : undefined;
  const pin = held === undefined ? asof : nextPin({ pin: held, answer }, asof, pace);
  if (pin !== held) keep({ of, pin });
  return pin;
}

/** A second attempt is far enough away to be no burden, and near enough to be waited for. */
const ATTEMPT = 2;

function againAfterMs(failure: Failure | undefined): number | false {
  return (failure === undefined ? undefined : nextAttemptMs(failure, ATTEMPT, Math.random())) ?? false;
}
