'use client';
import { memo } from 'react';
import { CartesianGrid, ComposedChart, Tooltip, XAxis, YAxis } from 'recharts';
import { tickText } from '@/components/ui/charts/time-axis';
import { formatLatency } from '@/lib/core/time';
import { clockStyle, inputZone, shownMoment, type TimeStyle, zoneOffsetMs } from '@/lib/core/time-text';
import { timeAxisOf } from '@/lib/feeds/client/axes';
import { CHART_PX, chartRows, type PageDrawing, pxBelowTop } from '@/lib/feeds/client/page-drawing';
import { gapAreas, latencyAreas, priceLines, tagLines } from './chart-layers';
import { GAP_SHADES } from './chart-legend';
import { Crosshair, Readout } from './chart-readout';

/** Only this file, `chart-layers.tsx` and `chart-readout.tsx` import the chart library; tiles draw SVG paths. */

const AXIS_LINE = { stroke: 'var(--ks-chart-grid)' };
const TICK = { fontSize: 11, fill: 'var(--ks-text-faint)' };
const AXIS = { interval: 0, tick: TICK, tickSize: 4, axisLine: false, tickLine: false } as const;
/** Distance within which a tag covers a number of its axis. */
const COVERED_PX = 14;

type ChartProps = { drawing: PageDrawing; times: TimeStyle; hasReadout: boolean };

/** A single chart: padding gives each axis of values its part of the height. No animation, dots or computed ticks: they are slow. */
export const LargeChart = memo(function LargeChart({ drawing, times, hasReadout }: ChartProps) {
  const { fromMs, toMs, feeds, rightPx, leftPx, latencyPx, latencyTicks, height } = drawing;
  const plotPx = height - CHART_PX.top - CHART_PX.times;
  const time = timeAxisOf(drawing, drawing.plotPx, (ms) => zoneOffsetMs(ms, inputZone(times)));
  return (
    <ComposedChart
      width={drawing.width}
      height={height}
      data={chartRows(feeds)}
      margin={{ top: CHART_PX.top, right: 0, bottom: 0, left: 0 }}
      accessibilityLayer={false}
    >
      {SHADES}
      <CartesianGrid stroke="var(--ks-chart-grid)" yAxisId="right" />
      {latencyPx > 0 && <CartesianGrid vertical={false} stroke="var(--ks-chart-grid)" yAxisId="latency" />}
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
      {priceAxis(drawing, 'right', rightPx)}
      {leftPx === 0 ? null : priceAxis(drawing, 'left', leftPx)}
      {latencyPx > 0 && (
        <YAxis
          yAxisId="latency"
          orientation="left"
          mirror
          domain={[0, latencyTicks.at(-1) ?? 1]}
          ticks={latencyTicks.slice(1)}
          tickFormatter={(ms: number) =>
            ms === latencyTicks.at(-1) ? `Latency ${formatLatency(ms)}` : formatLatency(ms)
          }
          allowDataOverflow
          width={160}
          padding={{ top: plotPx - latencyPx }}
          {...AXIS}
        />
      )}
      {gapAreas(drawing)}
      {latencyPx > 0 && latencyAreas(drawing)}
      {priceLines(drawing)}
      {tagLines(drawing)}
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

const SHADES = (
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
);

type Side = 'left' | 'right';

function priceAxis(drawing: PageDrawing, side: Side, width: number) {
  const { ticks = [], texts = [] } = drawing[side] ?? {};
  return (
    <YAxis
      yAxisId={side}
      orientation={side}
      domain={[ticks[0] ?? 0, ticks.at(-1) ?? 1]}
      ticks={[...ticks]}
      tickFormatter={(value: number) =>
        isCovered(drawing, value, side) ? '' : (texts[ticks.indexOf(value)] ?? '')
      }
      allowDataOverflow
      width={width}
      padding={{ bottom: drawing.belowPx }}
      {...AXIS}
    />
  );
}

function isCovered(drawing: PageDrawing, value: number, side: Side): boolean {
  const axis = drawing[side] ?? { ticks: [] };
  return drawing.tags.some(
    (tag) =>
      tag.side === side &&
      Math.abs(
        pxBelowTop(value, axis, drawing.pricePx) - pxBelowTop(tag.value, axis, drawing.pricePx) - tag.shiftPx,
      ) < COVERED_PX,
  );
}
