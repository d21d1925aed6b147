'use client';
import { type KeyboardEvent, type PointerEvent, useCallback, useMemo, useRef, useState } from 'react';
import type { HistogramAnswer, ShownHistogram } from '@/lib/client/histogram';
import { HISTOGRAM_STATES, type HistogramHead } from '@/lib/contract/codec/histogram';
import classes from './histogram.module.css';
import { barOf, barsOf, bucketUnder, coverageOf, type Plot } from './histogram-bars';
import { fillOf, HistogramPatterns } from './histogram-legend';
import { countsOfBuckets, countsWords, type MomentWords, spanWords } from './histogram-words';
import { timeOfBuckets } from './histogram-zoom';

/** An answer with buckets to draw. */
export type DrawnHistogram = HistogramAnswer & { head: HistogramHead };

/** The bucket that is pointed at, and where a selection began that ends there; undefined when none is. */
export type Pointed = { at: number; anchor?: number } | undefined;

type Props = {
  answer: DrawnHistogram;
  /** Bars of the view before are shown dimmed, and do not zoom. */
  of: ShownHistogram['of'];
  /** When the rows of the table were made. */
  covered: { oldestMs: number; newestMs: number } | undefined;
  pointed: Pointed;
  onPoint: (pointed: Pointed) => void;
  onZoom: (range: NonNullable<Pointed>) => void;
  moment: MomentWords;
  /** Of the patterns, and of the words. */
  id: string;
  /** The plot in sentences. */
  words: string;
  activity: 'idle' | 'counting';
};

/** Below the bars: where the rows of the table lie. */
const COVERAGE_HEIGHT = 5;
/** A shorter way of the pointer is no drag. */
const DRAG_PX = 4;

/** The bars, and the ways to point at them: a pointer that hovers or drags, and a slider for keys and for screen readers. */
export function HistogramPlot(props: Props) {
  const { answer, of, covered, pointed, onPoint, onZoom, id, words, activity } = props;
  const { head } = answer;
  const [plot, measure] = usePlot();
  const pointer = usePointer(head.buckets, onPoint, onZoom);
  const bars = useMemo(() => (plot === undefined ? undefined : barsOf(answer.buckets, plot)), [answer, plot]);
  return (
    <fieldset
      className={classes.plot}
      data-of={of}
      aria-label="Histogram of requests by time and state"
      aria-describedby={`${id}-words`}
      aria-busy={activity === 'counting'}
      {...pointer}
    >
      <svg ref={measure} className={classes.bars} aria-hidden="true">
        <HistogramPatterns id={id} />
        {plot === undefined || bars === undefined ? null : (
          <>
            <Marks plot={plot} head={head} covered={covered} pointed={pointed} />
            <path d={bars.waiting} className={classes.waiting} />
            {HISTOGRAM_STATES.map((state) => (
              <path
                key={state}
                d={bars[state]}
                fill={fillOf(state, id)}
                className={classes.tone}
                data-tone={state}
              />
            ))}
          </>
        )}
      </svg>
      <Cursor {...props} />
      <p className="sr-only" id={`${id}-words`}>
        {words}
      </p>
    </fieldset>
  );
}

function Marks({
  plot: { width, height },
  head,
  covered,
  pointed,
}: { plot: Plot; head: HistogramHead } & Pick<Props, 'covered' | 'pointed'>) {
  const coverage = covered && coverageOf(head, covered.oldestMs, covered.newestMs, width);
  return (
    <>
      <Selection pointed={pointed} buckets={head.buckets} width={width} height={height} />
      <path d={`M0 ${height + 0.5}h${width}`} className={classes.base} />
      {coverage === undefined ? null : (
        <rect
          {...coverage}
          y={height + 2}
          height={COVERAGE_HEIGHT - 2}
          className={classes.covered}
          data-part="rows"
        />
      )}
    </>
  );
}

function Selection({ pointed, buckets, width, height }: { pointed: Pointed; buckets: number } & Plot) {
  if (pointed === undefined) return null;
  const { at, anchor = at } = pointed;
  const from = barOf(Math.min(at, anchor), buckets, width);
  const to = barOf(Math.max(at, anchor), buckets, width);
  return (
    <rect
      x={from.x}
      width={to.x + to.width - from.x}
      height={height}
      className={classes.selection}
      data-form={pointed.anchor === undefined ? 'cursor' : 'range'}
    />
  );
}

/** The size of the element that `measure` is put on, without the strip below the bars. */
function usePlot(): [Plot | undefined, (element: SVGSVGElement | null) => (() => void) | undefined] {
  const [plot, setPlot] = useState<Plot>();
  const measure = useCallback((element: SVGSVGElement | null) => {
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => {
      const { width, height } = element.getBoundingClientRect();
      setPlot({ width: Math.floor(width), height: Math.max(0, Math.floor(height) - COVERAGE_HEIGHT) });
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [plot, measure];
}

type PointerOn = PointerEvent<HTMLElement>;

/** Pointing shows figures; dragging selects, and zooms in when it ends. A mere click does nothing more than pointing. */
function usePointer(buckets: number, onPoint: Props['onPoint'], onZoom: Props['onZoom']) {
  const drag = useRef<{ anchor: number; x: number } | undefined>(undefined);
  const rangeOf = (event: PointerOn): NonNullable<Pointed> => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const at = bucketUnder(event.clientX - left, buckets, width);
    const start = drag.current;
    const isDrag = start !== undefined && Math.abs(event.clientX - start.x) >= DRAG_PX;
    return isDrag ? { at, anchor: start.anchor } : { at };
  };
  const begin = (event: PointerOn) => {
    if (event.button !== 0) return;
    drag.current = { anchor: rangeOf(event).at, x: event.clientX };
    event.currentTarget.setPointerCapture(event.pointerId);
    onPoint(rangeOf(event));
  };
  const end = (event: PointerOn) => {
    const range = rangeOf(event);
    drag.current = undefined;
    if (range.anchor !== undefined) onZoom(range);
  };
  const giveUp = () => {
    drag.current = undefined;
    onPoint(undefined);
  };
  return {
    onPointerDown: begin,
    onPointerMove: (event: PointerOn) => onPoint(rangeOf(event)),
    onPointerUp: end,
    onPointerCancel: giveUp,
    onPointerLeave: () => (drag.current === undefined ? onPoint(undefined) : undefined),
  };
}

/** Where a key moves the cursor; undefined for keys that don't. */
function moved(key: string, at: number, buckets: number): number | undefined {
  const to = { ArrowLeft: at - 1, ArrowDown: at - 1, ArrowRight: at + 1, ArrowUp: at + 1 }[key];
  const far = { Home: 0, End: buckets - 1, PageUp: at + 10, PageDown: at - 10 }[key];
  const place = to ?? far;
  return place === undefined ? undefined : Math.max(0, Math.min(buckets - 1, place));
}

/** Arrows move a cursor over the buckets, with Shift they select, Enter zooms, Escape lets go. */
function Cursor({ answer, pointed, onPoint, onZoom, moment }: Props) {
  const { head } = answer;
  const at = Math.min(pointed?.at ?? head.buckets - 1, head.buckets - 1);
  const anchor = pointed?.anchor ?? at;
  const time = timeOfBuckets(head, { anchor, at });
  const counts = countsOfBuckets(answer.buckets, Math.min(anchor, at), Math.max(anchor, at));
  const onKeyDown = (event: KeyboardEvent) => {
    const to = moved(event.key, at, head.buckets);
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (to !== undefined) onPoint(event.shiftKey ? { at: to, anchor } : { at: to });
    else if (event.key === 'Enter') onZoom({ at, anchor });
    else if (event.key === 'Escape' && pointed !== undefined) onPoint(undefined);
    else return;
    event.preventDefault();
    // A key that does something here does nothing else on the page.
    event.stopPropagation();
  };
  return (
    <input
      type="range"
      className={classes.cursor}
      aria-label="Time, Enter zooms in"
      min={0}
      max={head.buckets - 1}
      value={at}
      aria-valuetext={`${spanWords(time.fromMs, time.toMs + 1, moment)}: ${countsWords(counts)}`}
      onChange={(event) => onPoint({ at: Number(event.currentTarget.value) })}
      onFocus={() => onPoint({ at })}
      onBlur={() => onPoint(undefined)}
      onKeyDown={onKeyDown}
    />
  );
}
