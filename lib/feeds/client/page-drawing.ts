import type { ScaledInteger } from '@/lib/core/numbers';
import { HOUR_MS } from '@/lib/core/time';
import {
  type CadenceFloors,
  type FeedGap,
  GAPS,
  type GapRules,
  gapCounts,
  type Market,
} from '@/lib/feeds/feed-cadence';
import type { PriceUpdate } from '@/lib/feeds/price-update';
import { axisTexts, niceTicks } from './axes';
import {
  type ChartWindow,
  decimate,
  findGaps,
  gapsWithin,
  isBrokenBy,
  loadingGaps,
  plotBase,
  plotPoints,
  priceRange,
  rhythmMs,
  shownGaps,
  type Vertex,
  windowStartS,
} from './chart';
import { cutText, type FeedPoint, firstAtOrAfter, pointsInView, shortText, type TimeRange } from './history';
import { ageAtServerMs, type ClockOffsets, type UpdateLatency, updateLatency } from './latency';
import { sampleStepS } from './past';
import type { FeedStore } from './store';
import { isConnected } from './stream';

/** `axes`: an axis for each of the first two feeds. */
export type DrawingOptions = {
  readonly feeds: readonly ({ readonly id: string; readonly symbol: string } & Market)[];
  readonly window: ChartWindow;
  readonly scale: 'price' | 'indexed' | 'axes';
  readonly width: number;
  readonly height: number;
  readonly floors: CadenceFloors;
  /** Whether the confidence band is drawn, as by default. */
  readonly hasBand?: boolean;
  /** Once the past is loaded, absent updates are missing. */
  readonly isFilled?: boolean;
};

export type DrawnFeed = {
  readonly id: string;
  readonly symbol: string;
  /** Index from 0. Determines the colour and the column in chart rows. */
  readonly feedIndex: number;
  /** Undefined if the scale can't show the feed. */
  readonly vertices?: readonly Vertex[];
  /** Price to which heights are relative; absent for an index. */
  readonly base?: ScaledInteger;
  readonly gaps: readonly FeedGap[];
  readonly loading: readonly FeedGap[];
  /** The latest update at the time of the drawing, even if the window lies in the past. */
  readonly latest?: PriceUpdate | undefined;
  /** Oldest first. The first may lie before the window. */
  readonly seen: readonly FeedPoint[];
  /** Live updates, at their arrival. */
  readonly latencies: ReadonlyMap<PriceUpdate, UpdateLatency>;
  readonly offsets: ClockOffsets;
  /** Unix ms. Earlier updates were requested one by one. */
  readonly liveFromMs: number;
  /** Whether higher and lower prices, and gaps, may lie between samples in the first part of the window. */
  readonly isSampled: boolean;
  /** Whether there may be other prices and gaps, because a part is not loaded. */
  readonly isPartial: boolean;
};

type GapFigures = Pick<DrawnFeed, 'gaps' | 'isSampled' | 'isPartial'>;

/** `Feed silent, part not loaded`, `No gaps in samples`. */
export const gapNames = ({ gaps, isSampled, isPartial }: GapFigures): string =>
  loadedGapsText([...new Set(gaps.map(({ kind }) => GAPS[kind].label))].join(', '), isPartial) ??
  (isSampled ? 'No gaps in samples' : 'No gaps');

/** The number of updates then has the step of the samples beside it, so that it is not repeated elsewhere. */
export const namesSamples = ({ gaps, isSampled, isPartial }: GapFigures): boolean =>
  isSampled && !isPartial && gaps.length === 0;

/** `Feed silent: 1 (1 min)`, `Not loaded`, `None`. */
export const gapTotals = ({ gaps, isSampled, isPartial }: GapFigures): string =>
  loadedGapsText(gapCounts(gaps), isPartial) ?? (isSampled ? 'None in samples' : 'None');

/** Undefined if the window is loaded and has no gaps. */
function loadedGapsText(gaps: string, isPartial: boolean): string | undefined {
  if (gaps === '') return isPartial ? 'Not loaded' : undefined;
  return isPartial ? `${gaps}, part not loaded` : gaps;
}

/** Round ticks over the whole axis, with their labels. */
type PriceAxis = { readonly ticks: readonly number[]; readonly texts: readonly string[] };

export type PageDrawing = ReturnType<typeof drawPage>;

/** Few moments where the stream soon replaces them, more where all of a long window stays sampled. */
export const pageMoments = (spanMs: number): number => (spanMs < 6 * HOUR_MS ? 40 : 100);

/** If live updates begin this near to the left edge, no part counts as sampled. */
const EDGE_MS = 3_000;

/** Margins, px: above the prices, between prices and latency, and below for the times. */
export const CHART_PX = { top: 8, between: 18, times: 22 } as const;
const LATENCY_SHARE = 0.1;
/** Share of the window with measured latency from which the chart has a part for it. */
const MIN_MEASURED_SHARE = 0.2;
/** A live window up to this long has that part from the first drawing, because it is soon measured. */
const SOON_MEASURED_MS = 0.25 * HOUR_MS;
/** End of the latency axis while nothing is measured. */
const UNMEASURED_MS = 1_000;
const PX_PER_TICK = 56;
/** Approximate width of a price axis, px, which lines can't use. */
const DEFAULT_AXIS_PX = 80;
const PX_PER_CHARACTER = 6.6;

export function drawPage(store: FeedStore, options: DrawingOptions) {
  const { feeds, window, width, height } = options;
  const ids = feeds.map(({ id }) => id);
  const nowMs = store.serviceNowMs(ids);
  const toMs = window.toMs ?? nowMs;
  const range = { fromMs: toMs - window.spanMs, toMs };
  const seen = ids.map((id) => pointsInView(store.points(id), range));
  const link = isConnected(store.stream().link) ? ('up' as const) : ('down' as const);
  const frame: Frame = {
    range,
    sampledEveryS: sampleStepS({ ...window, moments: pageMoments(window.spanMs) }),
    columnMs: (window.spanMs * feeds.length) / Math.max(1, width - DEFAULT_AXIS_PX),
    // The latest of the first updates, so that index lines are compared over the same time.
    startMs: Math.max(...seen.flatMap(([firstPoint]) => firstPoint?.atMs ?? [])),
    edge:
      window.toMs === undefined
        ? { nowS: Math.floor(nowMs / 1000), link }
        : { nowS: Math.floor(toMs / 1000), link: 'past' },
  };
  const drawn = feeds.map((_, feedIndex) =>
    drawFeed(store, options, frame, feedIndex, seen[feedIndex] ?? []),
  );
  const { sampledEveryS } = frame;
  const { offsets = { serverMs: 0, browserMs: 0 } } = drawn[0] ?? {};
  const isFilled = options.isFilled === true;
  const axes = axesOf(drawn, options, range);
  const { hasBand = true } = options;
  return { ...range, nowMs, width, height, feeds: drawn, ...axes, offsets, sampledEveryS, isFilled, hasBand };
}

type Frame = {
  readonly range: TimeRange;
  readonly sampledEveryS: number;
  readonly columnMs: number;
  readonly startMs: number;
  readonly edge: GapRules['edge'];
};

function drawFeed(
  store: FeedStore,
  { feeds, scale, floors, isFilled }: DrawingOptions,
  frame: Frame,
  feedIndex: number,
  points: readonly FeedPoint[],
): DrawnFeed {
  const { range, sampledEveryS, columnMs, startMs, edge } = frame;
  const { id = '', symbol = '', ...market } = feeds[feedIndex] ?? {};
  const { liveFromS, latest } = store.feed(id);
  // The update after the window shows whether the window ends in a gap.
  const all = store.points(id);
  const end = firstAtOrAfter(all, range.toMs + 1);
  const withNext = all.slice(end - points.length, end + 1);
  const beginsS = isFilled || points.length > 0 ? windowStartS(points, range) : undefined;
  const allGaps = findGaps(withNext, { floors, sampledEveryS, liveFromS, edge, market, beginsS });
  const inRange = gapsWithin(allGaps, range);
  const { latencies, offsets } = updateLatency(points, store.stream().skewMs);
  const liveFromMs = liveFromS * 1000;
  const isSampled =
    liveFromMs > range.fromMs + EDGE_MS &&
    points.some(({ atMs, update }) => update.isBackfilled && atMs >= range.fromMs);
  const verticesFrom = (base: ScaledInteger, scale?: 'indexed') => {
    const widthMs = rhythmMs(columnMs, isSampled, sampledEveryS);
    const vertices = decimate(plotPoints(points, base, scale), widthMs, isBrokenBy(allGaps), isSampled);
    return feedIndex === 0 ? withLatency(vertices, points, latencies, widthMs) : vertices;
  };
  const loading = loadingGaps(inRange, isFilled);
  const unplotted = {
    id,
    symbol,
    feedIndex,
    gaps: shownGaps(inRange, isFilled),
    loading,
    latest,
    seen: points,
    latencies,
    offsets,
    liveFromMs,
    isSampled,
    isPartial: isFilled !== true && (points.length === 0 || loading.length > 0),
  };
  const [first] = points;
  if (scale === 'axes' && feedIndex > 1) return unplotted;
  if (first === undefined) return { ...unplotted, vertices: [] };
  if (scale !== 'indexed') {
    const base = plotBase(first.update);
    return { ...unplotted, base, vertices: verticesFrom(base) };
  }
  const indexBase = (points.findLast(({ atMs }) => atMs <= startMs) ?? first).update.price;
  return indexBase.mantissa === 0n
    ? unplotted
    : { ...unplotted, vertices: verticesFrom(indexBase, 'indexed') };
}

/** Axes with the tags and notes beside them, and the space that they take. */
function axesOf(
  drawn: readonly DrawnFeed[],
  { scale, width, height, window, hasBand = true }: DrawingOptions,
  range: TimeRange,
) {
  const isLive = window.toMs === undefined;
  const latencyTicks = latencyTicksOf(drawn[0], range, isLive);
  const latencyPx = latencyTicks.length === 0 ? 0 : Math.round(height * LATENCY_SHARE);
  const belowPx = latencyPx === 0 ? 0 : latencyPx + CHART_PX.between;
  const pricePx = height - belowPx - CHART_PX.top - CHART_PX.times;
  const axisOf = (drawnFeeds: readonly DrawnFeed[]) =>
    priceAxis(drawnFeeds, Math.max(3, Math.round(pricePx / PX_PER_TICK)), hasBand);
  const [onRight, onLeft] = scale === 'axes' ? [drawn.slice(0, 1), drawn.slice(1, 2)] : [drawn, []];
  const right = axisOf(onRight);
  const left = scale === 'axes' ? axisOf(onLeft) : undefined;
  const tags = [...tagsOf(onRight, right, 'right', pricePx), ...tagsOf(onLeft, left, 'left', pricePx)];
  const edgeNotes = [
    ...edgeNotesOf(onRight, right, 'right', hasBand),
    ...edgeNotesOf(onLeft, left, 'left', hasBand),
  ];
  const widthOf = (axis: PriceAxis | undefined, side: 'left' | 'right') => {
    const texts = axis?.texts ?? [];
    const tagTexts = tags.flatMap((tag) => (tag.side === side ? tag.text : []));
    return Math.ceil(
      Math.max(4, ...[...texts, ...tagTexts].map(({ length }) => length)) * PX_PER_CHARACTER + 14,
    );
  };
  const rightPx = widthOf(right, 'right');
  const leftPx = left === undefined ? 0 : widthOf(left, 'left');
  const plotPx = Math.max(1, width - rightPx - leftPx);
  return {
    plotPx,
    scale,
    right,
    left,
    rightPx,
    leftPx,
    tags,
    edgeNotes,
    pricePx,
    latencyPx,
    belowPx,
    latencyTicks,
  };
}

/** Empty if latency was measured in too little of the window. */
function latencyTicksOf(feed: DrawnFeed | undefined, { fromMs, toMs }: TimeRange, isLive: boolean): number[] {
  const measuredMs = toMs - Math.max(fromMs, feed?.liveFromMs ?? toMs);
  const isSoonMeasured = isLive && toMs - fromMs <= SOON_MEASURED_MS;
  if (!isSoonMeasured && measuredMs < (toMs - fromMs) * MIN_MEASURED_SHARE) return [];
  const slowestMs = Math.max(0, ...(feed?.vertices?.map(({ latency }) => totalMs(latency)) ?? []));
  if (slowestMs > 0) return niceTicks(0, Math.max(1, slowestMs), 2, 1);
  return isSoonMeasured ? niceTicks(0, UNMEASURED_MS, 2, 1) : [];
}

const totalMs = (latency: UpdateLatency | undefined) =>
  latency === undefined ? 0 : ageAtServerMs(latency) + (latency.browser ?? 0);

/** An average would hide the slowest latency of a pixel column. Updates of a second count with that of the first. */
function withLatency(
  vertices: readonly Vertex[],
  points: readonly FeedPoint[],
  latencies: ReadonlyMap<PriceUpdate, UpdateLatency>,
  columnMs: number,
): Vertex[] {
  const columnOf = (atMs: number) => Math.floor(atMs / columnMs);
  const slowest = new Map<number, UpdateLatency>();
  let sample: { readonly second: number; readonly latency: UpdateLatency } | undefined;
  for (const { atMs, update } of points) {
    const latency = latencies.get(update);
    if (latency?.isFirstOfSecond) sample = { second: update.publishTimeS, latency };
    if (sample?.second !== update.publishTimeS) continue;
    if (totalMs(sample.latency) >= totalMs(slowest.get(columnOf(atMs))))
      slowest.set(columnOf(atMs), sample.latency);
  }
  return vertices.map((vertex) =>
    vertex.point === undefined ? vertex : { ...vertex, latency: slowest.get(columnOf(vertex.atMs)) },
  );
}

const NO_AXIS: PriceAxis = { ticks: [], texts: [] };

/** Price axis of a drawing. It ignores the EMA, which may lie far away. */
function priceAxis(feeds: readonly DrawnFeed[], count: number, hasBand: boolean): PriceAxis {
  const base = feeds[0]?.base;
  const drawn = feeds.flatMap(({ vertices = [] }) =>
    vertices.flatMap(({ price, band }) =>
      price === null || band === null
        ? []
        : { price, low: hasBand ? band[0] : price, high: hasBand ? band[1] : price },
    ),
  );
  const range = priceRange(drawn);
  if (range === undefined) return NO_AXIS;
  const ticks = niceTicks(...range, count, base === undefined ? 0 : 1);
  return { ticks, texts: axisTexts(ticks, base) };
}

/**
 * The edge beyond which a feed's last EMA lies, or the confidence band if it covers the whole plot. `row` counts the
 * notes of that edge.
 */
type EdgeNote = {
  readonly of: 'ema' | 'band';
  readonly feedIndex: number;
  readonly side: 'left' | 'right';
  readonly edge: 'top' | 'bottom';
  readonly value: number;
  readonly text: string;
  readonly row: number;
};

function edgeNotesOf(
  drawn: readonly DrawnFeed[],
  { ticks }: PriceAxis = NO_AXIS,
  side: 'left' | 'right',
  hasBand: boolean,
): EdgeNote[] {
  const [low, high] = [ticks[0], ticks.at(-1)];
  if (low === undefined || high === undefined) return [];
  const rows = { top: 0, bottom: 0 };
  const noteAt = (edge: EdgeNote['edge'], note: Pick<EdgeNote, 'of' | 'feedIndex' | 'text'>): EdgeNote => {
    const row = rows[edge];
    rows[edge] += 1;
    return { ...note, side, edge, value: edge === 'top' ? high : low, row };
  };
  return drawn.flatMap(({ feedIndex, symbol, vertices = [] }) => {
    const name = drawn.length > 1 ? `${pairName(symbol)} ` : '';
    const bands = vertices.flatMap(({ band }) => (band === null ? [] : [band]));
    const isCovered = hasBand && bands.length > 0 && bands.every(([from, to]) => from <= low && to >= high);
    const conf = vertices.findLast(({ point }) => point !== undefined)?.point?.update.conf;
    const notes: EdgeNote[] = [];
    if (isCovered && conf !== undefined)
      notes.push(
        noteAt('bottom', {
          of: 'band',
          feedIndex,
          text: `${name}Confidence ±${shortText(conf, 3)}, wider than the chart`,
        }),
      );
    const last = vertices.findLast(({ ema }) => ema !== null);
    const exact = last?.point?.update.ema;
    if (last?.ema == null || exact === undefined || (last.ema >= low && last.ema <= high)) return notes;
    const edge = last.ema > high ? ('top' as const) : ('bottom' as const);
    const text = `${name}EMA ${shortText(exact)}, ${edge === 'top' ? 'above' : 'below'}`;
    return [...notes, noteAt(edge, { of: 'ema', feedIndex, text })];
  });
}

/** `shiftPx` is the distance of the tag below its line. */
type PriceTag = {
  readonly feedIndex: number;
  readonly side: 'left' | 'right';
  readonly value: number;
  readonly text: string;
  readonly shiftPx: number;
};

const TAG_PX = 17;

/** Price tags at the axis. If two overlap, the lower one moves down. */
function tagsOf(
  drawn: readonly DrawnFeed[],
  axis: PriceAxis | undefined,
  side: 'left' | 'right',
  pricePx: number,
): PriceTag[] {
  const [low, high] = [axis?.ticks[0], axis?.ticks.at(-1)];
  if (low === undefined || high === undefined) return [];
  const tags = drawn.flatMap(({ feedIndex, symbol, base, vertices = [] }) => {
    const last = vertices.findLast(({ price }) => price !== null);
    if (last?.price == null || last.point === undefined) return [];
    const { price } = last.point.update;
    const text = base === undefined ? `${pairName(symbol)} ${last.price.toFixed(2)}` : cutText(price);
    return [
      { feedIndex, side, value: last.price, text, atPx: (pricePx * (high - last.price)) / (high - low) },
    ];
  });
  let nextPx = Number.NEGATIVE_INFINITY;
  return tags
    .sort((a, b) => a.atPx - b.atPx)
    .map(({ atPx, ...tag }) => {
      const standsPx = Math.max(atPx, nextPx);
      nextPx = standsPx + TAG_PX;
      return { ...tag, shiftPx: standsPx - atPx };
    });
}

/** `BTC` for `Crypto.BTC/USD`. */
const pairName = (symbol: string) =>
  symbol
    .slice(symbol.indexOf('.') + 1)
    .split('/')[0]
    ?.slice(0, 6) ?? '';

/** Distance from the upper end of the axis, px. */
export function pxBelowTop(value: number, { ticks }: Pick<PriceAxis, 'ticks'>, pricePx: number): number {
  const [low = 0, high = 1] = [ticks[0], ticks.at(-1)];
  return (pricePx * (high - value)) / (high - low);
}

/** @param x px from the left edge of the chart, clamped to the plot */
export function momentAtPx(x: number, { fromMs, toMs, width, leftPx, rightPx }: PageDrawing): number {
  const share = (x - leftPx) / Math.max(1, width - leftPx - rightPx);
  return fromMs + Math.min(1, Math.max(0, share)) * (toMs - fromMs);
}

/** `drawn` has the vertex or interpolation of each feed, `inForce` its last update. */
export type PriceChartRow = {
  readonly atMs: number;
  readonly drawn: readonly (Vertex | undefined)[];
  readonly inForce: readonly (Vertex | undefined)[];
};

/** Rows for recharts. A feed without a vertex at a moment gets an interpolated one. */
export function chartRows(feeds: readonly DrawnFeed[]): PriceChartRow[] {
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
        drawn: ends.map(([last, next]) => last && interpolated(last, next ?? last, atMs)),
        inForce: ends.map(([last]) => last),
      };
    });
}

/** Beside a break the values are null. */
function interpolated(last: Vertex, next: Vertex, atMs: number): Vertex {
  if (last.atMs === atMs || last.price === null || next.price === null) return last;
  const share = (atMs - last.atMs) / (next.atMs - last.atMs);
  const mixed = (from: number, to: number) => from + (to - from) * share;
  return {
    atMs,
    price: mixed(last.price, next.price),
    band: last.band && next.band && [mixed(last.band[0], next.band[0]), mixed(last.band[1], next.band[1])],
    ema: last.ema === null || next.ema === null ? null : mixed(last.ema, next.ema),
    latency: last.latency,
  };
}
