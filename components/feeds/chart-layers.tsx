'use client';
import { Area, DefaultZIndexes, Line, ReferenceArea, ReferenceLine } from 'recharts';
import { LATENCY_PARTS } from '@/lib/feeds/client/latency';
import type { DrawnFeed, PageDrawing, PriceChartRow } from '@/lib/feeds/client/page-drawing';
import { GAPS } from '@/lib/feeds/feed-cadence';
import { emaColour, LATENCY_COLOURS, SERIES_COLOURS } from './chart-legend';
import { PX_PER_CHARACTER } from './chart-readout';
import shared from './feeds.module.css';
import classes from './page.module.css';

/** Layers of the large chart, from the lowest to the highest. They are elements of recharts. */

const STILL = {
  type: 'linear',
  isAnimationActive: false,
  dot: false,
  activeDot: false,
  connectNulls: false,
} as const;

const shownOf = ({ feeds }: PageDrawing) => feeds.filter(({ vertices }) => vertices !== undefined);

const sideOf = ({ scale }: PageDrawing, { feedIndex }: DrawnFeed) =>
  scale === 'axes' && feedIndex === 1 ? 'left' : 'right';

export function gapAreas(drawing: PageDrawing) {
  const { fromMs, toMs } = drawing;
  const shown = shownOf(drawing);
  return [
    ...shown.flatMap(({ id, feedIndex, gaps }) =>
      gaps.map(({ kind, fromS, untilS }) => (
        <ReferenceArea
          key={`${id}${kind}${fromS}`}
          yAxisId="right"
          x1={Math.max(fromMs, fromS * 1000)}
          x2={Math.min(toMs, untilS * 1000)}
          fill={`url(#shade-${kind})`}
          fillOpacity={feedIndex === 0 ? 1 : 0.3}
          stroke="none"
          className={`shade-${kind}`}
          label={
            kind === 'closed' && feedIndex === 0
              ? noteIn(
                  GAPS.closed.label,
                  drawing,
                  Math.min(toMs, untilS * 1000) - Math.max(fromMs, fromS * 1000),
                  CLOSED_MARGIN_PX,
                )
              : undefined
          }
        />
      )),
    ),
    ...shown.flatMap(({ id, feedIndex, loading }) =>
      feedIndex > 0
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
    ),
  ];
}

/** Grey where the latency was not measured. */
export function latencyAreas(drawing: PageDrawing) {
  const { fromMs, toMs, feeds, latencyTicks } = drawing;
  const unmeasuredMs = Math.min(toMs, feeds[0]?.liveFromMs ?? toMs);
  return [
    unmeasuredMs > fromMs && (
      <ReferenceArea
        key="unmeasured"
        yAxisId="latency"
        x1={fromMs}
        x2={unmeasuredMs}
        y1={0}
        y2={latencyTicks.at(-1) ?? 1}
        fill="var(--ks-sunken)"
        fillOpacity={1}
        stroke="none"
        label={noteIn('Latency is measured live only', drawing, unmeasuredMs - fromMs)}
      />
    ),
    ...LATENCY_PARTS.map((part) => (
      <Area
        {...STILL}
        key={part}
        yAxisId="latency"
        stackId="latency"
        type="stepAfter"
        dataKey={({ drawn }: PriceChartRow) => drawn[0]?.latency?.[part] ?? null}
        stroke="none"
        fill={LATENCY_COLOURS[part]}
        fillOpacity={1}
        className="latency"
      />
    )),
  ];
}

export function priceLines(drawing: PageDrawing) {
  const shown = shownOf(drawing);
  // A band that covers the whole plot is named at its edge instead: a tint of everything tells nothing.
  const beyond = new Set(drawing.edgeNotes.flatMap(({ of, feedIndex }) => (of === 'band' ? feedIndex : [])));
  return [
    ...shown
      .filter(({ feedIndex }) => drawing.hasBand && !beyond.has(feedIndex))
      .map((feed) => (
        <Area
          key={`band ${feed.id}`}
          yAxisId={sideOf(drawing, feed)}
          dataKey={({ drawn }: PriceChartRow) =>
            cut(drawn[feed.feedIndex]?.band, drawing[sideOf(drawing, feed)]?.ticks)
          }
          stroke={SERIES_COLOURS[feed.feedIndex]}
          strokeOpacity={0.2}
          fill={SERIES_COLOURS[feed.feedIndex]}
          fillOpacity={feed.feedIndex === 0 ? 0.07 : 0.04}
          {...STILL}
        />
      )),
    ...shown.map((feed) => {
      // EMA values outside the price ticks are left out, because they would be drawn over the latency.
      const { ticks = [] } = drawing[sideOf(drawing, feed)] ?? {};
      const [low = 0, high = 0] = [ticks[0], ticks.at(-1)];
      return (
        <Line
          key={`ema ${feed.id}`}
          yAxisId={sideOf(drawing, feed)}
          dataKey={({ drawn }: PriceChartRow) => {
            const ema = drawn[feed.feedIndex]?.ema ?? null;
            return ema === null || ema < low || ema > high ? null : ema;
          }}
          stroke={emaColour(feed.feedIndex)}
          strokeDasharray="4 3"
          strokeWidth={1}
          className="line-ema"
          {...STILL}
        />
      );
    }),
    ...shown.map((feed) => (
      <Line
        key={`price ${feed.id}`}
        yAxisId={sideOf(drawing, feed)}
        dataKey={({ drawn }: PriceChartRow) => drawn[feed.feedIndex]?.price ?? null}
        stroke={SERIES_COLOURS[feed.feedIndex]}
        strokeWidth={1.6}
        className="line-price"
        {...STILL}
      />
    )),
  ];
}

export function tagLines(drawing: PageDrawing) {
  return [
    ...drawing.tags.map(({ feedIndex, side, value, text, shiftPx }) => (
      <ReferenceLine
        key={`last ${feedIndex}`}
        // The tag covers the numbers of the axis.
        zIndex={DefaultZIndexes.label}
        yAxisId={side}
        y={value}
        stroke={SERIES_COLOURS[feedIndex]}
        strokeDasharray="1 3"
        label={({ viewBox }: { viewBox?: TagBox }) => (
          <PriceTag
            box={viewBox}
            side={side}
            shiftPx={shiftPx}
            colour={SERIES_COLOURS[feedIndex]}
            text={text}
          />
        )}
      />
    )),
    ...drawing.edgeNotes.map(({ of, feedIndex, side, edge, value, text, row }) => (
      <ReferenceLine
        key={`${of} note ${feedIndex}`}
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
            fill={SERIES_COLOURS[feedIndex]}
          >
            {text}
          </text>
        )}
      />
    )),
  ];
}

/** A band cut at the ends of its axis. Parts beyond them would be drawn over the latency. */
function cut(band: readonly [number, number] | null | undefined, ticks: readonly number[] = []) {
  const [low, high] = [ticks[0], ticks.at(-1)];
  if (band == null || low === undefined || high === undefined) return null;
  const clampToTicks = (value: number) => Math.min(high, Math.max(low, value));
  return [clampToTicks(band[0]), clampToTicks(band[1])];
}

/** Space beside a note for the numbers of the latency. */
const NOTE_MARGIN_PX = 80;

const CLOSED_MARGIN_PX = 4;

/** Absent if the part is too narrow for the whole label. */
function noteIn(
  text: string,
  { fromMs, toMs, width, leftPx, rightPx }: PageDrawing,
  spanMs: number,
  marginPx = NOTE_MARGIN_PX,
) {
  const px = ((width - leftPx - rightPx) * spanMs) / (toMs - fromMs);
  if (px < text.length * PX_PER_CHARACTER + 2 * marginPx) return undefined;
  return { value: text, position: 'center', className: `${shared.halo} ${classes.note}` } as const;
}

type TagBox = { x?: number; y?: number; width?: number };
type TagProps = {
  box: TagBox | undefined;
  side: 'left' | 'right';
  /** Keeps tags from covering each other. */
  shiftPx: number;
  colour: string | undefined;
  text: string;
};

function PriceTag({ box: { x = 0, y = 0, width = 0 } = {}, side, shiftPx, colour, text }: TagProps) {
  const labelX = side === 'right' ? x + width + 4 : x - 4;
  const px = text.length * 6.4 + 8;
  return (
    <g transform={`translate(${side === 'right' ? labelX : labelX - px},${y + shiftPx})`} className="num">
      <rect y={-8} width={px} height={16} rx={3} fill={colour} />
      <text x={4} y={4} fontSize={11} fill="var(--ks-surface)">
        {text}
      </text>
    </g>
  );
}
