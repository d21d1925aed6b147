import type { SourceEdges } from './feed-source';
import { FeedSwitchboard } from './feed-switchboard';
import { type FeedWorkerPort, seatTab, type TabMessage } from './feed-tab-port';

/**
 * The worker that all pages of a browser share: it holds the one stream. It works without a secure context, unlike locks
 * and service workers, and ends with the last page.
 */

/** From one page to the next within a tab there is a moment without a wish. */
const LINGER_MS = 2_000;

const edges: SourceEdges = {
  create: (url) => new EventSource(url),
  now: Date.now,
  random: Math.random,
  setTimer: (run, ms) => setTimeout(run, ms),
  clearTimer: (timer) => clearTimeout(timer as number | undefined),
};

const switchboard = new FeedSwitchboard(edges, LINGER_MS);

function workerPort(port: MessagePort): FeedWorkerPort {
  return {
    send: (message) => port.postMessage(message),
    listen: (listener) => {
      port.onmessage = ({ data }: MessageEvent<TabMessage>) => listener(data);
    },
    onGone: (listener) => port.addEventListener('close', listener),
  };
}

// The types of a page know nothing of a shared worker's scope.
const scope: { onconnect?: (event: MessageEvent) => void } = globalThis as never;
scope.onconnect = ({ ports: [port] }) => {
  if (port !== undefined) seatTab(workerPort(port), switchboard, edges);
};
