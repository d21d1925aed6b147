import { addScaled, type ScaledInteger, subtractScaled } from '@/lib/core/numbers';
import type { LineBreak } from '@/lib/feeds/feed-gaps';
import { axisTickText, placeOnAxis, priceAxis } from '@/lib/feeds/price-axis';
import type { CompactFeed } from '@/lib/feeds/stream-events';
import { exactConf, exactPrice, type FeedPoint, pointsInView } from './history';

/**
 * An update in a drawing. Its numbers are differences from a base price, in units of the base's last digit: exact digits are
 * subtracted before floating point sees them, so that prices of twenty digits don't collapse into one.
 */
export type PlotPoint = {
  readonly atMs: number;
  readonly publishS: number;
  readonly price: number;
  readonly low: number;
  readonly high: number;
  /** Absent where it is not known. */
  readonly ema?: number;
};

/** Whole numbers of so many digits are exact as floating-point numbers. */
const EXACT_DIGITS = 15;

/** Points as differences from a base. */
export function plotted(points: readonly FeedPoint[], base: CompactFeed): PlotPoint[] {
  const exact = exactPrice(base);
  const near = base.p.length <= EXACT_DIGITS ? Number(base.p) : undefined;
  const unitsFrom = (mantissa: string, expo: number): number => {
    if (near !== undefined && expo === base.e && mantissa.length <= EXACT_DIGITS)
      return Number(mantissa) - near;
    return unitsOf(subtractScaled({ mantissa: BigInt(mantissa), expo }, exact), base.e);
  };
  return points.map(({ atMs, update }) => {
    const price = unitsFrom(update.p, update.e);
    const conf = Number(`${update.c}e${update.e - base.e}`);
    const ema = update.ep === undefined ? undefined : unitsFrom(update.ep, update.ee ?? update.e);
    return { atMs, publishS: update.t, price, low: price - conf, high: price + conf, ema };
  });
}

function unitsOf({ mantissa, expo }: ScaledInteger, baseExpo: number): number {
  return Number(`${mantissa}e${expo - baseExpo}`);
}

/** One vertex of a drawing; where the line is broken, everything but the moment is null. */
export type Vertex = {
  readonly atMs: number;
  readonly price: number | null;
  /** Price minus and plus confidence. */
  readonly band: readonly [number, number] | null;
  readonly ema: number | null;
};

export type DecimationFrame = {
  readonly fromMs: number;
  readonly toMs: number;
  /** Pixel columns between `fromMs` and `toMs`. */
  readonly columns: number;
  /** A pause longer than this breaks the line: what was not seen is not drawn. */
  readonly gapMs: number;
  /** Where the line is broken besides, however short the pause. */
  readonly breaks?: readonly LineBreak[];
};

/**
 * Points reduced to what the pixels can show: the lowest and the highest price of every pixel column, in time order, and
 * always the last point. Never an average, which would hide a spike. The band of a column covers the bands of all its
 * points. Columns are counted from the epoch, not from the left edge, so a sliding window does not make vertices jump.
 */
export function decimate(points: readonly PlotPoint[], frame: DecimationFrame): Vertex[] {
  const { fromMs, toMs, columns, gapMs, breaks = [] } = frame;
  const columnMs = Math.max(1, (toMs - fromMs) / Math.max(1, columns));
  const vertices: Vertex[] = [];
  let column: PlotPoint[] = [];
  let nextBreak = 0;
  const write = () => {
    vertices.push(...verticesOf(column));
    column = [];
  };
  for (const point of points) {
    const before = column.at(-1);
    if (before !== undefined) {
      while ((breaks[nextBreak]?.fromS ?? Infinity) < before.publishS) nextBreak += 1;
      const isMarked =
        (breaks[nextBreak]?.untilS ?? Infinity) <= point.publishS && point.publishS > before.publishS;
      const isBroken = isMarked || point.atMs - before.atMs > gapMs;
      if (isBroken || Math.floor(point.atMs / columnMs) !== Math.floor(before.atMs / columnMs)) write();
      if (isBroken)
        vertices.push({ atMs: (before.atMs + point.atMs) / 2, price: null, band: null, ema: null });
    }
    column.push(point);
  }
  write();
  return vertices;
}

function verticesOf(column: readonly PlotPoint[]): Vertex[] {
  const last = column.at(-1);
  if (last === undefined) return [];
  const by = (better: (a: number, b: number) => boolean, of: (point: PlotPoint) => number) =>
    column.reduce((best, point) => (better(of(point), of(best)) ? point : best));
  const lowest = by(
    (a, b) => a < b,
    ({ price }) => price,
  );
  const highest = by(
    (a, b) => a > b,
    ({ price }) => price,
  );
  const band = [
    by(
      (a, b) => a < b,
      ({ low }) => low,
    ).low,
    by(
      (a, b) => a > b,
      ({ high }) => high,
    ).high,
  ] as const;
  // It moves slowly: the last one of a column stands for all.
  const ema = last.ema ?? null;
  return column
    .filter((point) => point === lowest || point === highest || point === last)
    .map(({ atMs, price }) => ({ atMs, price, band, ema }));
}

/** A line is broken where nothing came for so long, unless the feed is slower by nature, or seeded so coarsely. */
const SHORTEST_GAP_MS = 15_000;
const GAP_PAUSES = 4;
const GAP_STEPS = 2.5;

export function gapMsOf(pauseS: number | undefined, seedStepS: number): number {
  return Math.max(SHORTEST_GAP_MS, GAP_PAUSES * (pauseS ?? 0) * 1000, GAP_STEPS * seedStepS * 1000);
}

/** A tick of a value axis: where it stands (0 at the bottom, 1 at the top), and its text. */
export type ValueTick = { readonly place: number; readonly text: string };

/** Where values stand on an axis. */
export type Scale = { readonly ticks: readonly ValueTick[]; readonly placeOf: (units: number) => number };

/**
 * An axis around exact values with about so many ticks. @param base what units count from. @param edgeSteps the axis ends at
 * steps so fine: the finer, the less room stays empty, and the more often it changes
 */
export function scaleOf(
  low: ScaledInteger,
  high: ScaledInteger,
  steps: number,
  base: ScaledInteger,
  edgeSteps = steps,
): Scale {
  const axis = priceAxis(low, high, steps);
  const edges = edgeSteps === steps ? axis : priceAxis(low, high, edgeSteps);
  const lowUnits = unitsOf(subtractScaled(edges.low, base), base.expo);
  const span = unitsOf(subtractScaled(edges.high, edges.low), base.expo) || 1;
  const ticks = axis.ticks.map((tick) => ({
    place: placeOnAxis(tick, edges),
    text: axisTickText(tick, axis),
  }));
  return {
    ticks: ticks.filter(({ place }) => place >= 0 && place <= 1),
    placeOf: (units) => (units - lowUnits) / span,
  };
}

/** The lowest and the highest end of the bands of some points, exact; undefined where there are none. */
export function bandEnds(
  points: readonly FeedPoint[],
  plot: readonly PlotPoint[],
): { readonly low: ScaledInteger; readonly high: ScaledInteger } | undefined {
  let [lowest, highest] = [0, 0];
  for (const [at, { low, high }] of plot.entries()) {
    if (low < (plot[lowest]?.low ?? 0)) lowest = at;
    if (high > (plot[highest]?.high ?? 0)) highest = at;
  }
  const [low, high] = [points[lowest]?.update, points[highest]?.update];
  if (low === undefined || high === undefined) return undefined;
  return {
    low: subtractScaled(exactPrice(low), exactConf(low)),
    high: addScaled(exactPrice(high), exactConf(high)),
  };
}

/** A sparkline as it is drawn: texts of SVG paths, in pixels of the plot. */
export type Sparkline = {
  readonly line: string;
  /** Price minus and plus confidence. */
  readonly band: string;
  readonly ema: string;
  readonly last?: { readonly x: number; readonly y: number };
  readonly ticks: readonly { readonly text: string; readonly y: number }[];
  /** Updates within the window, oldest first. */
  readonly seen: readonly FeedPoint[];
};

export type SparkLook = {
  readonly fromMs: number;
  readonly toMs: number;
  readonly width: number;
  readonly height: number;
  readonly gapMs: number;
};

const SPARK_TICK_PX = 26;
const SPARK_EDGE_STEPS = 12;

/** The sparkline of a moment; undefined where no update falls into the window. */
export function sparklineOf(points: readonly FeedPoint[], look: SparkLook): Sparkline | undefined {
  const { fromMs, toMs, width, height, gapMs } = look;
  const inView = pointsInView(points, look);
  const seen = inView.filter(({ atMs }) => atMs >= fromMs);
  const base = seen[0]?.update;
  if (base === undefined) return undefined;
  const plot = plotted(inView, base);
  const ends = bandEnds(seen, plot.slice(-seen.length));
  if (ends === undefined) return undefined;
  const scale = scaleOf(
    ends.low,
    ends.high,
    Math.max(2, Math.floor(height / SPARK_TICK_PX)),
    exactPrice(base),
    SPARK_EDGE_STEPS,
  );
  const x = (atMs: number) => round(((atMs - fromMs) / (toMs - fromMs)) * width);
  const y = (units: number) => round(height * (1 - scale.placeOf(units)));
  const vertices = decimate(plot, { fromMs, toMs, columns: width, gapMs });
  const parts = unbroken(vertices);
  const path = (part: readonly Vertex[], of: (vertex: Vertex) => number | null | undefined) =>
    pathOf(
      part.flatMap((vertex) => (of(vertex) == null ? [] : [[x(vertex.atMs), y(of(vertex) ?? 0)] as const])),
    );
  const last = vertices.at(-1);
  return {
    line: parts.map((part) => path(part, ({ price }) => price)).join(''),
    band: parts
      .map((part) => {
        const lower = path(part.toReversed(), ({ band }) => band?.[0]);
        return `${path(part, ({ band }) => band?.[1])}${lower.replace('M', 'L')}Z`;
      })
      .join(''),
    ema: parts.map((part) => path(part, ({ ema }) => ema)).join(''),
    last: last?.price == null ? undefined : { x: x(last.atMs), y: y(last.price) },
    ticks: scale.ticks.map(({ place, text }) => ({ text, y: round(height * (1 - place)) })),
    seen,
  };
}

/** Tenths of a pixel: what is finer nobody sees, and it would only make the texts longer. */
function round(px: number): number {
  return Math.round(px * 10) / 10;
}

function unbroken(vertices: readonly Vertex[]): Vertex[][] {
  const parts: Vertex[][] = [[]];
  for (const vertex of vertices) {
    if (vertex.price === null) parts.push([]);
    else parts.at(-1)?.push(vertex);
  }
  return parts.filter((part) => part.length > 0);
}

function pathOf(places: readonly (readonly [number, number])[]): string {
  if (places.length === 0) return '';
  const single = places.length === 1 ? 'h.1' : '';
  return `M${places.map(([x, y]) => `${x} ${y}`).join('L')}${single}`;
}
