import { formatScaled, type ScaledInteger, subtractScaled } from '@/lib/core/numbers';
import { clockStyle, clockText, shownMoment, type TimeStyle } from '@/lib/core/time-text';
import { silentAfterS } from '@/lib/feeds/feed-cadence';
import { type FeedGap, feedGaps, type GapRules } from '@/lib/feeds/feed-gaps';
import { LONGEST_SPAN_MS, SHORTEST_SPAN_MS } from '@/lib/feeds/page-url';
import type { CompactFeed } from '@/lib/feeds/stream-events';
import { usualPauseOf } from './currency';
import { exactPrice, extremesOf, type FeedPoint, firstAtOrAfter, pointsInView } from './history';
import { sampleStepS } from './past';
import type { FeedStore } from './store';
import { isConnected } from './stream';

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

/** Differences below this are exact as floating-point numbers, and round steps from the base are round prices. */
const ROUND = 10n ** 12n;

/** A price near this one from which differences are counted. */
export function baseOf({ p, e }: CompactFeed): ScaledInteger {
  return { mantissa: BigInt(p) - (BigInt(p) % ROUND), expo: e };
}

/** Points as differences from a base. */
export function plotted(points: readonly FeedPoint[], base: ScaledInteger): PlotPoint[] {
  const unitsFrom = (digits: string, expo: number): number => {
    if (expo === base.expo) return Number(BigInt(digits) - base.mantissa);
    const difference = subtractScaled({ mantissa: BigInt(digits), expo }, base);
    return Number(`${difference.mantissa}e${difference.expo - base.expo}`);
  };
  return points.map(({ atMs, update: { t, p, c, e, ep, ee = e } }) => {
    const price = unitsFrom(p, e);
    const conf = Number(c) * 10 ** (e - base.expo);
    const ema = ep === undefined ? undefined : unitsFrom(ep, ee);
    return { atMs, publishS: t, price, low: price - conf, high: price + conf, ema };
  });
}

/** One vertex of a drawing; where the line is broken, everything but the moment is null. `band`: price minus and plus confidence. */
export type Vertex = {
  readonly atMs: number;
  readonly price: number | null;
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
  readonly gaps?: readonly Pick<FeedGap, 'fromS' | 'untilS'>[];
};

/**
 * Points reduced to what the pixels can show: the lowest and the highest price of every pixel column, in time order, and
 * always the last point. Never an average, which would hide a spike. The band of a column covers the bands of all its
 * points. Columns are counted from the epoch, not from the left edge, so a sliding window does not make vertices jump.
 */
export function decimate(points: readonly PlotPoint[], frame: DecimationFrame): Vertex[] {
  const { fromMs, toMs, columns, gapMs, gaps = [] } = frame;
  const columnMs = Math.max(1, (toMs - fromMs) / Math.max(1, columns));
  const vertices: Vertex[] = [];
  let column: PlotPoint[] = [];
  let next = 0;
  const write = () => {
    vertices.push(...verticesOf(column));
    column = [];
  };
  for (const point of points) {
    const before = column.at(-1);
    if (before !== undefined) {
      while ((gaps[next]?.fromS ?? Infinity) < before.publishS) next += 1;
      const isMarked = (gaps[next]?.untilS ?? Infinity) <= point.publishS && point.publishS > before.publishS;
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
  const lowest = column.reduce((best, one) => (one.price < best.price ? one : best));
  const highest = column.reduce((best, one) => (one.price > best.price ? one : best));
  const band = [
    Math.min(...column.map(({ low }) => low)),
    Math.max(...column.map(({ high }) => high)),
  ] as const;
  // The EMA moves slowly: the last one of a column stands for all.
  const ema = last.ema ?? null;
  return column
    .filter((point) => point === lowest || point === highest || point === last)
    .map(({ atMs, price }) => ({ atMs, price, band, ema }));
}

/** A line is broken where nothing came for so long, unless the feed is slower by nature, or seeded so coarsely. */
export function gapMsOf(pauseS: number | undefined, seedStepS: number): number {
  return Math.max(15_000, 4_000 * (pauseS ?? 0), 2_500 * seedStepS);
}

/** A sparkline as it is drawn: texts of SVG paths, in pixels of the plot. `seen`: updates within the window, oldest first. */
export type Sparkline = {
  readonly line: string;
  readonly band: string;
  readonly ema: string;
  readonly last?: { readonly x: number; readonly y: number };
  /** The highest and the lowest price, every digit. */
  readonly ends: readonly string[];
  readonly seen: readonly FeedPoint[];
};

export type SparkLook = Pick<DecimationFrame, 'fromMs' | 'toMs' | 'gapMs'> & {
  readonly width: number;
  readonly height: number;
};

/** The sparkline of a moment; undefined where no update falls into the window. */
export function sparklineOf(points: readonly FeedPoint[], look: SparkLook): Sparkline | undefined {
  const { fromMs, toMs, width, height } = look;
  const inView = pointsInView(points, look);
  const seen = inView.filter(({ atMs }) => atMs >= fromMs);
  const [first] = seen;
  if (first === undefined) return undefined;
  const base = baseOf(first.update);
  const vertices = decimate(plotted(inView, base), { ...look, columns: width });
  const ends = vertices.flatMap(({ band }) => band ?? []);
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  // Tenths of a pixel: what is finer nobody sees, and it would only make the texts longer.
  const round = (px: number) => Math.round(px * 10) / 10;
  const x = (atMs: number) => round(((atMs - fromMs) / (toMs - fromMs)) * width);
  const y = (units: number) =>
    round(height * (high === low ? 0.5 : 0.95 - (0.9 * (units - low)) / (high - low)));
  const path = (part: readonly Vertex[], of: (vertex: Vertex) => number | null | undefined) => {
    const places = part.flatMap((vertex) => {
      const units = of(vertex);
      return units == null ? [] : [`${x(vertex.atMs)} ${y(units)}`];
    });
    return places.length === 0 ? '' : `M${places.join('L')}${places.length === 1 ? 'h.1' : ''}`;
  };
  const parts = unbroken(vertices);
  const { lowest, highest } = extremesOf(seen) ?? {};
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
    ends: [highest, lowest].flatMap((one) => (one ? formatScaled(exactPrice(one.update)) : [])),
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

/**
 * The window made `factor` times as long, within bounds and in whole seconds, with the moment `anchorMs` staying where it
 * is. A live window stays live: its right edge is the present.
 */
export function zoomed(window: ChartWindow, factor: number, anchorMs: number, nowMs: number): ChartWindow {
  const wholeMs = Math.round((window.spanMs * factor) / 1000) * 1000;
  const spanMs = Math.min(LONGEST_SPAN_MS, Math.max(SHORTEST_SPAN_MS, wholeMs));
  if (window.toMs === undefined) return { spanMs };
  const toMs = anchorMs + ((window.toMs - anchorMs) / window.spanMs) * spanMs;
  return panned({ spanMs, toMs: window.toMs }, toMs - window.toMs, nowMs);
}

/** Parts of the span by which a key moves the window, and factors by which it stretches it. */
const MOVES: Record<string, number> = { ArrowLeft: -0.1, ArrowRight: 0.1, PageUp: -1, PageDown: 1 };
const STRETCHES: Record<string, number> = { '+': 1 / 1.5, '=': 1 / 1.5, '-': 1.5 };

/** What a key does with the window; undefined for a key that means nothing here. */
export function windowAfterKey(window: ChartWindow, key: string, nowMs: number): ChartWindow | undefined {
  const { spanMs, toMs = nowMs } = window;
  if (key === 'End') return { spanMs };
  if (MOVES[key] !== undefined) return panned(window, MOVES[key] * spanMs, nowMs);
  const factor = STRETCHES[key];
  return factor === undefined ? undefined : zoomed(window, factor, toMs - spanMs / 2, nowMs);
}

/** How feeds share the height: by the price, each as 100 where all have begun, or an axis each for the first two. */
export type ChartScale = 'price' | 'indexed' | 'axes';

/** What is to be drawn. */
export type DrawingAsked = {
  readonly feeds: readonly { readonly id: string; readonly symbol: string }[];
  readonly window: ChartWindow;
  readonly scale: ChartScale;
  readonly width: number;
  readonly height: number;
  readonly floors: { readonly lateS: number; readonly staleS: number };
};

/** One feed of a drawing. */
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
  /** What is 100, where prices are indexed. */
  readonly indexBase?: FeedPoint;
};

/** One drawing of the chart: everything that is needed for it, and what was drawn of each feed. */
export type PageDrawing = {
  readonly fromMs: number;
  readonly toMs: number;
  readonly nowMs: number;
  readonly width: number;
  readonly height: number;
  readonly feeds: readonly DrawnFeed[];
  readonly scale: ChartScale;
  /** Widths of the axes, pixels; the left one is that of the second feed. */
  readonly rightPx: number;
  readonly leftPx: number;
  readonly ticks: readonly number[];
  readonly tickMs: number;
  readonly seedStepS: number;
};

/** Updates of the past that a chart asks for by their time, at most. */
export const PAGE_MOMENTS = 40;

/** Draws what is known, and says what is looked at, so that the past is asked for. */
export function drawPage(store: FeedStore, asked: DrawingAsked): PageDrawing {
  const { feeds, window, scale, width, height } = asked;
  const ids = feeds.map(({ id }) => id);
  const nowMs = store.serviceNowMs(ids);
  const toMs = window.toMs ?? nowMs;
  const edges = { fromMs: toMs - window.spanMs, toMs };
  const look = { ...window, moments: PAGE_MOMENTS };
  // What the service does not know has no past, and each moment of it would cost a call.
  const wanted = ids.filter((id) => store.feed(id).status === 'known');
  if (wanted.length > 0) store.past.show({ ids: wanted, ...look });
  const seedStepS = sampleStepS(look);
  const filledStepS = store.past.state.kind === 'complete' ? seedStepS : Number.POSITIVE_INFINITY;
  const seen = ids.map((id) => pointsInView(store.points(id), edges));
  const axisPx = (points: readonly FeedPoint[] | undefined) =>
    Math.ceil((points?.[0] ? formatScaled(exactPrice(points[0].update)).length : 4) * 6.6 + 12);
  const rightPx = axisPx(seen[0]);
  const leftPx = scale === 'axes' ? axisPx(seen[1]) : 0;
  const plotPx = Math.max(1, width - rightPx - leftPx);
  // All begin where the one that begins last began, so that they are compared over the same time.
  const startMs = Math.max(...seen.flatMap(([one]) => one?.atMs ?? []));
  const drawn = feeds.map(({ id, symbol }, tone): DrawnFeed => {
    const points = seen[tone] ?? [];
    const gaps = gapsOf(store, id, points, asked, nowMs);
    const gapMs = gapMsOf(usualPauseOf(points), filledStepS);
    const frame = { ...edges, columns: Math.floor(plotPx / feeds.length), gapMs, gaps };
    const known = { id, symbol, tone, gaps, seen: points, liveFromMs: store.feed(id).liveFromS * 1000 };
    const [first] = points;
    if (scale === 'axes' && tone > 1) return known;
    if (first === undefined) return { ...known, vertices: [] };
    const indexBase = scale === 'indexed' ? points.findLast(({ atMs }) => atMs <= startMs) : undefined;
    if (indexBase === undefined) {
      const base = baseOf(first.update);
      return { ...known, base, vertices: decimate(plotted(points, base), frame) };
    }
    const hundred = exactPrice(indexBase.update);
    if (hundred.mantissa === 0n) return known;
    const perUnit = 100 / Math.abs(Number(hundred.mantissa));
    const vertices = decimate(plotted(points, hundred), frame).map((vertex) => scaled(vertex, perUnit));
    return { ...known, vertices, indexBase };
  });
  const axes = { scale, rightPx, leftPx, ...timeAxisOf(edges.fromMs, toMs, plotPx), seedStepS };
  return { ...edges, nowMs, width, height, feeds: drawn, ...axes };
}

function scaled({ atMs, price, band, ema }: Vertex, perUnit: number): Vertex {
  const index = (units: number | null) => (units === null ? null : 100 + units * perUnit);
  return {
    atMs,
    price: index(price),
    band: band && [100 + band[0] * perUnit, 100 + band[1] * perUnit],
    ema: index(ema),
  };
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
  return formatScaled(price, { decimals: 'trimmed' });
}

/** 100 at the base; undefined from a base of zero. */
export function indexOf(point: FeedPoint, base: FeedPoint): number | undefined {
  return base.price === 0 ? undefined : 100 + ((point.price - base.price) / Math.abs(base.price)) * 100;
}

/**
 * The gaps of a feed in the window: in what the stream brought, by whose fault they are; before that only the silences of the
 * feed, by its own account, since nobody was to receive anything there.
 */
function gapsOf(
  store: FeedStore,
  id: string,
  points: readonly FeedPoint[],
  { window, floors }: DrawingAsked,
  nowMs: number,
): FeedGap[] {
  const { liveFromS } = store.feed(id);
  const silentS = silentAfterS(usualPauseOf(points), floors);
  const link = isConnected(store.stream().link) ? 'up' : 'down';
  const edge = window.toMs === undefined ? ({ nowS: Math.floor(nowMs / 1000), link } as const) : undefined;
  const rules: GapRules = { silentAfterS: silentS, edge };
  const live = points.flatMap(({ update }) => (update.f === 1 ? [] : [update]));
  // The last price was asked for before the stream stood: what was published in between, nobody was to receive.
  const streamed = feedGaps(live, rules).flatMap((gap) => {
    if (gap.kind !== 'missed' || gap.fromS >= liveFromS) return [gap];
    return gap.untilS > liveFromS ? [{ ...gap, fromS: liveFromS }] : [];
  });
  const untilS = live[0]?.t ?? Number.POSITIVE_INFINITY;
  const silences = points.flatMap(({ update: { f, t, pp = t } }): FeedGap[] =>
    f === 1 && t <= untilS && t - pp > silentS ? [{ kind: 'silent', fromS: pp, untilS: t }] : [],
  );
  const toS = (window.toMs ?? nowMs) / 1000;
  const fromS = toS - window.spanMs / 1000;
  return [...silences, ...streamed].filter((gap) => gap.untilS > fromS && gap.fromS < toS);
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Distances that people count in. */
const STEPS_MS = [
  ...[1, 2, 5, 10, 20, 30].map((seconds) => seconds * 1000),
  ...[1, 2, 5, 10, 20, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 6, 12, 24, 48].map((hours) => hours * HOUR),
];

/** A label with air around it. */
const PIXELS_PER_TIME = 90;

/** Ticks on round times between two moments, none so near to an edge that its text would be cut. */
export function timeAxisOf(fromMs: number, toMs: number, widthPx: number) {
  const spanMs = toMs - fromMs;
  const most = Math.max(2, Math.floor(widthPx / PIXELS_PER_TIME));
  const tickMs = STEPS_MS.find((step) => spanMs / step <= most) ?? 2 * DAY;
  const edgeMs = (spanMs / Math.max(1, widthPx)) * (PIXELS_PER_TIME / 4);
  const ticks: number[] = [];
  for (let at = Math.ceil((fromMs + edgeMs) / tickMs) * tickMs; at <= toMs - edgeMs; at += tickMs)
    ticks.push(at);
  return { ticks, tickMs };
}

/** Time of day, as fine as the ticks need it; the date where a day begins, or where days are counted. */
export function timeLabel(atMs: number, tickMs: number, style: TimeStyle): string {
  const clock = clockText(atMs, style);
  if (tickMs < MINUTE) return clock.slice(0, 8);
  const day = shownMoment(atMs, clockStyle(style), atMs).slice(5, 10);
  return tickMs >= DAY || clock.startsWith('00:00') ? day : clock.slice(0, 5);
}

/** The part of the chart in which the lines are, pixels from its left edge. */
export function plotOf({ width, leftPx, rightPx }: PageDrawing) {
  return { left: leftPx, width: Math.max(1, width - leftPx - rightPx) };
}

/** The moment at a place of the chart; undefined beside the plot. */
export function momentAt(x: number, drawing: PageDrawing): number | undefined {
  const { left, width } = plotOf(drawing);
  const share = (x - left) / width;
  return share < 0 || share > 1 ? undefined : drawing.fromMs + share * (drawing.toMs - drawing.fromMs);
}

/** The update nearest to a moment, of those in a window; they are in time order. */
export function nearestPoint(
  points: readonly FeedPoint[],
  atMs: number,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): FeedPoint | undefined {
  const next = firstAtOrAfter(points, atMs);
  const inside = points
    .slice(Math.max(0, next - 1), next + 1)
    .filter((one) => one.atMs >= fromMs && one.atMs <= toMs);
  return inside.sort((a, b) => Math.abs(a.atMs - atMs) - Math.abs(b.atMs - atMs))[0];
}

/** A row of the chart library's table: by the place of the feed its height, band and EMA (`y0`, `band0`, `ema0` …). */
export type ChartRow = { readonly atMs: number } & Record<string, number | readonly [number, number] | null>;

/**
 * One table for all lines, as the library wants it. Where another feed has a vertex and this one has none, its last price is
 * in force; within its gaps, before its first and after its last vertex it has nothing.
 */
export function chartRows(feeds: readonly DrawnFeed[]): ChartRow[] {
  const rows = new Map<number, Record<string, number | readonly [number, number] | null>>();
  const drawn = feeds.flatMap(({ tone, vertices = [] }) => ({ tone, vertices, next: 0 }));
  const times = new Set(drawn.flatMap(({ vertices }) => vertices.map(({ atMs }) => atMs)));
  for (const atMs of [...times].sort((a, b) => a - b)) {
    const row: Record<string, number | readonly [number, number] | null> = { atMs };
    for (const line of drawn) {
      while ((line.vertices[line.next]?.atMs ?? Infinity) <= atMs) line.next += 1;
      const last = line.vertices[line.next - 1];
      const isOver = line.next === line.vertices.length && last?.atMs !== atMs;
      const vertex = isOver ? undefined : last;
      row[`y${line.tone}`] = vertex?.price ?? null;
      row[`band${line.tone}`] = vertex?.band ?? null;
      row[`ema${line.tone}`] = vertex?.ema ?? null;
    }
    rows.set(atMs, row);
  }
  return [...rows.values()] as ChartRow[];
}
