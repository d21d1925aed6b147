'use client';
import { memo } from 'react';
import {
  Area,
  CartesianGrid,
  ComposedChart,
  Line,
  ReferenceArea,
  ReferenceLine,
  XAxis,
  YAxis,
} from 'recharts';
import type { TimeStyle } from '@/lib/client/moment-text';
import { chartRows } from './feed-page/chart-rows';
import {
  type PageFrame,
  PLOT_TOP_PX,
  SERIES_DASHES,
  TIME_LABELS_PX,
  type ValueTick,
} from './feed-page/page-frame';
import type { ChartMark, Shade } from './feed-page/page-shades';
import { timeLabel } from './feed-page/time-axis';

/** The only file that touches the chart library; it is loaded beside the page of a feed. Tiles draw their own. */

const AXIS_LINE = { stroke: 'var(--ks-chart-grid)' };

const LARGE_TICK = { fontSize: 11, fill: 'var(--ks-text-faint)' };
const STILL = { isAnimationActive: false, dot: false, activeDot: false, connectNulls: false } as const;
const DASHES = SERIES_DASHES.map((dashes) => (dashes.length === 0 ? undefined : dashes.join(' ')));

/** What is drawn behind the lines. */
export type ChartGround = { readonly shades: readonly Shade[]; readonly marks: readonly ChartMark[] };

/**
 * The chart of a page: lines by their places on value axes, shaded gaps, marks. Costs are kept down as measured: no
 * animation, no dots, straight lines, numeric axes with given domain and ticks, and no drawing while the frame stays the same.
 */
export const LargeChart = memo(function LargeChart({
  frame,
  ground,
  times,
}: {
  frame: PageFrame;
  ground: ChartGround;
  times: TimeStyle;
}) {
  const alone = frame.series.length === 1;
  return (
    <ComposedChart
      width={frame.width}
      height={frame.height}
      data={chartRows(frame.series)}
      margin={{ top: PLOT_TOP_PX, right: 0, bottom: 0, left: 0 }}
      accessibilityLayer={false}
    >
      <ShadePatterns />
      <CartesianGrid vertical={false} stroke="var(--ks-chart-grid)" yAxisId="right" />
      <XAxis
        type="number"
        dataKey="atMs"
        domain={[frame.fromMs, frame.toMs]}
        ticks={frame.ticks}
        tickFormatter={(value: number) => timeLabel(value, frame.tickMs, times)}
        allowDataOverflow
        interval={0}
        height={TIME_LABELS_PX}
        tick={LARGE_TICK}
        tickSize={4}
        axisLine={AXIS_LINE}
        tickLine={AXIS_LINE}
      />
      {valueAxis('right', frame.right, frame.rightPx)}
      {frame.leftPx === 0 ? null : valueAxis('left', frame.left, frame.leftPx)}
      {ground.shades.map(({ kind, fromMs, toMs }) => (
        <ReferenceArea
          key={`${kind}${fromMs}`}
          yAxisId="right"
          x1={fromMs}
          x2={toMs}
          fill={`url(#shade-${kind})`}
          fillOpacity={1}
          stroke="none"
          className={`shade-${kind}`}
        />
      ))}
      {ground.marks.map(({ key, atMs, kind }) => (
        <ReferenceLine
          key={key}
          yAxisId="right"
          x={atMs}
          stroke={kind === 'outage' ? 'var(--ks-bad)' : 'var(--ks-odd)'}
          strokeDasharray="4 3"
        />
      ))}
      {alone ? (
        <Area
          yAxisId="right"
          dataKey="band"
          type="linear"
          stroke="none"
          fill="var(--ks-chart-band)"
          fillOpacity={1}
          {...STILL}
        />
      ) : null}
      {alone ? (
        <Line
          yAxisId="right"
          dataKey="ema"
          type="linear"
          stroke="var(--ks-chart-ema)"
          strokeDasharray="3 3"
          strokeWidth={1}
          {...STILL}
        />
      ) : null}
      {frame.series.map(({ id, tone }) => (
        <Line
          key={id}
          yAxisId={frame.scale === 'axes' && tone === 1 ? 'left' : 'right'}
          dataKey={`y${tone}`}
          type="linear"
          stroke={`var(--ks-series-${tone})`}
          strokeDasharray={DASHES[tone]}
          strokeWidth={1.6}
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
      tick={LARGE_TICK}
      tickSize={4}
      axisLine={false}
      tickLine={false}
    />
  );
}

const SHADES = [
  { kind: 'missed', colour: 'var(--ks-bad)', lines: 'M0 8 L8 0' },
  { kind: 'silent', colour: 'var(--ks-idle)', lines: 'M4 4 h1' },
  { kind: 'untold', colour: 'var(--ks-odd)', lines: 'M0 4 h8' },
] as const;

/** Kinds of gaps are told apart by their pattern, not by colour alone. */
function ShadePatterns() {
  return (
    <defs>
      {SHADES.map(({ kind, colour, lines }) => (
        <pattern key={kind} id={`shade-${kind}`} width={8} height={8} patternUnits="userSpaceOnUse">
          <rect width={8} height={8} fill={colour} fillOpacity={0.12} />
          <path d={lines} stroke={colour} strokeWidth={1.2} strokeOpacity={0.6} fill="none" />
        </pattern>
      ))}
    </defs>
  );
}
