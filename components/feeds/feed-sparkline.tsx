'use client';
import { Center } from '@mantine/core';
import { memo, useEffect, useRef, useState } from 'react';
import { formatSpan } from '@/lib/core/time';
import { gapMsOf, type Sparkline, sparklineOf } from '@/lib/feeds/client/chart';
import { usualPauseOf } from '@/lib/feeds/client/currency';
import { joinDrawing, useFeedStore } from '@/lib/feeds/client/hooks';
import { sampleStepS } from '@/lib/feeds/client/past';
import type { FeedStore } from '@/lib/feeds/client/store';
import classes from './board.module.css';
import { chartSummary } from './figures';

/** Updates of the past that all sparklines of a board ask for by their time, at most. */
export const BOARD_MOMENTS = 20;

/** `spark`: undefined where nothing was published in the window. */
type Drawing = { readonly spark: Sparkline | undefined; readonly isKnown: boolean; readonly summary: string };

/** Room for the last price's dot, which stands on the edge. */
const EDGE_PX = 3;

type Asked = { readonly id: string; readonly symbol: string; readonly windowMs: number };

/**
 * How one feed moved over the window: a plain drawing, since a board has up to a hundred of them. It takes its turn in the
 * page's round of drawings, and none while it is off screen. Its place keeps its size before the first one.
 */
export function FeedSparkline({ id, symbol, windowMs }: Asked) {
  const store = useFeedStore();
  const place = useRef<HTMLDivElement>(null);
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
  }, [store, id, symbol, windowMs]);
  return (
    <div
      ref={place}
      className={classes.spark}
      role="img"
      aria-label={drawing?.summary ?? `Chart of ${symbol}: no price yet`}
    >
      {drawing?.spark === undefined ? null : <Drawn spark={drawing.spark} />}
      {drawing === undefined || drawing.spark !== undefined ? null : (
        <Center h="100%" c="dimmed" fz="xs">
          {drawing.isKnown ? `No update in the last ${formatSpan(windowMs)}` : 'No price yet'}
        </Center>
      )}
    </div>
  );
}

const Drawn = memo(function Drawn({ spark: { band, ema, line, last } }: { spark: Sparkline }) {
  return (
    <svg aria-hidden="true" fill="none">
      <path d={band} fill="var(--ks-chart-band)" />
      <path d={ema} stroke="var(--ks-chart-ema)" strokeDasharray="3 3" />
      <path d={line} stroke="var(--ks-chart-line)" strokeWidth="1.5" strokeLinejoin="round" />
      {last === undefined ? null : <circle cx={last.x} cy={last.y} r="2.5" fill="var(--ks-chart-line)" />}
    </svg>
  );
});

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
  return { spark, isKnown: points.length > 0, summary: chartSummary(symbol, points, frame) };
}
