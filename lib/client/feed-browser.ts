import { feedHistoryPath, readFeedHistoryAnswer } from '@/lib/contract/codec/feed-history';
import { SharedCarrier } from './feed-carrier';
import { areUpdatesNeeded, frameOrTimer } from './feed-need';
import type { PageEdges } from './feed-page-life';
import type { FeedTabPort, WorkerMessage } from './feed-tab-port';
import type { FeedStoreEdges } from './feed-watching';

/** What a browser gives to the feeds of a page. Nothing connects before a page wants feeds. */

export const pageTimers = {
  setTimer: (run: () => void, ms: number): unknown => window.setTimeout(run, ms),
  clearTimer: (timer: unknown): void => window.clearTimeout(timer as number | undefined),
};

const sourceEdges = {
  ...pageTimers,
  create: (url: string) => new EventSource(url),
  now: Date.now,
  random: Math.random,
};

/** The way to the worker that all pages share; undefined where the browser knows none or forbids it. */
function connectToWorker(failed: () => void): FeedTabPort | undefined {
  if (typeof SharedWorker === 'undefined') return undefined;
  try {
    const worker = new SharedWorker(new URL('./feed-shared-worker.ts', import.meta.url), { name: 'feeds' });
    worker.onerror = failed;
    const { port } = worker;
    // A browser that tells of the end of the other side spares us the wait for it.
    port.addEventListener('close', failed);
    return {
      send: (message) => port.postMessage(message),
      listen: (listener) => {
        port.onmessage = ({ data }: MessageEvent<WorkerMessage>) => listener(data);
      },
      close: () => port.close(),
    };
  } catch {
    return undefined;
  }
}

/** The service's answer time is no part of it, so a server that says nothing for so long will say nothing. */
const HISTORY_TIMEOUT_MS = 15_000;

const askHistory: FeedStoreEdges['askHistory'] = async (query, signal) => {
  try {
    const within = AbortSignal.any([signal, AbortSignal.timeout(HISTORY_TIMEOUT_MS)]);
    const response = await fetch(feedHistoryPath(query), { signal: within });
    return response.ok ? readFeedHistoryAnswer(await response.json()) : undefined;
  } catch {
    return undefined;
  }
};

export const browserEdges: FeedStoreEdges = {
  ...sourceEdges,
  askHistory,
  carrier: (ears) => new SharedCarrier({ ...sourceEdges, connect: connectToWorker }, ears),
  // A hidden page gets no frames: what it received is shown when it is seen again, unless an alert waits for it.
  requestFrame: (run) =>
    frameOrTimer(run, { ...pageTimers, frame: (draw) => window.requestAnimationFrame(draw) }),
};

const PAGE_EVENT_TARGET = {
  visibilitychange: 'document',
  freeze: 'document',
  resume: 'document',
  pagehide: 'window',
  pageshow: 'window',
  online: 'window',
} as const;

export const browserPage: PageEdges = {
  ...pageTimers,
  now: Date.now,
  hidden: () => document.hidden,
  needed: areUpdatesNeeded,
  on: (type, listener) => {
    const target: EventTarget = PAGE_EVENT_TARGET[type] === 'document' ? document : window;
    const heard = (event: Event) => listener({ persisted: 'persisted' in event && event.persisted === true });
    target.addEventListener(type, heard);
    return () => target.removeEventListener(type, heard);
  },
};
