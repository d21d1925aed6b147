import { type ChartPoint, decimate } from '@/lib/client/feed-decimation';
import { type FeedPoint, HISTORY_WINDOW_MS } from '@/lib/client/feed-history';

/** Room around the plot, in pixels; the axes come on top of it. */
export const CHART_MARGIN = { top: 6, right: 6, bottom: 0, left: 0 };
export const TIME_AXIS_HEIGHT = 18;

/** Everything one drawing of a chart needs; equal frames draw the same pixels. */
export type ChartFrame = {
  readonly points: readonly ChartPoint[];
  readonly fromMs: number;
  readonly toMs: number;
  readonly timeTicks: readonly number[];
  /** The distance of the time ticks. */
  readonly tickMs: number;
  readonly low: number;
  readonly high: number;
  readonly priceTicks: readonly number[];
  /** As many as are needed to tell the ticks apart. */
  readonly priceDecimals: number;
  /** Where the latest EMA lies: the axis fits the price, and an EMA far from it is off the scale. Absent when unknown. */
  readonly emaPlace?: 'inside' | 'above' | 'below';
};

/** The time a chart spans grows in steps, so that its scale holds still in between; with it the distance of time marks. */
const SPANS: readonly { readonly ms: number; readonly tickMs: number }[] = [
  { ms: 60_000, tickMs: 20_000 },
  { ms: 120_000, tickMs: 30_000 },
  { ms: 180_000, tickMs: 60_000 },
  { ms: HISTORY_WINDOW_MS, tickMs: 60_000 },
];
const LONGEST = { ms: HISTORY_WINDOW_MS, tickMs: 60_000 };

/** A line is broken where nothing came for so long, unless the feed is slower by nature. */
const SHORTEST_GAP_MS = 15_000;
const GAP_PAUSES = 4;

/** At most about so many, so that at least two stay when they fall on nice numbers. */
const PRICE_STEPS = 5;

/**
 * The frame of the moment `toMs`: the part of the history that is looked at, thinned out to the pixel columns, and axes
 * that fit it. `usualPauseMs` is the rhythm of the feed where it is known.
 */
export function chartFrameOf(
  history: readonly FeedPoint[],
  look: { readonly toMs: number; readonly columns: number; readonly usualPauseMs: number | undefined },
): ChartFrame {
  const { toMs, columns } = look;
  const seenMs = toMs - (history[0]?.atMs ?? toMs);
  const span = SPANS.find(({ ms }) => seenMs <= ms) ?? LONGEST;
  const fromMs = toMs - span.ms;
  const gapMs = Math.max(SHORTEST_GAP_MS, GAP_PAUSES * (look.usualPauseMs ?? 0));
  const points = decimate(history, { fromMs, toMs, columns, gapMs });
  const axis = priceAxisOf(points);
  return {
    points,
    fromMs,
    toMs,
    timeTicks: timeTicks(fromMs, toMs, span.tickMs),
    tickMs: span.tickMs,
    ...axis,
    emaPlace: emaPlaceOf(points, axis),
  };
}

function emaPlaceOf(points: readonly ChartPoint[], { low, high }: PriceAxis): ChartFrame['emaPlace'] {
  const ema = points.at(-1)?.ema;
  if (ema === undefined) {
    return undefined;
  }
  return ema > high ? 'above' : ema < low ? 'below' : 'inside';
}

function timeTicks(fromMs: number, toMs: number, stepMs: number): number[] {
  const ticks: number[] = [];
  // Text at the left edge would be cut in half.
  const leftmostMs = fromMs + (toMs - fromMs) * 0.08;
  for (let at = Math.ceil(leftmostMs / stepMs) * stepMs; at <= toMs; at += stepMs) {
    ticks.push(at);
  }
  return ticks;
}

type PriceAxis = Pick<ChartFrame, 'low' | 'high' | 'priceTicks' | 'priceDecimals'>;

/** An axis from nice number to nice number around every band; it changes only when a price leaves it. */
export function priceAxisOf(points: readonly ChartPoint[]): PriceAxis {
  const bands = points.flatMap(({ band }) => (band === null ? [] : [band]));
  if (bands.length === 0) {
    return { low: 0, high: 1, priceTicks: [], priceDecimals: 0 };
  }
  const lowest = Math.min(...bands.map(([low]) => low));
  const highest = Math.max(...bands.map(([, high]) => high));
  const room = highest > lowest ? highest - lowest : Math.abs(highest) * 1e-6 || 1;
  const step = niceStep(room / PRICE_STEPS);
  const first = Math.floor((lowest - room * 0.04) / step);
  const last = Math.ceil((highest + room * 0.04) / step);
  const priceTicks = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
  const priceDecimals = Math.min(100, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  return { low: first * step, high: last * step, priceTicks: priceTicks.slice(1, -1), priceDecimals };
}

/** 1, 2 or 5 times a power of ten, at least as large as what is asked. */
function niceStep(atLeast: number): number {
  const power = 10 ** Math.floor(Math.log10(atLeast));
  const factor = [1, 2, 5].find((nice) => nice * power >= atLeast * (1 - 1e-9)) ?? 10;
  return factor * power;
}

/** Longer labels are written with an exponent; the axis has room for so many characters. */
const LONGEST_LABEL = 13;

/** The text of a price tick. For the axis only: prices themselves are written from their digits. */
export function priceTickText(value: number, decimals: number): string {
  const plain = value.toFixed(decimals);
  return plain.length <= LONGEST_LABEL ? plain : value.toExponential(Math.max(2, LONGEST_LABEL - 7));
}

/** About the width of a digit of the tick labels, in pixels. */
const DIGIT_PX = 6;

/** How much of the width the price axis takes, in pixels. */
export function priceAxisWidth(frame: ChartFrame): number {
  const lengths = frame.priceTicks.map((tick) => priceTickText(tick, frame.priceDecimals).length);
  return Math.max(4, ...lengths) * DIGIT_PX + 10;
}

/** Time of day of a time tick, UTC; `tickMs` is the distance of the ticks. */
export function timeTickText(atMs: number, tickMs: number): string {
  return new Date(atMs).toISOString().slice(11, tickMs < 60_000 ? 19 : 16);
}
