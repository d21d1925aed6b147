'use client';
import { memo, type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react';
import type { FeedPoint } from '@/lib/client/feed-history';
import { joinDrawing, useFeedStore } from '@/lib/client/feed-hooks';
import { marksFor } from '@/lib/client/feed-picture';
import { type Sparkline, spanFor, sparklineOf } from '@/lib/client/feed-sparkline';
import type { FeedStore } from '@/lib/client/feed-store';
import { formatSpan } from '@/lib/client/human-time';
import { type TimeStyle, useTimeStyle } from '@/lib/client/time-style';
import { axisTickText } from '@/lib/domain/price-axis';
import { chartSummary, pointText } from './chart-summary';
import classes from './feed-sparkline.module.css';

type Drawing = {
  /** Undefined where nothing was published in the window. */
  readonly spark: Sparkline | undefined;
  /** Whether anything was ever published, as far as this page knows. */
  readonly known: 'something' | 'nothing';
  readonly fromMs: number;
  readonly toMs: number;
  readonly width: number;
  readonly height: number;
  readonly summary: string;
};

/** Room for the last price's dot, which stands on the edge. */
const EDGE_PX = 3;
/** About the width of a digit of the labels. */
const DIGIT_PX = 6;
/** Of the plot, however long the labels are. */
const NARROWEST_PX = 40;
/** One tick for so many pixels. */
const TICK_PX = 26;
/** At least about so many, or none might lie within a low plot. */
const FEWEST_TICKS = 2;
/** A label stands above its line, but under it where it would be cut off. */
const LABEL_PX = 11;

/**
 * How one feed moved over the window: a plain drawing, since a board has sixty of them. It takes its turn in the page's
 * round of drawings, and none while it is off screen. Its place keeps its size before the first one, so nothing moves.
 */
export function FeedSparkline({ id, symbol, windowMs }: { id: string; symbol: string; windowMs: number }) {
  const place = useRef<HTMLDivElement>(null);
  const times = useTimeStyle();
  const drawing = useDrawing(place, { id, symbol, windowMs });
  const [pointerX, setPointerX] = useState<number>();
  const pointed = drawing && pointerX !== undefined ? pointedAt(pointerX, drawing, times) : undefined;
  const point = (event: PointerEvent<HTMLDivElement>) =>
    setPointerX(event.clientX - event.currentTarget.getBoundingClientRect().left);
  return (
    <div
      ref={place}
      className={classes.place}
      role="img"
      aria-label={drawing?.summary ?? `Chart of ${symbol}: no price yet`}
      onPointerMove={point}
      onPointerLeave={() => setPointerX(undefined)}
    >
      {drawing === undefined ? null : drawing.spark === undefined ? (
        <span className={classes.nothing}>
          {drawing.known === 'nothing' ? 'No price yet' : `No update in the last ${formatSpan(windowMs)}`}
        </span>
      ) : (
        <Drawn spark={drawing.spark} height={drawing.height} />
      )}
      {pointed === undefined ? (
        <>
          <EmaPlace place={drawing?.spark?.emaPlace} />
          <Shorter drawing={drawing} windowMs={windowMs} />
        </>
      ) : (
        <>
          <span className={classes.crosshair} style={{ insetInlineStart: pointed.x }} />
          <span className={classes.readout}>{pointed.text}</span>
        </>
      )}
    </div>
  );
}

/** Says on which side of the scale the EMA is, where it is not drawn. */
function EmaPlace({ place }: { place: Sparkline['emaPlace'] }) {
  return place === undefined || place === 'inside' ? null : (
    <span className={classes.ema} aria-hidden="true">
      EMA {place}
    </span>
  );
}

/** While there is no earlier price the drawing spans less than the others beside it. */
function Shorter({ drawing, windowMs }: { drawing: Drawing | undefined; windowMs: number }) {
  const spanMs = drawing?.spark === undefined ? windowMs : drawing.toMs - drawing.fromMs;
  return spanMs >= windowMs ? null : (
    <span className={classes.span} aria-hidden="true">
      {formatSpan(spanMs)}
    </span>
  );
}

const Drawn = memo(function Drawn({ spark, height }: { spark: Sparkline; height: number }) {
  const { ticks, axis, outages, last } = spark;
  const labelled = labelledOf(ticks.map(({ y }) => y));
  return (
    <svg className={classes.drawing} aria-hidden="true">
      {outages.map(({ key, x, width }) => (
        <rect key={key} className={classes.outage} x={x} y={0} width={width} height={height} />
      ))}
      {ticks.map(({ value, y }) => (
        <g key={y} className={classes.tick}>
          <line x1="0" x2="100%" y1={y} y2={y} />
          {labelled.has(y) ? (
            <text x="100%" y={y < LABEL_PX ? y + LABEL_PX - 2 : y - 2} textAnchor="end">
              {axisTickText(value, axis)}
            </text>
          ) : null}
        </g>
      ))}
      <path className={classes.band} d={spark.band} />
      <path className={classes.average} d={spark.ema} />
      <path className={classes.line} d={spark.line} />
      {last === undefined ? null : <circle className={classes.last} cx={last.x} cy={last.y} r="2.5" />}
    </svg>
  );
});

/** Those of some heights (from below) whose labels don't run into the one before. */
function labelledOf(heights: readonly number[]): ReadonlySet<number> {
  const kept: number[] = [];
  for (const y of heights) {
    const top = y < LABEL_PX ? y + LABEL_PX : y;
    if ((kept.at(-1) ?? Number.POSITIVE_INFINITY) - top >= LABEL_PX) kept.push(y);
  }
  return new Set(kept);
}

type Asked = { readonly id: string; readonly symbol: string; readonly windowMs: number };

/** The latest drawing, renewed in turn while the place is on screen and has a size. */
function useDrawing(place: RefObject<HTMLDivElement | null>, { id, symbol, windowMs }: Asked) {
  const store = useFeedStore();
  const [drawing, setDrawing] = useState<Drawing>();
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const room = { labelsPx: 0 };
    let leave: (() => void) | undefined;
    let closeChart: (() => void) | undefined;
    const draw = () => {
      const [width, height] = [element.clientWidth, element.clientHeight];
      if (width > 0) setDrawing(drawingOf(store, { id, symbol, windowMs }, { width, height, room }));
    };
    const watcher = new IntersectionObserver((entries) => {
      const onScreen = entries.at(-1)?.isIntersecting === true;
      if (onScreen && leave === undefined) {
        closeChart ??= store.openChart(id, windowMs);
        draw();
        leave = joinDrawing(draw);
      } else if (!onScreen) {
        leave?.();
        leave = undefined;
      }
    });
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      closeChart?.();
      leave?.();
    };
  }, [store, id, symbol, windowMs, place]);
  return drawing;
}

/** `labelsPx`: how wide the labels of the drawing before were, since that is how wide they mostly are. */
type Room = { readonly width: number; readonly height: number; readonly room: { labelsPx: number } };

function drawingOf(
  store: FeedStore,
  { id, symbol, windowMs }: Asked,
  { width, height, room }: Room,
): Drawing {
  const points = store.history(id).points();
  const toMs = Math.max(Date.now() - store.stream().skewMs, points.at(-1)?.atMs ?? 0);
  const frame = { fromMs: toMs - spanFor(points, toMs, windowMs), toMs };
  const marks = marksFor(store.marks(), new Set([id]));
  const look = {
    ...frame,
    height,
    steps: Math.max(FEWEST_TICKS, Math.floor(height / TICK_PX)),
    usualPauseMs: store.feed(id).rhythmMs,
    marks,
  };
  const plotPx = () => Math.max(NARROWEST_PX, width - EDGE_PX - room.labelsPx);
  let spark = sparklineOf(points, { ...look, width: plotPx() });
  const labelsPx = labelsPxOf(spark);
  if (labelsPx !== room.labelsPx) {
    room.labelsPx = labelsPx;
    spark = sparklineOf(points, { ...look, width: plotPx() });
  }
  const known = points.length > 0 ? 'something' : 'nothing';
  return { spark, known, ...frame, width: plotPx(), height, summary: chartSummary(symbol, points, frame) };
}

function labelsPxOf(spark: Sparkline | undefined): number {
  const lengths = spark?.ticks.map(({ value }) => axisTickText(value, spark.axis).length) ?? [];
  return Math.max(0, ...lengths) * DIGIT_PX + 4;
}

/** The update that is nearest in time to a place in the plot, with its exact digits. */
function pointedAt(
  x: number,
  { spark, fromMs, toMs, width }: Drawing,
  times: TimeStyle,
): { readonly x: number; readonly text: string } | undefined {
  const atMs = fromMs + (x / width) * (toMs - fromMs);
  const distance = (point: FeedPoint) => Math.abs(point.atMs - atMs);
  let nearest: FeedPoint | undefined;
  for (const point of spark?.seen ?? []) {
    if (nearest === undefined || distance(point) < distance(nearest)) nearest = point;
  }
  if (nearest === undefined) return undefined;
  const share = (nearest.atMs - fromMs) / (toMs - fromMs);
  return { x: share * width, text: pointText(nearest, times) };
}
