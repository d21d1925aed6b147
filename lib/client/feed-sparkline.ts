import type { FeedMark } from '@/lib/contract/codec/feed-marks';
import { type PriceAxis, placeOnAxis, priceAxis } from '@/lib/domain/price-axis';
import { addScaled, type ScaledInteger, subtractScaled } from '@/lib/domain/scaled-number';
import { type ChartPoint, decimate } from './feed-decimation';
import type { FeedPoint } from './feed-history';

/** Where a sparkline is drawn: the plot in pixels, and what it looks at, unix milliseconds. */
export type SparkLook = {
  readonly fromMs: number;
  readonly toMs: number;
  readonly width: number;
  readonly height: number;
  /** About so many ticks. */
  readonly steps: number;
  readonly usualPauseMs: number | undefined;
  readonly marks: readonly FeedMark[];
};

/** A sparkline as it is drawn: texts of SVG paths, in pixels of the plot. */
export type Sparkline = {
  readonly line: string;
  /** Price minus and plus confidence. */
  readonly band: string;
  readonly ema: string;
  /** Where the latest EMA lies: the axis fits the price, and an EMA far from it is off the scale. Absent when unknown. */
  readonly emaPlace?: 'inside' | 'above' | 'below';
  readonly last?: { readonly x: number; readonly y: number };
  readonly axis: PriceAxis;
  /** Ticks of the axis from low to high. */
  readonly ticks: readonly { readonly value: ScaledInteger; readonly y: number }[];
  /** Parts in which our stream was down. */
  readonly outages: readonly { readonly key: string; readonly x: number; readonly width: number }[];
  /** Updates within the window, oldest first. */
  readonly seen: readonly FeedPoint[];
};

/** What a sparkline spans grows in steps while little is known, so that its scale holds still in between. */
const SPANS_MS = [60_000, 120_000, 180_000, 300_000, 600_000, 900_000, 1_800_000];

/** How far back a sparkline looks: the window, or less of it while there is no earlier price. Milliseconds. */
export function spanFor(points: readonly FeedPoint[], toMs: number, windowMs: number): number {
  const knownMs = toMs - (points[0]?.atMs ?? toMs);
  return Math.min(windowMs, SPANS_MS.find((ms) => knownMs <= ms) ?? windowMs);
}

/**
 * The plot ends at multiples of a step that is finer than that of the ticks: little of it stays empty, and still it
 * changes only now and then.
 */
const EDGE_STEPS = 12;

/** A line is broken where nothing came for so long, unless the feed is slower by nature. */
const SHORTEST_GAP_MS = 15_000;
const GAP_PAUSES = 4;
/** What our server tells of the past is thinned out: pauses of this share of the window are none. */
const GAP_SHARE = 1 / 60;

/** The sparkline of a moment; undefined where no update falls into the window. */
export function sparklineOf(points: readonly FeedPoint[], look: SparkLook): Sparkline | undefined {
  const { fromMs, toMs, width, height } = look;
  const inside = points.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
  const first = inside[0];
  if (first === undefined) return undefined;
  const base = baseOf(first);
  // One from before the window, so that the line enters from the left edge.
  const before = points.findLast(({ atMs }) => atMs < fromMs);
  const shifted = [...(before === undefined ? [] : [before]), ...inside].map((point) =>
    shiftedBy(point, base),
  );
  const gapMs = Math.max(SHORTEST_GAP_MS, GAP_PAUSES * (look.usualPauseMs ?? 0), (toMs - fromMs) * GAP_SHARE);
  const vertices = decimate(shifted, { fromMs, toMs, columns: width, gapMs });
  const { lowest, highest } = extentOf(inside, shifted);
  const axis = priceAxis(lowest, highest, look.steps);
  const edges = priceAxis(lowest, highest, EDGE_STEPS);
  const scale = scaleOf(edges, base, look);
  const emas = vertices.map(({ ema }) => ema).filter((ema) => ema !== undefined);
  const lastVertex = vertices.at(-1);
  return {
    ...pathsOf(vertices, scale),
    emaPlace: emaPlaceOf(emas.at(-1), scale, height),
    last:
      lastVertex?.price == null ? undefined : { x: scale.x(lastVertex.atMs), y: scale.y(lastVertex.price) },
    axis,
    ticks: axis.ticks
      .map((value) => ({ value, y: round(height * (1 - placeOnAxis(value, edges))) }))
      .filter(({ y }) => y >= 0 && y <= height),
    outages: outagesOf(look, scale),
    seen: inside,
  };
}

/**
 * Numbers of a drawing are differences from one of its prices, in units of that price's last digit: exact digits are
 * subtracted before floating point sees them, so that prices of twenty digits don't collapse into one.
 */
type Base = { readonly exact: ScaledInteger; readonly near: number | undefined };

/** Whole numbers of so many digits are exact as floating-point numbers. */
const EXACT_DIGITS = 15;

function baseOf({ exact: { p, e } }: FeedPoint): Base {
  const exact = { mantissa: BigInt(p), expo: e };
  return { exact, near: p.length <= EXACT_DIGITS ? Number(p) : undefined };
}

function unitsFrom(base: Base, mantissa: string, expo: number): number {
  if (base.near !== undefined && expo === base.exact.expo && mantissa.length <= EXACT_DIGITS) {
    return Number(mantissa) - base.near;
  }
  return exactUnits(subtractScaled({ mantissa: BigInt(mantissa), expo }, base.exact), base);
}

function exactUnits({ mantissa, expo }: ScaledInteger, base: Base): number {
  return Number(`${mantissa}e${expo - base.exact.expo}`);
}

function shiftedBy(point: FeedPoint, base: Base): FeedPoint {
  const { exact, update } = point;
  const price = unitsFrom(base, exact.p, exact.e);
  const conf =
    update === undefined
      ? point.conf / 10 ** base.exact.expo
      : Number(`${update.c}e${update.e - base.exact.expo}`);
  const shifted = { ...point, price, conf };
  if (update?.ep === undefined) return shifted;
  return { ...shifted, ema: unitsFrom(base, update.ep, update.ee ?? update.e) };
}

/** Of the whole band. Its ends are exact, found by their places. */
function extentOf(
  inside: readonly FeedPoint[],
  shifted: readonly FeedPoint[],
): { readonly lowest: ScaledInteger; readonly highest: ScaledInteger } {
  const offset = shifted.length - inside.length;
  let low = 0;
  let high = 0;
  for (let at = 1; at < inside.length; at += 1) {
    if (edge(shifted[at + offset], -1) < edge(shifted[low + offset], -1)) low = at;
    if (edge(shifted[at + offset], 1) > edge(shifted[high + offset], 1)) high = at;
  }
  const [lower, upper] = [exactOf(inside[low]), exactOf(inside[high])];
  return {
    lowest: subtractScaled(lower.price, lower.conf),
    highest: addScaled(upper.price, upper.conf),
  };
}

function edge(point: FeedPoint | undefined, side: 1 | -1): number {
  return (point?.price ?? 0) + side * (point?.conf ?? 0);
}

const NOTHING: ScaledInteger = { mantissa: 0n, expo: 0 };

function exactOf(point: FeedPoint | undefined): { price: ScaledInteger; conf: ScaledInteger } {
  if (point === undefined) return { price: NOTHING, conf: NOTHING };
  const { exact, update } = point;
  const conf = update === undefined ? NOTHING : { mantissa: BigInt(update.c), expo: update.e };
  return { price: { mantissa: BigInt(exact.p), expo: exact.e }, conf };
}

type Scale = { readonly x: (atMs: number) => number; readonly y: (units: number) => number };

function scaleOf({ low, high }: PriceAxis, base: Base, { fromMs, toMs, width, height }: SparkLook): Scale {
  const lowUnits = exactUnits(subtractScaled(low, base.exact), base);
  const perUnit = height / (exactUnits(subtractScaled(high, low), base) || 1);
  return {
    x: (atMs) => round(((atMs - fromMs) / (toMs - fromMs)) * width),
    y: (units) => round(height - (units - lowUnits) * perUnit),
  };
}

/** Tenths of a pixel: what is finer nobody sees, and it would only make the texts longer. */
function round(px: number): number {
  return Math.round(px * 10) / 10;
}

function pathsOf(vertices: readonly ChartPoint[], { x, y }: Scale): Pick<Sparkline, 'line' | 'band' | 'ema'> {
  let line = '';
  let band = '';
  let ema = '';
  for (const part of unbroken(vertices)) {
    const xs = part.map(({ atMs }) => x(atMs));
    line += path(part.map(({ price }, at) => [xs[at] ?? 0, y(price ?? 0)]));
    const upper = part.map(({ band: edges }, at) => [xs[at] ?? 0, y(edges?.[1] ?? 0)] as const);
    const lower = part.map(({ band: edges }, at) => [xs[at] ?? 0, y(edges?.[0] ?? 0)] as const);
    band += `${path([...upper, ...lower.toReversed()])}Z`;
    ema += path(
      part.flatMap(({ ema: value }, at) => (value === undefined ? [] : [[xs[at] ?? 0, y(value)] as const])),
    );
  }
  return { line, band, ema };
}

function unbroken(vertices: readonly ChartPoint[]): ChartPoint[][] {
  const parts: ChartPoint[][] = [[]];
  for (const vertex of vertices) {
    if (vertex.price === null) parts.push([]);
    else parts.at(-1)?.push(vertex);
  }
  return parts.filter((part) => part.length > 0);
}

function path(places: readonly (readonly [number, number])[]): string {
  const [first] = places;
  if (first === undefined) return '';
  const single = places.length === 1 ? 'h.1' : '';
  return `M${places.map(([x, y]) => `${x} ${y}`).join('L')}${single}`;
}

function emaPlaceOf(ema: number | undefined, { y }: Scale, height: number): Sparkline['emaPlace'] {
  if (ema === undefined) return undefined;
  const place = y(ema);
  return place < 0 ? 'above' : place > height ? 'below' : 'inside';
}

function outagesOf({ marks, fromMs, toMs }: SparkLook, { x }: Scale): Sparkline['outages'] {
  return marks
    .filter(({ kind }) => kind === 'outage')
    .map(({ key, fromMs: from, untilMs: until = toMs }) => {
      const left = x(Math.max(from, fromMs));
      return { key, x: left, width: round(x(Math.min(until, toMs)) - left) };
    })
    .filter(({ width }) => width > 0);
}
