'use client';
import { Paper, Text } from '@mantine/core';
import { memo, type ReactNode } from 'react';
import {
  Area,
  CartesianGrid,
  ComposedChart,
  DefaultZIndexes,
  Line,
  ReferenceArea,
  ReferenceLine,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts';
import { tickText } from '@/components/ui/charts/time-axis';
import {
  clockStyle,
  clockWords,
  inputZone,
  shownMoment,
  type TimeStyle,
  zoneOffsetMs,
} from '@/lib/core/time-text';
import { axisText, timeAxisOf } from '@/lib/feeds/client/axes';
import { exactText, shortText } from '@/lib/feeds/client/history';
import { ageAtServerMs, LATENCY_PARTS, latencyText } from '@/lib/feeds/client/latency';
import {
  CHART_PX,
  type ChartRow,
  chartRows,
  type DrawnFeed,
  type PageDrawing,
  pxBelowTop,
} from '@/lib/feeds/client/page-drawing';
import { emaColour, GAP_SHADES, LATENCY_COLOURS, SERIES_COLOURS } from './chart-legend';
import shared from './feeds.module.css';
import { Figure } from './figures';
import classes from './page.module.css';

/** Chart of the page of a feed, loaded after the page. No other file of feeds imports the chart library; tiles draw SVG paths. */

const AXIS_LINE = { stroke: 'var(--ks-chart-grid)' };
const TICK = { fontSize: 11, fill: 'var(--ks-text-faint)' };
const AXIS = { interval: 0, tick: TICK, tickSize: 4, axisLine: false, tickLine: false } as const;
const STILL = {
  type: 'linear',
  isAnimationActive: false,
  dot: false,
  activeDot: false,
  connectNulls: false,
} as const;

/** Distance of a tag from a number of its axis that it covers. */
const COVERED_PX = 14;

type ChartProps = { drawing: PageDrawing; times: TimeStyle; hasReadout: boolean };

/**
 * Prices above and latency below with one time axis and one crosshair: a single chart, in which padding gives each axis of
 * values its part of the height. Animation and dots are off and ticks are given, since they cost much.
 */
export const LargeChart = memo(function LargeChart({ drawing, times, hasReadout }: ChartProps) {
  const { fromMs, toMs, feeds, rightPx, leftPx, latencyPx, latencyTicks, height, scale } = drawing;
  const shown = feeds.filter(({ vertices }) => vertices !== undefined);
  const unmeasuredMs = latencyTicks.length === 0 ? toMs : Math.min(toMs, feeds[0]?.liveFromMs ?? toMs);
  const sideOf = ({ tone }: DrawnFeed) => (scale === 'axes' && tone === 1 ? 'left' : 'right');
  const plotPx = height - CHART_PX.top - CHART_PX.times;
  const time = timeAxisOf(drawing, drawing.plotPx, (ms) => zoneOffsetMs(ms, inputZone(times)));
  // A number of the axis under a tag would be read with it.
  const isCovered = (value: number, side: 'left' | 'right') => {
    const axis = drawing[side] ?? { ticks: [] };
    return drawing.tags.some(
      (tag) =>
        tag.side === side &&
        Math.abs(
          pxBelowTop(value, axis, drawing.pricePx) -
            pxBelowTop(tag.value, axis, drawing.pricePx) -
            tag.shiftPx,
        ) < COVERED_PX,
    );
  };
  const priceAxis = (side: 'left' | 'right', width: number) => {
    const { ticks = [], base } = drawing[side] ?? {};
    return (
      <YAxis
        yAxisId={side}
        orientation={side}
        domain={[ticks[0] ?? 0, ticks.at(-1) ?? 1]}
        ticks={[...ticks]}
        tickFormatter={(value: number) => (isCovered(value, side) ? '' : axisText(value, base))}
        allowDataOverflow
        width={width}
        padding={{ bottom: latencyPx + CHART_PX.between }}
        {...AXIS}
      />
    );
  };
  return (
    <ComposedChart
      width={drawing.width}
      height={height}
      data={chartRows(feeds)}
      margin={{ top: CHART_PX.top, right: 0, bottom: 0, left: 0 }}
      accessibilityLayer={false}
    >
      <defs>
        {Object.entries(GAP_SHADES).map(([kind, { colour, lines }]) => (
          <pattern key={kind} id={`shade-${kind}`} width={8} height={8} patternUnits="userSpaceOnUse">
            <rect width={8} height={8} fill={colour} fillOpacity={0.12} />
            <path d={lines} stroke={colour} strokeWidth={1.2} strokeOpacity={0.6} fill="none" />
          </pattern>
        ))}
        <pattern id="shade-loading" width={8} height={8} patternUnits="userSpaceOnUse">
          <path d="M-2 2 L2 -2 M0 8 L8 0 M6 10 L10 6" stroke="var(--ks-chart-grid)" strokeWidth={2} />
        </pattern>
      </defs>
      <CartesianGrid stroke="var(--ks-chart-grid)" yAxisId="right" />
      <CartesianGrid vertical={false} stroke="var(--ks-chart-grid)" yAxisId="latency" />
      <XAxis
        type="number"
        dataKey="atMs"
        domain={[fromMs, toMs]}
        ticks={time.ticks}
        tickFormatter={(value: number) => tickText(shownMoment(value, clockStyle(times), value), time.unit)}
        allowDataOverflow
        height={CHART_PX.times}
        {...AXIS}
        axisLine={AXIS_LINE}
        tickLine={AXIS_LINE}
      />
      {priceAxis('right', rightPx)}
      {leftPx === 0 ? null : priceAxis('left', leftPx)}
      <YAxis
        yAxisId="latency"
        orientation="left"
        mirror
        domain={[0, latencyTicks.at(-1) ?? 1]}
        ticks={latencyTicks.slice(1)}
        tickFormatter={(ms: number) =>
          ms === latencyTicks.at(-1) ? `Latency ${latencyText(ms)}` : latencyText(ms)
        }
        allowDataOverflow
        width={160}
        padding={{ top: plotPx - latencyPx }}
        {...AXIS}
      />
      {shown.flatMap(({ id, tone, gaps }) =>
        gaps.map(({ kind, fromS, untilS }) => (
          <ReferenceArea
            key={`${id}${kind}${fromS}`}
            yAxisId="right"
            x1={Math.max(fromMs, fromS * 1000)}
            x2={Math.min(toMs, untilS * 1000)}
            fill={`url(#shade-${kind})`}
            fillOpacity={tone === 0 ? 1 : 0.3}
            stroke="none"
            className={`shade-${kind}`}
          />
        )),
      )}
      {shown.flatMap(({ id, tone, loading }) =>
        tone > 0
          ? []
          : loading.map(({ fromS, untilS }) => (
              <ReferenceArea
                key={`loading ${id}${fromS}`}
                yAxisId="right"
                x1={Math.max(fromMs, fromS * 1000)}
                x2={Math.min(toMs, untilS * 1000)}
                fill="url(#shade-loading)"
                fillOpacity={1}
                stroke="none"
                label={noteIn('Loading history…', drawing, untilS * 1000 - Math.max(fromMs, fromS * 1000))}
              />
            )),
      )}
      {unmeasuredMs > fromMs && (
        <ReferenceArea
          yAxisId="latency"
          x1={fromMs}
          x2={unmeasuredMs}
          y1={0}
          y2={latencyTicks.at(-1) ?? 1}
          fill="url(#shade-loading)"
          fillOpacity={1}
          stroke="none"
          label={noteIn('Latency is measured live only', drawing, unmeasuredMs - fromMs)}
        />
      )}
      {LATENCY_PARTS.map((part) => (
        <Area
          {...STILL}
          key={part}
          yAxisId="latency"
          stackId="latency"
          type="stepAfter"
          dataKey={({ drawn }: ChartRow) => drawn[0]?.latency?.[part] ?? null}
          stroke="none"
          fill={LATENCY_COLOURS[part]}
          fillOpacity={1}
          className="latency"
        />
      ))}
      {shown.map((feed) => (
        <Area
          key={`band ${feed.id}`}
          yAxisId={sideOf(feed)}
          dataKey={({ drawn }: ChartRow) => cut(drawn[feed.tone]?.band, drawing[sideOf(feed)]?.ticks)}
          stroke={SERIES_COLOURS[feed.tone]}
          strokeOpacity={0.2}
          fill={SERIES_COLOURS[feed.tone]}
          fillOpacity={feed.tone === 0 ? 0.07 : 0.04}
          {...STILL}
        />
      ))}
      {shown.map((feed) => {
        // EMA values outside the price ticks are left out: they would be drawn over the latency.
        const { ticks = [] } = drawing[sideOf(feed)] ?? {};
        const [low = 0, high = 0] = [ticks[0], ticks.at(-1)];
        return (
          <Line
            key={`ema ${feed.id}`}
            yAxisId={sideOf(feed)}
            dataKey={({ drawn }: ChartRow) => {
              const ema = drawn[feed.tone]?.ema ?? null;
              return ema === null || ema < low || ema > high ? null : ema;
            }}
            stroke={emaColour(feed.tone)}
            strokeDasharray="4 3"
            strokeWidth={1}
            className="line-ema"
            {...STILL}
          />
        );
      })}
      {shown.map((feed) => (
        <Line
          key={`price ${feed.id}`}
          yAxisId={sideOf(feed)}
          dataKey={({ drawn }: ChartRow) => drawn[feed.tone]?.price ?? null}
          stroke={SERIES_COLOURS[feed.tone]}
          strokeWidth={1.6}
          className="line-price"
          {...STILL}
        />
      ))}
      {drawing.tags.map(({ tone, side, value, text, shiftPx }) => (
        <ReferenceLine
          key={`last ${tone}`}
          // The tag covers the numbers of the axis.
          zIndex={DefaultZIndexes.label}
          yAxisId={side}
          y={value}
          stroke={SERIES_COLOURS[tone]}
          strokeDasharray="1 3"
          label={({ viewBox }: { viewBox?: TagBox }) => (
            <PriceTag box={viewBox} side={side} shiftPx={shiftPx} colour={SERIES_COLOURS[tone]} text={text} />
          )}
        />
      ))}
      {drawing.emaNotes.map(({ tone, side, edge, value, text, row }) => (
        <ReferenceLine
          key={`ema note ${tone}`}
          zIndex={DefaultZIndexes.label}
          yAxisId={side}
          y={value}
          stroke="none"
          label={({ viewBox: { x = 0, y = 0, width = 0 } = {} }: { viewBox?: TagBox }) => (
            <text
              x={side === 'right' ? x + width - 6 : x + 6}
              y={edge === 'top' ? y + 14 + 14 * row : y - 6 - 14 * row}
              textAnchor={side === 'right' ? 'end' : 'start'}
              className={`${shared.halo} ${classes.emaNote}`}
              fill={SERIES_COLOURS[tone]}
            >
              {text}
            </text>
          )}
        />
      ))}
      <Tooltip
        isAnimationActive={false}
        cursor={hasReadout && <Crosshair drawing={drawing} times={times} />}
        content={({ active, payload }) => (
          <Readout
            drawing={drawing}
            times={times}
            row={active && hasReadout ? payload?.[0]?.payload : undefined}
          />
        )}
      />
    </ComposedChart>
  );
});

/** A band within the ends of its axis: what is beyond would be drawn over the latency. */
function cut(band: readonly [number, number] | null | undefined, ticks: readonly number[] = []) {
  const [low, high] = [ticks[0], ticks.at(-1)];
  if (band == null || low === undefined || high === undefined) return null;
  const within = (value: number) => Math.min(high, Math.max(low, value));
  return [within(band[0]), within(band[1])];
}

const PX_PER_CHARACTER = 6.4;
/** Room for the numbers of the latency beside a note. */
const NOTE_MARGIN_PX = 80;

/** Label in the middle of a part of the chart, where it is wide enough. */
function noteIn(text: string, { fromMs, toMs, width, leftPx, rightPx }: PageDrawing, spanMs: number) {
  const px = ((width - leftPx - rightPx) * spanMs) / (toMs - fromMs);
  if (px < text.length * PX_PER_CHARACTER + 2 * NOTE_MARGIN_PX) return undefined;
  return { value: text, position: 'center', className: `${shared.halo} ${classes.note}` } as const;
}

type CrosshairProps = {
  drawing: PageDrawing;
  times: TimeStyle;
  /** From recharts: the ends of the vertical line, and the row of the moment. */
  points?: readonly { readonly x: number; readonly y: number }[];
  payload?: readonly { readonly payload?: ChartRow }[];
  className?: string;
};

/** Lines at the moment of the pointer and at the price of the first feed, each with its value on its axis. */
function Crosshair({ drawing, times, points = [], payload, className }: CrosshairProps) {
  const { width, height, leftPx, rightPx, right, pricePx } = drawing;
  const [{ x, y: top } = { x: 0, y: 0 }, { y: bottom } = { y: 0 }] = points;
  const row = payload?.[0]?.payload;
  if (row === undefined) return null;
  const price = row.inForce[0]?.price;
  const y = price == null ? undefined : CHART_PX.top + pxBelowTop(price, right, pricePx);
  const time = clockWords(row.atMs, times);
  const timePx = time.length * PX_PER_CHARACTER + 10;
  const timeX = Math.min(width - timePx, Math.max(0, x - timePx / 2));
  const update = row.inForce[0]?.point?.update;
  const text = right.base && update ? shortText(update.price) : price?.toFixed(2);
  return (
    <g className={className} stroke="var(--ks-text-faint)" pointerEvents="none">
      <path d={`M${x} ${top}V${bottom}`} strokeDasharray="4 3" />
      {y === undefined ? null : <path d={`M${leftPx} ${y}H${width - rightPx}`} strokeDasharray="4 3" />}
      <CrossTag x={timeX} y={height - CHART_PX.times / 2} text={time} />
      {y === undefined || text === undefined ? null : <CrossTag x={width - rightPx + 4} y={y} text={text} />}
    </g>
  );
}

function CrossTag({ x, y, text }: { x: number; y: number; text: string }) {
  return (
    <g transform={`translate(${x},${y})`} stroke="none">
      <rect y={-8} width={text.length * PX_PER_CHARACTER + 8} height={16} rx={3} fill="var(--ks-text-soft)" />
      <text x={4} y={4} fontSize={11} fill="var(--ks-surface)">
        {text}
      </text>
    </g>
  );
}

type TagBox = { x?: number; y?: number; width?: number };
type TagProps = {
  box: TagBox | undefined;
  side: 'left' | 'right';
  /** Distance from its line, so that tags don't cover each other. */
  shiftPx: number;
  colour: string | undefined;
  text: string;
};

/** The last price of a feed on its axis, in the colour of its line. */
function PriceTag({ box: { x = 0, y = 0, width = 0 } = {}, side, shiftPx, colour, text }: TagProps) {
  const at = side === 'right' ? x + width + 4 : x - 4;
  const px = text.length * 6.4 + 8;
  return (
    <g transform={`translate(${side === 'right' ? at : at - px},${y + shiftPx})`} className="num">
      <rect y={-8} width={px} height={16} rx={3} fill={colour} />
      <text x={4} y={4} fontSize={11} fill="var(--ks-surface)">
        {text}
      </text>
    </g>
  );
}

type ReadoutProps = { drawing: PageDrawing; times: TimeStyle; row: ChartRow | undefined };

/** Exact values and times at the pointer: the latest update of each feed at that moment. */
function Readout({ drawing: { feeds, scale }, times, row }: ReadoutProps): ReactNode {
  if (row === undefined) return null;
  return (
    <Paper withBorder shadow="sm" px="xs" py={4} className={classes.readout}>
      {feeds.map(({ id, symbol, tone, latencies }) => {
        const { point, price } = row.inForce[tone] ?? {};
        if (point === undefined) return null;
        const { update } = point;
        const publishedMs = update.publishTimeS * 1000;
        const { ema } = update;
        const latency = latencies.get(update);
        return (
          <div key={id}>
            {feeds.length > 1 && (
              <Text fw={600} pl={6} style={{ borderInlineStart: `3px solid ${SERIES_COLOURS[tone]}` }}>
                {symbol}
              </Text>
            )}
            <dl className={shared.rows}>
              <Figure name="Published">{clockWords(publishedMs, times, 0)}</Figure>
              <Figure name="Price">{exactText(update.price)}</Figure>
              {scale === 'indexed' && <Figure name="Index">{price?.toFixed(4)}</Figure>}
              <Figure name="Confidence">±{exactText(update.conf)}</Figure>
              {ema && <Figure name="EMA">{exactText(ema)}</Figure>}
              {latency && <Figure name="Age at our server">{latencyText(ageAtServerMs(latency))}</Figure>}
              {latency?.browser != null && (
                <Figure name="To this browser">{latencyText(latency.browser)}</Figure>
              )}
              {update.isBackfilled && <Figure name="Source">Backfilled</Figure>}
            </dl>
          </div>
        );
      })}
    </Paper>
  );
}
