'use client';
import { memo } from 'react';
import { Area, CartesianGrid, ComposedChart, Line, ReferenceDot, XAxis, YAxis } from 'recharts';
import type { ChartPoint } from '@/lib/client/feed-decimation';
import {
  CHART_MARGIN,
  type ChartFrame,
  priceAxisWidth,
  priceTickText,
  TIME_AXIS_HEIGHT,
  timeTickText,
} from './chart-frame';

/** The only file that touches the chart library; it is loaded when the first chart comes into sight. */

const TICK = { fontSize: 10, fill: 'var(--ks-text-faint)' };
const AXIS_LINE = { stroke: 'var(--ks-chart-grid)' };

/**
 * The price as a line over the band of its confidence, and its EMA where that is as near. Costs are kept down as measured: no animation, no dots, straight
 * lines, numeric axes with given domain and ticks, and no drawing at all while the frame stays the same.
 */
const FeedChart = memo(function FeedChart({
  frame,
  width,
  height,
}: {
  frame: ChartFrame;
  width: number;
  height: number;
}) {
  const last = frame.points.at(-1);
  return (
    <ComposedChart
      width={width}
      height={height}
      data={frame.points as ChartPoint[]}
      margin={CHART_MARGIN}
      accessibilityLayer={false}
    >
      <CartesianGrid vertical={false} stroke="var(--ks-chart-grid)" />
      <XAxis
        type="number"
        dataKey="atMs"
        domain={[frame.fromMs, frame.toMs]}
        ticks={frame.timeTicks}
        tickFormatter={(value: number) => timeTickText(value, frame.tickMs)}
        allowDataOverflow
        interval={0}
        height={TIME_AXIS_HEIGHT}
        tick={TICK}
        tickSize={4}
        axisLine={AXIS_LINE}
        tickLine={AXIS_LINE}
      />
      <YAxis
        type="number"
        orientation="right"
        domain={[frame.low, frame.high]}
        ticks={frame.priceTicks as number[]}
        tickFormatter={(value: number) => priceTickText(value, frame.priceDecimals)}
        allowDataOverflow
        interval={0}
        width={priceAxisWidth(frame)}
        tick={TICK}
        tickSize={4}
        axisLine={false}
        tickLine={false}
      />
      {/* Of a single point the library would draw dots where neither line nor band is. */}
      {frame.points.length < 2 ? null : (
        <Area
          dataKey="band"
          type="linear"
          stroke="none"
          fill="var(--ks-chart-band)"
          fillOpacity={1}
          isAnimationActive={false}
          dot={false}
          activeDot={false}
          connectNulls={false}
        />
      )}
      {frame.points.length < 2 ? null : (
        <Line
          dataKey="ema"
          type="linear"
          stroke="var(--ks-chart-ema)"
          strokeDasharray="3 3"
          strokeWidth={1}
          isAnimationActive={false}
          dot={false}
          activeDot={false}
          connectNulls={false}
        />
      )}
      {frame.points.length < 2 ? null : (
        <Line
          dataKey="price"
          type="linear"
          stroke="var(--ks-chart-line)"
          strokeWidth={1.5}
          isAnimationActive={false}
          dot={false}
          activeDot={false}
          connectNulls={false}
        />
      )}
      {last?.price == null ? null : (
        <ReferenceDot
          x={last.atMs}
          y={last.price}
          r={2.5}
          fill="var(--ks-chart-line)"
          stroke="var(--ks-surface)"
        />
      )}
    </ComposedChart>
  );
});

export default FeedChart;
