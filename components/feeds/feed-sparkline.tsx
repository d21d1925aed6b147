'use client';
import { Center, Divider, Paper } from '@mantine/core';
import { memo, type RefObject, useEffect, useRef, useState } from 'react';
import { useTimeStyle } from '@/components/ui/time-style';
import { formatSpan } from '@/lib/core/time';
import { clockWords } from '@/lib/core/time-text';
import type { FeedName } from '@/lib/feeds/board-url';
import { type Sparkline, shownGaps, sparklineGaps, sparklineOf } from '@/lib/feeds/client/chart';
import { exactPrice, exactText, nearestPoint } from '@/lib/feeds/client/history';
import { type FeedPageContext, usePage } from '@/lib/feeds/client/hooks';
import { sampleStepS } from '@/lib/feeds/client/past';
import { joinRedrawQueue } from '@/lib/feeds/client/redraw-queue';
import type { FeedStore } from '@/lib/feeds/client/store';
import { isConnected } from '@/lib/feeds/client/stream';
import { gapText } from '@/lib/feeds/feed-cadence';
import classes from './board.module.css';
import { GAP_SHADES } from './chart-legend';
import { chartSummary, emptyWords } from './figures';

/** Most past moments that a board requests for its sparklines. */
export const BOARD_MOMENTS = 20;

/** `spark`: undefined where nothing was published in the window. `width`: of the plot. */
type Drawing = ReturnType<typeof drawingOf>;

/** Room for the dot of the last price at the right edge. */
const EDGE_PX = 3;

type SparklineProps = { readonly feed: FeedName; readonly windowMs: number };

/** Sparkline of one feed: a plain SVG path, since a board has up to a hundred of them. */
export function FeedSparkline(props: SparklineProps) {
  const place = useRef<HTMLDivElement>(null);
  const drawing = useDrawing(place, props);
  const [pointerX, setPointerX] = useState<number>();
  return (
    <div
      ref={place}
      className={classes.spark}
      role="img"
      aria-label={drawing?.summary ?? `Chart of ${props.feed.symbol}: no price yet`}
      onPointerMove={({ clientX, currentTarget }) =>
        setPointerX(clientX - currentTarget.getBoundingClientRect().left)
      }
      onPointerLeave={() => setPointerX(undefined)}
    >
      {drawing === undefined ? null : drawing.spark === undefined ? (
        <Center h="100%" c="dimmed" fz="xs">
          {drawing.isKnown
            ? emptyWords(drawing.gaps, `No update in the last ${formatSpan(props.windowMs)}`)
            : 'No price yet'}
        </Center>
      ) : (
        <Drawn spark={drawing.spark} />
      )}
      {drawing === undefined || pointerX === undefined ? null : <Readout drawing={drawing} x={pointerX} />}
    </div>
  );
}

function Readout({ drawing, x }: { drawing: Drawing; x: number }) {
  const times = useTimeStyle();
  const { fromMs, toMs, width, spark, gaps } = drawing;
  const pxOf = (atMs: number) => ((atMs - fromMs) / (toMs - fromMs)) * width;
  const pointedMs = fromMs + (x / width) * (toMs - fromMs);
  const gap = gaps.find(({ fromS, untilS }) => fromS * 1000 < pointedMs && pointedMs < untilS * 1000);
  const point = gap ? undefined : nearestPoint(spark?.seen ?? [], pointedMs, drawing);
  if (spark === undefined || (point === undefined && gap === undefined)) return null;
  const at = point === undefined ? x : pxOf(point.atMs);
  const beside = at > width / 2 ? { right: width - at + 6 } : { left: at + 6 };
  return (
    <div style={{ pointerEvents: 'none' }}>
      <Divider
        pos="absolute"
        top={0}
        left={at}
        h="100%"
        orientation="vertical"
        color="var(--ks-text-faint)"
      />
      <Paper
        withBorder
        pos="absolute"
        top={1}
        px={4}
        c="var(--ks-text-soft)"
        fz="xs"
        className="num"
        style={{ ...beside, whiteSpace: 'pre' }}
      >
        {gap && gapText(gap)}
        {point && `${clockWords(point.atMs, times)} ${exactText(exactPrice(point.update))}`}
        {point?.update.f === 1 ? ' backfilled' : ''}
      </Paper>
    </div>
  );
}

const Drawn = memo(function Drawn({ spark: { shades, band, ema, line, last, ends } }: { spark: Sparkline }) {
  return (
    <svg aria-hidden="true" fill="none">
      {shades.map(({ kind, left, width }) => (
        <rect
          key={`${kind}${left}`}
          x={left}
          width={width}
          height="100%"
          fill={GAP_SHADES[kind].colour}
          fillOpacity={0.14}
          className={`shade-${kind}`}
        />
      ))}
      <path d={band} fill="var(--ks-chart-band)" />
      <path d={ema} stroke="var(--ks-chart-ema)" strokeDasharray="3 3" />
      <path d={line} stroke="var(--ks-chart-line)" strokeWidth="1.5" strokeLinejoin="round" />
      <text x="0" y="9">
        High {ends[0]}
      </text>
      <text x="0" y="100%" dy="-2">
        Low {ends[1]}
      </text>
      {last === undefined ? null : <circle cx={last.x} cy={last.y} r="2.5" fill="var(--ks-chart-line)" />}
    </svg>
  );
});

/** Latest drawing, redrawn in the page's redraw queue while its element is on screen and has a size. */
function useDrawing(place: RefObject<HTMLDivElement | null>, { feed, windowMs }: SparklineProps) {
  const { store, floors, isFilled } = usePage();
  const [drawing, setDrawing] = useState<Drawing>();
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    let leave: (() => void) | undefined;
    const draw = () => {
      const size = { width: element.clientWidth - EDGE_PX, height: element.clientHeight };
      if (size.width > 0) setDrawing(drawingOf(store, { floors, isFilled }, { feed, windowMs }, size));
    };
    const watcher = new IntersectionObserver((entries) => {
      leave?.();
      leave = undefined;
      if (entries.at(-1)?.isIntersecting !== true) return;
      draw();
      leave = joinRedrawQueue(draw);
    });
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      leave?.();
    };
  }, [store, floors, isFilled, feed, windowMs, place]);
  return drawing;
}

function drawingOf(
  store: FeedStore,
  { floors, isFilled }: Pick<FeedPageContext, 'floors' | 'isFilled'>,
  { feed, windowMs }: SparklineProps,
  size: Parameters<typeof sparklineOf>[2],
) {
  const { id, symbol } = feed;
  const points = store.points(id);
  const toMs = store.serviceNowMs([id]);
  const range = { fromMs: toMs - windowMs, toMs };
  const link = isConnected(store.stream().link) ? ('up' as const) : ('down' as const);
  const gaps = sparklineGaps(points, range, {
    floors,
    market: feed,
    isFilled,
    sampledEveryS: sampleStepS({ spanMs: windowMs, moments: BOARD_MOMENTS }),
    edge: { nowS: Math.floor(toMs / 1000), link },
  });
  const spark = sparklineOf(points, range, size, gaps, isFilled);
  const shown = shownGaps(gaps, isFilled);
  const summary = chartSummary(symbol, points, range, shown);
  return { ...range, ...size, gaps: shown, spark, isKnown: points.length > 0, summary };
}
