'use client';
import { memo } from 'react';
import {
  Area,
  Bar,
  BarChart,
  CartesianGrid,
  ComposedChart,
  Line,
  ReferenceArea,
  ResponsiveContainer,
  XAxis,
  YAxis,
} from 'recharts';
import type { TimeStyle } from '@/lib/core/time-text';
import type { ValueTick } from '@/lib/feeds/client/chart';
import { type LatencyPicture, latencyText, SHOWN_UPDATES } from '@/lib/feeds/client/latency';
import {
  chartRows,
  type PageDrawing,
  PLOT_TOP_PX,
  TIME_LABELS_PX,
  timeLabel,
} from '@/lib/feeds/client/page-chart';
import { GAP_SHADES, SERIES_DASHES } from './chart-legend';

/** The only file of feeds that touches the chart library; it is loaded beside the page of a feed. Tiles draw their own. */

const AXIS_LINE = { stroke: 'var(--ks-chart-grid)' };
const TICK = { fontSize: 11, fill: 'var(--ks-text-faint)' };
const STILL = {
  type: 'linear',
  isAnimationActive: false,
  dot: false,
  activeDot: false,
  connectNulls: false,
} as const;
/**
 * The chart of a page: lines by their places on value axes, and shaded gaps of the first feed. Costs are kept down as
 * measured: no animation, no dots, straight lines, numeric axes with given domain and ticks.
 */
export const LargeChart = memo(function LargeChart({
  drawing,
  times,
}: {
  drawing: PageDrawing;
  times: TimeStyle;
}) {
  const { fromMs, toMs, feeds, right, left, rightPx, leftPx, tickMs, scale } = drawing;
  const shown = feeds.filter(({ vertices }) => vertices !== undefined);
  const axisOf = (tone: number) => (scale === 'axes' && tone === 1 ? 'left' : 'right');
  return (
    <ComposedChart
      width={drawing.width}
      height={drawing.height}
      data={chartRows(feeds)}
      margin={{ top: PLOT_TOP_PX, right: 0, bottom: 0, left: 0 }}
      accessibilityLayer={false}
    >
      <ShadePatterns />
      <CartesianGrid vertical={false} stroke="var(--ks-chart-grid)" yAxisId="right" />
      <XAxis
        type="number"
        dataKey="atMs"
        domain={[fromMs, toMs]}
        ticks={[...drawing.ticks]}
        tickFormatter={(value: number) => timeLabel(value, tickMs, times)}
        allowDataOverflow
        interval={0}
        height={TIME_LABELS_PX}
        tick={TICK}
        tickSize={4}
        axisLine={AXIS_LINE}
        tickLine={AXIS_LINE}
      />
      {valueAxis('right', right, rightPx)}
      {leftPx === 0 ? null : valueAxis('left', left, leftPx)}
      {(feeds[0]?.gaps ?? []).map(({ kind, fromS, untilS }) => (
        <ReferenceArea
          key={`${kind}${fromS}`}
          yAxisId="right"
          x1={Math.max(fromMs, fromS * 1000)}
          x2={Math.min(toMs, untilS * 1000)}
          fill={`url(#shade-${kind})`}
          fillOpacity={1}
          stroke="none"
          className={`shade-${kind}`}
        />
      ))}
      {shown.map(({ id, tone }) => (
        <Area
          key={`band ${id}`}
          yAxisId={axisOf(tone)}
          dataKey={`band${tone}`}
          stroke="none"
          fill={tone === 0 ? 'var(--ks-chart-band)' : `var(--ks-series-${tone})`}
          fillOpacity={tone === 0 ? 1 : 0.12}
          {...STILL}
        />
      ))}
      {shown.map(({ id, tone }) => (
        <Line
          key={`ema ${id}`}
          yAxisId={axisOf(tone)}
          dataKey={`ema${tone}`}
          stroke={tone === 0 ? 'var(--ks-chart-ema)' : `var(--ks-series-${tone})`}
          strokeOpacity={tone === 0 ? 1 : 0.6}
          strokeDasharray="3 3"
          strokeWidth={1}
          className="line-ema"
          {...STILL}
        />
      ))}
      {shown.map(({ id, tone }) => (
        <Line
          key={id}
          yAxisId={axisOf(tone)}
          dataKey={`y${tone}`}
          stroke={`var(--ks-series-${tone})`}
          strokeDasharray={SERIES_DASHES[tone]}
          strokeWidth={1.6}
          className="line-price"
          {...STILL}
        />
      ))}
    </ComposedChart>
  );
});

/** Heights are places, so each axis goes from 0 to 1 and writes the texts that were worked out with exact numbers. */
function valueAxis(side: 'left' | 'right', ticks: readonly ValueTick[], width: number) {
  return (
    <YAxis
      yAxisId={side}
      type="number"
      orientation={side}
      domain={[0, 1]}
      ticks={ticks.map(({ place }) => place)}
      tickFormatter={(value: number) => ticks.find(({ place }) => place === value)?.text ?? ''}
      allowDataOverflow
      interval={0}
      width={width}
      tick={TICK}
      tickSize={4}
      axisLine={false}
      tickLine={false}
    />
  );
}

function ShadePatterns() {
  return (
    <defs>
      {Object.entries(GAP_SHADES).map(([kind, { colour, lines }]) => (
        <pattern key={kind} id={`shade-${kind}`} width={8} height={8} patternUnits="userSpaceOnUse">
          <rect width={8} height={8} fill={colour} fillOpacity={0.12} />
          <path d={lines} stroke={colour} strokeWidth={1.2} strokeOpacity={0.6} fill="none" />
        </pattern>
      ))}
    </defs>
  );
}

/** Steps of the latency scale, milliseconds: it holds still while the slowest update stays below one. */
const SCALES_MS = [100, 250, 500, 1_000, 2_000, 3_000, 5_000, 10_000, 20_000, 30_000, 60_000];

/** A bar for each update, newest at the right, its parts stacked in the order of the way. */
export const LatencyBars = memo(function LatencyBars({
  picture: { updates, summary },
  colours,
}: {
  picture: LatencyPicture;
  colours: Readonly<Record<string, string>>;
}) {
  const slowest = summary.slowestMs;
  const scaleMs = SCALES_MS.find((ms) => slowest <= ms) ?? Math.ceil(slowest / 60_000) * 60_000;
  const bars = updates.map(({ turn, parts }) => ({
    turn,
    ...Object.fromEntries(parts.map(({ name, ms }) => [name, ms])),
  }));
  const empty = Array.from({ length: SHOWN_UPDATES - bars.length }, (_, at) => ({ turn: `empty ${at}` }));
  return (
    <ResponsiveContainer height={112}>
      <BarChart
        data={[...empty, ...bars]}
        margin={{ top: 8, right: 0, bottom: 8, left: 0 }}
        barCategoryGap="10%"
        accessibilityLayer={false}
      >
        <CartesianGrid vertical={false} stroke="var(--ks-chart-grid)" />
        <XAxis dataKey="turn" hide />
        <YAxis
          orientation="right"
          width={52}
          domain={[0, scaleMs]}
          ticks={[0, scaleMs]}
          tickFormatter={(ms: number) => (ms === 0 ? '0' : latencyText(ms))}
          tick={TICK}
          axisLine={false}
          tickLine={false}
        />
        {summary.medians.map(({ name }) => (
          <Bar key={name} dataKey={name} stackId="way" fill={colours[name]} isAnimationActive={false} />
        ))}
      </BarChart>
    </ResponsiveContainer>
  );
});
