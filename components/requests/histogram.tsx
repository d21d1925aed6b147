'use client';
import dynamic from 'next/dynamic';
import { orNotice } from '@/components/ui/part-not-loaded';
import type { LoadedRequests, Trouble } from '@/lib/client/requests';
import type { RequestsView } from '@/lib/requests/view';
import classes from './histogram.module.css';
import { useFocusFrame } from './use-kept-focus';
import type { ShowView } from './use-requests-view';

/** It comes after the rows, and none of it stands in the first HTML: the counts are asked for by the browser. */
const HistogramPanel = dynamic(
  () => orNotice(import('./histogram-panel').then((module) => module.HistogramPanel)),
  {
    ssr: false,
  },
);

export type HistogramProps = {
  view: RequestsView;
  show: ShowView;
  /** What the table shows: of this view, or still of the one before. Undefined before there are any rows. */
  listing: LoadedRequests | undefined;
  /** Why there are no newer rows of this very view, where that is so. */
  trouble: Trouble | undefined;
};

/** The view's matches by time and state, above the table. As high from the first paint on as it will ever be. */
export function Histogram(props: HistogramProps) {
  const { frame, props: frameProps } = useFocusFrame();
  return (
    <section className={classes.histogram} aria-label="Requests over time" {...frameProps}>
      <HistogramPanel {...props} frame={frame} />
    </section>
  );
}
