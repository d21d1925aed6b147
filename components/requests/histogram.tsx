'use client';
import { memo, useMemo } from 'react';
import { TimeChart, TipLines, useSpanText } from '@/components/ui/charts/time-chart';
import type { Lane } from '@/components/ui/charts/time-plots';
import { Muted, SmallButton } from '@/components/ui/text';
import { explainFailure } from '@/lib/core/explain-failure';
import { countOf, groupDigits } from '@/lib/core/numbers';
import type { Outcome } from '@/lib/core/outcome';
import { formatIsoMillis, formatSpan, parseIsoTime } from '@/lib/core/time';
import { asNewList } from '@/lib/requests/filters';
import {
  type BucketCounts,
  HISTOGRAM_STATES,
  noCounts,
  type Summary,
} from '@/lib/requests/requests-response';
import { STATE_LOOKS } from '@/lib/requests/state-looks';
import type { RequestsView } from '@/lib/requests/view';
import classes from './requests.module.css';
import { useRequests } from './requests-context';

type Plotted = Summary['histogram'];
type Props = {
  counts: Outcome<Summary> | undefined;
  isOutdated: boolean;
};

function lane(grow: number, ...states: (keyof BucketCounts)[]): Lane {
  return {
    kind: 'bars',
    grow,
    tickCount: 2,
    series: states.map((key) => ({ key, label: STATE_LOOKS[key].label, colour: STATE_LOOKS[key].bar })),
    tickText: groupDigits,
  };
}

/** Failures have a lane and a scale of their own, so that many completed requests don't hide them. */
const LANES = [lane(28, 'callback-failed', 'failed'), lane(72, 'completed', 'pending', 'unknown')];

/** The histogram's height is fixed. */
export function HistogramChart({ counts, isOutdated }: Props) {
  const { view, show } = useRequests();
  const zoomOut = zoomedOut(view);
  return (
    <section
      aria-label="Requests over time"
      className={classes.histogram}
      data-outdated={isOutdated || undefined}
    >
      {counts?.ok === true && counts.value.histogram.buckets.length > 0 ? (
        <Plot histogram={counts.value.histogram} />
      ) : (
        <Muted ta="center" pt="lg">
          {counts === undefined && 'Loading chart…'}
          {counts?.ok === false && `Chart unavailable: ${explainFailure(counts.failure).title}`}
        </Muted>
      )}
      {zoomOut && (
        <SmallButton
          pos="absolute"
          top={4}
          right={12}
          onClick={() => show((now) => zoomedOut(now) ?? now, 'push')}
        >
          Zoom out
        </SmallButton>
      )}
    </section>
  );
}

const Plot = memo(function Plot({ histogram }: { histogram: Plotted }) {
  const { show } = useRequests();
  const { spanOf } = useSpanText();
  const { fromMs, bucketMs, buckets, startMs, endMs } = histogram;
  const data = useMemo(
    () => buckets.map((counts, at) => ({ ...counts, fromMs: fromMs + at * bucketMs })),
    [buckets, fromMs, bucketMs],
  );
  return (
    <>
      <TimeChart
        label="Time, Enter zooms in"
        buckets={data}
        span={histogram}
        lanes={LANES}
        describeBuckets={(first, last) => {
          const counts = countsOf(histogram, first, last);
          const time = timeOf(histogram, first, last);
          return {
            fromMs: time.fromMs,
            toMs: time.toMs + 1,
            announcement: countsText(counts),
            tip: <TipLines lines={linesOf(counts)} />,
          };
        }}
        onSelect={(first, last, by) =>
          by !== 'click' && show((now) => zoomedIn(now, timeOf(histogram, first, last)), 'push')
        }
      />
      <p className="sr-only">
        {`${countsText(countsOf(histogram))}. ${spanOf(startMs, endMs)}, in ${buckets.length} buckets of ${formatSpan(bucketMs)}. Failed requests and callbacks have an axis of their own, above that of the others.`}
      </p>
    </>
  );
});

const statesOf = (counts: BucketCounts) => HISTOGRAM_STATES.filter((state) => counts[state] > 0);

function countsText(counts: BucketCounts): string {
  const states = statesOf(counts);
  const parts = states.map(
    (state) => `${groupDigits(counts[state])} ${STATE_LOOKS[state].label.toLowerCase()}`,
  );
  const sum = states.reduce((all, state) => all + counts[state], 0);
  return `${countOf(sum, 'request')}${sum === 0 ? '' : `: ${parts.join(', ')}`}`;
}

function linesOf(counts: BucketCounts) {
  const states = statesOf(counts);
  if (states.length === 0) return [{ label: 'No requests', text: '' }];
  return states.map((state) => ({
    label: STATE_LOOKS[state].label,
    text: groupDigits(counts[state]),
    ...(LANES[0]?.series.some(({ key }) => key === state) ? { colour: STATE_LOOKS[state].bar } : {}),
  }));
}

function countsOf({ buckets }: Plotted, first = 0, last = buckets.length - 1): BucketCounts {
  const sum = noCounts();
  for (const counts of buckets.slice(first, last + 1)) {
    for (const state of HISTOGRAM_STATES) sum[state] += counts[state];
  }
  return sum;
}

type Time = { fromMs: number; toMs: number };

/** Unix milliseconds, both ends inclusive, cut to the view. */
function timeOf({ startMs, endMs, fromMs, bucketMs }: Plotted, first: number, last: number): Time {
  return {
    fromMs: Math.max(startMs, fromMs + first * bucketMs),
    toMs: Math.min(endMs, fromMs + (last + 1) * bucketMs - 1),
  };
}

const isoOf = (ms: number) => formatIsoMillis(ms).replace('.000Z', 'Z');

function zoomedIn(view: RequestsView, { fromMs, toMs }: Time): RequestsView {
  const { live: _live, ...still } = view;
  // The end is written to the nanosecond, because the rows were counted that way.
  const to = isoOf(toMs).replace(/(?:\.(\d+))?Z$/, (_, digits = '000') => `.${digits}999999Z`);
  return asNewList(still, { time: { kind: 'between', from: isoOf(fromMs), to } });
}

/** The view with three times the span around its middle; undefined unless it has two ends. */
function zoomedOut(view: RequestsView): RequestsView | undefined {
  const { from: start = '', to: end = '' } = view.time.kind === 'between' ? view.time : {};
  const [fromMs = Number.NaN, toMs = Number.NaN] = [parseIsoTime(start), parseIsoTime(end)];
  const spanMs = Math.max(1000, toMs - fromMs);
  const [from, to] = [fromMs - spanMs, toMs + spanMs].map((ms) => isoOf(Math.round(ms / 1000) * 1000));
  const isNamed = [from, to].every((iso) => parseIsoTime(iso ?? '') !== undefined);
  return isNamed && toMs >= fromMs ? asNewList(view, { time: { kind: 'between', from, to } }) : undefined;
}
