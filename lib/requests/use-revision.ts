'use client';
import { useSyncExternalStore } from 'react';
import { REVISIONS_PATH, type RevisionNews, readRevisionNews } from './revision-news';

/** The tab of the browser that holds this lock has the stream, and tells the others. */
const LOCK = 'keeperscope-revisions';
/** A tab that is hidden for so long gives the stream up. */
const HIDDEN_MS = 5000;
/** A stream that was closed for good is opened anew after so long. */
const AGAIN_MS = 5000;

/** Where the tabs tell each other: the news, or `undefined` for "what is the latest?". */
type Message = { news?: RevisionNews };

/** The news that this tab has; `receivedAtMs` by this machine's clock. */
export type ReceivedNews = RevisionNews & { receivedAtMs: number };

let latest: ReceivedNews | undefined;
const readers = new Set<() => void>();
let stop: (() => void) | undefined;

function take(news: RevisionNews): void {
  latest = { ...news, receivedAtMs: Date.now() };
  for (const reader of readers) reader();
}

/** Holds one stream for as long as `signal` allows, and takes what it tells. */
function listen(signal: AbortSignal, tell: (news: RevisionNews) => void): void {
  if (signal.aborted) return;
  let again: ReturnType<typeof setTimeout> | undefined;
  const source = new EventSource(REVISIONS_PATH);
  source.onmessage = ({ data }: MessageEvent<string>) => {
    const news = readRevisionNews(data);
    if (news !== undefined) tell(news);
  };
  source.onerror = () => {
    // A refusal closes it for good; all else the browser tries again by itself.
    if (source.readyState !== EventSource.CLOSED) return;
    again = setTimeout(() => listen(signal, tell), AGAIN_MS);
  };
  signal.addEventListener('abort', () => {
    clearTimeout(again);
    source.close();
  });
}

/** Listens while this tab can be seen: by a stream of its own, or to the tab that has one. */
function start(): () => void {
  const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(LOCK);
  let visible: AbortController | undefined;
  let leads = false;
  let hiding: ReturnType<typeof setTimeout> | undefined;
  const tell = (news: RevisionNews) => {
    take(news);
    channel?.postMessage({ news } satisfies Message);
  };
  const begin = () => {
    clearTimeout(hiding);
    if (visible !== undefined) return;
    const own = new AbortController();
    visible = own;
    channel?.postMessage({} satisfies Message);
    // Without locks (a page over plain HTTP from another machine) every tab has a stream of its own.
    if (navigator.locks === undefined) return listen(own.signal, tell);
    const lead = () =>
      new Promise<void>((resolve) => {
        leads = true;
        listen(own.signal, tell);
        own.signal.addEventListener('abort', () => {
          leads = false;
          resolve();
        });
      });
    navigator.locks.request(LOCK, { signal: own.signal }, lead).catch(() => undefined);
  };
  const end = () => {
    visible?.abort();
    visible = undefined;
  };
  const onVisibility = () => {
    clearTimeout(hiding);
    if (document.visibilityState === 'visible') begin();
    else hiding = setTimeout(end, HIDDEN_MS);
  };
  if (channel !== undefined) {
    channel.onmessage = ({ data }: MessageEvent<Message>) => {
      if (data.news !== undefined) take(data.news);
      else if (leads && latest !== undefined) channel.postMessage({ news: latest } satisfies Message);
    };
  }
  document.addEventListener('visibilitychange', onVisibility);
  window.addEventListener('pagehide', end);
  window.addEventListener('pageshow', onVisibility);
  onVisibility();
  return () => {
    clearTimeout(hiding);
    end();
    channel?.close();
    document.removeEventListener('visibilitychange', onVisibility);
    window.removeEventListener('pagehide', end);
    window.removeEventListener('pageshow', onVisibility);
  };
}

function subscribe(reader: () => void): () => void {
  readers.add(reader);
  stop ??= start();
  return () => {
    readers.delete(reader);
    if (readers.size > 0) return;
    stop?.();
    stop = undefined;
  };
}

/**
 * The latest news of the index: its revision, how far it reaches and how old it is, and how many requests are stuck.
 * All tabs of a browser share one stream. Undefined before the first news, and on the server.
 */
export function useRevision(): ReceivedNews | undefined {
  return useSyncExternalStore(
    subscribe,
    () => latest,
    () => undefined,
  );
}
