'use client';
import { type RefObject, useEffect, useRef } from 'react';
import { useTimeStyle } from '@/components/ui/time-style';
import { clockWords, type TimeStyle } from '@/lib/core/time-text';
import type { SparklineDrawing } from '@/lib/feeds/client/chart';
import { exactText, nearestPoint, shortText } from '@/lib/feeds/client/history';
import { followPointedMoment, type PointedMoment, pointAt } from '@/lib/feeds/client/pointed-moment';
import { type FeedGap, gapText } from '@/lib/feeds/feed-cadence';
import classes from './board.module.css';

type Drawn = { readonly spark: SparklineDrawing | undefined; readonly gaps: readonly FeedGap[] } | undefined;

/**
 * One crosshair for all tiles: each marks the moment under the pointer. Its elements are changed by hand, because a
 * hundred tiles that render with every move of the mouse would drop frames.
 */
export function useTileCrosshair(place: RefObject<HTMLElement | null>, drawing: Drawn) {
  const times = useTimeStyle();
  const mark = useRef<HTMLDivElement>(null);
  const pointerX = useRef<number>(undefined);
  useEffect(() => {
    const tile = place.current;
    // The chart moves on under a resting pointer.
    if (tile && pointerX.current !== undefined) pointAt(momentAt(pointerX.current, tile, drawing));
    return followPointedMoment((pointed) => {
      if (mark.current) placeMark(mark.current, pointed && markOf(pointed, tile, drawing, times));
    });
  }, [place, drawing, times]);
  // A tile that is removed under the pointer is left without an event.
  useEffect(() => () => void (pointerX.current === undefined || pointAt(undefined)), []);
  const leave = () => {
    pointerX.current = undefined;
    pointAt(undefined);
  };
  const handlers = {
    onPointerMove: ({ clientX, currentTarget }: { clientX: number; currentTarget: Element }) => {
      pointerX.current = clientX - currentTarget.getBoundingClientRect().left;
      pointAt(momentAt(pointerX.current, currentTarget, drawing));
    },
    onPointerLeave: leave,
    onPointerCancel: leave,
  };
  return { mark, handlers };
}

type MarkProps = { mark: RefObject<HTMLDivElement | null> };

/** Line, dot and label, in this order. */
export function CrosshairMark({ mark }: MarkProps) {
  return (
    <div ref={mark} className={classes.crosshair} data-crosshair="" aria-hidden="true">
      <i />
      <b />
      <span className="num" />
    </div>
  );
}

const gapAt = (gaps: readonly FeedGap[], atMs: number) =>
  gaps.find(({ fromS, untilS }) => fromS * 1000 < atMs && atMs < untilS * 1000);

/** The moment of the update nearest to the pointer, or that of the pointer itself within a gap. */
function momentAt(x: number, tile: Element, drawing: Drawn): PointedMoment | undefined {
  const { spark, gaps = [] } = drawing ?? {};
  if (spark === undefined) return undefined;
  const { range, plot, seen } = spark;
  const atMs = range.fromMs + (Math.min(x, plot.width) / plot.width) * (range.toMs - range.fromMs);
  const nearest = gapAt(gaps, atMs) ? undefined : nearestPoint(seen, atMs, range);
  return { atMs: nearest?.atMs ?? atMs, tile };
}

type Mark = {
  x: number;
  width: number;
  dot?: { x: number; y: number } | undefined;
  text: string;
  isOwn: boolean;
};

/** Time and exact price in the tile under the pointer, the short price in the others. */
function markOf({ atMs, tile }: PointedMoment, target: Element | null, drawing: Drawn, times: TimeStyle) {
  const { spark, gaps = [] } = drawing ?? {};
  if (spark === undefined) return undefined;
  const { range, plot, seen, scale } = spark;
  const xOf = (ms: number) => ((ms - range.fromMs) / (range.toMs - range.fromMs)) * plot.width;
  const x = xOf(atMs);
  if (x < 0 || x > plot.width) return undefined;
  const isOwn = tile === target;
  const gap = gapAt(gaps, atMs);
  const point = gap ? undefined : nearestPoint(seen, atMs, range);
  const mark = { x, width: plot.width, isOwn };
  if (point === undefined) return { ...mark, text: isOwn && gap ? gapText(gap) : '' };
  const { update } = point;
  const exact = `${clockWords(point.atMs, times)} ${exactText(update.price)}${update.isBackfilled ? ' backfilled' : ''}`;
  const text = isOwn ? exact : shortText(update.price);
  return { ...mark, dot: { x: xOf(point.atMs), y: scale(update) }, text };
}

function placeMark(element: HTMLElement, mark: Mark | undefined): void {
  const [line, dot, label] = [...element.children] as HTMLElement[];
  if (line === undefined || dot === undefined || label === undefined) return;
  element.dataset.crosshair = mark === undefined ? '' : mark.isOwn ? 'own' : 'shared';
  if (mark === undefined) return;
  const { x, width, dot: at, text } = mark;
  line.style.translate = `${x}px`;
  dot.hidden = at === undefined;
  if (at) dot.style.translate = `${at.x}px ${at.y}px`;
  label.hidden = text === '';
  label.textContent = text;
  label.style.translate = x > width / 2 ? `calc(${x}px - 6px - 100%)` : `${x + 6}px`;
}
