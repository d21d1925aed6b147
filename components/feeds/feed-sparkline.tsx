'use client';
import { Center } from '@mantine/core';
import { memo, type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { useTimeStyle } from '@/components/ui/time-style';
import { formatSpan } from '@/lib/core/time';
import { gapMsOf, nearestPoint, type Sparkline, sparklineOf } from '@/lib/feeds/client/chart';
import { usualPauseOf } from '@/lib/feeds/client/currency';
import { joinDrawing, useFeedStore } from '@/lib/feeds/client/hooks';
import { sampleStepS } from '@/lib/feeds/client/past';
import type { FeedStore } from '@/lib/feeds/client/store';
import classes from './board.module.css';
import { chartSummary, pointText } from './figures';

/** Updates of the past that all sparklines of a board ask for by their time, at most. */
export const BOARD_MOMENTS = 20;

type Drawing = {
  /** Undefined where nothing was published in the window. */
  readonly spark: Sparkline | undefined;
  readonly isKnown: boolean;
  readonly fromMs: number;
  readonly toMs: number;
  /** Of the plot. */
  readonly width: number;
  readonly height: number;
  readonly summary: string;
};

/** Room for the last price's dot, which stands on the edge. */
const EDGE_PX = 3;

/**
 * How one feed moved over the window: a plain drawing, since a board has up to a hundred of them. It takes its turn in the
 * page's round of drawings, and none while it is off screen. Its place keeps its size before the first one.
 */
export function FeedSparkline({ id, symbol, windowMs }: { id: string; symbol: string; windowMs: number }) {
  const place = useRef<HTMLDivElement>(null);
  const times = useTimeStyle();
  const drawing = useDrawing(place, { id, symbol, windowMs });
  const [pointerX, setPointerX] = useState<number>();
  const point = (event: PointerEvent<HTMLDivElement>) =>
    setPointerX(event.clientX - event.currentTarget.getBoundingClientRect().left);
  const { fromMs = 0, toMs = 1, width = 1, spark } = drawing ?? {};
  const atMs = fromMs + ((pointerX ?? 0) / width) * (toMs - fromMs);
  const nearest =
    pointerX === undefined ? undefined : nearestPoint(spark?.seen ?? [], atMs, { fromMs, toMs });
  return (
    <div
      ref={place}
      className={classes.spark}
      role="img"
      aria-label={drawing?.summary ?? `Chart of ${symbol}: no price yet`}
      onPointerMove={point}
      onPointerLeave={() => setPointerX(undefined)}
    >
      {drawing === undefined ? null : spark === undefined ? (
        <Center h="100%" c="dimmed" fz="xs">
          {drawing.isKnown ? `No update in the last ${formatSpan(windowMs)}` : 'No price yet'}
        </Center>
      ) : (
        <Drawn spark={spark} />
      )}
      {nearest === undefined ? null : (
        <>
          <span
            className={classes.crosshair}
            style={{ insetInlineStart: ((nearest.atMs - fromMs) / (toMs - fromMs)) * width }}
          />
          <span className={classes.readout}>{pointText(nearest, times)}</span>
        </>
      )}
    </div>
  );
}

const Drawn = memo(function Drawn({ spark: { band, ema, line, last, ends } }: { spark: Sparkline }) {
  return (
    <svg aria-hidden="true" fill="none">
      <path d={band} fill="var(--ks-chart-band)" />
      <path d={ema} stroke="var(--ks-chart-ema)" strokeDasharray="3 3" />
      <path d={line} stroke="var(--ks-chart-line)" strokeWidth="1.5" strokeLinejoin="round" />
      <text x="0" y="9">
        {ends[0]}
      </text>
      <text x="0" y="100%" dy="-2">
        {ends[1]}
      </text>
      {last === undefined ? null : <circle cx={last.x} cy={last.y} r="2.5" fill="var(--ks-chart-line)" />}
    </svg>
  );
});

type Asked = { readonly id: string; readonly symbol: string; readonly windowMs: number };

/** The latest drawing, renewed in turn while the place is on screen and has a size. */
function useDrawing(place: RefObject<HTMLDivElement | null>, { id, symbol, windowMs }: Asked) {
  const store = useFeedStore();
  const [drawing, setDrawing] = useState<Drawing>();
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    let leave: (() => void) | undefined;
    const draw = () => {
      const { clientWidth, clientHeight } = element;
      if (clientWidth <= EDGE_PX) return;
      setDrawing(drawingOf(store, { id, symbol, windowMs }, clientWidth - EDGE_PX, clientHeight));
    };
    const watcher = new IntersectionObserver((entries) => {
      const isOnScreen = entries.at(-1)?.isIntersecting === true;
      if (isOnScreen && leave === undefined) {
        draw();
        leave = joinDrawing(draw);
      } else if (!isOnScreen) {
        leave?.();
        leave = undefined;
      }
    });
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      leave?.();
    };
  }, [store, id, symbol, windowMs, place]);
  return drawing;
}

function drawingOf(
  store: FeedStore,
  { id, symbol, windowMs }: Asked,
  width: number,
  height: number,
): Drawing {
  const points = store.points(id);
  const toMs = store.serviceNowMs([id]);
  const frame = { fromMs: toMs - windowMs, toMs };
  // While seeds are on their way, two of them next to each other may be far apart.
  const isFilled = store.past.state.kind === 'complete';
  const stepS = isFilled ? sampleStepS({ spanMs: windowMs, moments: BOARD_MOMENTS }) : windowMs;
  const gapMs = gapMsOf(usualPauseOf(points), stepS);
  const spark = sparklineOf(points, { ...frame, width, height, gapMs });
  const summary = chartSummary(symbol, points, frame);
  return { spark, isKnown: points.length > 0, ...frame, width, height, summary };
}
