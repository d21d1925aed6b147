'use client';
import { Center, Stack, Text } from '@mantine/core';
import { memo, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { tickText } from '@/components/ui/charts/time-axis';
import { useSteadyWords, useTimeStyle } from '@/components/ui/time-style';
import { formatSpan } from '@/lib/core/time';
import {
  clockStyle,
  clockWords,
  inputZone,
  shownMoment,
  type TimeStyle,
  zoneOffsetMs,
} from '@/lib/core/time-text';
import type { FeedName } from '@/lib/feeds/board-url';
import { currencyOf } from '@/lib/feeds/client/alert-input';
import { timeAxisOf } from '@/lib/feeds/client/axes';
import { type SparklineDrawing, shownGaps, sparklineGaps, sparklineOf } from '@/lib/feeds/client/chart';
import { findExtremes, pointOf, shortText } from '@/lib/feeds/client/history';
import { type FeedPageContext, useFeed, usePage } from '@/lib/feeds/client/hooks';
import { sampleStepS } from '@/lib/feeds/client/past';
import { joinRedrawQueue } from '@/lib/feeds/client/redraw-queue';
import type { FeedStore } from '@/lib/feeds/client/store';
import { isConnected } from '@/lib/feeds/client/stream';
import { GAPS } from '@/lib/feeds/feed-cadence';
import type { PriceUpdate } from '@/lib/feeds/price-update';
import classes from './board.module.css';
import { GAP_SHADES } from './chart-legend';
import shared from './feeds.module.css';
import { chartSummary, FeedFigure, LOADED_PART, SAMPLED, ShortNumber } from './figures';
import { CrosshairMark, useTileCrosshair } from './tile-crosshair';

export const BOARD_MOMENTS = 30;

/** Sparklines this near to the screen are drawn before they are scrolled to. */
const DRAWN_AHEAD = '200% 0px';

/** `spark` is undefined if nothing was published in the window. */
type Drawing = ReturnType<typeof drawingOf>;

/** Space at the right edge for the dot of the last price. */
const EDGE_PX = 3;

type SparklineProps = { readonly feed: FeedName; readonly windowMs: number };

/** `facts`: other figures of the feed, beside the highest and the lowest price of the chart. */
type FiguresProps = { readonly facts?: ReactNode };

/** A plain SVG path, because a board has up to a hundred of them. */
export function FeedSparkline({ facts, ...props }: SparklineProps & FiguresProps) {
  const place = useRef<HTMLDivElement>(null);
  const drawing = useDrawing(place, props);
  const times = useTimeStyle();
  const { mark, handlers } = useTileCrosshair(place, drawing);
  const chart = (
    <div
      ref={place}
      className={`${classes.spark} ${shared.halo}`}
      role="img"
      aria-label={drawing?.summary ?? `Chart of ${props.feed.symbol}: no price yet`}
      {...handlers}
    >
      {drawing?.spark === undefined ? (
        <ChartPlaceholder drawing={drawing} windowMs={props.windowMs} />
      ) : (
        <>
          <Missing spark={drawing.spark} isFilled={drawing.isFilled} />
          <Drawn id={props.feed.id} spark={drawing.spark} times={times} />
        </>
      )}
      <CrosshairMark mark={mark} />
    </div>
  );
  return facts === undefined ? (
    chart
  ) : (
    <>
      {chart}
      <dl className={classes.facts}>
        <Extremes id={props.feed.id} spark={drawing?.spark} />
        {facts}
      </dl>
    </>
  );
}

function ChartPlaceholder({ drawing, windowMs }: { drawing: Drawing | undefined; windowMs: number }) {
  const words = useSteadyWords();
  const isLoading = drawing === undefined || (!drawing.isFilled && drawing.reason === undefined);
  const { last } = drawing ?? {};
  const emptyText = last ? `No update in the last ${formatSpan(windowMs)}` : 'No price yet';
  return (
    <Center h="100%" className={isLoading ? shared.loading : classes.empty}>
      <Stack gap={0} align="center" c="dimmed" fz="xs" ta="center">
        <Text component="span" inherit fw={600}>
          {drawing && (drawing.reason ?? (isLoading ? 'Loading history' : emptyText))}
        </Text>
        {last && <span data-last="">Last price {words(last.publishTimeS * 1000)}</span>}
      </Stack>
    </Center>
  );
}

/** Width from which a note about missing history fits, pixels. */
const MIN_NOTE_PX = 110;

/** Hatches parts that are still loading, and marks the moment from which an incomplete chart has prices. */
function Missing({ spark, isFilled }: { spark: SparklineDrawing; isFilled: boolean }) {
  const times = useTimeStyle();
  const { loading, shades, startMs, plot } = spark;
  const [first] = shades;
  const begin = isFilled && first?.kind === 'unknown' && first.left === 0 ? first : undefined;
  return (
    <>
      {loading.map(({ left, width }) => (
        <Center
          key={left}
          pos="absolute"
          top={0}
          left={left}
          w={width}
          h={plot.height}
          className={shared.loading}
        >
          {width < MIN_NOTE_PX ? null : <span>Loading history</span>}
        </Center>
      ))}
      {begin === undefined || begin.width < MIN_NOTE_PX ? null : (
        <Center pos="absolute" top={0} left={0} w={begin.width} h={plot.height} className={shared.note}>
          <span>Collecting since {clockWords(startMs, times)}</span>
        </Center>
      )}
    </>
  );
}

/** Nearer than this, the tag of the last price covers a number of the axis. */
const TAG_PX = 16;

type DrawnProps = { id: string; spark: SparklineDrawing; times: TimeStyle };

const Drawn = memo(function Drawn({ id, spark, times: style }: DrawnProps) {
  const { shades, band, ema, emaBeyond, line, last, plot, prices, range } = spark;
  const hasAxes = prices.length > 0;
  const times = hasAxes
    ? timeAxisOf(range, plot.width, (ms) => zoneOffsetMs(ms, inputZone(style)))
    : undefined;
  const xOf = (atMs: number) => ((atMs - range.fromMs) / (range.toMs - range.fromMs)) * plot.width;
  return (
    <svg aria-hidden="true" fill="none">
      {prices.map(({ y, text }) => (
        <g key={text}>
          <path d={`M0 ${y}h${plot.width}`} stroke="var(--ks-chart-grid)" />
          {last && Math.abs(last.y - y) < TAG_PX ? null : (
            <text x={plot.width + 8} y={y} dy="3.5">
              {text}
            </text>
          )}
        </g>
      ))}
      {times?.ticks.map((atMs) => (
        <text key={atMs} x={xOf(atMs)} y="100%" dy="-2" textAnchor="middle">
          {tickText(shownMoment(atMs, clockStyle(style), atMs), times.unit)}
        </text>
      ))}
      {/* Cuts the band and the EMA at the edges of the plot. */}
      <svg width={plot.width} height={plot.height} aria-hidden="true">
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
        <path d={band} fill="var(--ks-chart-band)" className={classes.band} />
        <path d={ema} stroke="var(--ks-chart-ema)" strokeDasharray="3 3" />
        <path d={line} stroke="var(--ks-chart-line)" strokeWidth="1.5" strokeLinejoin="round" />
      </svg>
      {emaBeyond && (
        <text x={plot.width - 4} y={emaBeyond === 'above' ? 10 : plot.height - 3} textAnchor="end">
          EMA {emaBeyond}
        </text>
      )}
      {hasAxes ? <LastPrice id={id} spark={spark} /> : last && <EndDot x={last.x} y={last.y} />}
    </svg>
  );
});

type ExtremesProps = { id: string; spark: SparklineDrawing | undefined };

/** High and Low follow each update, like the price above the chart. */
const Extremes = memo(function Extremes({ id, spark }: ExtremesProps) {
  const latest = useFeed(id).latest;
  const { highest, lowest } = spark === undefined ? {} : extremesWith(latest, spark);
  const sampled = spark?.isSampled ? SAMPLED : '';
  const note = spark !== undefined && spark.loading.length > 0 ? LOADED_PART : sampled;
  return (
    <>
      <FeedFigure name="High">
        {highest && <ShortNumber value={highest.update.price} figure="extreme" note={note} />}
      </FeedFigure>
      <FeedFigure name="Low">
        {lowest && <ShortNumber value={lowest.update.price} figure="extreme" note={note} />}
      </FeedFigure>
    </>
  );
});

/** Extremes of a chart and of a price that is newer than the chart. */
function extremesWith(latest: PriceUpdate | undefined, { range, extremes }: SparklineDrawing) {
  const live = latest && pointOf(latest);
  const isDrawn = live === undefined || live.atMs < range.fromMs || latest?.misdating !== undefined;
  return (isDrawn ? undefined : findExtremes([extremes.highest, extremes.lowest, live])) ?? extremes;
}

const EndDot = ({ x, y }: { x: number; y: number }) => (
  <circle cx={x} cy={y} r="2.5" fill="var(--ks-chart-line)" />
);

/** The tag and the end of the line follow each update, not each drawing. */
function LastPrice({
  id,
  spark: { plot, scale, last, range, seen },
}: {
  id: string;
  spark: SparklineDrawing;
}) {
  const { latest } = useFeed(id);
  if (latest === undefined) return last && <EndDot x={last.x} y={last.y} />;
  const y = Math.min(plot.height, Math.max(0, scale(latest)));
  const text = shortText(latest.price);
  const { atMs } = pointOf(latest);
  const isNewer = atMs > (seen.at(-1)?.atMs ?? Number.POSITIVE_INFINITY);
  const x = Math.min(1, (atMs - range.fromMs) / (range.toMs - range.fromMs)) * plot.width;
  const end = isNewer ? { x, y } : last;
  return (
    <g>
      {last && isNewer ? (
        <path d={`M${last.x} ${last.y}L${x} ${y}`} stroke="var(--ks-chart-line)" strokeWidth="1.5" />
      ) : null}
      {end && <EndDot x={end.x} y={end.y} />}
      <path d={`M0 ${y}h${plot.width}`} stroke="var(--ks-chart-line)" strokeDasharray="1 3" />
      <rect
        x={plot.width + 3}
        y={y - 8}
        width={text.length * 5.9 + 9}
        height={16}
        rx={3}
        fill="var(--ks-chart-line)"
      />
      <text x={plot.width + 8} y={y} dy="3.5" className={classes.tag}>
        {text}
      </text>
    </g>
  );
}

/** Redrawn in the page's redraw queue while its element is on screen and has a size. */
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
    const follow = (entries: readonly IntersectionObserverEntry[]) => {
      leave?.();
      leave = undefined;
      if (entries.at(-1)?.isIntersecting !== true) return;
      draw();
      leave = joinRedrawQueue(draw);
    };
    const watcher = new IntersectionObserver(follow, { rootMargin: DRAWN_AHEAD });
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
  const sampledEveryS = sampleStepS({ spanMs: windowMs, moments: BOARD_MOMENTS });
  const gaps = sparklineGaps(points, range, {
    floors,
    market: feed,
    isFilled,
    sampledEveryS,
    edge: { nowS: Math.floor(toMs / 1000), link },
  });
  const spark = sparklineOf(points, range, size, gaps, isFilled, sampledEveryS);
  const shown = shownGaps(gaps, isFilled);
  const summary = chartSummary(symbol, points, range, shown);
  const { latest: last } = store.feed(id);
  const word = currencyOf(store, id, { nowMs: toMs, floors, market: feed })?.word;
  const reason = word === 'closed' || word === 'inactive' ? GAPS[word].label : undefined;
  return { ...range, ...size, gaps: shown, spark, last, reason, isFilled: isFilled === true, summary };
}
