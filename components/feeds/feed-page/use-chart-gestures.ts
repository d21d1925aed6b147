'use client';
import { type PointerEvent, type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react';
import { type ChartWindow, panned, windowEdges, zoomed } from '@/lib/client/feed-window';
import type { PageDrawing } from './page-drawing';
import { momentAt, plotOf } from './pointed';

type Grip = { readonly x: number };

/** What a gesture began with. */
type Hold = {
  readonly window: ChartWindow;
  readonly anchorMs: number;
  readonly plotPx: number;
  readonly distancePx: number;
  readonly middleX: number;
};

export type GestureEdges = {
  readonly drawing: PageDrawing | undefined;
  readonly window: ChartWindow;
  /** While it goes on. */
  readonly onMove: (window: ChartWindow) => void;
  /** When it is over. */
  readonly onEnd: () => void;
};

/** A turn of the wheel by a hundred pixels makes the window longer or shorter by about this factor to the power of itself. */
const WHEEL_RATE = 0.0015;
/** Turns of the wheel are one gesture until it has rested for so long. */
const WHEEL_REST_MS = 300;

/** Drag pans, two fingers zoom, the wheel zooms around the pointer and pans sideways. */
export function useChartGestures(place: RefObject<HTMLElement | null>, edges: GestureEdges) {
  const grips = useRef(new Map<number, Grip>());
  const hold = useRef<Hold>(undefined);
  const [isHeld, setHeld] = useState(false);
  useWheel(place, edges);

  const take = () => {
    const { drawing } = edges;
    if (drawing === undefined) return;
    hold.current = grips.current.size === 0 ? undefined : holdOf(grips.current, edges.window, drawing);
    setHeld(grips.current.size > 0);
  };
  const down = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    grips.current.set(event.pointerId, { x: xOf(event) });
    take();
  };
  const move = (event: PointerEvent<HTMLElement>) => {
    const { drawing } = edges;
    const held = hold.current;
    if (!grips.current.has(event.pointerId) || held === undefined || drawing === undefined) return;
    grips.current.set(event.pointerId, { x: xOf(event) });
    edges.onMove(windowOf(held, grips.current, drawing.nowMs));
  };
  const up = (event: PointerEvent<HTMLElement>) => {
    if (!grips.current.delete(event.pointerId)) return;
    take();
    if (grips.current.size === 0) edges.onEnd();
  };
  return { isHeld, down, move, up };
}

function xOf(event: { clientX: number; currentTarget: Element }): number {
  return event.clientX - event.currentTarget.getBoundingClientRect().left;
}

function spread(grips: ReadonlyMap<number, Grip>): { distancePx: number; middleX: number } {
  const xs = [...grips.values()].map(({ x }) => x);
  const [least, most] = [Math.min(...xs), Math.max(...xs)];
  return { distancePx: most - least, middleX: (least + most) / 2 };
}

function holdOf(grips: ReadonlyMap<number, Grip>, window: ChartWindow, { frame, nowMs }: PageDrawing): Hold {
  const { distancePx, middleX } = spread(grips);
  const anchorMs = momentAt(middleX, frame) ?? windowEdges(window, nowMs).toMs;
  return { window, anchorMs, plotPx: plotOf(frame).width, distancePx, middleX };
}

/** Nearer fingers than this would zoom by leaps. */
const LEAST_SPREAD_PX = 24;

function windowOf(held: Hold, grips: ReadonlyMap<number, Grip>, nowMs: number): ChartWindow {
  const { distancePx, middleX } = spread(grips);
  const factor =
    grips.size < 2 ? 1 : Math.max(LEAST_SPREAD_PX, held.distancePx) / Math.max(LEAST_SPREAD_PX, distancePx);
  const scaled = factor === 1 ? held.window : zoomed(held.window, factor, held.anchorMs, nowMs);
  return panned(scaled, -((middleX - held.middleX) / held.plotPx) * scaled.spanMs, nowMs);
}

/** React listens to the wheel without being able to keep the page from scrolling. */
function useWheel(place: RefObject<HTMLElement | null>, edges: GestureEdges): void {
  const turn = useEffectEvent((event: WheelEvent, target: Element) => {
    const { drawing, window: now } = edges;
    if (drawing === undefined) return false;
    const { frame, nowMs } = drawing;
    const x = event.clientX - target.getBoundingClientRect().left;
    const sideways = event.shiftKey ? event.deltaY : event.deltaX;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      edges.onMove(panned(now, (sideways / plotOf(frame).width) * now.spanMs, nowMs));
    } else {
      const anchorMs = momentAt(x, frame) ?? frame.toMs;
      edges.onMove(zoomed(now, Math.exp(event.deltaY * WHEEL_RATE), anchorMs, nowMs));
    }
    return true;
  });
  const rest = useEffectEvent(() => edges.onEnd());
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onWheel = (event: WheelEvent) => {
      if (!turn(event, element)) return;
      event.preventDefault();
      clearTimeout(timer);
      timer = setTimeout(() => rest(), WHEEL_REST_MS);
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => {
      clearTimeout(timer);
      element.removeEventListener('wheel', onWheel);
    };
  }, [place]);
}
