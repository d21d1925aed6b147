'use client';
import { type RefObject, useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react';
import { joinDrawing, useFeedStore } from '@/lib/client/feed-hooks';
import { FeedSamplesBook, type SamplesProgress } from '@/lib/client/feed-samples';
import { fetchLines } from '@/lib/client/line-stream';
import { type DrawingAsked, drawPage, type PageDrawing } from './page-drawing';

function newBook(): FeedSamplesBook {
  return new FeedSamplesBook({
    fetchLines,
    now: Date.now,
    setTimer: (run, ms) => window.setTimeout(run, ms),
    clearTimer: (timer) => window.clearTimeout(timer as number | undefined),
  });
}

const HEIGHT_PX = { wide: 420, narrow: 300 };
const NARROW_PX = 560;

/** The sampled past of this page. What is under way ends with the page. */
export function useSamplesBook(): FeedSamplesBook {
  const [book] = useState(newBook);
  useEffect(() => () => book.close(), [book]);
  return book;
}

const COMPLETE: SamplesProgress = { kind: 'complete' };

export function useSamplesProgress(book: FeedSamplesBook): SamplesProgress {
  return useSyncExternalStore(
    book.subscribe,
    () => book.progress(),
    () => COMPLETE,
  );
}

/**
 * The latest drawing: in the page's round of drawings, and at once when something else is looked at, the place has another
 * width, or a piece of the past has come.
 */
export function usePageDrawing(
  place: RefObject<HTMLElement | null>,
  book: FeedSamplesBook,
  asked: Omit<DrawingAsked, 'width' | 'height'>,
): PageDrawing | undefined {
  const store = useFeedStore();
  const [drawing, setDrawing] = useState<PageDrawing>();
  const draw = useEffectEvent(() => {
    const width = Math.floor(place.current?.clientWidth ?? 0);
    if (width <= 0) return;
    const height = width < NARROW_PX ? HEIGHT_PX.narrow : HEIGHT_PX.wide;
    setDrawing(drawPage(store, book, { ...asked, width, height }));
  });
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const run = () => draw();
    const leave = joinDrawing(run);
    const watcher = new ResizeObserver(run);
    watcher.observe(element);
    return () => {
      leave();
      watcher.disconnect();
    };
  }, [place]);
  const key = JSON.stringify([asked.window, asked.scale, asked.feeds]);
  useEffect(() => {
    // Another key is another look: it is drawn at once.
    if (key !== '') draw();
  }, [key]);
  return drawing;
}
