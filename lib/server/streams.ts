import 'server-only';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { compactFeedText, deltaText, plainText, snapshotText } from '@/lib/contract/codec/feed-stream';
import { checkUpdatesQuery } from '@/lib/contract/schema/gateway-query';
import type { FeedId } from '@/lib/domain/feed';
import { type Failure, failed, type Outcome } from '@/lib/domain/outcome';
import { problem, problemOf } from '@/lib/domain/problem';
import { FeedHub } from '@/lib/streaming/feed-hub';
import { SharedStreams } from '@/lib/streaming/shared-stream';
import type { Sink } from '@/lib/streaming/sink-gate';
import { formatSseEvent } from '@/lib/streaming/sse';
import { systemTimers } from '@/lib/streaming/timers';
import type { PriceUpdatesClient } from '@/lib/upstream/price-updates';
import { type FeedStreamQuery, readFeedStreamQuery } from './feed-stream-query';
import { type UpdateHost, unconfigured } from './gateway-routes';
import { log } from './log';
import { metrics } from './metrics';
import { processWide } from './process-wide';
import { type Services, services } from './services';
import { measureStreams } from './stream-metrics';
import { StreamRegistry } from './stream-registry';
import {
  addressOf,
  beginStream,
  endStream,
  mayAnswer,
  queryOf,
  writeHeadOnly,
  writeProblem,
} from './stream-response';

/** Idle time-outs of proxies begin at 60 s; a comment every 15 s is what the service itself sends. */
const HEARTBEAT_MS = 15_000;
/** A browser that was refused reconnects by itself after this long. */
const REFUSED_RETRY_MS = 15_000;

type Streams = {
  registry: StreamRegistry;
  hub: FeedHub;
  programs: Record<UpdateHost, SharedStreams>;
  close(): void;
};

const kept = processWide<Streams>('streams');

/** The streams of this process, made when the first one is asked for. Nothing connects before someone listens. */
function streams(): Streams {
  const made = kept.get() ?? makeStreams();
  kept.set(made);
  return made;
}

function makeStreams(): Streams {
  const registry = new StreamRegistry(
    () => services().settings,
    (stream, change) => metrics().openStreams.inc({ stream }, change),
  );
  const hub = makeHub();
  const programs = { updates: makePrograms('updates'), upgraded: makePrograms('upgraded') };
  const everyone = [hub, programs.updates, programs.upgraded];
  const heartbeats = setInterval(() => {
    for (const one of everyone) one.heartbeat();
  }, HEARTBEAT_MS);
  heartbeats.unref();
  measureStreams(hub, programs);
  return {
    registry,
    hub,
    programs,
    close: () => {
      clearInterval(heartbeats);
      for (const one of everyone) one.stop();
      for (const res of registry.all()) endStream(res);
    },
  };
}

const bug = (error: unknown) => log().error({ err: error }, 'a stream met an error of ours');
const edges = { timers: systemTimers(bug), random: Math.random, bug };

function makeHub(): FeedHub {
  return new FeedHub({
    ...edges,
    epoch: Date.now().toString(36),
    open: async (ids, signal) => pricesForPages()?.openStream(hubQuery(ids), signal) ?? noPrices(),
    latest: async (ids, priority) => pricesForPages()?.latest(hubQuery(ids), priority) ?? noPrices(),
    codec: { feed: compactFeedText, snapshot: snapshotText, update: deltaText, connection: plainText },
  });
}

function makePrograms(host: UpdateHost): SharedStreams {
  return new SharedStreams({
    ...edges,
    open: async (query, signal) => services()[host]?.openStream(query, signal) ?? failed(unconfigured(host)),
  });
}

/** Our pages use the first host; the second one where it is the only one. */
function pricesForPages({ updates, upgraded }: Services = services()): PriceUpdatesClient | undefined {
  return updates ?? upgraded;
}

function noPrices(): Outcome<never> {
  return failed(unconfigured('updates'));
}

/** Unknown ids are left out by the service instead of failing all others; base64 is the shorter form of what we drop. */
function hubQuery(ids: readonly FeedId[]): string {
  const query = new URLSearchParams(ids.map((id) => ['ids[]', id]));
  query.set('encoding', 'base64');
  query.set('parsed', 'true');
  query.set('ignore_invalid_price_ids', 'true');
  return query.toString();
}

/**
 * `GET /api/updates/v2/updates/price/stream` and the same on the second host: the service's own events for a client
 * program. It begins when the upstream stream does; what can't begin is answered with a problem and its status.
 */
export async function answerProgramStream(
  host: UpdateHost,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  if (!mayAnswer(req, res)) return;
  const query = queryOf(req);
  if (!services()[host]) return writeProblem(res, problemOf(unconfigured(host)));
  const refusal = checkUpdatesQuery(query);
  if (refusal) return writeProblem(res, problem('bad-request', refusal.detail));
  if (req.method === 'HEAD') return writeHeadOnly(res);
  const { registry, programs } = streams();
  const admitted = registry.admit(host, addressOf(req), res);
  if (!admitted.ok) return writeProblem(res, problemOf(admitted.failure));
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  res.on('error', () => res.destroy());
  // One spelling of the query, so that programs which encode the brackets and those which don't share a stream.
  const subscribed = await programs[host].subscribe(query.toString(), () => beginStream(res), gone.signal);
  if (!subscribed.ok) return writeProblem(res, problemOf(subscribed.failure));
  if (gone.signal.aborted) subscribed.value();
  else res.once('close', subscribed.value);
}

/**
 * `GET /api/feeds/stream?ids=…&max_per_s=N`: the compact stream of our own pages. Always 200, because a browser gives up
 * an event stream for good that answers anything else: what is wrong is said inside, by a `refused` event.
 */
export async function answerFeedStream(req: IncomingMessage, res: ServerResponse): Promise<void> {
  if (!mayAnswer(req, res)) return;
  if (req.method === 'HEAD') return writeHeadOnly(res);
  const lastEventId = req.headers['last-event-id']?.toString();
  const asked = readFeedStreamQuery(queryOf(req));
  const watching = asked.ok ? watchFeeds(asked.value, lastEventId, req, res) : asked;
  if (watching.ok) return;
  refuseInside(res, watching.failure, lastEventId);
}

function watchFeeds(
  { ids, malformed, maxPerS }: FeedStreamQuery,
  lastEventId: string | undefined,
  req: IncomingMessage,
  res: ServerResponse,
): Outcome<unknown> {
  if (!pricesForPages()) return noPrices();
  const { registry, hub } = streams();
  const admitted = registry.admit('feeds', addressOf(req), res);
  if (!admitted.ok) return admitted;
  res.on('error', () => res.destroy());
  const sink = beginStream(res);
  const watched = hub.watch({ ids, malformed, maxPerS, lastEventId, sink });
  if (watched.ok) res.once('close', watched.value);
  return watched;
}

/** Nobody reads it: it only keeps its feeds watched. */
const NO_READER: Sink = { write: () => true, onDrain: () => {}, end: () => {}, destroy: () => {} };
const NO_READER_PER_S = 1;

/** Watches feeds for our own pages until the process ends, whether or not a browser does. */
export function watchAlways(ids: readonly FeedId[]): Outcome<unknown> {
  return streams().hub.watch({ ids, malformed: [], maxPerS: NO_READER_PER_S, sink: NO_READER });
}

/** The id is the reader's own again: a refusal must not move the place from which it resumes. */
function refuseInside(res: ServerResponse, failure: Failure, lastEventId: string | undefined): void {
  const { kind, detail, retryAfterS } = failure;
  const data = plainText(retryAfterS === undefined ? { kind, detail } : { kind, detail, retryAfterS });
  const event = formatSseEvent({ event: 'refused', id: lastEventId ?? '0', data });
  if (!res.headersSent) beginStream(res);
  res.write(`retry: ${Math.max(REFUSED_RETRY_MS, (retryAfterS ?? 0) * 1000)}\n${event}`);
  endStream(res);
}

/** Ends every stream at once, upstream and down; for the end of the process. */
export function closeAllStreams(): void {
  kept.get()?.close();
}

/** Closes and forgets the streams, so that a test begins with none. */
export function resetStreams(): void {
  closeAllStreams();
  kept.set(undefined);
}
