'use client';
import dynamic from 'next/dynamic';
import { type KeyboardEvent, type PointerEvent, type RefObject, useState } from 'react';
import { chartSummary } from '@/components/feeds/chart-summary';
import type { FeedName } from '@/lib/client/feed-directory';
import { type ChartWindow, windowAfterKey } from '@/lib/client/feed-window';
import { loadAgain } from '@/lib/client/load-again';
import { useTimeStyle } from '@/lib/client/time-style';
import { ChartReadout } from './chart-readout';
import classes from './chart-stage.module.css';
import { markFlags } from './mark-flags';
import type { PageDrawing } from './page-drawing';
import { momentAt, plotOf } from './pointed';
import { useChartGestures } from './use-chart-gestures';

/** Loaded beside the page: the library is heavier than the page. */
const LargeChart = dynamic(
  () => loadAgain(() => import('@/components/feeds/feed-chart').then((module) => module.LargeChart)),
  {
    ssr: false,
    loading: () => <p className={classes.nothing}>Loading the chart…</p>,
  },
);

/** The chart itself, and what pointer, wheel, fingers and keys do with it. */
export function ChartStage({
  place,
  feeds,
  drawing,
  window: shown,
  onMove,
  onEnd,
}: {
  place: RefObject<HTMLDivElement | null>;
  feeds: readonly FeedName[];
  drawing: PageDrawing | undefined;
  window: ChartWindow;
  onMove: (window: ChartWindow) => void;
  onEnd: () => void;
}) {
  const times = useTimeStyle();
  const [pointerX, setPointerX] = useState<number>();
  const gestures = useChartGestures(place, { drawing, window: shown, onMove, onEnd });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || drawing === undefined) return;
    const next = windowAfterKey(shown, event.key, drawing.nowMs);
    if (next === undefined) return;
    event.preventDefault();
    onMove(next);
    onEnd();
  };
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    setPointerX(event.clientX - event.currentTarget.getBoundingClientRect().left);
    gestures.move(event);
  };
  return (
    <div
      ref={place}
      role="slider"
      aria-label={`Chart of ${feeds.map(({ symbol }) => symbol).join(', ')}`}
      aria-valuenow={Math.floor((drawing?.frame.toMs ?? 0) / 1000)}
      aria-valuemin={0}
      aria-valuemax={Math.ceil((drawing?.nowMs ?? 0) / 1000)}
      aria-valuetext={summaryOf(feeds, drawing)}
      aria-describedby="chart-keys"
      tabIndex={0}
      className={classes.stage}
      data-held={gestures.isHeld ? 'yes' : undefined}
      onKeyDown={onKeyDown}
      onPointerDown={gestures.down}
      onPointerMove={onPointerMove}
      onPointerUp={gestures.up}
      onPointerCancel={gestures.up}
      onPointerLeave={() => setPointerX(undefined)}
    >
      {drawing === undefined ? null : (
        <div aria-hidden="true" className={classes.drawing}>
          <LargeChart frame={drawing.frame} ground={drawing.ground} times={times} />
          <MarkFlags drawing={drawing} />
        </div>
      )}
      {drawing !== undefined && isEmpty(drawing) ? (
        <p className={classes.nothing}>No price in this window</p>
      ) : null}
      <Crosshair drawing={drawing} feeds={feeds} x={gestures.isHeld ? undefined : pointerX} />
    </div>
  );
}

function summaryOf(feeds: readonly FeedName[], drawing: PageDrawing | undefined): string {
  const [first, ...others] = feeds;
  const name = first?.symbol ?? '';
  if (drawing === undefined) return `Chart of ${name}`;
  const beside =
    others.length === 0 ? '' : `, compared with ${others.map(({ symbol }) => symbol).join(', ')}`;
  return `${chartSummary(name, drawing.seen[0] ?? [], drawing.frame)}${beside}`;
}

function isEmpty({ seen, frame }: PageDrawing): boolean {
  return seen.every((points) => points.every(({ atMs }) => atMs < frame.fromMs));
}

/** Pixels from the lower edge to the lowest flag, and from one row of them to the next. */
const FLAG_BOTTOM_PX = 26;
const FLAG_ROW_PX = 18;

/** What a mark means, beside its line. */
function MarkFlags({ drawing: { frame, ground } }: { drawing: PageDrawing }) {
  return markFlags(ground.marks, frame).map(({ mark: { key, kind, words }, left, side, row }) => (
    <span
      key={key}
      className={classes.flag}
      data-kind={kind}
      data-side={side}
      style={{ left, bottom: FLAG_BOTTOM_PX + row * FLAG_ROW_PX }}
    >
      {words}
    </span>
  ));
}

function Crosshair({
  drawing,
  feeds,
  x,
}: {
  drawing: PageDrawing | undefined;
  feeds: readonly FeedName[];
  x: number | undefined;
}) {
  const atMs = drawing === undefined || x === undefined ? undefined : momentAt(x, drawing.frame);
  if (drawing === undefined || x === undefined || atMs === undefined) return null;
  const { left, width, bottom } = plotOf(drawing.frame);
  return (
    <>
      <span className={classes.crosshair} style={{ left: x, bottom }} />
      <div
        className={classes.readout}
        data-side={x > left + width / 2 ? 'left' : 'right'}
        style={{ marginInline: `${left + 8}px ${drawing.frame.rightPx + 8}px` }}
      >
        <ChartReadout drawing={drawing} feeds={feeds} atMs={atMs} />
      </div>
    </>
  );
}
