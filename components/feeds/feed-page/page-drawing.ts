import type { FeedPoint } from '@/lib/client/feed-history';
import { isConnected } from '@/lib/client/feed-link';
import type { FeedSamplesBook } from '@/lib/client/feed-samples';
import { mergedPoints } from '@/lib/client/feed-samples-known';
import { sampleStepS } from '@/lib/client/feed-samples-plan';
import type { FeedStore } from '@/lib/client/feed-store';
import { type ChartWindow, windowEdges } from '@/lib/client/feed-window';
import { silentAfterS, usualPauseS } from '@/lib/domain/feed-cadence';
import { type FeedGap, lineBreaks } from '@/lib/domain/feed-gaps';
import { type ChartedFeed, type ChartScale, inView, type PageFrame, pageFrameOf } from './page-frame';
import { type ChartMark, gapsInView, marksInView, type Shade, shadesOf, tickTimesOf } from './page-shades';

/** What is to be drawn. */
export type DrawingAsked = {
  readonly feeds: readonly { readonly id: string; readonly symbol: string }[];
  readonly window: ChartWindow;
  readonly scale: ChartScale;
  readonly width: number;
  readonly height: number;
  readonly floors: { readonly lateS: number; readonly staleS: number };
};

/** One drawing of the chart, with what was drawn of each feed. */
export type PageDrawing = {
  /** Of the feeds, in their order. */
  readonly names: readonly string[];
  readonly frame: PageFrame;
  readonly ground: { readonly shades: readonly Shade[]; readonly marks: readonly ChartMark[] };
  /** Of each feed. Those of the first one are shaded too; the lines of all are broken by them. */
  readonly gaps: readonly (readonly FeedGap[])[];
  /** The updates in the window, by feed, oldest first; the first may lie before it. */
  readonly seen: readonly (readonly FeedPoint[])[];
  /** Where what the stream brought of each feed begins, unix ms; before it, one update for each step was asked for. */
  readonly liveFromMs: readonly (number | undefined)[];
  readonly sampledStepS: number;
  readonly nowMs: number;
};

/** A line is broken where nothing came for so long, unless the feed is slower by nature, or sampled so coarsely. */
const SHORTEST_GAP_MS = 15_000;
const GAP_PAUSES = 4;
const GAP_STEPS = 2.5;

/** Draws what stream and samples have, and says to the book what is looked at. */
export function drawPage(store: FeedStore, book: FeedSamplesBook, asked: DrawingAsked): PageDrawing {
  const nowMs = nowOf(store, asked);
  const edges = windowEdges(asked.window, nowMs);
  const look = { ...edges, columns: asked.width, nowMs };
  book.show({
    ids: asked.feeds.map(({ id }) => id).filter((id) => hasPast(store, id)),
    window: look,
    pace: asked.window.toMs === undefined ? 'live' : 'still',
    livePoints: (id) => store.history(id).points(),
  });
  const stepMs = book.progress().kind === 'complete' ? sampleStepS(look) * 1000 : Number.POSITIVE_INFINITY;
  const charted = asked.feeds.map(({ id, symbol }): ChartedFeed & { gaps: readonly FeedGap[] } => {
    const live = store.history(id).points();
    const points = mergedPoints(live, book.known(id).points());
    const pauseMs = store.feed(id).rhythmMs ?? 0;
    const gapMs = Math.max(SHORTEST_GAP_MS, GAP_PAUSES * pauseMs, GAP_STEPS * stepMs);
    const gaps = gapsOf(store, book, { id, live: inView(live, edges), edges, nowMs, asked });
    return { id, name: symbol, points, gapMs, breaks: lineBreaks(gaps), gaps };
  });
  const gaps = charted.map((one) => one.gaps);
  return {
    names: asked.feeds.map(({ symbol }) => symbol),
    frame: pageFrameOf(charted, { ...edges, width: asked.width, height: asked.height, scale: asked.scale }),
    ground: {
      shades: shadesOf(gaps[0] ?? [], edges),
      marks: marksInView(store.marks(), asked.feeds[0]?.id ?? '', edges),
    },
    gaps,
    seen: charted.map(({ points }) => inView(points, edges)),
    liveFromMs: asked.feeds.map(({ id }) => liveFromMs(store, id)),
    sampledStepS: sampleStepS(look),
    nowMs,
  };
}

/**
 * What the service does not know has no past, and each moment of it would cost a call. Before the stream has begun to
 * tell, only what is known already is asked for.
 */
function hasPast(store: FeedStore, id: string): boolean {
  const { standing } = store.feed(id);
  return standing === 'known' || (standing === 'waiting' && store.stream().link.kind !== 'connecting');
}

function liveFromMs(store: FeedStore, id: string): number | undefined {
  const first = store.history(id).points()[0]?.atMs;
  return first === undefined ? undefined : Math.max(first, (store.feed(id).receivedFromS ?? 0) * 1000);
}

/** The present of the publishing clock; an update from after it moves it on. */
function nowOf(store: FeedStore, { feeds }: DrawingAsked): number {
  const newest = feeds.map(({ id }) => store.history(id).points().at(-1)?.atMs ?? 0);
  return Math.max(Date.now() - store.stream().skewMs, ...newest);
}

type GapsAsked = {
  readonly id: string;
  readonly live: readonly FeedPoint[];
  readonly edges: { readonly fromMs: number; readonly toMs: number };
  readonly nowMs: number;
  readonly asked: DrawingAsked;
};

function gapsOf(store: FeedStore, book: FeedSamplesBook, look: GapsAsked): readonly FeedGap[] {
  const { live, edges, asked, nowMs, id } = look;
  const silentS = silentAfterS(usualPauseS(tickTimesOf(live.slice(-PAUSE_SAMPLES))), asked.floors);
  const edge = {
    nowS: Math.floor(nowMs / 1000),
    link: isConnected(store.linkAt(Date.now())) ? 'up' : 'down',
  } as const;
  const rules = {
    silentAfterS: silentS,
    foldedS: 0,
    ...(asked.window.toMs === undefined ? { edge } : {}),
  };
  const received = { points: live, receivedFromS: store.feed(id).receivedFromS };
  return gapsInView(received, book.known(id).silences(silentS), rules, edges);
}

/** So many last updates tell the rhythm of a feed. */
const PAUSE_SAMPLES = 60;
