'use client';
import { Paper, Text } from '@mantine/core';
import { memo, type ReactNode } from 'react';
import { Area, CartesianGrid, ComposedChart, Line, ReferenceArea, Tooltip, XAxis, YAxis } from 'recharts';
import { tickText } from '@/components/ui/charts/time-axis';
import { clockStyle, clockWords, shownMoment, type TimeStyle } from '@/lib/core/time-text';
import { axisText, type ChartRow, chartRows, niceTicks, type PageDrawing } from '@/lib/feeds/client/chart';
import { exactConf, exactEma, exactPrice, exactText } from '@/lib/feeds/client/history';
import { GAP_SHADES, SERIES_COLOURS, SERIES_DASHES } from './chart-legend';
import shared from './feeds.module.css';
import { Figure } from './figures';
import classes from './page.module.css';

/** The only file of feeds that touches the chart library; it is loaded beside the page of a feed. Tiles draw their own. */

const PIXELS_PER_TICK = 56;
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

type ChartProps = { drawing: PageDrawing; times: TimeStyle; hasReadout: boolean };

/** Lines, bands of confidence, and shaded gaps, of compared feeds fainter. No animation, no dots, given ticks: they cost much. */
export const LargeChart = memo(function LargeChart({ drawing, times, hasReadout }: ChartProps) {
  const { fromMs, toMs, feeds, rightPx, leftPx, unit, height, scale } = drawing;
  const shown = feeds.filter(({ vertices }) => vertices !== undefined);
  const axisOf = (tone: number) => (scale === 'axes' && tone === 1 ? 'left' : 'right');
  /** The average may lie far away: an axis spans the prices with their confidence. */
  const axis = (side: 'left' | 'right', width: number) => {
    const own = shown.filter(({ tone }) => axisOf(tone) === side);
    const ends = own.flatMap(({ vertices = [] }) => vertices.flatMap(({ band }) => band ?? []));
    const base = own[0]?.base;
    const count = Math.max(3, Math.round(height / PIXELS_PER_TICK));
    const range = [Math.min(...ends), Math.max(...ends)] as const;
    const ticks = ends.length === 0 ? [] : niceTicks(...range, count, base === undefined ? 0 : 1);
    return (
      <YAxis
        yAxisId={side}
        orientation={side}
        domain={[ticks[0] ?? 0, ticks.at(-1) ?? 1]}
        ticks={ticks}
        tickFormatter={(value: number) => axisText(value, base)}
        allowDataOverflow
        width={width}
        {...AXIS}
      />
    );
  };
  return (
    <ComposedChart
      width={drawing.width}
      height={height}
      data={chartRows(feeds)}
      margin={{ top: 8, right: 0, bottom: 0, left: 0 }}
      accessibilityLayer={false}
    >
      <defs>
        {Object.entries(GAP_SHADES).map(([kind, { colour, lines }]) => (
          <pattern key={kind} id={`shade-${kind}`} width={8} height={8} patternUnits="userSpaceOnUse">
            <rect width={8} height={8} fill={colour} fillOpacity={0.12} />
            <path d={lines} stroke={colour} strokeWidth={1.2} strokeOpacity={0.6} fill="none" />
          </pattern>
        ))}
      </defs>
      <CartesianGrid vertical={false} stroke="var(--ks-chart-grid)" yAxisId="right" />
      <XAxis
        type="number"
        dataKey="atMs"
        domain={[fromMs, toMs]}
        ticks={[...drawing.ticks]}
        tickFormatter={(value: number) => tickText(shownMoment(value, clockStyle(times), value), unit)}
        allowDataOverflow
        height={22}
        {...AXIS}
        axisLine={AXIS_LINE}
        tickLine={AXIS_LINE}
      />
      {axis('right', rightPx)}
      {leftPx === 0 ? null : axis('left', leftPx)}
      {shown.flatMap(({ id, tone, gaps }) =>
        gaps.map(({ kind, fromS, untilS }) => (
          <ReferenceArea
            key={`${id}${kind}${fromS}`}
            yAxisId="right"
            x1={Math.max(fromMs, fromS * 1000)}
            x2={Math.min(toMs, untilS * 1000)}
            fill={`url(#shade-${kind})`}
            fillOpacity={tone === 0 ? 1 : 0.5}
            stroke="none"
            className={`shade-${kind}`}
          />
        )),
      )}
      {shown.map(({ id, tone }) => (
        <Area
          key={`band ${id}`}
          yAxisId={axisOf(tone)}
          dataKey={({ drawn }: ChartRow) => drawn[tone]?.band ?? null}
          stroke="none"
          fill={tone === 0 ? 'var(--ks-chart-band)' : SERIES_COLOURS[tone]}
          fillOpacity={tone === 0 ? 1 : 0.12}
          {...STILL}
        />
      ))}
      {(['ema', 'price'] as const).flatMap((name) =>
        shown.map(({ id, tone }) => (
          <Line
            key={`${name} ${id}`}
            yAxisId={axisOf(tone)}
            dataKey={({ drawn }: ChartRow) => drawn[tone]?.[name] ?? null}
            stroke={name === 'ema' && tone === 0 ? 'var(--ks-chart-ema)' : SERIES_COLOURS[tone]}
            strokeOpacity={name === 'ema' && tone > 0 ? 0.6 : 1}
            strokeDasharray={name === 'ema' ? '3 3' : SERIES_DASHES[tone]}
            strokeWidth={name === 'ema' ? 1 : 1.6}
            className={`line-${name}`}
            {...STILL}
          />
        )),
      )}
      {hasReadout && (
        <Tooltip
          isAnimationActive={false}
          cursor={{ stroke: 'var(--ks-text-faint)' }}
          content={({ active, payload }) => (
            <Readout drawing={drawing} times={times} row={active ? payload?.[0]?.payload : undefined} />
          )}
        />
      )}
    </ComposedChart>
  );
});

type ReadoutProps = { drawing: PageDrawing; times: TimeStyle; row: ChartRow | undefined };

/** Exact values and times at the pointer: of each feed the update that is in force there. */
function Readout({ drawing: { feeds, scale }, times, row }: ReadoutProps): ReactNode {
  if (row === undefined) return null;
  return (
    <Paper withBorder shadow="sm" px="xs" py={4} className={classes.readout}>
      {feeds.map(({ id, symbol, tone }) => {
        const { point, price } = row.inForce[tone] ?? {};
        if (point === undefined) return null;
        const { update } = point;
        const publishedMs = update.t * 1000;
        const ema = exactEma(update);
        return (
          <div key={id}>
            {feeds.length > 1 && (
              <Text fw={600} pl={6} style={{ borderInlineStart: `3px solid ${SERIES_COLOURS[tone]}` }}>
                {symbol}
              </Text>
            )}
            <dl className={shared.rows}>
              <Figure name="Published">{clockWords(publishedMs, times, 0)}</Figure>
              <Figure name="Price">{exactText(exactPrice(update))}</Figure>
              {scale === 'indexed' && <Figure name="Index">{price?.toFixed(4)}</Figure>}
              <Figure name="Confidence">±{exactText(exactConf(update))}</Figure>
              {ema && <Figure name="EMA">{exactText(ema)}</Figure>}
              {update.f === 1 && <Figure name="Source">Backfilled</Figure>}
            </dl>
          </div>
        );
      })}
    </Paper>
  );
}
