'use client';
import { useSyncExternalStore } from 'react';
import * as z from 'zod/mini';
import { setServerTime } from '@/components/ui/clock';
import { browserSourceDeps, ReconnectingSource, type SourceDeps } from '@/lib/core/reconnecting-source';
import { holdLock, watchTab } from '@/lib/core/tab-visibility';
import { tryParseJson } from '@/lib/core/text';
import type { KeeperStatus, PendingCounts, RevisionUpdate } from '@/lib/requests/keeper-status';

const REVISIONS_PATH = '/api/view/revisions';
/** The tab that holds this lock has the stream and forwards messages to the others. */
const LOCK = 'keeperscope-revision-updates';

/** `openedAtMs`: opening of the stream, by this machine's clock. */
type StreamUpdate = RevisionUpdate & { openedAtMs: number };

/** A message between tabs; without `update`, it requests the latest. */
type Message = { update?: StreamUpdate };

/** `receivedAtMs` is by this machine's clock. */
type ReceivedUpdate = StreamUpdate & { receivedAtMs: number };

let latestUpdate: ReceivedUpdate | undefined;
const listeners = new Set<() => void>();
let stop: (() => void) | undefined;

function receive(update: StreamUpdate): void {
  latestUpdate = { ...update, receivedAtMs: Date.now() };
  setServerTime(latestUpdate);
  for (const listener of listeners) listener();
}

const updateForm = z.object({
  revision: z.number(),
  nowMs: z.number(),
  index: z.array(z.custom<KeeperStatus>()),
  pending: z.custom<PendingCounts | null>((counts) => typeof counts === 'object'),
});

export function listen(
  deps: SourceDeps,
  signal: AbortSignal,
  onUpdate: (update: StreamUpdate) => void,
): void {
  if (signal.aborted) return;
  let openedAtMs = deps.now();
  const source = new ReconnectingSource(deps, {
    events: ['heartbeat', 'message'],
    onOpen: () => {
      openedAtMs = deps.now();
    },
    onEvent: (name, data) => {
      const update = name === 'message' ? updateForm.safeParse(tryParseJson(data)).data : undefined;
      if (update !== undefined) onUpdate({ ...update, openedAtMs });
    },
  });
  source.open(REVISIONS_PATH);
  signal.addEventListener('abort', () => source.close());
}

function start(): () => void {
  const channel = new BroadcastChannel(LOCK);
  let visible: AbortController | undefined;
  let leads = false;
  const publish = (update: StreamUpdate) => {
    receive(update);
    channel.postMessage({ update } satisfies Message);
  };
  const begin = () => {
    if (visible !== undefined) return;
    visible = new AbortController();
    const { signal } = visible;
    channel.postMessage({} satisfies Message);
    // Without locks (a page over plain HTTP from another machine), every tab has a separate stream.
    if (navigator.locks === undefined) return listen(browserSourceDeps, signal, publish);
    holdLock(LOCK, signal, () => {
      leads = true;
      listen(browserSourceDeps, signal, publish);
      signal.addEventListener('abort', () => {
        leads = false;
      });
    });
  };
  const end = () => {
    visible?.abort();
    visible = undefined;
  };
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.update !== undefined) receive(data.update);
    else if (leads && latestUpdate !== undefined)
      channel.postMessage({ update: latestUpdate } satisfies Message);
  };
  const stopWatching = watchTab({ onVisible: begin, onHidden: end, onLeave: end });
  return () => {
    stopWatching();
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

/** One stream for all tabs; undefined before the first update, and on the server. */
export function useRevision(): ReceivedUpdate | undefined {
  return useSyncExternalStore(
    subscribe,
    () => latestUpdate,
    () => undefined,
  );
}
