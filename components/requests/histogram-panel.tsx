'use client';
import { Button } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import { type HistogramAnswer, type ShownHistogram, useHistogram } from '@/lib/client/histogram';
import { countOf } from '@/lib/client/human-number';
import { type LoadedRequests, viewKeyOf } from '@/lib/client/requests';
import { useMomentText, useSteadyWords } from '@/lib/client/time-style';
import { type HistogramHead, sumOf } from '@/lib/contract/codec/histogram';
import type { RequestsView } from '@/lib/requests/view';
import type { HistogramProps } from './histogram';
import classes from './histogram.module.css';
import { HistogramLegend } from './histogram-legend';
import { type DrawnHistogram, HistogramPlot, type Pointed } from './histogram-plot';
import {
  countsOfBuckets,
  insteadWords,
  type MomentWords,
  spanWords,
  standingWords,
  statesWithRows,
  summaryWords,
  totalWords,
} from './histogram-words';
import { timeOfBuckets, type ZoomTrail, zoomedIn, zoomedOut } from './histogram-zoom';
import { type FocusFrame, useKeptFocus } from './use-kept-focus';

/** Outlives the page that is left and come back to; a reload forgets it, and zooming out then widens the span. */
const trail: ZoomTrail = new Map();

/** The moment that the rows are pinned to; undefined while they are still those of another view. */
function asofOf(view: RequestsView, listing: LoadedRequests | undefined): string | undefined {
  if (view.asof !== undefined) return view.asof;
  return listing?.viewKey === viewKeyOf(view) ? listing.asof : undefined;
}

/** When the rows of the table were made, the oldest and the newest; undefined without a readable one. */
function spanOfRows(listing: LoadedRequests | undefined): { oldestMs: number; newestMs: number } | undefined {
  const times = (listing?.rows ?? []).flatMap((row) => (row.kind === 'record' ? row.createdAt.ms : []));
  if (times.length === 0) return undefined;
  return { oldestMs: Math.min(...times), newestMs: Math.max(...times) };
}

/** Whether the rows of this very view are there, whose moment the counts are pinned to. */
function rowsOf(asof: string | undefined, trouble: HistogramProps['trouble']): 'there' | 'coming' | 'failed' {
  if (asof !== undefined) return 'there';
  return trouble === undefined ? 'coming' : 'failed';
}

type Rows = ReturnType<typeof rowsOf>;

/** Bars of another view stand in for those that are on their way, not for none. */
function standingIn(histogram: ShownHistogram, rows: Rows): ShownHistogram {
  const isNeeded = histogram.of === 'view' || (rows !== 'failed' && drawable(histogram.shown) !== undefined);
  return isNeeded ? histogram : { shown: undefined, next: undefined, of: 'view' };
}

/** What there is to show of a view, and in words how that stands. */
function useStanding({ view, listing, trouble }: Omit<HistogramProps, 'show'>) {
  const asof = asofOf(view, listing);
  const rows = rowsOf(asof, trouble);
  const histogram = standingIn(useHistogram(view, asof), rows);
  const { shown, next, of } = histogram;
  const drawn = drawable(shown);
  const words = shown === undefined && rows !== 'there' ? '' : standingWords(histogram);
  const isIdle = of === 'view' && next === undefined && drawn?.complete === true;
  return {
    asof,
    rows,
    shown,
    of,
    drawn,
    words,
    activity: isIdle ? ('idle' as const) : ('counting' as const),
  };
}

/** The histogram in its frame: figures, bars, and the ends of time. */
export function HistogramPanel({ frame, ...props }: HistogramProps & { frame: FocusFrame }) {
  const { view, show, listing } = props;
  const [pointed, point] = useState<Pointed>();
  const momentText = useMomentText();
  const moment: MomentWords = (ms) => momentText(ms).text;
  const { asof, rows, shown, of, drawn, words, activity } = useStanding(props);
  const steady = useSteadyWords();
  const id = useId();
  useKeptFocus(frame);
  const zoom = ({ at, anchor = at }: NonNullable<Pointed>) => {
    if (drawn === undefined || of === 'before') return;
    point(undefined);
    show((now) => zoomedIn(now, drawn.head, { anchor, at }, drawn.asof, trail), 'push');
  };
  const drawing = { of, pointed, moment, id };
  return (
    <>
      <Head standing={words} view={view} show={show}>
        {drawn === undefined ? null : (
          <Figures
            total={totalWords({ answer: drawn, of, asof, view, moment: steady })}
            answer={drawn}
            {...drawing}
          />
        )}
      </Head>
      {drawn === undefined ? (
        <Instead words={insteadWords(shown, rows)} rows={rows} />
      ) : (
        <HistogramPlot
          answer={drawn}
          covered={of === 'before' ? undefined : spanOfRows(listing)}
          {...drawing}
          onPoint={point}
          onZoom={zoom}
          words={`${summaryWords(drawn, moment)} ${words}.`}
          activity={activity}
        />
      )}
      <Axis head={drawn?.head} momentText={momentText} />
    </>
  );
}

/** The line above the bars: figures, how they stand, and the way out. */
function Head({
  standing,
  view,
  show,
  children,
}: {
  standing: string;
  view: RequestsView;
  show: HistogramProps['show'];
  children: ReactNode;
}) {
  return (
    <div className={classes.head}>
      {children}
      <span className={classes.standing} title={standing}>
        {standing}
      </span>
      {zoomedOut(view, trail) === undefined ? null : (
        <Button
          size="compact-xs"
          className={classes.out}
          onClick={() => show((now) => zoomedOut(now, trail) ?? now, 'push')}
        >
          Zoom out
        </Button>
      )}
    </div>
  );
}

/** An answer with buckets to draw; one that failed half-way would show less than there is. */
function drawable(answer: HistogramAnswer | undefined): DrawnHistogram | undefined {
  if (answer?.head === undefined || answer.head.buckets === 0) return undefined;
  const { head, failure, complete } = answer;
  return failure === undefined || complete ? { ...answer, head } : undefined;
}

/** What stands in the place of the bars. */
function Instead({ words, rows }: { words: string; rows: Rows }) {
  return (
    <p className={classes.instead} data-form={rows === 'coming' ? 'waiting' : undefined}>
      {words}
    </p>
  );
}

/** The figures of the buckets that are pointed at, else of all. */
function Figures({
  total,
  answer,
  of,
  pointed,
  moment,
  id,
}: {
  /** What is said of all; may be nothing. */
  total: string;
  answer: DrawnHistogram;
  of: ShownHistogram['of'];
  pointed: Pointed;
  moment: MomentWords;
  id: string;
}) {
  const { head, buckets } = answer;
  const { at, anchor = at } = pointed ?? { at: head.buckets - 1, anchor: 0 };
  const [first, last] = [Math.min(anchor, at), Math.max(anchor, at)];
  const isKnown = buckets.slice(first, last + 1).every((counts) => counts !== undefined);
  const counts = countsOfBuckets(buckets, first, last);
  const time = timeOfBuckets(head, { anchor, at });
  return (
    <>
      {pointed === undefined && total === '' ? null : (
        <span className={`${classes.span} num`}>
          {pointed === undefined ? null : `${spanWords(time.fromMs, time.toMs + 1, moment)}: `}
          <strong>
            {pointed === undefined ? total : countOf(String(sumOf(counts)), 'request', 'requests')}
          </strong>
          {pointed === undefined || isKnown ? null : ' counted'}
        </span>
      )}
      <HistogramLegend counts={counts} of={of} states={statesWithRows(countsOfBuckets(buckets))} id={id} />
    </>
  );
}

function Axis({
  head,
  momentText,
}: {
  head: HistogramHead | undefined;
  momentText: ReturnType<typeof useMomentText>;
}) {
  if (head === undefined) return <div className={classes.axis} />;
  const [from, to] = [momentText(head.startMs), momentText(head.endMs)];
  return (
    <div className={`${classes.axis} num`} aria-hidden="true">
      <span title={from.title}>{from.text}</span>
      <span className={classes.coverage}>Rows in table</span>
      <span title={to.title}>{to.text}</span>
    </div>
  );
}
