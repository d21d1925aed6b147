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
import { useRequests } from './requests-context';

type Plotted = Summary['histogram'];

type Props = {
  counts: Outcome<Summary> | undefined;
  /** They are those of the view before: dimmed, and they do not zoom. */
  isOutdated: boolean;
};

const FILLS: Record<keyof BucketCounts, string> = {
  completed: 'var(--ks-chart-fine)',
  pending: 'var(--ks-wait)',
  unknown: 'var(--ks-odd)',
  'callback-failed': 'var(--ks-warn)',
  failed: 'var(--ks-bad)',
};
const DRAG_PX = 4;
/** Height of the words of the time axis, CSS pixels. */
const AXIS_PX = 15;

const stateName = (state: keyof BucketCounts) => (state === 'unknown' ? 'Other states' : stateLabel(state));

/** When the requests of the view came, and which of them failed. Its height is the same whatever there is to show. */
export function Histogram({ counts, isOutdated }: Props) {
  const { view, show } = useRequests();
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
          onZoom={(range) => show((now) => zoomedIn(now, counts.value.histogram, range), 'push')}
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

/** What failed stands above on a scale of its own, so that no wall of green hides it. CSS pixels. */
function heightsOf(height: number) {
  const failed = Math.round((height - AXIS_PX) * 0.28);
  return { failed, fineAt: failed + 4, fine: Math.max(1, height - AXIS_PX - failed - 4) };
}

/** The bars, and the ways to point at them: a pointer that hovers or drags, and a slider for keys and screen readers. */
function Plot({
  summary: { histogram },
  onZoom,
}: {
  summary: Summary;
  onZoom: (range: BucketRange) => void;
}) {
  const { buckets } = histogram;
  const last = buckets.length - 1;
  const { ref, width, height } = useElementSize();
  const [pointed, point] = useState<BucketRange>();
  const style = useTimeStyle();
  const drag = useRef<{ anchor: number; x: number }>(undefined);
  const px = heightsOf(height);
  const bars = useMemo(() => {
    const { failed, fine } = heightsOf(height);
    return {
      fine: barPaths(buckets, FINE, width, fine),
      failed: barPaths(buckets, FAILURES, width, failed),
    };
  }, [buckets, width, height]);
  const bounded = (index: number) => Math.max(0, Math.min(last, index));
  const range = { at: bounded(pointed?.at ?? last), anchor: bounded(pointed?.anchor ?? last) };
  const { fromMs, toMs } = timeOfRange(histogram, range);
  // An age would be of no use on an axis.
  const words = (ms: number) => shownMoment(ms, clockStyle(style), ms);
  const span = spanText(words(fromMs), words(toMs + 1));
  const [from, end] = [Math.min(range.anchor, range.at), Math.max(range.anchor, range.at)];
  const left = barOf(from, buckets.length, width).x;
  const { x, width: lastWidth } = barOf(end, buckets.length, width);
  const right = x + lastWidth;

  function rangeUnder(event: PointerEvent): BucketRange {
    const { left } = event.currentTarget.getBoundingClientRect();
    const at = bounded(Math.floor(((event.clientX - left) / Math.max(1, width)) * buckets.length));
    const isDrag = drag.current !== undefined && Math.abs(event.clientX - drag.current.x) >= DRAG_PX;
    return { at, anchor: isDrag ? (drag.current?.anchor ?? at) : at };
  }
  function press(event: KeyboardEvent) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { at } = range;
    const places: Record<string, number> = {
      ...{ ArrowLeft: at - 1, ArrowDown: at - 1, ArrowRight: at + 1, ArrowUp: at + 1 },
      ...{ PageUp: at + 10, PageDown: at - 10, Home: 0, End: last },
    };
    const to = places[event.key];
    if (to !== undefined) point({ at: bounded(to), anchor: event.shiftKey ? range.anchor : bounded(to) });
    else if (event.key === 'Enter') onZoom(range);
    else if (event.key === 'Escape' && pointed !== undefined) point(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <>
      <p className={classes.scale} aria-hidden="true">
        <span>{bars.failed.most === 0 ? '' : groupDigits(String(bars.failed.most))}</span>
        <span>{groupDigits(String(bars.fine.most))}</span>
      </p>
      <div
        ref={ref}
        className={classes.plot}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.preventDefault();
          drag.current = { anchor: rangeUnder(event).at, x: event.clientX };
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerMove={(event) => point(rangeUnder(event))}
        onPointerUp={(event) => {
          const isDrag = Math.abs(event.clientX - (drag.current?.x ?? event.clientX)) >= DRAG_PX;
          if (isDrag) onZoom(rangeUnder(event));
          drag.current = undefined;
        }}
        onPointerCancel={() => {
          drag.current = undefined;
        }}
        onPointerLeave={() => (drag.current === undefined ? point(undefined) : undefined)}
      >
        <svg className={classes.bars} aria-hidden="true">
          {pointed === undefined ? null : (
            <rect fill="var(--ks-accent-wash)" x={left} width={right - left} height="100%" />
          )}
          <Bars of={bars.failed.paths} width={width} at={0} px={px.failed} />
          <Bars of={bars.fine.paths} width={width} at={px.fineAt} px={px.fine} />
        </svg>
        <input
          type="range"
          className={classes.cursor}
          aria-label="Time, Enter zooms in"
          min={0}
          max={last}
          value={range.at}
          aria-valuetext={`${span}: ${countsText(countsOfRange(histogram, range))}`}
          onChange={(event) => {
            const at = Number(event.currentTarget.value);
            point({ at, anchor: at });
          }}
          onFocus={() => point(range)}
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
            data-side={(left + right) / 2 > width / 2 ? 'left' : 'right'}
            style={{ insetInlineStart: (left + right) / 2 }}
            aria-hidden="true"
          >
            <b className="num">{span}</b>
            <Figures counts={countsOfRange(histogram, range)} />
          </p>
        )}
      </div>
      <p className="sr-only">
        {`${countsText(countsOfRange(histogram))}. ${spanText(words(histogram.startMs), words(histogram.endMs))}, in ${buckets.length} buckets of ${formatSpan(histogram.bucketMs)}.`}
      </p>
    </>
  );
}

type Paths = { state: keyof BucketCounts; d: string }[];

function Bars({ of, width, at, px }: { of: Paths; width: number; at: number; px: number }) {
  return (
    <g transform={`translate(0 ${at})`}>
      {of.map(({ state, d }) => (
        <path key={state} d={d} fill={FILLS[state]} />
      ))}
      <path className={classes.base} d={`M0 ${px + 0.5}h${width}`} />
    </g>
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
    <Group
      key={state}
      component="span"
      justify="space-between"
      c={FAILURES.includes(state) ? FILLS[state] : 'inherit'}
    >
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

/** A single row among a million must not vanish, CSS pixels. */
const LEAST_PX = 2;

type Stack = readonly (keyof BucketCounts)[];
/** What went well or may still, from the bottom up; and what did not, on a scale of its own above. */
const FINE: Stack = ['completed', 'pending', 'unknown'];
const FAILURES: Stack = ['callback-failed', 'failed'];

/** The bars of each of these states, one upon the other, and the most rows of one bucket. */
function barPaths(counts: readonly BucketCounts[], states: Stack, width: number, height: number) {
  const most = Math.max(0, ...counts.map((one) => states.reduce((sum, state) => sum + one[state], 0)));
  const bottoms = counts.map(() => height);
  const paths = states.map((state) => {
    const bars = counts.map((one, index) => {
      if (one[state] === 0) return '';
      const bar = barOf(index, counts.length, width);
      const px = Math.max(LEAST_PX, Math.round((one[state] / most) * height));
      const top = (bottoms[index] ?? height) - px;
      bottoms[index] = top;
      return `M${bar.x} ${top}h${bar.width}v${px}h${-bar.width}z`;
    });
    return { state, d: bars.join('') };
  });
  return { most, paths: paths.filter(({ d }) => d !== '') };
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
