'use client';
import dynamic from 'next/dynamic';
import { type PointerEvent, useEffect, useRef, useState } from 'react';
import type { FeedHistory, FeedPoint } from '@/lib/client/feed-history';
import { joinDrawing, useFeedStore } from '@/lib/client/feed-hooks';
import { formatSpan } from '@/lib/client/human-time';
import { CHART_MARGIN, type ChartFrame, chartFrameOf, priceAxisWidth, TIME_AXIS_HEIGHT } from './chart-frame';
import { chartSummary, pointText } from './chart-summary';
import classes from './feed-figure.module.css';

/** Loaded when the first chart comes into sight: the library is heavier than the page. */
const FeedChart = dynamic(() => import('./feed-chart'), { ssr: false, loading: () => null });

const HEIGHT_PX = 132;

type Drawing = {
  readonly points: readonly FeedPoint[];
  readonly frame: ChartFrame;
  readonly width: number;
  readonly summary: string;
  /** Whether any update falls into the time that the chart spans. */
  readonly seen: 'something' | 'nothing';
};

/**
 * The chart of one feed. It takes its turn in the page's round of drawings, and none while it is off screen. Its place
 * keeps its size before the first drawing, so nothing moves when the library has arrived.
 */
export function FeedFigure({ id, symbol }: { id: string; symbol: string }) {
  const place = useRef<HTMLDivElement>(null);
  const drawing = useDrawing(id, symbol, place);
  // Only where the pointer is: what stands there changes with every drawing.
  const [pointerX, setPointerX] = useState<number>();
  const pointed = drawing === undefined || pointerX === undefined ? undefined : pointedAt(pointerX, drawing);

  const point = (event: PointerEvent<HTMLDivElement>) =>
    setPointerX(event.clientX - event.currentTarget.getBoundingClientRect().left);

  return (
    <figure className={classes.figure}>
      <div
        ref={place}
        className={classes.place}
        role="img"
        aria-label={drawing?.summary ?? `Chart of ${symbol}: no price yet`}
        onPointerMove={point}
        onPointerLeave={() => setPointerX(undefined)}
      >
        {drawing === undefined ? null : <DrawnChart drawing={drawing} />}
        {pointed === undefined ? (
          <EmaLegend place={drawing?.seen === 'something' ? drawing.frame.emaPlace : undefined} />
        ) : (
          <>
            <span
              className={classes.crosshair}
              style={{ insetInlineStart: pointed.x, insetBlockEnd: TIME_AXIS_HEIGHT }}
            />
            <span className={classes.readout}>{pointed.text}</span>
          </>
        )}
      </div>
    </figure>
  );
}

/** The chart, or why there is nothing to draw. */
function DrawnChart({ drawing: { frame, points, width, seen } }: { drawing: Drawing }) {
  if (seen === 'nothing') {
    const words = points.length === 0 ? 'No price yet' : `No update in the last ${formatSpan(spanMs(frame))}`;
    return <span className={classes.nothing}>{words}</span>;
  }
  return (
    <div aria-hidden="true">
      <FeedChart frame={frame} width={width} height={HEIGHT_PX} />
    </div>
  );
}

const EMA_WORDS = { inside: 'EMA', above: 'EMA above', below: 'EMA below' };

/** Names the dashed line, or says on which side of the scale it would be. */
function EmaLegend({ place }: { place: ChartFrame['emaPlace'] }) {
  return place === undefined ? null : (
    <span className={classes.legend} data-place={place} aria-hidden="true">
      {EMA_WORDS[place]}
    </span>
  );
}

/** The latest drawing, renewed in turn while the place is on screen and has a width. */
function useDrawing(
  id: string,
  symbol: string,
  place: React.RefObject<HTMLDivElement | null>,
): Drawing | undefined {
  const store = useFeedStore();
  const [drawing, setDrawing] = useState<Drawing>();
  useEffect(() => {
    const element = place.current;
    if (element === null) {
      return;
    }
    let leave: (() => void) | undefined;
    const draw = () => {
      const width = Math.floor(element.clientWidth);
      if (width > 0) {
        const rhythmMs = store.feed(id).rhythmMs;
        setDrawing(drawingOf(store.history(id), { width, symbol, rhythmMs, skewMs: store.stream().skewMs }));
      }
    };
    const watcher = new IntersectionObserver((entries) => {
      const onScreen = entries.at(-1)?.isIntersecting === true;
      if (onScreen && leave === undefined) {
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
      leave?.();
    };
  }, [store, id, symbol, place]);
  return drawing;
}

function drawingOf(
  history: FeedHistory,
  look: { width: number; symbol: string; rhythmMs: number | undefined; skewMs: number },
): Drawing {
  const points = history.points();
  const newestMs = points.at(-1)?.atMs ?? 0;
  const frame = chartFrameOf(points, {
    toMs: Math.max(Date.now() - look.skewMs, newestMs),
    columns: look.width,
    usualPauseMs: look.rhythmMs,
  });
  return {
    points,
    frame,
    width: look.width,
    summary: chartSummary(look.symbol, points, frame),
    seen: newestMs >= frame.fromMs && points.length > 0 ? 'something' : 'nothing',
  };
}

function spanMs({ fromMs, toMs }: ChartFrame): number {
  return toMs - fromMs;
}

type Pointed = { readonly x: number; readonly text: string };

/** The update that is nearest in time to a place in the plot, with its exact digits. */
function pointedAt(x: number, { frame, width, points }: Drawing): Pointed | undefined {
  const plotPx = width - priceAxisWidth(frame) - CHART_MARGIN.right - CHART_MARGIN.left;
  const atMs = frame.fromMs + ((x - CHART_MARGIN.left) / plotPx) * (frame.toMs - frame.fromMs);
  let nearest: FeedPoint | undefined;
  for (const point of points) {
    const inside = point.atMs >= frame.fromMs && point.atMs <= frame.toMs;
    if (inside && (nearest === undefined || Math.abs(point.atMs - atMs) < Math.abs(nearest.atMs - atMs))) {
      nearest = point;
    }
  }
  if (nearest === undefined || x > plotPx + CHART_MARGIN.left) {
    return undefined;
  }
  const share = (nearest.atMs - frame.fromMs) / (frame.toMs - frame.fromMs);
  return { x: CHART_MARGIN.left + share * plotPx, text: pointText(nearest) };
}
