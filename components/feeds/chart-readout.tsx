'use client';
import { Paper, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { DefaultZIndexes, ZIndexLayer } from 'recharts';
import { formatLatency } from '@/lib/core/time';
import { clockWords, type TimeStyle } from '@/lib/core/time-text';
import { exactText, shortText } from '@/lib/feeds/client/history';
import { ageAtServerMs } from '@/lib/feeds/client/latency';
import { CHART_PX, type PageDrawing, type PriceChartRow, pxBelowTop } from '@/lib/feeds/client/page-drawing';
import { SERIES_COLOURS } from './chart-legend';
import shared from './feeds.module.css';
import { FeedFigure } from './figures';
import classes from './page.module.css';

/** Width of a character in the chart's texts, pixels. */
export const PX_PER_CHARACTER = 6.4;

type CrosshairProps = {
  drawing: PageDrawing;
  times: TimeStyle;
  /** Provided by recharts: the ends of the vertical line, and the row at its moment. */
  points?: readonly { readonly x: number; readonly y: number }[];
  payload?: readonly { readonly payload?: PriceChartRow }[];
  className?: string;
};

export function Crosshair({ drawing, times, points = [], payload, className }: CrosshairProps) {
  const { width, height, leftPx, rightPx, right, pricePx, scale } = drawing;
  const [{ x, y: top } = { x: 0, y: 0 }, { y: bottom } = { y: 0 }] = points;
  const row = payload?.[0]?.payload;
  if (row === undefined) return null;
  const price = row.inForce[0]?.price;
  const y = price == null ? undefined : CHART_PX.top + pxBelowTop(price, right, pricePx);
  const time = clockWords(row.atMs, times);
  const timePx = time.length * PX_PER_CHARACTER + 10;
  const timeX = Math.min(width - timePx, Math.max(0, x - timePx / 2));
  const update = row.inForce[0]?.point?.update;
  const text = scale !== 'indexed' && update ? shortText(update.price) : price?.toFixed(2);
  return (
    <g className={className} stroke="var(--ks-text-faint)" pointerEvents="none">
      <path d={`M${x} ${top}V${bottom}`} strokeDasharray="4 3" />
      {y === undefined ? null : <path d={`M${leftPx} ${y}H${width - rightPx}`} strokeDasharray="4 3" />}
      {/* Above the numbers of the axes. */}
      <ZIndexLayer zIndex={DefaultZIndexes.label + 1}>
        <CrossTag x={timeX} y={height - CHART_PX.times / 2} text={time} />
        {y === undefined || text === undefined ? null : (
          <CrossTag x={width - rightPx + 4} y={y} text={text} />
        )}
      </ZIndexLayer>
    </g>
  );
}

function CrossTag({ x, y, text }: { x: number; y: number; text: string }) {
  return (
    <g transform={`translate(${x},${y})`} stroke="none" pointerEvents="none">
      <rect y={-8} width={text.length * PX_PER_CHARACTER + 8} height={16} rx={3} fill="var(--ks-text-soft)" />
      <text x={4} y={4} fontSize={11} fill="var(--ks-surface)">
        {text}
      </text>
    </g>
  );
}

type ReadoutProps = { drawing: PageDrawing; times: TimeStyle; row: PriceChartRow | undefined };

/** The latest update of each feed at the moment of the pointer. */
export function Readout({ drawing: { feeds, scale }, times, row }: ReadoutProps): ReactNode {
  if (row === undefined) return null;
  return (
    <Paper withBorder shadow="sm" px="xs" py={4} className={classes.readout}>
      {feeds.map(({ id, symbol, feedIndex, latencies }) => {
        const { point, price } = row.inForce[feedIndex] ?? {};
        if (point === undefined) return null;
        const { update } = point;
        const publishedMs = update.publishTimeS * 1000;
        const { ema } = update;
        const latency = latencies.get(update);
        return (
          <div key={id}>
            {feeds.length > 1 && (
              <Text fw={600} pl={6} style={{ borderInlineStart: `3px solid ${SERIES_COLOURS[feedIndex]}` }}>
                {symbol}
              </Text>
            )}
            <dl className={shared.rows}>
              <FeedFigure name="Published">{clockWords(publishedMs, times, 0)}</FeedFigure>
              <FeedFigure name="Price">{exactText(update.price)}</FeedFigure>
              {scale === 'indexed' && <FeedFigure name="Index">{price?.toFixed(4)}</FeedFigure>}
              <FeedFigure name="Confidence">±{exactText(update.conf)}</FeedFigure>
              {ema && <FeedFigure name="EMA">{exactText(ema)}</FeedFigure>}
              {latency && (
                <FeedFigure name="Age at our server">{formatLatency(ageAtServerMs(latency))}</FeedFigure>
              )}
              {latency?.browser != null && (
                <FeedFigure name="To this browser">{formatLatency(latency.browser)}</FeedFigure>
              )}
              {update.isBackfilled && <FeedFigure name="Source">Backfilled</FeedFigure>}
            </dl>
          </div>
        );
      })}
    </Paper>
  );
}
