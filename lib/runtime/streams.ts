import 'server-only';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readCaller } from '@/lib/access/caller';
import { isStillAuthorized } from '@/lib/access/principal';
import type { FeedId } from '@/lib/core/feed';
import { unconfigured } from '@/lib/core/health';
import { HEARTBEAT_MS } from '@/lib/core/heartbeat';
import { type Failure, failed, type Outcome, ok, type UpdateHost } from '@/lib/core/outcome';
import { failureProblem, problemDetails } from '@/lib/core/problem';
import { MINUTE_MS } from '@/lib/core/time';
import { type FeedHub, hostsOfPages } from '@/lib/feeds/server/hub';
import { feedHub, makeProgramStreams, reportStreamError } from '@/lib/feeds/server/process-hub';
import type { ProgramStreams } from '@/lib/feeds/server/program-streams';
import { readFeedStreamQuery } from '@/lib/feeds/server/stream-query';
import type { Sink } from '@/lib/feeds/server/subscribers';
import { checkQuery, UPDATES_QUERY } from '@/lib/gateway/gateway-query';
import { pendingCounts } from '@/lib/pending/server/triage-answer';
import { clientLimits } from '@/lib/platform/descriptors';
import { metrics, type StreamName } from '@/lib/platform/metrics';
import { processWide } from '@/lib/platform/process-wide';
import type { RevisionUpdate } from '@/lib/requests/keeper-status';
import { RevisionHub } from '@/lib/requests/server/revision-hub';
import { services } from '@/lib/services/services';
import { formatSseEvent } from '@/lib/upstream/sse';
import {
  beginStream,
  endStream,
  splitUrl,
  streamPrincipal,
  writeHeadOnly,
  writeProblem,
} from './stream-response';

/** A stream ends this long after its session ended or the password changed. */
const AUTHORIZE_AGAIN_MS = MINUTE_MS;
/** Delay of refused clients. Our own page of feeds waits for a time of its own instead. */
const REFUSED_RETRY_MS = 15_000;
/** Delay of clients of a process that ends, spread so that they do not all return at once. */
const RECONNECT_DELAY_MS = { min: 300, spread: 900 };

type Streams = ReturnType<typeof makeStreams>;

const processStreams = processWide<Streams>('streams');

/** Upstream connections open with the first client, and for feeds of `FEEDS` at the start. */
function streams(): Streams {
  return processStreams.ensure(makeStreams);
}

function makeStreams() {
  const registry = new StreamRegistry();
  const hub = feedHub();
  const programs = { updates: makeProgramStreams('updates'), upgraded: makeProgramStreams('upgraded') };
  const revisions = new RevisionHub({
    update: revisionUpdate,
    onChange: (listener) => services().index.onRevision(listener),
    addViewer: () => services().index.addViewer(),
    reportError: reportStreamError,
  });
  const hubs = [hub, revisions, programs.updates, programs.upgraded];
  const intervals = [
    setInterval(() => {
      for (const hub of hubs) hub.heartbeat();
    }, HEARTBEAT_MS),
    setInterval(() => void registry.endUnauthorized().catch(reportStreamError), AUTHORIZE_AGAIN_MS),
  ];
  for (const interval of intervals) interval.unref();
  const streams = {
    registry,
    hub,
    revisions,
    programs,
    isOver: false,
    close: () => {
      streams.isOver = true;
      intervals.forEach(clearInterval);
      for (const res of registry.all()) sendReconnectDelay(res);
      for (const hub of hubs) hub.stop();
      for (const res of registry.all()) endStream(res);
    },
  };
  return streams;
}

function sendReconnectDelay(res: ServerResponse): void {
  if (!res.headersSent || res.destroyed || res.writableNeedDrain) return;
  const retryMs = RECONNECT_DELAY_MS.min + Math.round(Math.random() * RECONNECT_DELAY_MS.spread);
  res.write(`retry: ${retryMs}\n\n`);
}

async function revisionUpdate(): Promise<RevisionUpdate> {
  const { index } = services();
  const { revision } = index;
  return { revision, nowMs: index.now(), index: index.status(), pending: await pendingCounts(index) };
}

type Opening = { query: URLSearchParams; req: IncomingMessage; res: ServerResponse; gone: AbortSignal };
type Begin = (opening: Opening) => Outcome<() => void> | Promise<Outcome<() => void>>;

const BEGIN: Readonly<Record<StreamName, Begin>> = {
  feeds: ({ query, req, res }) => {
    const parsed = readFeedStreamQuery(query);
    if (!parsed.ok) return parsed;
    if (hostsOfPages().length === 0) return failed(unconfigured('updates'));
    const lastEventId = req.headers['last-event-id']?.toString();
    return streams().hub.watch({ ...parsed.value, lastEventId, sink: beginStream(res, 'feeds') });
  },
  revisions: async ({ res }) => {
    const sink = beginStream(res, 'revisions');
    const send = (text: string) => {
      sink.write(Buffer.from(text));
      return res.writableLength <= MAX_UNREAD_BYTES;
    };
    return ok(await streams().revisions.subscribe({ send, destroy: sink.destroy }));
  },
  updates: programs('updates'),
  upgraded: programs('upgraded'),
};

/** Limit of unread revision updates. A message has a few hundred bytes. */
const MAX_UNREAD_BYTES = 256 * 1024;

/** Programs that encode the brackets of the query share a stream with those that do not. */
function programs(host: UpdateHost): Begin {
  return ({ query, res, gone }) =>
    streams().programs[host].subscribe(query.toString(), () => beginStream(res, host), gone);
}

/**
 * A stream that cannot start answers with a problem; for our pages with a `refused` event after a 200, because a browser
 * does not reconnect after an error status.
 */
export function streamAnswer(stream: StreamName) {
  return async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const principal = await streamPrincipal(req, res);
    if (!principal) return;
    const query = new URLSearchParams(splitUrl(req)[1]);
    if (stream === 'updates' || stream === 'upgraded') {
      if (!services()[stream]) return writeProblem(res, failureProblem(unconfigured(stream)));
      const refusal = checkQuery(query, UPDATES_QUERY);
      if (refusal !== undefined) return writeProblem(res, problemDetails('bad-request', refusal));
    } else if (req.method === 'GET' && streams().isOver) {
      // Disconnects a client with a keep-alive connection while the process ends.
      beginStream(res, stream);
      sendReconnectDelay(res);
      return endStream(res);
    }
    if (req.method === 'HEAD') return writeHeadOnly(res);
    const gone = new AbortController();
    const refused = streams().registry.admit(stream, principal.keys, req, res);
    res.once('close', () => gone.abort());
    res.on('error', () => res.destroy());
    // The connection of a refused client counts towards the limit.
    if (refused) res.shouldKeepAlive = false;
    const begun = refused ? failed(refused) : await BEGIN[stream]({ query, req, res, gone: gone.signal });
    if (!begun.ok && stream === 'feeds') return sendRefusedEvent(req, res, begun.failure);
    if (!begun.ok) return writeProblem(res, failureProblem(begun.failure));
    if (gone.signal.aborted) begun.value();
    else res.once('close', begun.value);
  };
}

/** A subscriber without a client, which keeps the feeds subscribed. */
const NO_READER: Sink = { write: () => true, onDrain: () => {}, end: () => {}, destroy: () => {} };
const NO_READER_PER_S = 1;

/** Watches feeds until the process ends, with or without a browser. */
export function watchPermanently(ids: readonly FeedId[]): Outcome<unknown> {
  return streams().hub.watch({ ids, malformed: [], maxPerS: NO_READER_PER_S, sink: NO_READER });
}

/** The event has the client's own id, so that a refusal does not move its resume position. */
function sendRefusedEvent({ headers }: IncomingMessage, res: ServerResponse, failure: Failure): void {
  const { kind, detail, retryAfterS } = failure;
  const id = headers['last-event-id']?.toString() ?? '0';
  const event = formatSseEvent({ event: 'refused', id, data: JSON.stringify({ kind, detail, retryAfterS }) });
  if (!res.headersSent) beginStream(res, 'feeds');
  res.write(`retry: ${Math.max(REFUSED_RETRY_MS, (retryAfterS ?? 0) * 1000)}\n${event}`);
  endStream(res);
}

/** Sources of the streams by our names. */
export function streamSources(): Record<string, ProgramStreams | FeedHub> {
  const streams = processStreams.get();
  return streams ? { feeds: streams.hub, ...streams.programs } : {};
}

export function bufferedBytes(): number {
  const all = processStreams.get()?.registry.all() ?? [];
  return all.reduce((sum, res) => sum + res.writableLength, 0);
}

/** Called when a client signed out. @param key of its principal */
export function endStreamsOf(key: string): void {
  for (const res of processStreams.get()?.registry.ofClient(key) ?? []) endStream(res);
}

export const closeAllStreams = () => processStreams.get()?.close();

const RETRY_AFTER_S = 5;

class StreamRegistry {
  readonly #open = new Map<ServerResponse, { request: IncomingMessage; client: readonly string[] }>();

  /** Registers a stream until its answer is closed; `too-many` over the client's or the common limit. */
  admit(
    stream: StreamName,
    client: readonly string[],
    request: IncomingMessage,
    res: ServerResponse,
  ): Failure | undefined {
    const { maxStreams, maxStreamsPerClient } = services().settings;
    const mine = Math.max(0, ...client.map((key) => this.ofClient(key).length));
    if (mine >= maxStreamsPerClient) return tooMany(`This client has ${mine} open streams, the limit.`);
    // Each stream takes a descriptor. Without any left, health checks are reset and the index fails to commit.
    const limit = Math.min(maxStreams, clientLimits()?.streams ?? maxStreams);
    if (this.#open.size >= limit) return tooMany(`This dashboard has ${limit} open streams, the limit.`);
    this.#open.set(res, { request, client });
    metrics().openStreams.inc({ stream });
    const release = () => {
      if (this.#open.delete(res)) metrics().openStreams.dec({ stream });
    };
    res.once('close', release);
    // An answer that is still queued on its connection (pipelining) never emits `close`.
    if (!res.socket) request.socket.once('close', release);
    return undefined;
  }

  all(): ServerResponse[] {
    return [...this.#open.keys()];
  }

  /** One at a time, so that thousands of streams delay nothing else. */
  async endUnauthorized(): Promise<void> {
    for (const [res, { request }] of [...this.#open])
      if (!(await isStillAuthorized(readCaller(request)))) endStream(res);
  }

  ofClient(key: string): ServerResponse[] {
    return [...this.#open].flatMap(([res, { client }]) => (client.includes(key) ? [res] : []));
  }
}

function tooMany(detail: string): Failure {
  return { kind: 'too-many', detail, retryAfterS: RETRY_AFTER_S };
}
