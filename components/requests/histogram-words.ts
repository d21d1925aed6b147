import { explainFailure } from '@/lib/client/explain-failure';
import { countedBuckets, type HistogramAnswer, type ShownHistogram } from '@/lib/client/histogram';
import { countOf, groupDigits } from '@/lib/client/human-number';
import { formatSpan } from '@/lib/client/human-time';
import {
  addCounts,
  type BucketCounts,
  HISTOGRAM_STATES,
  type HistogramHead,
  type HistogramState,
  noCounts,
  sumOf,
} from '@/lib/contract/codec/histogram';
import { parseIsoTime } from '@/lib/domain/units';
import type { RequestsView } from '@/lib/requests/view';
import { stateLabel } from './state-words';

/** A moment (unix milliseconds) as text in the chosen style. */
export type MomentWords = (ms: number) => string;

export function histogramLabel(state: HistogramState): string {
  return state === 'unknown' ? 'Other states' : stateLabel(state);
}

/** The counts of these buckets together, as far as they are known. */
export function countsOfBuckets(
  buckets: readonly (BucketCounts | undefined)[],
  first = 0,
  last = buckets.length - 1,
): BucketCounts {
  return buckets
    .slice(first, last + 1)
    .reduce<BucketCounts>((sum, counts) => addCounts(sum, counts ?? noCounts()), noCounts());
}

/** The states with rows, most important last as in the bars. */
export function statesWithRows(counts: BucketCounts): HistogramState[] {
  return HISTOGRAM_STATES.filter((state) => counts[state] > 0);
}

/** `2026-11-20 08:00:00 – 08:30:00`: the day is said once. */
export function spanWords(fromMs: number, toMs: number, moment: MomentWords): string {
  const [from, to] = [moment(fromMs), moment(toMs)];
  const day = /^\d{4}-\d\d-\d\d /.exec(from)?.[0];
  return `${from} – ${day !== undefined && to.startsWith(day) ? to.slice(day.length) : to}`;
}

/** `34 requests: 30 completed, 4 pending`. */
export function countsWords(counts: BucketCounts): string {
  const parts = statesWithRows(counts).map(
    (state) => `${groupDigits(String(counts[state]))} ${histogramLabel(state).toLowerCase()}`,
  );
  const total = countOf(String(sumOf(counts)), 'request', 'requests');
  return parts.length === 0 ? total : `${total}: ${parts.join(', ')}`;
}

/**
 * The figure for all bars. No total where that of the rows is of another moment: two of them side by side look like a
 * mistake, so the moment is said instead. Nothing for the bars of another view.
 * @param asof the moment of the rows, ISO
 */
export function totalWords({
  answer: { asof: ownAsof, head, buckets },
  of,
  asof,
  view,
  moment,
}: {
  answer: HistogramAnswer & { head: HistogramHead };
  of: ShownHistogram['of'];
  asof: string | undefined;
  view: RequestsView;
  moment: MomentWords;
}): string {
  if (of === 'before') return '';
  const ownMs = parseIsoTime(ownAsof);
  if ((view.live !== undefined || asof !== ownAsof) && ownMs !== undefined) return `as of ${moment(ownMs)}`;
  const counted = countOf(String(sumOf(countsOfBuckets(buckets))), 'request', 'requests');
  const isKnown = buckets.every((counts) => counts !== undefined);
  return isKnown ? counted : `${counted} counted of ${groupDigits(head.total)}`;
}

/** What stands in the place of the bars, when there are none. `rows`: those of the table, which the counts wait for. */
export function insteadWords(
  answer: HistogramAnswer | undefined,
  rows: 'there' | 'coming' | 'failed',
): string {
  if (answer?.failure !== undefined) return `Histogram not available: ${failureWords(answer)}`;
  if (answer?.head !== undefined) return 'There are no requests to count.';
  return {
    there: '',
    coming: 'The histogram follows when the rows are there.',
    failed: 'The histogram is not available while the rows are not.',
  }[rows];
}

/** How the figures come about, and what they leave out. */
export function standingWords({ shown, next, of }: ShownHistogram): string {
  if (of === 'before')
    return ['Still of the view before', ...(next === undefined ? [] : ['Counting…'])].join(' · ');
  if (shown?.head === undefined) return shown?.failure === undefined ? 'Counting…' : '';
  const open = next ?? (shown.complete ? undefined : shown);
  const parts = [open === undefined ? `Exact, from ${shown.head.exact}` : progressWords(open)];
  if (shown.unplaced > 0) parts.push(`${groupDigits(String(shown.unplaced))} without a readable time`);
  return parts.join(' · ');
}

function progressWords(answer: HistogramAnswer): string {
  if (answer.failure !== undefined) return `Not brought up to date: ${failureWords(answer)}`;
  const { head } = answer;
  return head === undefined ? 'Counting…' : `Counting ${countedBuckets(answer)} of ${head.buckets}`;
}

/** What failed, in one line. */
export function failureWords({ failure }: HistogramAnswer): string {
  if (failure === undefined) return '';
  const { title, said } = explainFailure(failure);
  return said === undefined ? title : `${title}: ${said}`;
}

/** The histogram in sentences, for those who do not see it. */
export function summaryWords(
  { head, buckets }: HistogramAnswer & { head: HistogramHead },
  moment: MomentWords,
): string {
  const counts = countsOfBuckets(buckets);
  const span = spanWords(head.startMs, head.endMs, moment);
  const frame = `${span}, in ${head.buckets} buckets of ${formatSpan(head.bucketMs)}`;
  return [countsWords(counts), frame, ...peakWords(buckets, head, moment)].join('. ').concat('.');
}

function peakWords(buckets: HistogramAnswer['buckets'], head: HistogramHead, moment: MomentWords): string[] {
  const sums = buckets.map((counts) => (counts === undefined ? 0 : sumOf(counts)));
  const most = Math.max(0, ...sums);
  if (most === 0) return [];
  const from = head.fromMs + sums.indexOf(most) * head.bucketMs;
  return [`Most in ${spanWords(from, from + head.bucketMs, moment)}: ${groupDigits(String(most))}`];
}
