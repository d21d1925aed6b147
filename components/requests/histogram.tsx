'use client';
import { Button, Group, Text } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { type KeyboardEvent, type PointerEvent, useMemo, useRef, useState } from 'react';
import { useTimeStyle } from '@/components/ui/time-style';
import { explainFailure } from '@/lib/core/explain-failure';
import { countOf, groupDigits } from '@/lib/core/numbers';
import type { Outcome } from '@/lib/core/outcome';
import { formatIsoMillis, formatSpan, parseIsoTime } from '@/lib/core/time';
import { clockStyle, inputZone, shownMoment, zoneOffsetMs } from '@/lib/core/time-text';
import type { Summary } from '@/lib/requests/answers';
import { addCounts, type BucketCounts, HISTOGRAM_STATES, noCounts, sumOf } from '@/lib/requests/histogram';
import { type RequestsView, withFilter } from '@/lib/requests/view';
import { stateLabel } from '@/lib/requests/view-labels';
import classes from './histogram.module.css';
import type { ShowView } from './requests-context';

type Plotted = Summary['histogram'];

type Props = {
  view: RequestsView;
  counts: Outcome<Summary> | undefined;
  /** They are those of the view before: dimmed, and they do not zoom. */
  isOutdated: boolean;
  show: ShowView;
};

/** Heights, CSS pixels: what failed stands above on a scale of its own, so that no wall of green hides it. */
const [FAILED_PX, GAP_PX, FINE_PX] = [11, 3, 26];
const FILLS: Record<keyof BucketCounts, string> = {
  completed: 'var(--ks-chart-fine)',
  pending: 'var(--ks-wait)',
  unknown: 'var(--ks-odd)',
  'callback-failed': 'var(--ks-warn)',
  failed: 'var(--ks-bad)',
};
const TEXT_COLORS: Partial<typeof FILLS> = {
  failed: FILLS.failed,
  'callback-failed': FILLS['callback-failed'],
};
const DRAG_PX = 4;

const stateName = (state: keyof BucketCounts) => (state === 'unknown' ? 'Other states' : stateLabel(state));

/** When the requests of the view came, and which of them failed. Its height is the same whatever there is to show. */
export function Histogram({ view, counts, isOutdated, show }: Props) {
  const out = zoomedOut(view);
  return (
    <section
      className={classes.frame}
      aria-label="Requests over time"
      data-outdated={isOutdated || undefined}
    >
      {counts?.ok === true && counts.value.histogram.buckets.length > 0 ? (
        <Plot
          summary={counts.value}
          onZoom={(range) => {
            show((now) => zoomedIn(now, counts.value.histogram, range), 'push');
          }}
        />
      ) : (
        <Text m="auto" c="dimmed">
          {insteadText(counts)}
        </Text>
      )}
      {out === undefined ? null : (
        <Button
          pos="absolute"
          top={4}
          right={12}
          size="compact-xs"
          onClick={() => show((now) => zoomedOut(now) ?? now, 'push')}
        >
          Zoom out
        </Button>
      )}
    </section>
  );
}

function insteadText(counts: Props['counts']): string {
  if (counts === undefined) return 'Loading chart…';
  return counts.ok ? '' : `Chart unavailable: ${explainFailure(counts.failure).title}`;
}

/** The bars, and the ways to point at them: a pointer that hovers or drags, and a slider for keys and screen readers. */
function Plot({ summary, onZoom }: { summary: Summary; onZoom: (range: BucketRange) => void }) {
  const { histogram } = summary;
  const { ref, width } = useElementSize();
  const [pointed, point] = useState<{ at: number; anchor?: number }>();
  const style = useTimeStyle();
  const drag = useRef<{ anchor: number; x: number }>(undefined);
  const bars = useMemo(
    () => ({
      fine: barPaths(histogram.buckets, FINE, { width, height: FINE_PX }),
      failed: barPaths(histogram.buckets, FAILURES, { width, height: FAILED_PX }),
      most: highestOf(histogram.buckets, FINE),
      mostFailed: highestOf(histogram.buckets, FAILURES),
    }),
    [histogram, width],
  );
  const at = Math.min(pointed?.at ?? histogram.buckets.length - 1, histogram.buckets.length - 1);
  const range = { at, anchor: Math.min(pointed?.anchor ?? at, histogram.buckets.length - 1) };
  const { fromMs, toMs } = timeOfRange(histogram, range);
  // An age would be of no use on an axis.
  const words = (ms: number) => shownMoment(ms, clockStyle(style), ms);
  const figures = countsOfRange(histogram, pointed === undefined ? undefined : range);
  const [first, last] = [range.anchor, at]
    .sort((a, b) => a - b)
    .map((index) => barOf(index, histogram.buckets.length, width));

  function rangeUnder(event: PointerEvent): { at: number; anchor?: number } {
    const { left } = event.currentTarget.getBoundingClientRect();
    const under = bucketUnder(event.clientX - left, histogram.buckets.length, width);
    const begun = drag.current;
    const isDrag = begun !== undefined && Math.abs(event.clientX - begun.x) >= DRAG_PX;
    return isDrag ? { at: under, anchor: begun.anchor } : { at: under };
  }
  function press(event: KeyboardEvent) {
    const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageUp: 10, PageDown: -10 };
    const far = { Home: 0, End: histogram.buckets.length - 1 }[event.key];
    const step = steps[event.key as keyof typeof steps];
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (step !== undefined || far !== undefined) {
      const to = Math.max(0, Math.min(histogram.buckets.length - 1, far ?? at + (step ?? 0)));
      point(event.shiftKey ? { at: to, anchor: range.anchor } : { at: to });
    } else if (event.key === 'Enter') onZoom(range);
    else if (event.key === 'Escape' && pointed !== undefined) point(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <>
      <p className={classes.scale} aria-hidden="true">
        <span style={{ color: FILLS.failed }}>
          {bars.mostFailed === 0 ? '' : groupDigits(String(bars.mostFailed))}
        </span>
        <span>{groupDigits(String(bars.most))}</span>
      </p>
      <div
        ref={ref}
        className={classes.plot}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.preventDefault();
          drag.current = { anchor: rangeUnder(event).at, x: event.clientX };
          event.currentTarget.setPointerCapture(event.pointerId);
          point(rangeUnder(event));
        }}
        onPointerMove={(event) => point(rangeUnder(event))}
        onPointerUp={(event) => {
          const ended = rangeUnder(event);
          drag.current = undefined;
          if (ended.anchor !== undefined) onZoom({ at: ended.at, anchor: ended.anchor });
        }}
        onPointerCancel={() => {
          drag.current = undefined;
        }}
        onPointerLeave={() => (drag.current === undefined ? point(undefined) : undefined)}
      >
        <svg className={classes.bars} aria-hidden="true">
          {pointed === undefined || first === undefined || last === undefined ? null : (
            <rect
              fill="var(--ks-accent-wash)"
              x={first.x}
              width={last.x + last.width - first.x}
              height={FAILED_PX + GAP_PX + FINE_PX}
            />
          )}
          <g>
            {bars.failed.map(({ state, d }) => (
              <path key={state} d={d} fill={FILLS[state]} />
            ))}
          </g>
          <path className={classes.base} d={`M0 ${FAILED_PX + 0.5}h${width}`} />
          <g transform={`translate(0 ${FAILED_PX + GAP_PX})`}>
            {bars.fine.map(({ state, d }) => (
              <path key={state} d={d} fill={FILLS[state]} />
            ))}
            <path className={classes.base} d={`M0 ${FINE_PX + 0.5}h${width}`} />
          </g>
        </svg>
        <input
          type="range"
          className={classes.cursor}
          aria-label="Time, Enter zooms in"
          min={0}
          max={histogram.buckets.length - 1}
          value={at}
          aria-valuetext={`${spanText(words(fromMs), words(toMs + 1))}: ${countsText(countsOfRange(histogram, range))}`}
          onChange={(event) => point({ at: Number(event.currentTarget.value) })}
          onFocus={() => point({ at })}
          onBlur={() => point(undefined)}
          onKeyDown={press}
        />
        {timeTicks(histogram, width, zoneOffsetMs(histogram.fromMs, inputZone(style))).map(
          ({ ms, at: place, unit }) => (
            <span
              key={ms}
              className={classes.tick}
              style={{ insetInlineStart: `${place * 100}%` }}
              aria-hidden="true"
            >
              {/* Where no word has room before the edge the line stands alone. */}
              {(1 - place) * width < TICK_WORD_PX[unit] ? null : tickText(words(ms), unit)}
            </span>
          ),
        )}
        {pointed === undefined ? null : (
          <p
            className={classes.tip}
            data-side={((first?.x ?? 0) + (last?.x ?? 0)) / 2 > width / 2 ? 'left' : 'right'}
            style={{ insetInlineStart: ((first?.x ?? 0) + (last?.x ?? 0) + (last?.width ?? 0)) / 2 }}
            aria-hidden="true"
          >
            <b className="num">{spanText(words(fromMs), words(toMs + 1))}</b>
            <Figures counts={figures} />
          </p>
        )}
      </div>
      <p className="sr-only">
        {`${countsText(countsOfRange(histogram))}. ${spanText(words(histogram.startMs), words(histogram.endMs))}, in ${histogram.buckets.length} buckets of ${formatSpan(histogram.bucketMs)}.`}
      </p>
    </>
  );
}

function tickText(text: string, unit: 'second' | 'minute' | 'day'): string {
  const [, day = '', clock = ''] = /^\d{4}-(\S+) (\S+)$/.exec(text) ?? [];
  if (unit === 'day' || clock === '00:00:00') return day;
  return unit === 'second' ? clock : clock.slice(0, 5);
}

function spanText(from: string, to: string): string {
  const day = /^\d{4}-\d\d-\d\d /.exec(from)?.[0];
  return `${from} – ${day !== undefined && to.startsWith(day) ? to.slice(day.length) : to}`;
}

function countsText(counts: BucketCounts): string {
  const parts = statesWithRows(counts).map(
    (state) => `${groupDigits(String(counts[state]))} ${stateName(state).toLowerCase()}`,
  );
  const total = countOf(String(sumOf(counts)), 'request', 'requests');
  return parts.length === 0 ? total : `${total}: ${parts.join(', ')}`;
}

function Figures({ counts }: { counts: BucketCounts }) {
  const states = statesWithRows(counts);
  if (states.length === 0) return <span>No requests</span>;
  return states.map((state) => (
    <Group key={state} component="span" justify="space-between" c={TEXT_COLORS[state]}>
      {stateName(state)} <b className="num">{groupDigits(String(counts[state]))}</b>
    </Group>
  ));
}

type BucketRange = { anchor: number; at: number };

/** Left edge and width of a bucket's bar, in whole CSS pixels. */
function barOf(index: number, buckets: number, width: number): { x: number; width: number } {
  const x = Math.round((index * width) / buckets);
  const end = Math.round(((index + 1) * width) / buckets);
  const gap = width / buckets >= 4 ? 1 : 0;
  return { x, width: Math.max(1, end - x - gap) };
}

function bucketUnder(x: number, buckets: number, width: number): number {
  const index = Math.floor((x / Math.max(1, width)) * buckets);
  return Math.max(0, Math.min(buckets - 1, index));
}

/** A single row among a million must not vanish, CSS pixels. */
const LEAST_PX = 2;

type Stack = readonly (keyof BucketCounts)[];
/** What went well or may still, from the bottom up; and what did not, on a scale of its own above. */
const FINE: Stack = ['completed', 'pending', 'unknown'];
const FAILURES: Stack = ['callback-failed', 'failed'];

function highestOf(counts: readonly BucketCounts[], states: Stack): number {
  return counts.reduce(
    (most, one) =>
      Math.max(
        most,
        states.reduce((sum, state) => sum + one[state], 0),
      ),
    0,
  );
}

function barPaths(
  counts: readonly BucketCounts[],
  states: Stack,
  plot: { width: number; height: number },
): { state: keyof BucketCounts; d: string }[] {
  const highest = Math.max(1, highestOf(counts, states));
  const paths = states.map((state) => ({ state, d: '' }));
  for (const [index, one] of counts.entries()) {
    const { x, width } = barOf(index, counts.length, plot.width);
    let bottom = plot.height;
    for (const path of paths) {
      if (one[path.state] === 0) continue;
      const height = Math.max(LEAST_PX, Math.round((one[path.state] / highest) * plot.height));
      path.d += `M${x} ${bottom - height}h${width}v${height}h${-width}z`;
      bottom -= height;
    }
  }
  return paths.filter(({ d }) => d !== '');
}

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const STEPS = [
  ...[1, 5, 15, 30].map((n) => n * 1000),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 7, 14, 30, 90, 365].map((n) => n * DAY),
];
const TICK_PX = 84;
const TICK_WORD_PX = { second: 56, minute: 40, day: 40 };

/**
 * Round moments along the axis, with their places from 0 to 1.
 * @param offsetMs of the zone whose clock the axis shows
 */
function timeTicks(
  { fromMs, toMs }: Pick<Plotted, 'fromMs' | 'toMs'>,
  width: number,
  offsetMs: number,
): { ms: number; at: number; unit: 'second' | 'minute' | 'day' }[] {
  const most = Math.max(2, Math.floor(width / TICK_PX));
  const step = STEPS.find((one) => (toMs - fromMs) / one <= most) ?? 365 * DAY;
  const unit = step >= DAY ? 'day' : step >= MINUTE ? 'minute' : 'second';
  const ticks: ReturnType<typeof timeTicks> = [];
  for (let ms = Math.ceil((fromMs + offsetMs) / step) * step - offsetMs; ms < toMs; ms += step) {
    ticks.push({ ms, at: (ms - fromMs) / (toMs - fromMs), unit });
  }
  return ticks.slice(0, 100);
}

function countsOfRange({ buckets }: Pick<Plotted, 'buckets'>, range?: BucketRange): BucketCounts {
  const [first, last] =
    range === undefined ? [0, buckets.length - 1] : [range.anchor, range.at].sort((a, b) => a - b);
  return buckets.slice(first, (last ?? 0) + 1).reduce(addCounts, noCounts());
}

function statesWithRows(counts: BucketCounts): (keyof BucketCounts)[] {
  return sumOf(counts) === 0 ? [] : HISTOGRAM_STATES.filter((state) => counts[state] > 0);
}

/** The time of these buckets, unix milliseconds, both ends inclusive, as the view cuts the outer ones short. */
function timeOfRange(head: Plotted, { anchor, at }: BucketRange): { fromMs: number; toMs: number } {
  const [first, last] = [Math.min(anchor, at), Math.max(anchor, at)];
  return {
    fromMs: Math.max(head.startMs, head.fromMs + first * head.bucketMs),
    toMs: Math.min(head.endMs, head.fromMs + (last + 1) * head.bucketMs - 1),
  };
}

const isoOf = (ms: number) => formatIsoMillis(ms).replace('.000Z', 'Z');

/** The view of these buckets and nothing else. It does not follow new rows: there are none in the past. */
function zoomedIn(view: RequestsView, head: Plotted, range: BucketRange): RequestsView {
  const { fromMs, toMs } = timeOfRange(head, range);
  const { live: _live, ...still } = view;
  // The end to the nanosecond, as the rows in it were counted.
  const to = isoOf(toMs).replace(/(?:\.(\d+))?Z$/, (_, digits = '000') => `.${digits}999999Z`);
  return withFilter(still, { time: { kind: 'between', from: isoOf(fromMs), to } });
}

/** Three times the span around its middle. Undefined for a time that is no stretch with two ends. */
function zoomedOut(view: RequestsView): RequestsView | undefined {
  if (view.time.kind !== 'between') return undefined;
  const [fromMs, toMs] = [parseIsoTime(view.time.from ?? ''), parseIsoTime(view.time.to ?? '')];
  if (fromMs === undefined || toMs === undefined || toMs < fromMs) return undefined;
  const spanMs = Math.max(1000, toMs - fromMs);
  const [from, to] = [fromMs - spanMs, toMs + spanMs].map((ms) => isoOf(Math.round(ms / 1000) * 1000));
  const isNamed = [from, to].every((iso) => parseIsoTime(iso ?? '') !== undefined);
  return isNamed ? withFilter(view, { time: { kind: 'between', from, to } }) : undefined;
}
