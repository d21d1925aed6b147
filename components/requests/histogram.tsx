'use client';
import { Button } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { type KeyboardEvent, type PointerEvent, useMemo, useRef, useState } from 'react';
import { useTimeStyle } from '@/components/ui/time-style';
import { explainFailure } from '@/lib/core/explain-failure';
import { countOf, groupDigits } from '@/lib/core/numbers';
import type { Outcome } from '@/lib/core/outcome';
import { formatSpan } from '@/lib/core/time';
import { clockStyle, inputZone, shownMoment, zoneOffsetMs } from '@/lib/core/time-text';
import type { Summary } from '@/lib/requests/answers';
import { type BucketCounts, sumOf } from '@/lib/requests/histogram';
import {
  type BucketRange,
  barOf,
  barPaths,
  bucketUnder,
  countsOfRange,
  FAILURES,
  FINE,
  highestOf,
  statesWithRows,
  timeOfRange,
  timeTicks,
  zoomedIn,
  zoomedOut,
} from '@/lib/requests/histogram-shape';
import type { RequestsView } from '@/lib/requests/view-shape';
import classes from './histogram.module.css';
import { stateLabel } from './state-words';
import type { ShowView } from './use-requests-view';

type Props = {
  view: RequestsView;
  counts: Outcome<Summary> | undefined;
  /** They are those of the view before: dimmed, and they do not zoom. */
  isOutdated: boolean;
  show: ShowView;
};

/** Heights, CSS pixels: what failed stands above on a scale of its own, so that no wall of green hides it. */
const [FAILED_PX, GAP_PX, FINE_PX] = [18, 5, 40];
/** A shorter way of the pointer is no drag. */
const DRAG_PX = 4;

const labelOf = (state: keyof BucketCounts) => (state === 'unknown' ? 'Other states' : stateLabel(state));

/** When the requests of the view came, and which of them failed. Its height is the same whatever there is to show. */
export function Histogram({ view, counts, isOutdated, show }: Props) {
  const out = zoomedOut(view);
  return (
    <section
      className={classes.frame}
      aria-label="Requests over time"
      data-outdated={isOutdated ? 'yes' : undefined}
    >
      {counts?.ok === true && counts.value.histogram.buckets.length > 0 ? (
        <Plot
          summary={counts.value}
          onZoom={(range) => {
            if (isOutdated) return;
            const { histogram, asof } = counts.value;
            show((now) => zoomedIn(now, histogram, range, asof), 'push');
          }}
        />
      ) : (
        <p className={classes.instead}>{insteadWords(counts)}</p>
      )}
      {out === undefined ? null : (
        <Button
          className={classes.out}
          size="compact-xs"
          onClick={() => show((now) => zoomedOut(now) ?? now, 'push')}
        >
          Zoom out
        </Button>
      )}
    </section>
  );
}

function insteadWords(counts: Props['counts']): string {
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
        <span>{bars.mostFailed === 0 ? '' : groupDigits(String(bars.mostFailed))}</span>
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
              className={classes.selection}
              x={first.x}
              width={last.x + last.width - first.x}
              height={FAILED_PX + GAP_PX + FINE_PX}
            />
          )}
          <g>
            {bars.failed.map(({ state, d }) => (
              <path key={state} d={d} data-tone={state} />
            ))}
          </g>
          <path className={classes.base} d={`M0 ${FAILED_PX + 0.5}h${width}`} />
          <g transform={`translate(0 ${FAILED_PX + GAP_PX})`}>
            {bars.fine.map(({ state, d }) => (
              <path key={state} d={d} data-tone={state} />
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
          aria-valuetext={`${spanWords(words(fromMs), words(toMs + 1))}: ${countsWords(countsOfRange(histogram, range))}`}
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
              // Cut off at the chart's edge, where a word would widen the page.
              style={{ insetInlineStart: `${place * 100}%`, maxInlineSize: `${(1 - place) * 100}%` }}
              aria-hidden="true"
            >
              {tickText(words(ms), unit)}
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
            <b className="num">{spanWords(words(fromMs), words(toMs + 1))}</b>
            <Figures counts={figures} />
          </p>
        )}
      </div>
      <p className="sr-only">
        {`${countsWords(countsOfRange(histogram))}. ${spanWords(words(histogram.startMs), words(histogram.endMs))}, in ${histogram.buckets.length} buckets of ${formatSpan(histogram.bucketMs)}.`}
      </p>
    </>
  );
}

/** `04:35`, and the day where one begins. */
function tickText(text: string, unit: 'second' | 'minute' | 'day'): string {
  const [, day = '', clock = ''] = /^\d{4}-(\S+) (\S+)$/.exec(text) ?? [];
  if (unit === 'day' || clock === '00:00:00') return day;
  return unit === 'second' ? clock : clock.slice(0, 5);
}

/** `2026-11-20 08:00:00 – 08:30:00`: the day is said once. */
function spanWords(from: string, to: string): string {
  const day = /^\d{4}-\d\d-\d\d /.exec(from)?.[0];
  return `${from} – ${day !== undefined && to.startsWith(day) ? to.slice(day.length) : to}`;
}

/** `34 requests: 30 completed, 4 pending`. */
function countsWords(counts: BucketCounts): string {
  const parts = statesWithRows(counts).map(
    (state) => `${groupDigits(String(counts[state]))} ${labelOf(state).toLowerCase()}`,
  );
  const total = countOf(String(sumOf(counts)), 'request', 'requests');
  return parts.length === 0 ? total : `${total}: ${parts.join(', ')}`;
}

function Figures({ counts }: { counts: BucketCounts }) {
  const states = statesWithRows(counts);
  if (states.length === 0) return <span>No requests</span>;
  return states.map((state) => (
    <span key={state} className={classes.figure} data-tone={state}>
      {labelOf(state)} <b className="num">{groupDigits(String(counts[state]))}</b>
    </span>
  ));
}
