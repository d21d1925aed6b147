'use client';
import { Center } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
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
import { noticeOnFailure } from '@/components/ui/part-not-loaded';
import { useTimeStyle } from '@/components/ui/time-style';
import { type ChartWindow, panned, windowAfterKey, zoomed } from '@/lib/feeds/client/chart';
import { momentAtPx, type PageDrawing } from '@/lib/feeds/client/page-drawing';
import shared from './feeds.module.css';
import { chartSummary, emptyWords } from './figures';
import classes from './page.module.css';

/** Loaded after the page, because the chart library is larger than the page. */
const LargeChart = dynamic(
  () => noticeOnFailure(import('./large-chart').then((module) => module.LargeChart)),
  {
    ssr: false,
    loading: () => <ChartPlaceholder>Loading chart…</ChartPlaceholder>,
  },
);

function ChartPlaceholder({ children, isLoading = true }: { children: string; isLoading?: boolean }) {
  return (
    <Center
      pos="absolute"
      inset={0}
      c="dimmed"
      className={isLoading ? shared.loading : shared.note}
      style={{ pointerEvents: 'none' }}
    >
      <span>{children}</span>
    </Center>
  );
}

type Props = {
  place: RefObject<HTMLDivElement | null>;
  symbols: readonly string[];
  drawing: PageDrawing | undefined;
  window: ChartWindow;
  /** Called during a gesture; `onEnd` after it. */
  onMove: (window: ChartWindow) => void;
  onEnd: () => void;
};

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
  // After a change of scale, the values of the readout would be those of another moment.
  const scaleKey = `${shown.spanMs} ${shown.toMs ?? 'live'} ${drawing?.scale}`;
  const [pointedOn, setPointedOn] = useState<string>();
  const [first = '', ...others] = symbols;
  const summary =
    drawing && chartSummary(first, drawing.feeds[0]?.seen ?? [], drawing, drawing.feeds[0]?.gaps);
  const isEmpty = drawing?.feeds.every(({ seen }) => (seen.at(-1)?.atMs ?? 0) < drawing.fromMs);
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
      onPointerMove={(event) => {
        handlers.onPointerMove(event);
        setPointedOn(scaleKey);
      }}
    >
      {drawing && (
        <div aria-hidden="true">
          <LargeChart drawing={drawing} times={times} hasReadout={!isHeld && pointedOn === scaleKey} />
        </div>
      )}
      {drawing === undefined && <ChartPlaceholder>Loading chart…</ChartPlaceholder>}
      {isEmpty && (
        <ChartPlaceholder isLoading={drawing?.isFilled === false}>
          {emptyWords(
            drawing?.feeds[0]?.gaps ?? [],
            drawing?.isFilled === false ? 'Loading history…' : undefined,
          )}
        </ChartPlaceholder>
      )}
    </div>
  );
}

/** Start of a gesture: the moment between the fingers, their distance and their middle, pixels. */
type Hold = { window: ChartWindow; anchorMs: number; spreadPx: number; middleX: number };

/** Zoom rate of the wheel: `exp(rate × pixels)`. */
const WHEEL_RATE = 0.0015;
/** Pause of the wheel after which a gesture has ended. */
const WHEEL_REST_MS = 300;
/** Fingers closer together would zoom in leaps. */
const MIN_SPREAD_PX = 24;

const msPerPx = (spanMs: number, { width, leftPx, rightPx }: PageDrawing) =>
  spanMs / Math.max(1, width - leftPx - rightPx);

/** React's wheel listeners are passive and can't stop the page from scrolling, so this one is added by hand. */
function useWheel(place: RefObject<HTMLElement | null>, turn: (event: WheelEvent) => void): void {
  const latestTurn = useEffectEvent(turn);
  useEffect(() => {
    const element = place.current;
    const onWheel = (event: WheelEvent) => latestTurn(event);
    element?.addEventListener('wheel', onWheel, { passive: false });
    return () => element?.removeEventListener('wheel', onWheel);
  }, [place]);
}

/** Dragging pans, two fingers zoom, the wheel zooms around the pointer and pans sideways. */
function useChartGestures({ place, drawing, window: shown, onMove, onEnd }: Omit<Props, 'symbols'>) {
  const fingers = useRef(new Map<number, number>());
  const hold = useRef<Hold>(undefined);
  const [isHeld, setHeld] = useState(false);
  const anchorOf = (clientX: number, within: PageDrawing) =>
    momentAtPx(clientX - (place.current?.getBoundingClientRect().left ?? 0), within);
  const grasp = () => {
    setHeld(fingers.current.size > 0);
    if (drawing === undefined) return;
    const { spreadPx, middleX } = spreadOf(fingers.current);
    hold.current = { window: shown, anchorMs: anchorOf(middleX, drawing), spreadPx, middleX };
  };
  const onPointerDown = ({ button, pointerId, clientX, currentTarget }: PointerEvent<HTMLElement>) => {
    if (button !== 0) return;
    currentTarget.setPointerCapture(pointerId);
    fingers.current.set(pointerId, clientX);
    grasp();
  };
  const onPointerMove = ({ pointerId, clientX }: PointerEvent<HTMLElement>) => {
    const gesture = hold.current;
    if (!fingers.current.has(pointerId) || gesture === undefined || drawing === undefined) return;
    fingers.current.set(pointerId, clientX);
    const { spreadPx, middleX } = spreadOf(fingers.current);
    const factor = Math.max(MIN_SPREAD_PX, gesture.spreadPx) / Math.max(MIN_SPREAD_PX, spreadPx);
    const next =
      fingers.current.size < 2
        ? gesture.window
        : zoomed(gesture.window, factor, gesture.anchorMs, drawing.nowMs);
    onMove(panned(next, (gesture.middleX - middleX) * msPerPx(next.spanMs, drawing), drawing.nowMs));
  };
  const onPointerUp = ({ pointerId }: PointerEvent<HTMLElement>) => {
    if (!fingers.current.delete(pointerId)) return;
    grasp();
    if (fingers.current.size === 0) onEnd();
  };
  const rest = useDebouncedCallback(onEnd, WHEEL_REST_MS);
  const turn = (event: WheelEvent) => {
    if (drawing === undefined) return;
    event.preventDefault();
    const { deltaX, deltaY, shiftKey, clientX } = event;
    const isSideways = shiftKey || Math.abs(deltaX) > Math.abs(deltaY);
    const byMs = (shiftKey ? deltaY : deltaX) * msPerPx(shown.spanMs, drawing);
    const factor = Math.exp(deltaY * WHEEL_RATE);
    onMove(
      isSideways
        ? panned(shown, byMs, drawing.nowMs)
        : zoomed(shown, factor, anchorOf(clientX, drawing), drawing.nowMs),
    );
    rest();
  };
  useWheel(place, turn);
  return { isHeld, handlers: { onPointerDown, onPointerMove, onPointerUp, onPointerCancel: onPointerUp } };
}

function spreadOf(fingers: ReadonlyMap<number, number>): { spreadPx: number; middleX: number } {
  const [minX, maxX] = [Math.min(...fingers.values()), Math.max(...fingers.values())];
  return { spreadPx: maxX - minX, middleX: (minX + maxX) / 2 };
}
