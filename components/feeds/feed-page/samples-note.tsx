'use client';
import { useNow } from '@/lib/client/clock';
import type { FeedSamplesBook } from '@/lib/client/feed-samples';
import { formatSpan } from '@/lib/client/human-time';
import classes from './feed-page.module.css';
import { useSamplesProgress } from './use-page-drawing';

/** How far the past of the window is, in a line that keeps its place. */
export function SamplesNote({ book, writtenAtMs }: { book: FeedSamplesBook; writtenAtMs: number }) {
  const progress = useSamplesProgress(book);
  const nowMs = useNow(writtenAtMs);
  if (progress.kind === 'complete') return <p className={classes.note} data-samples="complete" />;
  if (progress.kind === 'failed') {
    const leftMs = progress.retryAtMs - nowMs;
    return (
      <p className={classes.note} data-samples="failed">
        <span role="status">History is incomplete: {progress.failure.detail}</span>{' '}
        {leftMs > 0 ? `Next attempt in ${formatSpan(leftMs + 999)}.` : 'Trying again now.'}{' '}
        <button type="button" className={classes.link} onClick={() => book.retry()}>
          Try now
        </button>
      </p>
    );
  }
  return (
    <p className={classes.note} data-samples="loading">
      <progress max={progress.of} value={progress.done} aria-label="History" /> History: {progress.done} of{' '}
      {progress.of} moments
    </p>
  );
}
