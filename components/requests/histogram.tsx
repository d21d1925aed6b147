'use client';
import { memo, useMemo } from 'react';
import { TimeChart, TipLines, useSpanText } from '@/components/ui/charts/time-chart';
import type { Lane } from '@/components/ui/charts/time-plots';
import { Muted, SmallButton } from '@/components/ui/text';
import { explainFailure } from '@/lib/core/explain-failure';
import { countOf, groupDigits } from '@/lib/core/numbers';
import type { Outcome } from '@/lib/core/outcome';
import { formatIsoMillis, formatSpan, parseIsoTime } from '@/lib/core/time';
import {
  BAR_PARTS,
  type BarCounts,
  type BarPart,
  barsOfHistogram,
  FAILED_PARTS,
  noBar,
  OTHER_PARTS,
  PART_LOOKS,
} from '@/lib/requests/bar-parts';
import { asNewList } from '@/lib/requests/filters';
import type { Summary } from '@/lib/requests/requests-response';
import type { RequestsView } from '@/lib/requests/view';
import classes from './requests.module.css';
import { useRequests } from './requests-context';

type Plotted = Summary['histogram'];
type Props = {
  counts: Outcome<Summary> | undefined;
  isOutdated: boolean;
};

function lane(grow: number, parts: readonly BarPart[]): Lane {
  return {
    kind: 'bars',
    grow,
    tickCount: 2,
    series: parts.map((key) => ({ key, label: PART_LOOKS[key].label, colour: PART_LOOKS[key].bar })),
    tickText: groupDigits,
  };
}

const LANES = [lane(28, FAILED_PARTS), lane(72, OTHER_PARTS)];

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
  const { bucketMs, startMs, endMs } = histogram;
  const data = useMemo(() => {
    const bars = barsOfHistogram(histogram);
    return bars.map((counts, at) => ({ ...counts, fromMs: histogram.fromMs + at * histogram.bucketMs }));
  }, [histogram]);
  return (
    <>
      <TimeChart
        label="Time, Enter zooms in"
        buckets={data}
        span={histogram}
        lanes={LANES}
        describeBuckets={(first, last) => {
          const counts = sumOf(data.slice(first, last + 1));
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
        {`${countsText(sumOf(data))}. ${spanOf(startMs, endMs)}, in ${data.length} buckets of ${formatSpan(bucketMs)}. Failed requests and callbacks have an axis of their own, above that of the others.`}
      </p>
    </>
  );
});

const partsIn = (counts: BarCounts) => BAR_PARTS.filter((part) => counts[part] > 0);

function countsText(counts: BarCounts): string {
  const parts = partsIn(counts);
  const texts = parts.map((part) => `${groupDigits(counts[part])} ${PART_LOOKS[part].label.toLowerCase()}`);
  const sum = parts.reduce((all, part) => all + counts[part], 0);
  return `${countOf(sum, 'request')}${sum === 0 ? '' : `: ${texts.join(', ')}`}`;
}

function linesOf(counts: BarCounts) {
  const parts = partsIn(counts);
  if (parts.length === 0) return [{ label: 'No requests', text: '' }];
  return parts.map((part) => ({
    label: PART_LOOKS[part].label,
    text: groupDigits(counts[part]),
    ...(FAILED_PARTS.some((failed) => failed === part) ? { colour: PART_LOOKS[part].bar } : {}),
  }));
}

function sumOf(bars: readonly BarCounts[]): BarCounts {
  const sum = noBar();
  for (const counts of bars) for (const part of BAR_PARTS) sum[part] += counts[part];
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
