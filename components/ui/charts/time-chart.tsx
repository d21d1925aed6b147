'use client';
import { Paper } from '@mantine/core';
import dynamic from 'next/dynamic';
import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useDeferredValue,
  useMemo,
  useRef,
  useState,
} from 'react';
import { noticeOnFailure } from '@/components/ui/part-not-loaded';
import { useTimeStyle } from '@/components/ui/time-style';
import { clockStyle, inputZone, shownMoment, zoneOffsetMs } from '@/lib/core/time-text';
import { intervalText, tickText, timeTicks } from './time-axis';
import classes from './time-chart.module.css';
import type { ChartRow, Lane, PlottedSpan } from './time-plots';

const loadPlots = () => import('./time-plots').then((part) => part.TimePlots);
const Plots = dynamic(() => noticeOnFailure(loadPlots()), { ssr: false });
// Preloaded with the page. A failure is reported where the plots are rendered.
if (typeof window !== 'undefined') loadPlots().catch(() => {});

/** A shorter move of the pointer is a click. */
const DRAG_PX = 4;

type Props = {
  label: string;
  buckets: ChartRow[];
  span: PlottedSpan;
  lanes: readonly Lane[];
  /** Buckets from `first` to `last`, inclusive: time span (unix ms, cut to the view), announcement, tooltip. */
  describeBuckets: (
    first: number,
    last: number,
  ) => { fromMs: number; toMs: number; announcement: string; tip: ReactNode };
  onSelect: (first: number, last: number, by: 'click' | 'drag' | 'key') => void;
  overlay?: ReactNode;
};

/** A span names its day only once. */
export function useSpanText() {
  const style = useTimeStyle();
  // Clock times, never ages.
  const words = (ms: number) => shownMoment(ms, clockStyle(style), ms);
  return { words, spanOf: (fromMs: number, toMs: number) => intervalText(words(fromMs), words(toMs)) };
}

/** Places of buckets. */
type SelectionState = { at: number; anchor: number };

/** The buckets that pointer or keys select: from the one where a drag began to the one at the pointer. */
function useSelection(count: number, onSelect: Props['onSelect']) {
  const drag = useRef<{ anchor: number; x: number }>(undefined);
  const [pointed, point] = useState<SelectionState>();
  const end = count - 1;
  const bounded = (place: number) => Math.max(0, Math.min(end, place));
  const [at, anchor] = [bounded(pointed?.at ?? end), bounded(pointed?.anchor ?? end)];
  const [first, last] = at < anchor ? [at, anchor] : [anchor, at];

  function under(event: PointerEvent) {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const place = bounded(Math.floor(((event.clientX - left) / Math.max(1, width)) * count));
    const begun = drag.current;
    const isDrag = begun !== undefined && Math.abs(event.clientX - begun.x) >= DRAG_PX;
    return { at: place, anchor: isDrag ? begun.anchor : place, isDrag };
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const to = bucketOfKey(event.key, at, end);
    if (to !== undefined) point({ at: bounded(to), anchor: event.shiftKey ? anchor : bounded(to) });
    else if (event.key === 'Enter') onSelect(first, last, 'key');
    else if (event.key === 'Escape' && pointed !== undefined) point(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
  const pointerHandlers = {
    onPointerDown(event: PointerEvent) {
      if (event.button !== 0) return;
      drag.current = { anchor: under(event).at, x: event.clientX };
      event.currentTarget.setPointerCapture(event.pointerId);
      point(under(event));
    },
    onPointerMove: (event: PointerEvent) => point(under(event)),
    onPointerUp(event: PointerEvent) {
      const ended = under(event);
      if (drag.current === undefined) return;
      drag.current = undefined;
      const [from = 0, to = 0] = [ended.at, ended.anchor].sort((a, b) => a - b);
      onSelect(from, to, ended.isDrag ? 'drag' : 'click');
    },
    onPointerCancel() {
      drag.current = undefined;
    },
    onPointerLeave: () => (drag.current === undefined ? point(undefined) : undefined),
  };
  return { isEmpty: pointed === undefined, at, anchor, first, last, point, pointerHandlers, onKeyDown };
}

/** Plots share a time axis and a crosshair moved by pointer and keys. Fills the height of its container. */
export function TimeChart({ label, buckets, span, lanes, describeBuckets: about, onSelect, overlay }: Props) {
  const style = useTimeStyle();
  const { words: momentWords, spanOf } = useSpanText();
  const selection = useSelection(buckets.length, onSelect);
  // A deferred render is split into short tasks, so the plots of a new chart delay no input on a phone.
  const isPlotted = useDeferredValue(true, false);
  const { at, anchor, first, last, point } = selection;
  const ticks = useMemo(
    () => timeTicks(buckets, (ms) => zoneOffsetMs(ms, inputZone(style))),
    [buckets, style],
  );
  const shown = about(first, last);
  const words = spanOf(shown.fromMs, shown.toMs);

  return (
    <div className={classes.frame}>
      {isPlotted && (
        <Plots
          {...{ data: buckets, span, lanes, ticks }}
          tickWords={(ms, unit) => tickText(momentWords(ms), unit)}
        />
      )}
      <div className={classes.pointer} {...selection.pointerHandlers}>
        <input
          type="range"
          aria-label={label}
          min={0}
          max={buckets.length - 1}
          value={at}
          aria-valuetext={`${words}: ${shown.announcement}`}
          onChange={({ currentTarget: { value } }) => point({ at: Number(value), anchor: Number(value) })}
          onFocus={() => point({ at, anchor })}
          onBlur={() => point(undefined)}
          onKeyDown={selection.onKeyDown}
        />
        {selection.isEmpty ? null : (
          <Crosshair {...{ first, last, at }} count={buckets.length}>
            <b>{words}</b>
            {shown.tip}
          </Crosshair>
        )}
      </div>
      {overlay === undefined ? null : <div className={classes.overlay}>{overlay}</div>}
    </div>
  );
}

/** The bucket to which a key moves. It may lie outside the chart; undefined for a key that does not move. */
function bucketOfKey(key: string, at: number, end: number): number | undefined {
  const targets: Record<string, number> = {
    ArrowLeft: at - 1,
    ArrowDown: at - 1,
    ArrowRight: at + 1,
    ArrowUp: at + 1,
    PageUp: at + 10,
    PageDown: at - 10,
    Home: 0,
    End: end,
  };
  return targets[key];
}

type CrosshairProps = { first: number; last: number; at: number; count: number; children: ReactNode };

/** Marks the buckets from `first` to `last`; the tooltip is beside the bucket `at`, on the side with more room. */
function Crosshair({ first, last, at, count, children }: CrosshairProps) {
  const middle = (at + 0.5) / count;
  return (
    <>
      <span
        className={classes.crosshair}
        data-span={first !== last || undefined}
        style={{
          insetInlineStart: `${(first / count) * 100}%`,
          width: `${((last - first + 1) / count) * 100}%`,
        }}
      />
      <Paper
        className={classes.tip}
        withBorder
        style={middle > 0.5 ? { right: `${(1 - middle) * 100}%` } : { left: `${middle * 100}%` }}
        aria-hidden="true"
      >
        {children}
      </Paper>
    </>
  );
}

export function TipLines({ lines }: { lines: readonly { label: string; text: string; colour?: string }[] }) {
  return lines.map(({ label, text, colour }) => (
    <span key={label} style={{ color: colour }}>
      {label} <b>{text}</b>
    </span>
  ));
}
