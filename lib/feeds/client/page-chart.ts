import type { ScaledInteger } from '@/lib/core/numbers';
import { clockStyle, clockText, shownMoment, type TimeStyle } from '@/lib/core/time-text';
import { silentAfterS } from '@/lib/feeds/feed-cadence';
import { type FeedGap, feedGaps, type GapRules, lineBreaks } from '@/lib/feeds/feed-gaps';
import { LONGEST_SPAN_MS, SHORTEST_SPAN_MS } from '@/lib/feeds/page-url';
import {
  bandEnds,
  decimate,
  gapMsOf,
  type PlotPoint,
  plotted,
  type Scale,
  scaleOf,
  type ValueTick,
  type Vertex,
} from './chart';
import { usualPauseOf } from './currency';
import { exactPrice, type FeedPoint, firstAtOrAfter, pointsInView } from './history';
import { sampleStepS } from './past';
import type { FeedStore } from './store';
import { isConnected } from './stream';

/** What a chart looks at: so much time up to `toMs`, or up to now, moving on, where that is absent. Unix milliseconds. */
export type ChartWindow = { readonly spanMs: number; readonly toMs?: number };

/** Updates of the past that a chart asks for by their time, at most. */
export const PAGE_MOMENTS = 40;

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

/** A part of the span by which an arrow key moves the window, and a key of plus or minus stretches it. */
const STEP_SHARE = 0.1;
const ZOOM_STEP = 1.5;

/** What a key does with the window; undefined for a key that means nothing here. */
export function windowAfterKey(window: ChartWindow, key: string, nowMs: number): ChartWindow | undefined {
  const { spanMs, toMs = nowMs } = window;
  const shares: Record<string, number> = {
    ArrowLeft: -STEP_SHARE,
    ArrowRight: STEP_SHARE,
    PageUp: -1,
    PageDown: 1,
  };
  const share = shares[key];
  if (share !== undefined) return panned(window, share * spanMs, nowMs);
  if (key === 'End') return { spanMs };
  const factor = key === '+' || key === '=' ? 1 / ZOOM_STEP : key === '-' ? ZOOM_STEP : undefined;
  return factor === undefined ? undefined : zoomed(window, factor, toMs - spanMs / 2, nowMs);
}

/** How the feeds share the height: one scale for the price; each as 100 where all have begun; or an axis each for the first two. */
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
  /** Heights are places: 0 at the bottom of the plot, 1 at its top. Undefined where the scale can't show the feed. */
  readonly vertices?: readonly Vertex[];
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
  readonly scale: ChartScale;
  readonly feeds: readonly DrawnFeed[];
  readonly right: readonly ValueTick[];
  readonly left: readonly ValueTick[];
  /** Widths of the axes, pixels. */
  readonly rightPx: number;
  readonly leftPx: number;
  readonly ticks: readonly number[];
  readonly tickMs: number;
  readonly seedStepS: number;
};

const PIXELS_PER_TICK = 56;
const DIGIT_PX = 6.6;
export const PLOT_TOP_PX = 8;
export const TIME_LABELS_PX = 22;

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
  const isFilled = store.past.state.kind === 'complete';
  const seen = ids.map((id) => pointsInView(store.points(id), edges));
  const bases = scale === 'indexed' ? indexBases(seen) : seen.map((points) => points[0]);
  const plots = seen.map((points, at) => plotted(points, (bases[at] ?? points[0])?.update ?? NO_UPDATE));
  const steps = Math.max(2, Math.round((height - PLOT_TOP_PX - TIME_LABELS_PX) / PIXELS_PER_TICK));
  const scales = scalesOf(scale, seen, plots, bases, steps);
  const right = scales[0]?.ticks ?? [];
  const left = scale === 'axes' ? (scales[1]?.ticks ?? []) : [];
  const rightPx = axisPx(right);
  const leftPx = left.length === 0 ? 0 : axisPx(left);
  const plotPx = Math.max(1, width - rightPx - leftPx);
  const columns = Math.max(1, Math.floor(plotPx / Math.max(1, feeds.length)));
  const seedStepS = isFilled ? sampleStepS(look) : Number.POSITIVE_INFINITY;
  const drawn = feeds.map(({ id, symbol }, tone): DrawnFeed => {
    const points = seen[tone] ?? [];
    const gaps = gapsOf(store, id, points, asked, nowMs);
    const gapMs = gapMsOf(usualPauseOf(points), seedStepS);
    const placeOf = scales[tone]?.placeOf;
    const frame = { ...edges, columns, gapMs, breaks: lineBreaks(gaps) };
    return {
      ...{ id, symbol, tone, gaps, seen: points },
      vertices: placeOf && decimate(plots[tone] ?? [], frame).map((vertex) => placed(vertex, placeOf)),
      liveFromMs: store.feed(id).liveFromS * 1000,
      indexBase: scale === 'indexed' ? bases[tone] : undefined,
    };
  });
  const axes = { right, left, rightPx, leftPx, ...timeAxisOf(edges.fromMs, toMs, plotPx) };
  return { ...edges, nowMs, width, height, scale, feeds: drawn, ...axes, seedStepS: sampleStepS(look) };
}

const NO_UPDATE = { id: '', p: '0', c: '0', e: 0, t: 0, r: 0 };

function axisPx(ticks: readonly ValueTick[]): number {
  return Math.ceil(Math.max(4, ...ticks.map(({ text }) => text.length)) * DIGIT_PX + 12);
}

function placed({ atMs, price, band, ema }: Vertex, placeOf: (units: number) => number): Vertex {
  return {
    atMs,
    price: price === null ? null : placeOf(price),
    band: band && [placeOf(band[0]), placeOf(band[1])],
    ema: ema === null ? null : placeOf(ema),
  };
}

const EMPTY: Scale = { ticks: [], placeOf: () => 0.5 };

/** A scale for each feed; undefined where it can't be shown. */
function scalesOf(
  scale: ChartScale,
  seen: readonly (readonly FeedPoint[])[],
  plots: readonly (readonly PlotPoint[])[],
  bases: readonly (FeedPoint | undefined)[],
  steps: number,
): readonly (Scale | undefined)[] {
  if (scale === 'indexed') return indexedScales(plots, bases, steps);
  const most = scale === 'axes' ? 2 : 1;
  return seen.map((points, at) => {
    const ends = bandEnds(points, plots[at] ?? []);
    const base = bases[at]?.update;
    if (at >= most) return undefined;
    return ends === undefined || base === undefined
      ? EMPTY
      : scaleOf(ends.low, ends.high, steps, exactPrice(base));
  });
}

/**
 * The update of each feed that is 100: its last one when the feed that begins last began, so that all are compared over the
 * same time. Undefined for a feed without any.
 */
function indexBases(seen: readonly (readonly FeedPoint[])[]): readonly (FeedPoint | undefined)[] {
  const startMs = Math.max(...seen.flatMap(([first]) => first?.atMs ?? []));
  return seen.map((points) => points.findLast(({ atMs }) => atMs <= startMs));
}

/** An index has so many decimals at most: it is a ratio for the eye, and no price. */
const INDEX_EXPO = -6;
const HUNDRED: ScaledInteger = { mantissa: 100n * 10n ** 6n, expo: INDEX_EXPO };

/** 100 at the base, 101 one percent above it, also where prices are negative. */
function indexedScales(
  plots: readonly (readonly PlotPoint[])[],
  bases: readonly (FeedPoint | undefined)[],
  steps: number,
): readonly (Scale | undefined)[] {
  const perUnit = bases.map((base) => 10 ** -INDEX_EXPO * (100 / Math.abs(Number(base?.update.p ?? 0))));
  const all = plots.flatMap((plot, at) =>
    Number.isFinite(perUnit[at]) ? plot.map(({ price }) => price * (perUnit[at] ?? 0)) : [],
  );
  if (all.length === 0) return plots.map(() => EMPTY);
  const [least, most] = all.reduce(([low, high], one) => [Math.min(low, one), Math.max(high, one)], [0, 0]);
  const at = (units: number) => ({
    mantissa: HUNDRED.mantissa + BigInt(Math.round(units)),
    expo: INDEX_EXPO,
  });
  const shared = scaleOf(at(least), at(most), steps, HUNDRED);
  return perUnit.map((factor, index) => {
    if (bases[index] === undefined) return EMPTY;
    return Number.isFinite(factor)
      ? { ticks: shared.ticks, placeOf: (units) => shared.placeOf(units * factor) }
      : undefined;
  });
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
  const link = isConnected(store.linkAt(Date.now())) ? 'up' : 'down';
  const edge = window.toMs === undefined ? ({ nowS: Math.floor(nowMs / 1000), link } as const) : undefined;
  const rules: GapRules = { silentAfterS: silentS, foldedS: 0, edge };
  const live = points.filter(({ update }) => update.f !== 1);
  const ticks = live.map(({ update }) => ({ publishS: update.t, prevPublishS: update.pp }));
  const streamed = feedGaps(ticks, rules).flatMap((gap) => sinceLive(gap, liveFromS));
  const untilS = ticks[0]?.publishS ?? Number.POSITIVE_INFINITY;
  const silences = points.flatMap(({ update: { f, t, pp = t } }): FeedGap[] =>
    f === 1 && t <= untilS && t - pp > silentS ? [{ kind: 'silent', fromS: pp, untilS: t }] : [],
  );
  const [fromS, toS] = [(nowMs - window.spanMs) / 1000, nowMs / 1000];
  const shift = window.toMs === undefined ? 0 : (window.toMs - nowMs) / 1000;
  return [...silences, ...streamed].filter((gap) => gap.untilS > fromS + shift && gap.fromS < toS + shift);
}

/** The last price was asked for before the stream stood: what was published in between, nobody was to receive. */
function sinceLive(gap: FeedGap, liveFromS: number): FeedGap[] {
  if (gap.kind !== 'missed' || gap.fromS >= liveFromS) return [gap];
  return gap.untilS > liveFromS ? [{ ...gap, fromS: liveFromS }] : [];
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Distances that people count in. */
const STEPS_MS = [
  ...[1, 2, 5, 10, 20, 30].map((seconds) => seconds * SECOND),
  ...[1, 2, 5, 10, 20, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
  ...[1, 2].map((days) => days * DAY),
];

/** A label with air around it. */
const PIXELS_PER_TIME = 90;

/** Ticks on round times between two moments, none so near to an edge that its text would be cut. */
export function timeAxisOf(
  fromMs: number,
  toMs: number,
  widthPx: number,
): { readonly ticks: readonly number[]; readonly tickMs: number } {
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
export function plotOf({ width, leftPx, rightPx }: Pick<PageDrawing, 'width' | 'leftPx' | 'rightPx'>) {
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
  const inside = [points[next - 1], points[next]].filter(
    (point) => point !== undefined && point.atMs >= fromMs && point.atMs <= toMs,
  );
  return inside.sort((a, b) => Math.abs((a?.atMs ?? 0) - atMs) - Math.abs((b?.atMs ?? 0) - atMs))[0];
}

/** A row of the chart library's table: by the place of the feed its height, band and EMA (`y0`, `band0`, `ema0` …). */
export type ChartRow = { readonly atMs: number } & Record<string, number | readonly [number, number] | null>;

/**
 * One table for all lines, as the library wants it. Where another feed has a vertex and this one has none, it gets what its
 * straight line has there, so that no line changes its course; within its gaps it has nothing.
 */
export function chartRows(feeds: readonly DrawnFeed[]): ChartRow[] {
  const drawn = feeds.flatMap(({ tone, vertices }) => (vertices === undefined ? [] : [{ tone, vertices }]));
  const times = [...new Set(drawn.flatMap(({ vertices }) => vertices.map(({ atMs }) => atMs)))].sort(
    (a, b) => a - b,
  );
  const columns = drawn.map(({ tone, vertices }) => ({ tone, at: verticesAt(vertices, times) }));
  return times.map((atMs, index) => {
    const row: Record<string, number | readonly [number, number] | null> = { atMs };
    for (const { tone, at } of columns) {
      const vertex = at[index];
      row[`y${tone}`] = vertex?.price ?? null;
      row[`band${tone}`] = vertex?.band ?? null;
      row[`ema${tone}`] = vertex?.ema ?? null;
    }
    return row as ChartRow;
  });
}

/** What a line has at each of some times, in one pass over both. */
function verticesAt(vertices: readonly Vertex[], times: readonly number[]): (Vertex | undefined)[] {
  let next = 0;
  return times.map((atMs) => {
    while (next < vertices.length && (vertices[next]?.atMs ?? 0) < atMs) next += 1;
    const [before, after] = [vertices[next - 1], vertices[next]];
    if (after === undefined || after.atMs === atMs) return after;
    if (before === undefined || before.price === null || after.price === null) return undefined;
    const share = (atMs - before.atMs) / (after.atMs - before.atMs);
    const between = (a: number, b: number) => a + (b - a) * share;
    const band = before.band && after.band;
    return {
      atMs,
      price: between(before.price, after.price),
      band: band && before.band && [between(before.band[0], band[0]), between(before.band[1], band[1])],
      ema: before.ema === null || after.ema === null ? null : between(before.ema, after.ema),
    };
  });
}
