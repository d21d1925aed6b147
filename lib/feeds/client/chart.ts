import { timeStep } from '@/components/ui/charts/time-axis';
import type { FeedEntry } from '@/lib/core/feed';
import { formatScaled, type ScaledInteger, subtractScaled } from '@/lib/core/numbers';
import {
  type CadenceFloors,
  type FeedGap,
  feedGaps,
  type GapRules,
  silentAfterS,
  usualPauseS,
} from '@/lib/feeds/feed-cadence';
import { MAX_SPAN_MS, MIN_SPAN_MS } from '@/lib/feeds/page-url';
import type { CompactFeed } from '@/lib/feeds/stream-events';
import {
  exactEma,
  exactPrice,
  extremesOf,
  type FeedPoint,
  firstAtOrAfter,
  pointsInView,
  type TimeRange,
} from './history';
import { sampleStepS } from './past';
import type { FeedStore } from './store';
import { isConnected } from './stream';

/** Heights are differences from a base price, in units of its last digit, so that long prices stay apart. */
export type PlotPoint = {
  readonly point: FeedPoint;
  readonly price: number;
  readonly low: number;
  readonly high: number;
  readonly ema: number | null;
};

/** Differences below this are exact as floating-point numbers, and round steps from the base are round prices. */
const ROUND = 10n ** 12n;

export function baseOf({ p, e }: CompactFeed): ScaledInteger {
  return { mantissa: BigInt(p) - (BigInt(p) % ROUND), expo: e };
}

/** Points as differences from a base; with `hundred` as an index in which the base is 100. */
export function plotted(points: readonly FeedPoint[], base: ScaledInteger, scale?: 'hundred'): PlotPoint[] {
  const [start, perUnit] = scale === undefined ? [0, 1] : [100, 100 / Math.abs(Number(base.mantissa))];
  const height = (value: ScaledInteger): number => {
    const { mantissa, expo } = subtractScaled(value, base);
    const units = expo === base.expo ? Number(mantissa) : Number(`${mantissa}e${expo - base.expo}`);
    return start + units * perUnit;
  };
  return points.map((point) => {
    const { c, e } = point.update;
    const price = height(exactPrice(point.update));
    const conf = Number(c) * 10 ** (e - base.expo) * perUnit;
    const ema = exactEma(point.update);
    return {
      point,
      price,
      low: price - conf,
      high: price + conf,
      ema: ema === undefined ? null : height(ema),
    };
  });
}

/** Where the line is broken there is no point. `band`: price minus and plus confidence. */
export type Vertex = {
  readonly atMs: number;
  readonly point?: FeedPoint;
  readonly price: number | null;
  readonly band: readonly [number, number] | null;
  readonly ema: number | null;
};

/**
 * Points reduced to what the pixels can show: the lowest, the highest and the last price of every pixel column, never an
 * average, which would hide a spike. The band of a column covers those of all its points. Columns are counted from the
 * epoch, so a sliding window does not make vertices jump. @param isBroken whether what lies between two was not seen
 */
export function decimate(
  points: readonly PlotPoint[],
  columnMs: number,
  isBroken: (before: FeedPoint, after: FeedPoint) => boolean,
): Vertex[] {
  const vertices: Vertex[] = [];
  let column: PlotPoint[] = [];
  for (const plot of points) {
    const before = column.at(-1)?.point;
    const { atMs } = plot.point;
    const isGap = before !== undefined && isBroken(before, plot.point);
    if (isGap || Math.floor(atMs / columnMs) !== Math.floor((before?.atMs ?? atMs) / columnMs)) {
      vertices.push(...verticesOf(column));
      column = [];
    }
    // At its beginning: beside another feed the last price is in force until then, and no longer.
    if (isGap) vertices.push({ atMs: Math.min(before.atMs + 1, atMs), price: null, band: null, ema: null });
    column.push(plot);
  }
  return [...vertices, ...verticesOf(column)];
}

function verticesOf(column: readonly PlotPoint[]): Vertex[] {
  const last = column.at(-1);
  const prices = column.map(({ price }) => price);
  const ends = [prices.indexOf(Math.min(...prices)), prices.indexOf(Math.max(...prices)), column.length - 1];
  const band = [
    Math.min(...column.map(({ low }) => low)),
    Math.max(...column.map(({ high }) => high)),
  ] as const;
  // The EMA moves slowly: the last one of a column stands for all.
  return column.flatMap(({ point, price }, at) =>
    ends.includes(at) ? { atMs: point.atMs, point, price, band, ema: last?.ema ?? null } : [],
  );
}

function usualPauseOf(points: readonly FeedPoint[], market: Market | undefined): number | undefined {
  return usualPauseS(
    points.slice(-61).map(({ update }) => update),
    market,
  );
}

/** The market of a feed, by the directory. */
type Market = Pick<FeedEntry, 'schedule' | 'state'>;
type PointRules = Omit<GapRules, 'silentAfterS'> & { readonly floors: CadenceFloors };

/** What is missing between points. */
function gapsOf(points: readonly FeedPoint[], { floors, ...rules }: PointRules): FeedGap[] {
  const ticks = points.map(({ update }) => update);
  return feedGaps(ticks, {
    ...rules,
    silentAfterS: silentAfterS(usualPauseOf(points, rules.market), floors),
  });
}

/** The second in which a window begins, where no update from before it is known. */
function beginOf(inView: readonly FeedPoint[], { fromMs }: TimeRange): number | undefined {
  return (inView[0]?.atMs ?? Number.POSITIVE_INFINITY) > fromMs ? Math.floor(fromMs / 1000) : undefined;
}

/** No line is drawn over a gap. */
const brokenBy =
  (gaps: readonly FeedGap[]) =>
  (before: FeedPoint, after: FeedPoint): boolean =>
    gaps.some(({ fromS, untilS }) => before.update.t <= fromS && untilS <= after.update.t);

const within = (gaps: readonly FeedGap[], { fromMs, toMs }: TimeRange) =>
  gaps.filter(({ fromS, untilS }) => untilS * 1000 > fromMs && fromS * 1000 < toMs);

export type Sparkline = NonNullable<ReturnType<typeof sparklineOf>>;

export type SparklineRules = Pick<GapRules, 'market' | 'edge'> & {
  readonly floors: CadenceFloors;
  /** Of seeded updates; those of a board are thinned out by our server as well. */
  readonly sampledEveryS: number;
  /** As in `DrawingAsked`. */
  readonly isFilled?: boolean | undefined;
};

/** What is missing in the window of a sparkline: a board folds and thins updates, so single ones that it lacks are no gaps. */
export function sparklineGaps(
  points: readonly FeedPoint[],
  range: TimeRange,
  rules: SparklineRules,
): FeedGap[] {
  const inView = pointsInView(points, range);
  const leastS = silentAfterS(usualPauseOf(points, rules.market), rules.floors);
  const ticks = inView.map(({ heardMs, update: { t, pp } }) => ({
    t,
    pp,
    f: heardMs === undefined ? (1 as const) : undefined,
  }));
  const { floors: _, isFilled, ...others } = rules;
  const beginsS = isFilled ? beginOf(inView, range) : undefined;
  const gaps = feedGaps(ticks, { ...others, silentAfterS: leastS, beginsS });
  return within(gaps, range).filter(({ fromS, untilS }) => untilS - fromS > leastS);
}

/**
 * Texts of SVG paths, in pixels of the plot, the highest and the lowest price with every digit, and the updates within the
 * window, oldest first; undefined where it has none. No line is drawn over a gap, which is a place of its own.
 */
export function sparklineOf(
  points: readonly FeedPoint[],
  range: TimeRange,
  { width, height }: { width: number; height: number },
  gaps: readonly FeedGap[],
) {
  const { fromMs, toMs } = range;
  const inView = pointsInView(points, range);
  const seen = inView.filter(({ atMs }) => atMs >= fromMs);
  const [first] = seen;
  const extremes = extremesOf(seen);
  if (first === undefined || extremes === undefined) return undefined;
  const columnMs = (toMs - fromMs) / width;
  const vertices = decimate(plotted(inView, baseOf(first.update)), columnMs, brokenBy(gaps));
  const bands = vertices.flatMap(({ band }) => band ?? []);
  const [low, high] = [Math.min(...bands), Math.max(...bands)];
  // Tenths of a pixel: what is finer nobody sees, and it would only make the texts longer.
  const round = (px: number) => Math.round(px * 10) / 10;
  const x = (atMs: number) => round((atMs - fromMs) / columnMs);
  const y = (units: number) =>
    round(height * (high === low ? 0.5 : 0.95 - (0.9 * (units - low)) / (high - low)));
  const path = (part: readonly Vertex[], of: (vertex: Vertex) => number | null | undefined) => {
    const places = part.flatMap((vertex) => {
      const units = of(vertex);
      return units == null ? [] : [`${x(vertex.atMs)} ${y(units)}`];
    });
    return places.length === 0 ? '' : `M${places.join('L')}${places.length === 1 ? 'h.1' : ''}`;
  };
  const area = (part: readonly Vertex[]) => {
    const lower = path(part.toReversed(), ({ band }) => band?.[0]);
    return `${path(part, ({ band }) => band?.[1])}${lower.replace('M', 'L')}Z`;
  };
  const parts = unbroken(vertices);
  const last = vertices.at(-1);
  const shades = gaps.map(({ kind, fromS, untilS }) => {
    const left = Math.max(0, x(fromS * 1000));
    return { kind, left, width: round(Math.min(width, x(untilS * 1000)) - left) };
  });
  return {
    shades,
    line: parts.map((part) => path(part, ({ price }) => price)).join(''),
    band: parts.map(area).join(''),
    ema: parts.map((part) => path(part, ({ ema }) => ema)).join(''),
    last: last?.price == null ? undefined : { x: x(last.atMs), y: y(last.price) },
    ends: [extremes.highest, extremes.lowest].map(({ update }) => formatScaled(exactPrice(update))),
    seen,
  };
}

function unbroken(vertices: readonly Vertex[]): Vertex[][] {
  const parts: Vertex[][] = [[]];
  for (const vertex of vertices) {
    if (vertex.price === null) parts.push([]);
    else parts.at(-1)?.push(vertex);
  }
  return parts.filter((part) => part.length > 0);
}

/** What a chart looks at: so much time up to `toMs`, or up to now, moving on, where that is absent. Unix milliseconds. */
export type ChartWindow = { readonly spanMs: number; readonly toMs?: number };

/** The window moved through time; at the present it is live again. Nothing is drawn before 1970. */
export function panned({ spanMs, toMs }: ChartWindow, byMs: number, nowMs: number): ChartWindow {
  const nextMs = (toMs ?? nowMs) + byMs;
  if (byMs === 0) return { spanMs, toMs };
  return nextMs >= nowMs ? { spanMs } : { spanMs, toMs: Math.max(spanMs, Math.round(nextMs)) };
}

/** The window made `factor` times as long, in whole seconds; the moment `anchorMs` stays where it is. */
export function zoomed(window: ChartWindow, factor: number, anchorMs: number, nowMs: number): ChartWindow {
  const wholeMs = Math.round((window.spanMs * factor) / 1000) * 1000;
  const spanMs = Math.min(MAX_SPAN_MS, Math.max(MIN_SPAN_MS, wholeMs));
  if (window.toMs === undefined) return { spanMs };
  const toMs = anchorMs + ((window.toMs - anchorMs) / window.spanMs) * spanMs;
  return panned({ spanMs, toMs: window.toMs }, toMs - window.toMs, nowMs);
}

/** Parts of the span by which a key moves the window, and factors by which it stretches it. */
const MOVES: Record<string, number> = { ArrowLeft: -0.1, ArrowRight: 0.1, PageUp: -1, PageDown: 1 };
const STRETCHES: Record<string, number> = { '+': 1 / 1.5, '=': 1 / 1.5, '-': 1.5 };

export function windowAfterKey(window: ChartWindow, key: string, nowMs: number): ChartWindow | undefined {
  const { spanMs, toMs = nowMs } = window;
  if (key === 'End') return { spanMs };
  if (MOVES[key] !== undefined) return panned(window, MOVES[key] * spanMs, nowMs);
  const factor = STRETCHES[key];
  return factor === undefined ? undefined : zoomed(window, factor, toMs - spanMs / 2, nowMs);
}

/** What is to be drawn, and how feeds share the height: by the price, by an index, or an axis each for the first two. */
export type DrawingAsked = {
  readonly feeds: readonly ({ readonly id: string; readonly symbol: string } & Market)[];
  readonly window: ChartWindow;
  readonly scale: 'price' | 'indexed' | 'axes';
  readonly width: number;
  readonly height: number;
  readonly floors: CadenceFloors;
  /** Whether the past has been asked for: what is not there then is missing. */
  readonly isFilled?: boolean;
};

export type DrawnFeed = {
  readonly id: string;
  readonly symbol: string;
  /** Its colour and dash, by its place among the feeds. */
  readonly tone: number;
  /** Undefined where the scale can't show it. */
  readonly vertices?: readonly Vertex[];
  /** What heights count from; absent where they are an index. */
  readonly base?: ScaledInteger;
  readonly gaps: readonly FeedGap[];
  /** The updates in the window, oldest first; the first may lie before it. */
  readonly seen: readonly FeedPoint[];
  /** Where what the stream brought begins, unix ms; before it, updates were asked for one by one. */
  readonly liveFromMs: number;
};

export type PageDrawing = ReturnType<typeof drawPage>;

/** Updates of the past that a chart asks for by their time, at most. */
export const PAGE_MOMENTS = 40;

export function drawPage(store: FeedStore, asked: DrawingAsked) {
  const { feeds, window, scale, width, height, floors } = asked;
  const ids = feeds.map(({ id }) => id);
  const nowMs = store.serviceNowMs(ids);
  const toMs = window.toMs ?? nowMs;
  const range = { fromMs: toMs - window.spanMs, toMs };
  const sampledEveryS = sampleStepS({ ...window, moments: PAGE_MOMENTS });
  const seen = ids.map((id) => pointsInView(store.points(id), range));
  // Widths of the axes, pixels; the left one is that of the second feed.
  const axisPx = (points: readonly FeedPoint[] | undefined) =>
    Math.ceil((points?.[0] ? formatScaled(exactPrice(points[0].update)).length : 4) * 6.6 + 12);
  const rightPx = axisPx(seen[0]);
  const leftPx = scale === 'axes' ? axisPx(seen[1]) : 0;
  const plotPx = Math.max(1, width - rightPx - leftPx);
  // All begin where the one that begins last began, so that they are compared over the same time.
  const startMs = Math.max(...seen.flatMap(([one]) => one?.atMs ?? []));
  const link = isConnected(store.stream().link) ? ('up' as const) : ('down' as const);
  const edge =
    window.toMs === undefined
      ? { nowS: Math.floor(nowMs / 1000), link }
      : { nowS: Math.floor(toMs / 1000), link: 'past' as const };
  const drawn = feeds.map(({ id, symbol, ...market }, tone): DrawnFeed => {
    const points = seen[tone] ?? [];
    const { liveFromS } = store.feed(id);
    // The update after the window tells whether its end is a gap.
    const all = store.points(id);
    const end = firstAtOrAfter(all, toMs + 1);
    const withNext = all.slice(end - points.length, end + 1);
    const beginsS = asked.isFilled ? beginOf(points, range) : undefined;
    const found = gapsOf(withNext, { floors, sampledEveryS, liveFromS, edge, market, beginsS });
    const gaps = within(found, range);
    const isBroken = brokenBy(gaps);
    const verticesFrom = (base: ScaledInteger, index?: 'hundred') =>
      decimate(plotted(points, base, index), (window.spanMs * feeds.length) / plotPx, isBroken);
    const known = { id, symbol, tone, gaps, seen: points, liveFromMs: liveFromS * 1000 };
    const [first] = points;
    if (scale === 'axes' && tone > 1) return known;
    if (first === undefined) return { ...known, vertices: [] };
    if (scale !== 'indexed') {
      const base = baseOf(first.update);
      return { ...known, base, vertices: verticesFrom(base) };
    }
    const hundred = exactPrice((points.findLast(({ atMs }) => atMs <= startMs) ?? first).update);
    return hundred.mantissa === 0n ? known : { ...known, vertices: verticesFrom(hundred, 'hundred') };
  });
  const axes = { scale, rightPx, leftPx, ...timeAxisOf(range, plotPx), sampledEveryS };
  return { ...range, nowMs, width, height, feeds: drawn, ...axes };
}

/** About so many round values around a range, from below it to above it. @param least no finer step */
export function niceTicks(low: number, high: number, count: number, least: number): number[] {
  const rough = Math.max(least, (high - low) / count || Math.abs(high) * 1e-6 || 1);
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * ([1, 2, 5].find((factor) => factor * unit >= rough) ?? 10);
  const first = Math.floor(low / step);
  const last = Math.max(first + 1, Math.ceil(high / step));
  return Array.from({ length: last - first + 1 }, (_, at) => (first + at) * step);
}

/** A value of the axis in words: the price with the digits that it needs, or the index. */
export function axisText(value: number, base: ScaledInteger | undefined): string {
  if (base === undefined) return String(Number(value.toPrecision(9)));
  const price = { mantissa: base.mantissa + BigInt(Math.round(value)), expo: base.expo };
  return formatScaled(price, { decimals: 'trimmed', groupSeparator: ',' });
}

const PIXELS_PER_TIME = 90;

/** Ticks on round times between two moments, none so near to an edge that its text would be cut. */
export function timeAxisOf({ fromMs, toMs }: TimeRange, widthPx: number) {
  const spanMs = toMs - fromMs;
  const { step, unit } = timeStep(spanMs, () => Math.max(2, Math.floor(widthPx / PIXELS_PER_TIME)));
  const edgeMs = (spanMs / Math.max(1, widthPx)) * (PIXELS_PER_TIME / 4);
  const first = Math.ceil((fromMs + edgeMs) / step) * step;
  const count = Math.max(0, Math.floor((toMs - edgeMs - first) / step) + 1);
  return { ticks: Array.from({ length: count }, (_, at) => first + at * step), unit };
}

/** The moment at a place of the chart, pixels from its left edge; beside the plot that of its nearer edge. */
export function momentAt(x: number, { fromMs, toMs, width, leftPx, rightPx }: PageDrawing): number {
  const share = (x - leftPx) / Math.max(1, width - leftPx - rightPx);
  return fromMs + Math.min(1, Math.max(0, share)) * (toMs - fromMs);
}

/** A moment at which some feed has a vertex. `drawn`: where the line of each feed is then; `inForce`: its last update. */
export type ChartRow = {
  readonly atMs: number;
  readonly drawn: readonly (Vertex | undefined)[];
  readonly inForce: readonly (Vertex | undefined)[];
};

/** One table for all lines. Where another feed has a vertex and this one has none, its line goes straight on to its next. */
export function chartRows(feeds: readonly DrawnFeed[]): ChartRow[] {
  const lines = feeds.map(({ vertices = [] }) => ({ vertices, next: 0 }));
  const times = new Set(lines.flatMap(({ vertices }) => vertices.map(({ atMs }) => atMs)));
  return [...times]
    .sort((a, b) => a - b)
    .map((atMs) => {
      const ends = lines.map((line) => {
        while ((line.vertices[line.next]?.atMs ?? Infinity) <= atMs) line.next += 1;
        const [last, next] = [line.vertices[line.next - 1], line.vertices[line.next]];
        return next === undefined && last?.atMs !== atMs ? [] : [last, next];
      });
      return {
        atMs,
        drawn: ends.map(([last, next]) => last && between(last, next ?? last, atMs)),
        inForce: ends.map(([last]) => last),
      };
    });
}

/** Nothing beside a break. */
function between(last: Vertex, next: Vertex, atMs: number): Vertex {
  if (last.atMs === atMs || last.price === null || next.price === null) return last;
  const share = (atMs - last.atMs) / (next.atMs - last.atMs);
  const mixed = (from: number, to: number) => from + (to - from) * share;
  return {
    atMs,
    price: mixed(last.price, next.price),
    band: last.band && next.band && [mixed(last.band[0], next.band[0]), mixed(last.band[1], next.band[1])],
    ema: last.ema === null || next.ema === null ? null : mixed(last.ema, next.ema),
  };
}
