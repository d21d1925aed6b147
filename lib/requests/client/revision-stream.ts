'use client';
import { useSyncExternalStore } from 'react';
import * as z from 'zod/mini';
import { setServerAhead, useTicking } from '@/components/ui/clock';
import { browserSourceDeps, ReconnectingSource, type SourceDeps } from '@/lib/core/reconnecting-source';
import { tryParseJson } from '@/lib/core/text';
import type { KeeperStatus, PendingCounts, RevisionNews } from '@/lib/requests/keeper-status';

const REVISIONS_PATH = '/api/view/revisions';
/** The tab that holds this lock has the stream and forwards messages to the others. */
const LOCK = 'keeperscope-revisions';
/** A tab hidden for this long gives up the stream. */
const HIDDEN_MS = 5000;

/** `openedAtMs`: opening of the stream, by this machine's clock. */
type StreamNews = RevisionNews & { openedAtMs: number };

/** Between tabs; without `news`, it requests the latest. */
type Message = { news?: StreamNews };

/** `receivedAtMs` is by this machine's clock. */
type ReceivedNews = StreamNews & { receivedAtMs: number };

let latest: ReceivedNews | undefined;
const listeners = new Set<() => void>();
let stop: (() => void) | undefined;

function receive(news: StreamNews): void {
  latest = { ...news, receivedAtMs: Date.now() };
  setServerAhead(news.nowMs - latest.receivedAtMs);
  for (const listener of listeners) listener();
}

const newsForm = z.object({
  revision: z.number(),
  nowMs: z.number(),
  index: z.array(z.custom<KeeperStatus>()),
  pending: z.custom<PendingCounts | null>((counts) => typeof counts === 'object'),
});

export function listen(deps: SourceDeps, signal: AbortSignal, onNews: (news: StreamNews) => void): void {
  if (signal.aborted) return;
  let openedAtMs = deps.now();
  const source = new ReconnectingSource(deps, {
    events: ['heartbeat', 'message'],
    onOpen: () => {
      openedAtMs = deps.now();
    },
    onEvent: (name, data) => {
      const news = name === 'message' ? newsForm.safeParse(tryParseJson(data)).data : undefined;
      if (news !== undefined) onNews({ ...news, openedAtMs });
    },
  });
  source.open(REVISIONS_PATH);
  signal.addEventListener('abort', () => source.close());
}

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
    // Without locks (a page over plain HTTP from another machine), every tab has a separate stream.
    if (navigator.locks === undefined) return listen(browserSourceDeps, controller.signal, publish);
    const lead = async () => {
      leads = true;
      listen(browserSourceDeps, controller.signal, publish);
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

/** By the latest news; without any, this machine's time. A browser's clock may be wrong, and ages with it. */
export function serverTimeAt(
  clockMs: number,
  news: Pick<ReceivedNews, 'nowMs' | 'receivedAtMs'> | undefined = latest,
): number {
  return news === undefined ? clockMs : news.nowMs + Math.max(0, clockMs - news.receivedAtMs);
}

/** Unix ms, updated each second. */
export const useServerNow = () => useTicking((clockMs) => serverTimeAt(clockMs));

/** One stream for all tabs; undefined before the first news, and on the server. */
export function useRevision(): ReceivedNews | undefined {
  return useSyncExternalStore(
    subscribe,
    () => latest,
    () => undefined,
  );
}
