import { type ScaledInteger, subtractScaled } from '@/lib/core/numbers';
import {
  CADENCE_UPDATES,
  type CadenceFloors,
  type FeedGap,
  feedGaps,
  type GapRules,
  type Market,
  silentAfterS,
  type TickTimes,
  typicalPauseS,
} from '@/lib/feeds/feed-cadence';
import { MAX_SPAN_MS, MIN_SPAN_MS } from '@/lib/feeds/page-url';
import type { PriceUpdate } from '@/lib/feeds/price-update';
import { axisTexts, niceTicks } from './axes';
import { type FeedPoint, pointOf, pointsInView, shortText, type TimeRange, windowExtremes } from './history';
import type { UpdateLatency } from './latency';

/** Prices are in units of the last digit, relative to a base, so that close prices with many digits stay distinct. */
type PlotPoint = {
  readonly point: FeedPoint;
  readonly price: number;
  readonly low: number;
  readonly high: number;
  readonly ema: number | null;
};

/** Differences from a multiple of this are exact as numbers, and round steps give round prices. */
const ROUND = 10n ** 12n;

export function plotBase({ price: { mantissa, expo } }: PriceUpdate): ScaledInteger {
  return { mantissa: mantissa - (mantissa % ROUND), expo };
}

/** Points as differences from a base, or `indexed` as an index of 100 at the base. */
export function plotPoints(
  points: readonly FeedPoint[],
  base: ScaledInteger,
  scale?: 'indexed',
): PlotPoint[] {
  const [start, perUnit] = scale === undefined ? [0, 1] : [100, 100 / Math.abs(Number(base.mantissa))];
  const height = (value: ScaledInteger): number => {
    const { mantissa, expo } = subtractScaled(value, base);
    const units = expo === base.expo ? Number(mantissa) : Number(`${mantissa}e${expo - base.expo}`);
    return start + units * perUnit;
  };
  return points.map((point) => {
    const { price: exact, conf: exactConf, ema } = point.update;
    const price = height(exact);
    const conf = Number(exactConf.mantissa) * 10 ** (exactConf.expo - base.expo) * perUnit;
    return {
      point,
      price,
      low: price - conf,
      high: price + conf,
      ema: ema === undefined ? null : height(ema),
    };
  });
}

/** Null values break the line. `band` is price minus and plus confidence. */
export type Vertex = {
  readonly atMs: number;
  readonly point?: FeedPoint;
  readonly price: number | null;
  readonly band: readonly [number, number] | null;
  readonly ema: number | null;
  /** The slowest of the pixel column; absent if none is known. */
  readonly latency?: UpdateLatency | undefined;
};

/**
 * The lowest, highest and last point of each column; an average would hide a spike. Columns are counted from the epoch,
 * so vertices do not jump while the window slides. With `isSampled`, live updates are drawn like the samples beside
 * them: the last of each column, and an extreme only if it is a spike.
 */
export function decimate(
  points: readonly PlotPoint[],
  columnMs: number,
  isBroken: (before: FeedPoint, after: FeedPoint) => boolean,
  isSampled = false,
): Vertex[] {
  const columns = columnsOf(points, columnMs, isBroken);
  const minSpike = isSampled ? SPIKE_MOVES * typicalMove(columns) : Number.NEGATIVE_INFINITY;
  return columns.flatMap((column, index) => {
    const [firstPoint, lastPlot] = [column[0]?.point, columns[index - 1]?.at(-1)];
    const isGap = lastPlot && firstPoint && isBroken(lastPlot.point, firstPoint);
    const vertices = verticesOf(column, isGap ? undefined : lastPlot?.price, minSpike);
    if (!isGap) return vertices;
    // The last price is in force until the gap starts.
    const atMs = Math.min(lastPlot.point.atMs + 1, firstPoint.atMs);
    return [{ atMs, price: null, band: null, ema: null }, ...vertices];
  });
}

/** An extreme this many typical moves beyond the prices before and after it is a spike. */
const SPIKE_MOVES = 3;

/** The median change from column to column. */
function typicalMove(columns: readonly (readonly PlotPoint[])[]): number {
  const lasts = columns.map((column) => column.at(-1)?.price ?? 0);
  const moves = lasts.slice(1).map((price, index) => Math.abs(price - (lasts[index] ?? price)));
  return moves.sort((a, b) => a - b)[moves.length >> 1] ?? 0;
}

function columnsOf(
  points: readonly PlotPoint[],
  columnMs: number,
  isBroken: (before: FeedPoint, after: FeedPoint) => boolean,
): PlotPoint[][] {
  const columns: PlotPoint[][] = [];
  for (const plot of points) {
    const column = columns.at(-1);
    const lastPoint = column?.at(-1)?.point;
    const isNext =
      lastPoint === undefined ||
      isBroken(lastPoint, plot.point) ||
      Math.floor(plot.point.atMs / columnMs) !== Math.floor(lastPoint.atMs / columnMs);
    if (isNext) columns.push([plot]);
    else column?.push(plot);
  }
  return columns;
}

/** Column width. Beside samples, live updates get columns as wide as the sampling step: one rhythm. */
export const rhythmMs = (pixelMs: number, isSampled: boolean, sampledEveryS: number) =>
  isSampled ? Math.max(pixelMs, sampledEveryS * 1000) : pixelMs;

function verticesOf(
  column: readonly PlotPoint[],
  startPrice: number | undefined,
  minSpike: number,
): Vertex[] {
  const last = column.at(-1);
  if (last === undefined) return [];
  const prices = column.map(({ price }) => price);
  const [low, high] = [Math.min(...prices), Math.max(...prices)];
  const { price: end } = last;
  const start = startPrice ?? end;
  const ends = [
    ...(Math.min(start, end) - low > minSpike ? [prices.indexOf(low)] : []),
    ...(high - Math.max(start, end) > minSpike ? [prices.indexOf(high)] : []),
    column.length - 1,
  ];
  // The EMA moves slowly.
  return column.flatMap(({ point, price, low, high }, index) =>
    ends.includes(index) ? { atMs: point.atMs, point, price, band: [low, high], ema: last.ema } : [],
  );
}

/** Minimum share of the height that prices take beside their confidence. */
const MIN_PRICE_SHARE = 1 / 3;

/** Range of prices and confidence. A wide band is cut, because it would flatten the line. Undefined without prices. */
export function priceRange(
  plots: readonly Pick<PlotPoint, 'price' | 'low' | 'high'>[],
): readonly [low: number, high: number] | undefined {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let [bandLow, bandHigh] = [low, high];
  for (const plot of plots) {
    low = Math.min(low, plot.price);
    high = Math.max(high, plot.price);
    bandLow = Math.min(bandLow, plot.low);
    bandHigh = Math.max(bandHigh, plot.high);
  }
  if (low > high) return undefined;
  const height = high - low;
  const spare = bandHigh - bandLow - height;
  const maxSpare = height / MIN_PRICE_SHARE - height;
  // A price that does not change takes no height itself.
  const share = height === 0 || spare <= maxSpare ? 1 : maxSpare / spare;
  return [low - (low - bandLow) * share, high + (bandHigh - high) * share];
}

function typicalPauseOf(points: readonly FeedPoint[], market: Market | undefined): number | undefined {
  return typicalPauseS(
    points.slice(-CADENCE_UPDATES).map(({ update }) => update),
    market,
  );
}

type PointRules = Omit<GapRules, 'silentAfterS'> & { readonly floors: CadenceFloors };

export function findGaps(points: readonly FeedPoint[], { floors, ...rules }: PointRules): FeedGap[] {
  const ticks = points.map(
    ({ update, leftOut }): TickTimes =>
      leftOut === undefined ? update : { ...update, receivedFromS: leftOut.fromS },
  );
  return feedGaps(ticks, {
    ...rules,
    silentAfterS: silentAfterS(typicalPauseOf(points, rules.market), floors),
  });
}

/** First second of the window; undefined if an update before it is known. */
export function windowStartS(inView: readonly FeedPoint[], { fromMs }: TimeRange): number | undefined {
  return (inView[0]?.atMs ?? Number.POSITIVE_INFINITY) > fromMs ? Math.floor(fromMs / 1000) : undefined;
}

/** Tells whether a gap lies between two points, so that no line is drawn. */
export const isBrokenBy =
  (gaps: readonly FeedGap[]) =>
  (before: FeedPoint, after: FeedPoint): boolean =>
    gaps.some(
      ({ fromS, untilS }) => before.update.publishTimeS <= fromS && untilS <= after.update.publishTimeS,
    );

export const gapsWithin = (gaps: readonly FeedGap[], { fromMs, toMs }: TimeRange) =>
  gaps.filter(({ fromS, untilS }) => untilS * 1000 > fromMs && fromS * 1000 < toMs);

/** While the past is loading, ended gaps of unknown kind are left out: their updates may still come. */
export const shownGaps = (gaps: readonly FeedGap[], isFilled: boolean | undefined) =>
  isFilled === true ? gaps : gaps.filter((gap) => !isLoading(gap));

export const loadingGaps = (gaps: readonly FeedGap[], isFilled: boolean | undefined) =>
  isFilled === true ? [] : gaps.filter(isLoading);

const isLoading = ({ kind, isOpen }: FeedGap) => kind === 'unknown' && isOpen !== true;

export type SparklineDrawing = NonNullable<ReturnType<typeof sparklineOf>>;

type SparklineRules = Pick<GapRules, 'market' | 'edge'> & {
  readonly floors: CadenceFloors;
  /** Seconds between backfilled updates. For a board, our server also thins updates out to this distance. */
  readonly sampledEveryS: number;
  readonly isFilled?: boolean | undefined;
};

/** A board receives thinned updates, so a single missing update is not a gap. */
export function sparklineGaps(
  points: readonly FeedPoint[],
  range: TimeRange,
  rules: SparklineRules,
): FeedGap[] {
  const inView = pointsInView(points, range);
  const minS = silentAfterS(typicalPauseOf(points, rules.market), rules.floors);
  const ticks = inView.map(({ arrivedMs, leftOut, update: { publishTimeS, prevPublishTimeS } }) => ({
    publishTimeS,
    prevPublishTimeS,
    isBackfilled: arrivedMs === undefined,
    receivedFromS: leftOut?.fromS,
  }));
  const { floors: _, isFilled, ...others } = rules;
  const beginsS = isFilled || inView.length > 0 ? windowStartS(inView, range) : undefined;
  const gaps = feedGaps(ticks, { ...others, silentAfterS: minS, beginsS });
  return gapsWithin(gaps, range).filter(({ fromS, untilS }) => untilS - fromS > minS);
}

/** Minimum height of a sparkline with axes, px. */
const MIN_AXES_PX = 90;
const TIMES_PX = 16;
/** Distance from an edge within which a number would be cut, px. */
const EDGE_PX = 6;
const PX_PER_TICK = 44;
const PX_PER_CHARACTER = 6.2;

/** Finer than tenths of a pixel is invisible and makes the text longer. */
const tenths = (px: number) => Math.round(px * 10) / 10;

/** Labels of the price axis that fit between its edges. */
function priceLabels(
  ticks: readonly number[],
  base: ScaledInteger,
  y: (units: number) => number,
  height: number,
) {
  const texts = axisTexts(ticks, base);
  return ticks.flatMap((tick, index) => {
    const label = { y: y(tick), text: texts[index] ?? '' };
    return label.y < EDGE_PX || label.y > height - EDGE_PX ? [] : label;
  });
}

function gapOnPlot({ fromS, untilS }: FeedGap, x: (atMs: number) => number, width: number) {
  const left = Math.max(0, x(fromS * 1000));
  return { left, width: tenths(Math.min(width, x(untilS * 1000)) - left) };
}

/** A sparkline in pixels of the plot, with axes if there is room. Lines break at gaps. Undefined without updates. */
export function sparklineOf(
  points: readonly FeedPoint[],
  range: TimeRange,
  size: { width: number; height: number },
  gaps: readonly FeedGap[],
  isFilled = true,
  sampledEveryS = 0,
) {
  const { fromMs, toMs } = range;
  const inView = pointsInView(points, range);
  const seen = inView.filter(({ atMs }) => atMs >= fromMs);
  const [first] = seen;
  const extremes = windowExtremes(inView, fromMs);
  if (first === undefined || extremes === undefined) return undefined;
  const base = plotBase(first.update);
  const plots = plotPoints(inView, base);
  const [low = 0, high = 0] = priceRange(plots) ?? [];
  const hasAxes = size.height >= MIN_AXES_PX;
  const height = size.height - (hasAxes ? TIMES_PX : 0);
  const y = (units: number) =>
    tenths(height * (high === low ? 0.5 : 0.96 - (0.92 * (units - low)) / (high - low)));
  const ticks = hasAxes ? niceTicks(low, high, Math.max(2, Math.round(height / PX_PER_TICK)), 1) : [];
  const prices = priceLabels(ticks, base, y, height);
  const axisPx = prices.length === 0 ? 0 : textPx([shortText(first.update.price), ...prices]);
  const width = Math.max(1, size.width - axisPx);
  const columnMs = (toMs - fromMs) / width;
  const isSampled = seen.some(({ update }) => update.isBackfilled);
  const widthMs = rhythmMs(columnMs, isSampled, sampledEveryS);
  const vertices = decimate(plots, widthMs, isBrokenBy(gaps), isSampled);
  const x = (atMs: number) => tenths((atMs - fromMs) / columnMs);
  const last = vertices.at(-1);
  const placed = (gap: FeedGap) => gapOnPlot(gap, x, width);
  const shades = shownGaps(gaps, isFilled).map((gap) => ({ kind: gap.kind, ...placed(gap) }));
  const lastEma = last?.ema;
  return {
    shades,
    loading: loadingGaps(gaps, isFilled).map(placed),
    plot: { width, height },
    prices,
    range,
    /** Side of the plot beyond which the last EMA lies. */
    emaBeyond: lastEma == null ? undefined : sideBeyond(y(lastEma), height),
    startMs: first.atMs,
    ...sparklinePaths(vertices, x, y, height),
    last: last?.price == null || last.point === undefined ? undefined : { x: x(last.atMs), y: y(last.price) },
    /** Height at which an update is drawn, px from the top. */
    scale: (update: PriceUpdate) => y(plotPoints([pointOf(update)], base)[0]?.price ?? low),
    /** Whether higher and lower prices may lie between two samples. */
    isSampled,
    extremes,
    seen,
  } as const;
}

/** Paths are interrupted at gaps. */
function sparklinePaths(
  vertices: readonly Vertex[],
  x: (atMs: number) => number,
  y: (units: number) => number,
  height: number,
) {
  const path = (part: readonly Vertex[], heightOf: (vertex: Vertex) => number | null | undefined) => {
    const places = part.flatMap((vertex) => {
      const units = heightOf(vertex);
      return units == null ? [] : [`${x(vertex.atMs)} ${y(units)}`];
    });
    return places.length === 0 ? '' : `M${places.join('L')}${places.length === 1 ? 'h.1' : ''}`;
  };
  const area = (part: readonly Vertex[]) => {
    const lower = path(part.toReversed(), ({ band }) => band?.[0]);
    return `${path(part, ({ band }) => band?.[1])}${lower.replace('M', 'L')}Z`;
  };
  const parts = unbroken(vertices);
  // A band that covers the whole plot would only tint it.
  const isCovered = vertices.every(({ band }) => band === null || (y(band[0]) >= height && y(band[1]) <= 0));
  return {
    line: parts.map((part) => path(part, ({ price }) => price)).join(''),
    band: isCovered ? '' : parts.map(area).join(''),
    ema: parts.map((part) => path(part, ({ ema }) => ema)).join(''),
  };
}

const sideBeyond = (px: number, height: number) => (px < 0 ? 'above' : px > height ? 'below' : undefined);

const textPx = (labels: readonly (string | { readonly text: string })[]) =>
  Math.ceil(
    Math.max(...labels.map((label) => (typeof label === 'string' ? label : label.text).length)) *
      PX_PER_CHARACTER +
      12,
  );

function unbroken(vertices: readonly Vertex[]): Vertex[][] {
  const parts: Vertex[][] = [[]];
  for (const vertex of vertices) {
    if (vertex.price === null) parts.push([]);
    else parts.at(-1)?.push(vertex);
  }
  return parts.filter((part) => part.length > 0);
}

/** Window up to `toMs` (unix ms), or live up to now if it is absent. */
export type ChartWindow = { readonly spanMs: number; readonly toMs?: number };

/** A window that reaches the present becomes live. None begins before 1970. */
export function panned({ spanMs, toMs }: ChartWindow, byMs: number, nowMs: number): ChartWindow {
  const nextMs = (toMs ?? nowMs) + byMs;
  if (byMs === 0) return { spanMs, toMs };
  return nextMs >= nowMs ? { spanMs } : { spanMs, toMs: Math.max(spanMs, Math.round(nextMs)) };
}

/** Scales around `anchorMs`, to whole seconds. */
export function zoomed(window: ChartWindow, factor: number, anchorMs: number, nowMs: number): ChartWindow {
  const wholeMs = Math.round((window.spanMs * factor) / 1000) * 1000;
  const spanMs = Math.min(MAX_SPAN_MS, Math.max(MIN_SPAN_MS, wholeMs));
  if (window.toMs === undefined) return { spanMs };
  const toMs = anchorMs + ((window.toMs - anchorMs) / window.spanMs) * spanMs;
  return panned({ spanMs, toMs: window.toMs }, toMs - window.toMs, nowMs);
}

/** Fractions of the window's span, and factors that scale it, by key. */
const MOVES: Record<string, number> = { ArrowLeft: -0.1, ArrowRight: 0.1, PageUp: -1, PageDown: 1 };
const STRETCHES: Record<string, number> = { '+': 1 / 1.5, '=': 1 / 1.5, '-': 1.5 };

export function windowAfterKey(window: ChartWindow, key: string, nowMs: number): ChartWindow | undefined {
  const { spanMs, toMs = nowMs } = window;
  if (key === 'End') return { spanMs };
  if (MOVES[key] !== undefined) return panned(window, MOVES[key] * spanMs, nowMs);
  const factor = STRETCHES[key];
  return factor === undefined ? undefined : zoomed(window, factor, toMs - spanMs / 2, nowMs);
}
