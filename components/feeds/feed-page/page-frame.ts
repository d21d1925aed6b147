import { type ChartPoint, decimate } from '@/lib/client/feed-decimation';
import type { FeedPoint } from '@/lib/client/feed-history';
import type { LineBreak } from '@/lib/domain/feed-gaps';
import { axisTickText, placeOnAxis, priceAxis } from '@/lib/domain/price-axis';
import { addScaled, type ScaledInteger, scaledToNumber, subtractScaled } from '@/lib/domain/scaled-number';
import { type TimeAxis, timeAxisOf } from './time-axis';

/** One feed of the chart with all that is known of it, oldest first. */
export type ChartedFeed = {
  readonly id: string;
  readonly name: string;
  readonly points: readonly FeedPoint[];
  /** A longer pause breaks the line, ms. */
  readonly gapMs: number;
  /** Where it is broken besides. */
  readonly breaks?: readonly LineBreak[];
};

/** How the feeds share the height: one scale for the price; each as 100 where all have begun; or an axis each for the first two. */
export type ChartScale = 'price' | 'indexed' | 'axes';

export type Look = {
  readonly fromMs: number;
  readonly toMs: number;
  /** Of the whole chart, pixels. */
  readonly width: number;
  readonly height: number;
  readonly scale: ChartScale;
};

/** A tick of a value axis: where it stands (0 at the bottom, 1 at the top), and its text. */
export type ValueTick = { readonly place: number; readonly text: string };

/** A line of the chart. Heights are places: 0 at the bottom of the plot, 1 at its top. */
export type PageSeries = {
  readonly id: string;
  readonly name: string;
  /** Its colour and dash, by its place among the feeds. */
  readonly tone: number;
  readonly points: readonly ChartPoint[];
  /** Where a value of the feed stands. */
  readonly placeOf: (price: number) => number;
};

/** Strokes and pauses of each line, pixels, by tone: colours alone are not told apart by everybody. */
export const SERIES_DASHES: readonly (readonly number[])[] = [[], [7, 3], [2, 3], [10, 3, 2, 3]];

export type PageFrame = TimeAxis & {
  readonly fromMs: number;
  readonly toMs: number;
  readonly width: number;
  readonly height: number;
  readonly scale: ChartScale;
  readonly series: readonly PageSeries[];
  readonly right: readonly ValueTick[];
  readonly left: readonly ValueTick[];
  /** Widths of the axes, pixels. */
  readonly rightPx: number;
  readonly leftPx: number;
  /** Feeds that the scale can't show: their price is zero where the index begins, or the two axes are taken. */
  readonly leftOut: readonly string[];
};

const PIXELS_PER_TICK = 56;
const DIGIT_PX = 6.6;
export const PLOT_TOP_PX = 8;
export const TIME_LABELS_PX = 22;

type Scale = { readonly ticks: readonly ValueTick[]; readonly placeOf: (value: number) => number };

/** The frame of a moment: everything that one drawing of the page's chart needs. */
export function pageFrameOf(feeds: readonly ChartedFeed[], look: Look): PageFrame {
  const steps = Math.max(2, Math.round((look.height - PLOT_TOP_PX - TIME_LABELS_PX) / PIXELS_PER_TICK));
  const seen = feeds.map(({ points }) => inView(points, look));
  const scales = scalesOf(feeds, seen, look.scale, steps);
  const right = scales[0]?.ticks ?? [];
  const left = look.scale === 'axes' ? (scales[1]?.ticks ?? []) : [];
  const rightPx = axisPx(right);
  const leftPx = left.length === 0 ? 0 : axisPx(left);
  const plotPx = Math.max(1, look.width - rightPx - leftPx);
  const columns = Math.max(1, Math.floor(plotPx / Math.max(1, feeds.length)));
  const series = feeds.flatMap((feed, tone): PageSeries[] => {
    const scale = scales[tone];
    if (scale === undefined) return [];
    const { gapMs, breaks } = feed;
    const frame = { fromMs: look.fromMs, toMs: look.toMs, columns, gapMs, breaks };
    const points = decimate(feed.points, frame).map((point) => placed(point, scale.placeOf));
    return [{ id: feed.id, name: feed.name, tone, points, placeOf: scale.placeOf }];
  });
  return {
    ...timeAxisOf(look.fromMs, look.toMs, plotPx),
    fromMs: look.fromMs,
    toMs: look.toMs,
    width: look.width,
    height: look.height,
    scale: look.scale,
    series,
    right,
    left,
    rightPx,
    leftPx,
    leftOut: feeds.filter((_, at) => scales[at] === undefined).map(({ name }) => name),
  };
}

function axisPx(ticks: readonly ValueTick[]): number {
  return Math.ceil(Math.max(4, ...ticks.map(({ text }) => text.length)) * DIGIT_PX + 12);
}

/** The points that a window shows, and the last one before it, from which the line enters. */
export function inView(
  points: readonly FeedPoint[],
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): readonly FeedPoint[] {
  const first = points.findIndex(({ atMs }) => atMs >= fromMs);
  if (first === -1) return points.slice(-1);
  return points.slice(Math.max(0, first - 1)).filter(({ atMs }) => atMs <= toMs);
}

function scalesOf(
  feeds: readonly ChartedFeed[],
  seen: readonly (readonly FeedPoint[])[],
  scale: ChartScale,
  steps: number,
): readonly (Scale | undefined)[] {
  if (scale === 'price')
    return feeds.map((_, at) => (at === 0 ? priceScale(seen[0] ?? [], steps) : undefined));
  if (scale === 'axes') return feeds.map((_, at) => (at < 2 ? priceScale(seen[at] ?? [], steps) : undefined));
  return indexedScales(seen, steps);
}

const EMPTY: Scale = { ticks: [], placeOf: () => 0.5 };

function priceScale(points: readonly FeedPoint[], steps: number): Scale {
  const ends = endsOf(points);
  if (ends === undefined) return EMPTY;
  return scaleOf(ends.low, ends.high, steps);
}

function scaleOf(lowest: ScaledInteger, highest: ScaledInteger, steps: number): Scale {
  const axis = priceAxis(lowest, highest, steps);
  const low = scaledToNumber(axis.low);
  const span = scaledToNumber(subtractScaled(axis.high, axis.low));
  const ticks = axis.ticks.map((tick) => ({
    place: placeOnAxis(tick, axis),
    text: axisTickText(tick, axis),
  }));
  return { ticks, placeOf: (value) => (span === 0 ? 0.5 : (value - low) / span) };
}

/** The lowest and the highest end of the bands, exact. */
function endsOf(points: readonly FeedPoint[]): { low: ScaledInteger; high: ScaledInteger } | undefined {
  let lowest: FeedPoint | undefined;
  let highest: FeedPoint | undefined;
  for (const point of points) {
    if (lowest === undefined || point.price - point.conf < lowest.price - lowest.conf) lowest = point;
    if (highest === undefined || point.price + point.conf > highest.price + highest.conf) highest = point;
  }
  if (lowest === undefined || highest === undefined) return undefined;
  return {
    low: subtractScaled(exactPrice(lowest), exactConf(lowest)),
    high: addScaled(exactPrice(highest), exactConf(highest)),
  };
}

/** The price of a point with every digit. */
export function exactPrice({ exact }: FeedPoint): ScaledInteger {
  return { mantissa: BigInt(exact.p), expo: exact.e };
}

/** The confidence of a point with every digit; zero where it is not known. */
export function exactConf({ update }: FeedPoint): ScaledInteger {
  return update === undefined ? { mantissa: 0n, expo: 0 } : { mantissa: BigInt(update.c), expo: update.e };
}

/** An index has four decimals at most: it is a ratio for the eye, and no price. */
const INDEX_EXPO = -6;

/**
 * The update of each feed that is 100: its last one when the feed that begins last began, so that all are compared over the
 * same time. Undefined for a feed without any.
 */
export function indexBases(seen: readonly (readonly FeedPoint[])[]): readonly (FeedPoint | undefined)[] {
  const startMs = Math.max(...seen.flatMap(([first]) => first?.atMs ?? []));
  return seen.map((points) => points.findLast(({ atMs }) => atMs <= startMs));
}

/** Each feed's base is 100, and all share one axis. */
function indexedScales(
  seen: readonly (readonly FeedPoint[])[],
  steps: number,
): readonly (Scale | undefined)[] {
  const bases = indexBases(seen).map((point) => point?.price);
  const indexes = seen.flatMap((points, at) => points.map(({ price }) => indexOf(price, bases[at])));
  const known = indexes.filter((index) => index !== undefined);
  if (known.length === 0) return seen.map(() => EMPTY);
  const scale = scaleOf(indexNumber(leastOf(known)), indexNumber(-leastOf(known.map((one) => -one))), steps);
  return bases.map((base) =>
    base === 0
      ? undefined
      : { ticks: scale.ticks, placeOf: (price) => scale.placeOf(indexOf(price, base) ?? 100) },
  );
}

function leastOf(values: readonly number[]): number {
  return values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
}

/** 100 at the base, 101 one percent above it, also where prices are negative; undefined from a base of zero. */
export function indexOf(price: number, base: number | undefined): number | undefined {
  return base === undefined || base === 0 ? undefined : 100 + ((price - base) / Math.abs(base)) * 100;
}

function indexNumber(index: number): ScaledInteger {
  return { mantissa: BigInt(Math.round(index * 10 ** -INDEX_EXPO)), expo: INDEX_EXPO };
}

function placed({ atMs, price, band, ema }: ChartPoint, placeOf: (value: number) => number): ChartPoint {
  if (price === null) return { atMs, price, band };
  const point = {
    atMs,
    price: placeOf(price),
    band: band === null ? null : ([placeOf(band[0]), placeOf(band[1])] as const),
  };
  return ema === undefined ? point : { ...point, ema: placeOf(ema) };
}
