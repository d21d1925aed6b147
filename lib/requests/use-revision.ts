'use client';
import { type QueryClient, type UseQueryResult, useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import * as z from 'zod/mini';
import { canRetryNow, isRetryable, retryDelayMs } from '@/lib/core/explain-failure';
import { AnswerFailed, getAnswer } from '@/lib/core/gateway';
import { HeartbeatWatch } from '@/lib/core/heartbeat';
import type { Failure, Outcome } from '@/lib/core/outcome';
import { tryParseJson } from '@/lib/core/text';
import { realTimers, type Timers } from '@/lib/core/timers';
import type { KeeperStatus, PendingCounts, RevisionNews } from './keeper-status';

const REVISIONS_PATH = '/api/view/revisions';
/** Lock shared by all tabs: the tab that holds it has the stream and forwards messages to the others. */
const LOCK = 'keeperscope-revisions';
/** A tab that is hidden for this long gives up the stream. */
const HIDDEN_MS = 5000;
/** Delay before a stream that was closed for good is reopened. */
const REOPEN_DELAY_MS = 5000;

/** A message of the stream, and when the stream was opened, by this machine's clock. */
type StreamNews = RevisionNews & { openedAtMs: number };

/** Message between tabs: news, or without `news` a request for the latest. */
type Message = { news?: StreamNews };

/** The latest news of this tab; `receivedAtMs` by this machine's clock. */
type ReceivedNews = StreamNews & { receivedAtMs: number };

let latest: ReceivedNews | undefined;
const listeners = new Set<() => void>();
let stop: (() => void) | undefined;

function receive(news: StreamNews): void {
  latest = { ...news, receivedAtMs: Date.now() };
  for (const listener of listeners) listener();
}

const newsForm = z.object({
  revision: z.number(),
  nowMs: z.number(),
  index: z.array(z.custom<KeeperStatus>()),
  pending: z.custom<PendingCounts | null>((counts) => typeof counts === 'object'),
});

type Source = Pick<EventSource, 'readyState' | 'close'> & {
  addEventListener(type: string, listener: (event: MessageEvent<string>) => void): void;
};
type ListenEdges = Pick<Timers, 'now' | 'after'> & { readonly create: (url: string) => Source };

/** `readyState` of a source that the browser closed for good. */
const CLOSED = 2;

/** Keeps one source open until the signal aborts; a refused or silent one is replaced. */
export function listen(
  { create, ...timers }: ListenEdges,
  signal: AbortSignal,
  onNews: (news: StreamNews) => void,
) {
  if (signal.aborted) return;
  const { now, after } = timers;
  let openedAtMs = now();
  const source = create(REVISIONS_PATH);
  const over = new AbortController();
  const restart = () => {
    over.abort();
    listen({ create, ...timers }, signal, onNews);
  };
  // A connection may die without closing: behind a lost VPN, or after sleep.
  const watch = new HeartbeatWatch(timers, restart);
  let stopWaiting: (() => void) | undefined;
  source.addEventListener('open', () => {
    openedAtMs = now();
    watch.recordEvent();
  });
  source.addEventListener('heartbeat', () => watch.recordEvent());
  source.addEventListener('message', ({ data }) => {
    watch.recordEvent();
    const { data: news } = newsForm.safeParse(tryParseJson(data));
    if (news !== undefined && !over.signal.aborted) onNews({ ...news, openedAtMs });
  });
  source.addEventListener('error', () => {
    // A refusal closes the source for good; after other errors the browser reconnects by itself.
    if (source.readyState !== CLOSED || over.signal.aborted) return;
    watch.stop();
    stopWaiting = after(REOPEN_DELAY_MS, restart);
  });
  const end = () => over.abort();
  over.signal.addEventListener('abort', () => {
    signal.removeEventListener('abort', end);
    stopWaiting?.();
    watch.stop();
    source.close();
  });
  signal.addEventListener('abort', end);
}

const listenInBrowser = (signal: AbortSignal, onNews: (news: StreamNews) => void) =>
  listen({ ...realTimers, create: (url) => new EventSource(url) }, signal, onNews);

function start(): () => void {
  const channel = new BroadcastChannel(LOCK);
  let visible: AbortController | undefined;
  let leads = false;
  let hiding: ReturnType<typeof setTimeout> | undefined;
  const publish = (news: StreamNews) => {
    receive(news);
    channel.postMessage({ news } satisfies Message);
  };
  const begin = () => {
    clearTimeout(hiding);
    if (visible !== undefined) return;
    const controller = new AbortController();
    visible = controller;
    channel.postMessage({} satisfies Message);
    // Without locks (a page over plain HTTP from another machine) every tab has its own stream.
    if (navigator.locks === undefined) return listenInBrowser(controller.signal, publish);
    const lead = async () => {
      leads = true;
      listenInBrowser(controller.signal, publish);
      await new Promise((resolve) => controller.signal.addEventListener('abort', resolve));
      leads = false;
    };
    navigator.locks.request(LOCK, { signal: controller.signal }, lead).catch(() => undefined);
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
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.news !== undefined) receive(data.news);
    else if (leads && latest !== undefined) channel.postMessage({ news: latest } satisfies Message);
  };
  const listening = new AbortController();
  document.addEventListener('visibilitychange', onVisibility, listening);
  window.addEventListener('pagehide', end, listening);
  window.addEventListener('pageshow', onVisibility, listening);
  onVisibility();
  return () => {
    listening.abort();
    clearTimeout(hiding);
    end();
    channel.close();
  };
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  stop ??= start();
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    stop?.();
    stop = undefined;
  };
}

/** The latest news of the index, from one stream for all tabs; undefined before the first, and on the server. */
export function useRevision(): ReceivedNews | undefined {
  return useSyncExternalStore(
    subscribe,
    () => latest,
    () => undefined,
  );
}

/** The last good answer, and the failure of the last attempt, if it failed: old data stays on screen. */
export type Followed<T> = { answer: T | undefined; trouble: Failure | undefined; again: () => void };

/** Retries of temporary failures, with backoff or after the pause that they name. */
export const RETRIES = {
  retry: (_failures: number, error: Error) => error instanceof AnswerFailed && isRetryable(error.failure),
  retryDelay: (failures: number, error: Error) => {
    if (!(error instanceof AnswerFailed)) return 60_000;
    const waitMs = retryDelayMs(error.failure, failures + 1, Math.random()) ?? 60_000;
    error.retryAtMs = Date.now() + waitMs;
    return waitMs;
  },
};

export function followedQuery<T>(path: string, read: (text: string) => Outcome<T>) {
  const queryFn = ({ signal }: { signal: AbortSignal }): Promise<T> => getAnswer(path, read, signal);
  return { queryKey: [path], queryFn, staleTime: 2000, ...RETRIES };
}

/** Maximum age of an answer: ages, and counts by age, change without a new revision. */
const MAX_AGE_MS = 10_000;

/**
 * Follows the index: refetches when it changes, hence only while the page is visible, at least `minMs` after the last
 * answer. @param isOver no further change is expected
 */
export function useFollowed<T extends { revision: number }>(
  query: UseQueryResult<T>,
  minMs: number,
  isOver: (answer: T) => boolean = () => false,
  maxAgeMs = MAX_AGE_MS,
): Followed<T> {
  const { data, dataUpdatedAt, error, failureReason, isEnabled, refetch } = query;
  const news = useRevision();
  const reason = failureReason ?? error;
  const trouble = reason instanceof AnswerFailed ? reason.failure : undefined;
  const isSettled = trouble !== undefined || (data !== undefined && isOver(data));
  const isBehind =
    news !== undefined &&
    isEnabled &&
    !isSettled &&
    (news.revision !== data?.revision || news.receivedAtMs - dataUpdatedAt >= maxAgeMs);
  useEffect(() => {
    if (!isBehind) return;
    // Server-rendered data has the time of the server's clock.
    const waitMs = Math.max(0, Math.min(minMs, dataUpdatedAt + minMs - Date.now()));
    // Other components with the same query refetch at the same moment.
    const timer = setTimeout(() => void refetch({ cancelRefetch: false }), waitMs);
    return () => clearTimeout(timer);
  }, [isBehind, dataUpdatedAt, refetch, minMs]);
  return { answer: data, trouble, again: () => void refetch() };
}

/** Retries failed queries as soon as the stream opens again: our server is back. */
export function useRecovery(): void {
  const client = useQueryClient();
  const openedAtMs = useRevision()?.openedAtMs;
  useEffect(() => {
    if (openedAtMs !== undefined) void retryFailedQueries(client);
  }, [client, openedAtMs]);
}

async function retryFailedQueries(client: QueryClient): Promise<void> {
  const failing = client.getQueryCache().findAll({
    type: 'active',
    predicate: ({ state: { fetchFailureReason: reason } }) =>
      reason instanceof AnswerFailed && canRetryNow(reason.failure),
  });
  const retryable = { predicate: (query: (typeof failing)[0]) => failing.includes(query) };
  await client.cancelQueries(retryable);
  await client.refetchQueries(retryable);
}
