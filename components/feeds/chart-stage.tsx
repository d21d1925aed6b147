'use client';
import dynamic from 'next/dynamic';
import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react';
import { orNotice } from '@/components/ui/part-not-loaded';
import { useTimeStyle } from '@/components/ui/time-style';
import { formatScaled } from '@/lib/core/numbers';
import { clockStyle, clockWords, shownMoment } from '@/lib/core/time-text';
import {
  type ChartWindow,
  indexOf,
  momentAt,
  nearestPoint,
  type PageDrawing,
  panned,
  plotOf,
  windowAfterKey,
  zoomed,
} from '@/lib/feeds/client/chart';
import { exactConf, exactEma, exactPrice, type FeedPoint } from '@/lib/feeds/client/history';
import { chartSummary } from './figures';
import classes from './page.module.css';

/** Loaded beside the page: the library is heavier than the page. */
const LargeChart = dynamic(() => orNotice(import('./large-chart').then((module) => module.LargeChart)), {
  ssr: false,
  loading: () => <p className={classes.nothing}>Loading chart…</p>,
});

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
  const [pointerX, setPointerX] = useState<number>();
  const gestures = useChartGestures({ place, drawing, window: shown, onMove, onEnd });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || drawing === undefined) return;
    const next = windowAfterKey(shown, event.key, drawing.nowMs);
    if (next === undefined) return;
    event.preventDefault();
    onMove(next);
    onEnd();
  };
  const isEmpty =
    drawing?.feeds.every(({ seen }) => seen.every(({ atMs }) => atMs < drawing.fromMs)) === true;
  const x = gestures.isHeld ? undefined : pointerX;
  return (
    <div
      ref={place}
      role="slider"
      aria-label={`Chart of ${symbols.join(', ')}`}
      aria-valuenow={Math.floor((drawing?.toMs ?? 0) / 1000)}
      aria-valuemin={0}
      aria-valuemax={Math.ceil((drawing?.nowMs ?? 0) / 1000)}
      aria-valuetext={summaryOf(symbols, drawing)}
      aria-describedby="chart-keys"
      tabIndex={0}
      className={classes.stage}
      data-held={gestures.isHeld ? 'yes' : undefined}
      onKeyDown={onKeyDown}
      onPointerDown={gestures.down}
      onPointerMove={(event) => {
        setPointerX(xOf(event));
        gestures.move(event);
      }}
      onPointerUp={gestures.up}
      onPointerCancel={gestures.up}
      onPointerLeave={() => setPointerX(undefined)}
    >
      {drawing === undefined ? null : (
        <div aria-hidden="true" style={{ pointerEvents: 'none' }}>
          <LargeChart drawing={drawing} times={times} />
        </div>
      )}
      {isEmpty ? <p className={classes.nothing}>No price in this window</p> : null}
      {drawing === undefined || x === undefined ? null : <Crosshair drawing={drawing} x={x} />}
    </div>
  );
}

function summaryOf([first = '', ...others]: readonly string[], drawing: PageDrawing | undefined): string {
  if (drawing === undefined) return `Chart of ${first}`;
  const beside = others.length === 0 ? '' : `, compared with ${others.join(', ')}`;
  return `${chartSummary(first, drawing.feeds[0]?.seen ?? [], drawing)}${beside}`;
}

/** Exact values and times of the updates nearest to the pointer. */
function Crosshair({ drawing, x }: { drawing: PageDrawing; x: number }) {
  const atMs = momentAt(x, drawing);
  if (atMs === undefined) return null;
  const { left, width } = plotOf(drawing);
  return (
    <>
      <span className={classes.crosshair} style={{ left: x }} />
      <div
        className={classes.readout}
        data-side={x > left + width / 2 ? 'left' : 'right'}
        style={{ marginInline: `${left + 8}px ${drawing.rightPx + 8}px` }}
      >
        {drawing.feeds.map(({ id, symbol, tone, vertices, seen, indexBase }) => {
          // What has no line has nothing to point at, and the others need the room.
          if (vertices === undefined) return null;
          const point = nearestPoint(seen, atMs, drawing);
          return (
            <dl key={id}>
              {drawing.feeds.length < 2 ? null : (
                <div style={{ borderInlineStart: `3px solid var(--ks-series-${tone})` }}>
                  <strong>{symbol}</strong>
                </div>
              )}
              {point === undefined ? (
                <div>
                  <dt>No update near here</dt>
                </div>
              ) : (
                <PointValues point={point} index={indexBase && indexOf(point, indexBase)} />
              )}
            </dl>
          );
        })}
      </div>
    </>
  );
}

function PointValues({ point: { update }, index }: { point: FeedPoint; index: number | undefined }) {
  const style = useTimeStyle();
  const publishedMs = update.t * 1000;
  const day = shownMoment(publishedMs, clockStyle(style), publishedMs).slice(5, 10);
  const ema = exactEma(update);
  return (
    <>
      <Value name="Published">
        {day} {clockWords(publishedMs, style)}
      </Value>
      <Value name="Price">{formatScaled(exactPrice(update))}</Value>
      {index === undefined ? null : <Value name="Index">{index.toFixed(4)}</Value>}
      <Value name="Confidence">±{formatScaled(exactConf(update))}</Value>
      {ema === undefined ? null : <Value name="EMA">{formatScaled(ema)}</Value>}
      {update.f === 1 ? <Value name="Source">Backfilled</Value> : null}
    </>
  );
}

function Value({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** What a gesture began with. */
type Hold = {
  readonly window: ChartWindow;
  readonly anchorMs: number;
  readonly plotPx: number;
  readonly distancePx: number;
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
  const take = () => {
    if (drawing === undefined) return;
    const { distancePx, middleX } = spreadOf(fingers.current);
    const anchorMs = momentAt(middleX, drawing) ?? drawing.toMs;
    hold.current = { window: shown, anchorMs, plotPx: plotOf(drawing).width, distancePx, middleX };
    setHeld(fingers.current.size > 0);
  };
  const down = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    fingers.current.set(event.pointerId, xOf(event));
    take();
  };
  const move = (event: PointerEvent<HTMLElement>) => {
    if (!fingers.current.has(event.pointerId) || hold.current === undefined || drawing === undefined) return;
    fingers.current.set(event.pointerId, xOf(event));
    onMove(windowHeld(hold.current, fingers.current, drawing.nowMs));
  };
  const up = (event: PointerEvent<HTMLElement>) => {
    if (!fingers.current.delete(event.pointerId)) return;
    take();
    if (fingers.current.size === 0) onEnd();
  };
  const turn = useEffectEvent((event: WheelEvent, target: Element): boolean => {
    if (drawing === undefined) return false;
    const sideways = event.shiftKey ? event.deltaY : event.deltaX;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      onMove(panned(shown, (sideways / plotOf(drawing).width) * shown.spanMs, drawing.nowMs));
    } else {
      const x = event.clientX - target.getBoundingClientRect().left;
      const anchorMs = momentAt(x, drawing) ?? drawing.toMs;
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
  return { isHeld, down, move, up };
}

function xOf(event: { clientX: number; currentTarget: Element }): number {
  return event.clientX - event.currentTarget.getBoundingClientRect().left;
}

function spreadOf(fingers: ReadonlyMap<number, number>): { distancePx: number; middleX: number } {
  const [least, most] = [Math.min(...fingers.values()), Math.max(...fingers.values())];
  return { distancePx: most - least, middleX: (least + most) / 2 };
}

function windowHeld(held: Hold, fingers: ReadonlyMap<number, number>, nowMs: number): ChartWindow {
  const { distancePx, middleX } = spreadOf(fingers);
  const factor = Math.max(LEAST_SPREAD_PX, held.distancePx) / Math.max(LEAST_SPREAD_PX, distancePx);
  const scaled = fingers.size < 2 ? held.window : zoomed(held.window, factor, held.anchorMs, nowMs);
  return panned(scaled, -((middleX - held.middleX) / held.plotPx) * scaled.spanMs, nowMs);
}
