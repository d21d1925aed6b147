'use client';
import { Center } from '@mantine/core';
import dynamic from 'next/dynamic';
import {
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react';
import { orNotice } from '@/components/ui/part-not-loaded';
import { useTimeStyle } from '@/components/ui/time-style';
import {
  type ChartWindow,
  momentAt,
  type PageDrawing,
  panned,
  windowAfterKey,
  zoomed,
} from '@/lib/feeds/client/chart';
import { chartSummary } from './figures';
import classes from './page.module.css';

/** Loaded beside the page: the library is heavier than the page. */
const LargeChart = dynamic(() => orNotice(import('./large-chart').then((module) => module.LargeChart)), {
  ssr: false,
  loading: () => <Instead>Loading chart…</Instead>,
});

function Instead({ children }: { children: string }) {
  return (
    <Center pos="absolute" inset={0} c="dimmed" style={{ pointerEvents: 'none' }}>
      {children}
    </Center>
  );
}

type Props = {
  place: RefObject<HTMLDivElement | null>;
  symbols: readonly string[];
  drawing: PageDrawing | undefined;
  window: ChartWindow;
  /** While a gesture goes on, and when it is over. */
  onMove: (window: ChartWindow) => void;
  onEnd: () => void;
};

/** The chart itself, and what pointer, wheel, fingers and keys do with it. */
export function ChartStage({ place, symbols, drawing, window: shown, onMove, onEnd }: Props) {
  const times = useTimeStyle();
  const { isHeld, handlers } = useChartGestures({ place, drawing, window: shown, onMove, onEnd });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || drawing === undefined) return;
    const next = windowAfterKey(shown, event.key, drawing.nowMs);
    if (next === undefined) return;
    event.preventDefault();
    onMove(next);
    onEnd();
  };
  const [first = '', ...others] = symbols;
  const summary = drawing && chartSummary(first, drawing.feeds[0]?.seen ?? [], drawing);
  const isEmpty =
    drawing?.feeds.every(({ seen }) => seen.every(({ atMs }) => atMs < drawing.fromMs)) === true;
  return (
    <div
      ref={place}
      role="slider"
      aria-label={`Chart of ${symbols.join(', ')}`}
      aria-valuenow={Math.floor((drawing?.toMs ?? 0) / 1000)}
      aria-valuemin={0}
      aria-valuemax={Math.ceil((drawing?.nowMs ?? 0) / 1000)}
      aria-valuetext={[summary ?? `Chart of ${first}`, ...others].join(', compared with ')}
      aria-describedby="chart-keys"
      tabIndex={0}
      className={classes.stage}
      data-held={isHeld ? 'yes' : undefined}
      onKeyDown={onKeyDown}
      {...handlers}
    >
      {drawing === undefined ? null : (
        <div aria-hidden="true">
          <LargeChart drawing={drawing} times={times} hasReadout={!isHeld} />
        </div>
      )}
      {isEmpty ? <Instead>No price in this window</Instead> : null}
    </div>
  );
}

/** What a gesture began with: the window, the moment between the fingers, their distance and their middle, pixels. */
type Hold = {
  readonly window: ChartWindow;
  readonly anchorMs: number;
  readonly spreadPx: number;
  readonly middleX: number;
};

/** A turn of the wheel by a hundred pixels makes the window longer or shorter by about this factor to the power of itself. */
const WHEEL_RATE = 0.0015;
/** Turns of the wheel are one gesture until it has rested for so long. */
const WHEEL_REST_MS = 300;
/** Nearer fingers than this would zoom by leaps. */
const LEAST_SPREAD_PX = 24;

/** Drag pans, two fingers zoom, the wheel zooms around the pointer and pans sideways. */
function useChartGestures({ place, drawing, window: shown, onMove, onEnd }: Omit<Props, 'symbols'>) {
  const fingers = useRef(new Map<number, number>());
  const hold = useRef<Hold>(undefined);
  const [isHeld, setHeld] = useState(false);
  const msPerPx = (spanMs: number, { width, leftPx, rightPx }: PageDrawing) =>
    spanMs / Math.max(1, width - leftPx - rightPx);
  const grasp = () => {
    setHeld(fingers.current.size > 0);
    if (drawing === undefined) return;
    const { spreadPx, middleX } = spreadOf(fingers.current);
    hold.current = { window: shown, anchorMs: momentAt(middleX, drawing), spreadPx, middleX };
  };
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    fingers.current.set(event.pointerId, xOf(event, event.currentTarget));
    grasp();
  };
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    const held = hold.current;
    if (!fingers.current.has(event.pointerId) || held === undefined || drawing === undefined) return;
    fingers.current.set(event.pointerId, xOf(event, event.currentTarget));
    const { spreadPx, middleX } = spreadOf(fingers.current);
    const factor = Math.max(LEAST_SPREAD_PX, held.spreadPx) / Math.max(LEAST_SPREAD_PX, spreadPx);
    const next =
      fingers.current.size < 2 ? held.window : zoomed(held.window, factor, held.anchorMs, drawing.nowMs);
    onMove(panned(next, (held.middleX - middleX) * msPerPx(next.spanMs, drawing), drawing.nowMs));
  };
  const onPointerUp = (event: PointerEvent<HTMLElement>) => {
    if (!fingers.current.delete(event.pointerId)) return;
    grasp();
    if (fingers.current.size === 0) onEnd();
  };
  const turn = useEffectEvent((event: WheelEvent, target: Element): boolean => {
    if (drawing === undefined) return false;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      const sideways = event.shiftKey ? event.deltaY : event.deltaX;
      onMove(panned(shown, sideways * msPerPx(shown.spanMs, drawing), drawing.nowMs));
    } else {
      const anchorMs = momentAt(xOf(event, target), drawing);
      onMove(zoomed(shown, Math.exp(event.deltaY * WHEEL_RATE), anchorMs, drawing.nowMs));
    }
    return true;
  });
  const rest = useEffectEvent(() => onEnd());
  // React listens to the wheel without being able to keep the page from scrolling.
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
  return { isHeld, handlers: { onPointerDown, onPointerMove, onPointerUp, onPointerCancel: onPointerUp } };
}

function xOf({ clientX }: { clientX: number }, target: Element): number {
  return clientX - target.getBoundingClientRect().left;
}

function spreadOf(fingers: ReadonlyMap<number, number>): { spreadPx: number; middleX: number } {
  const [least, most] = [Math.min(...fingers.values()), Math.max(...fingers.values())];
  return { spreadPx: most - least, middleX: (least + most) / 2 };
}
