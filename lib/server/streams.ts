import 'server-only';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { callerOf } from '@/lib/access/caller';
import { isStillAuthorized, type Principal } from '@/lib/access/principal';
import type { FeedId } from '@/lib/core/feed';
import { type Failure, failed, type Outcome, ok } from '@/lib/core/outcome';
import { problem, problemOf } from '@/lib/core/problem';
import { realTimers, type Timers } from '@/lib/core/timers';
import { type FeedHub, hostsOfPages, makeFeedHub } from '@/lib/feeds/server/hub';
import { ProgramStreams } from '@/lib/feeds/server/program-streams';
import { type FeedStreamQuery, readFeedStreamQuery } from '@/lib/feeds/server/stream-query';
import type { Sink } from '@/lib/feeds/server/subscribers';
import { pendingCounts } from '@/lib/pending/server/triage';
import type { RevisionNews } from '@/lib/requests/keeper-status';
import { RevisionHub } from '@/lib/requests/server/revision-hub';
import { formatSseEvent } from '@/lib/upstream/sse';
import { type UpdateHost, unconfigured } from './gateway';
import { checkUpdatesQuery } from './gateway-query';
import { log } from './log';
import { metrics, type StreamName } from './metrics';
import { processWide } from './process-wide';
import { services } from './services';
import {
  beginStream,
  endStream,
  queryOf,
  streamPrincipal,
  timedStream,
  writeHeadOnly,
  writeProblem,
} from './stream-response';

/** Idle time-outs of proxies begin at 60 s; a comment every 15 s is what the service itself sends. */
const HEARTBEAT_MS = 15_000;
/** So long somebody whose session has ended, or whose password was changed, still hears a stream at most. */
const AUTHORIZE_AGAIN_MS = 60_000;
/** A browser that was refused reconnects by itself after this long. */
const REFUSED_RETRY_MS = 15_000;
/** Readers of a process that ends come back to the one that takes over, not all in the same moment. */
const COME_BACK_MS = { least: 300, spread: 900 };

type Streams = ReturnType<typeof makeStreams>;

const kept = processWide<Streams>('streams');

export type StreamAnswer = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

const ANSWERS: Readonly<Record<string, StreamAnswer>> = {
  '/api/feeds/stream': (req, res) => answerFeedStream(req, res),
  '/api/view/revisions': (req, res) => answerRevisionStream(req, res),
  '/api/updates/v2/updates/price/stream': (req, res) => answerProgramStream('updates', req, res),
  '/api/upgraded/v2/updates/price/stream': (req, res) => answerProgramStream('upgraded', req, res),
};

/** What answers the stream of a path, which must stand there to the letter; undefined for all other paths. */
export function streamAnswerOf(pathname: string): StreamAnswer | undefined {
  return Object.hasOwn(ANSWERS, pathname) ? ANSWERS[pathname] : undefined;
}

/** The streams of this process, made when the first one is asked for. Nothing connects before someone listens. */
function streams(): Streams {
  return kept.ensure(() => makeStreams());
}

function makeStreams() {
  const registry = new StreamRegistry(
    () => services().settings,
    (stream, change) => metrics().openStreams.inc({ stream }, change),
  );
  const hub = makeFeedHub({ ...edges, ...measured('feeds') });
  const programs = { updates: makePrograms('updates'), upgraded: makePrograms('upgraded') };
  const onChange = (listener: () => void) => services().index.onRevision(listener);
  const revisions = new RevisionHub({
    news: revisionNews,
    onChange,
    look: () => services().index.look(),
    bug,
  });
  const everyone = [hub, programs.updates, programs.upgraded];
  const beats = [
    setInterval(() => {
      for (const one of everyone) one.heartbeat();
    }, HEARTBEAT_MS),
    setInterval(
      () => void registry.endUnless((req) => isStillAuthorized(callerOf(req))).catch(bug),
      AUTHORIZE_AGAIN_MS,
    ),
  ];
  for (const beat of beats) beat.unref();
  const made = {
    registry,
    hub,
    revisions,
    programs,
    isOver: false,
    close: () => {
      made.isOver = true;
      beats.forEach(clearInterval);
      revisions.close();
      for (const res of registry.all()) askBack(res);
      for (const one of everyone) one.stop();
      for (const res of registry.all()) endStream(res);
    },
  };
  return made;
}

function askBack(res: ServerResponse): void {
  if (!res.headersSent || res.destroyed || res.writableNeedDrain) return;
  const retryMs = COME_BACK_MS.least + Math.round(Math.random() * COME_BACK_MS.spread);
  res.write(`retry: ${retryMs}\n\n`);
}

/** Who comes over a kept connection while the process ends. */
function sendBack(res: ServerResponse): void {
  beginStream(res, 'feeds');
  askBack(res);
  endStream(res);
}

const bug = (error: unknown) => log().error({ error }, 'stream error');
/** Alarms that don't keep the process alive; what one throws is logged. */
const timers: Timers = {
  ...realTimers,
  after(ms, run) {
    const timer = setTimeout(() => {
      try {
        run();
      } catch (error) {
        bug(error);
      }
    }, ms).unref();
    return () => clearTimeout(timer);
  },
};
const edges = { timers, random: Math.random, bug };

async function revisionNews(): Promise<RevisionNews> {
  const { index } = services();
  const { revision } = index;
  return { revision, nowMs: index.now(), index: index.status(), pending: await pendingCounts(index) };
}

function measured(stream: StreamName) {
  return {
    ended: (reason: string) => {
      metrics().streamEnded(stream, reason);
      log().info({ stream, reason }, 'upstream stream ended');
    },
    passedOn: (ms: number) => metrics().passedOn(stream, ms),
  };
}

function makePrograms(host: UpdateHost): ProgramStreams {
  const { ended, passedOn } = measured(host);
  return new ProgramStreams({
    ...edges,
    ended,
    open: async (query, signal) => {
      const opened = await services()[host]?.openStream(query, signal);
      return timedStream(opened ?? failed(unconfigured(host)), passedOn);
    },
  });
}

/** `GET …/v2/updates/price/stream` on either host, for programs. What can't begin is answered with a problem. */
export async function answerProgramStream(
  host: UpdateHost,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const principal = await streamPrincipal(req, res);
  if (!principal) return;
  const query = queryOf(req);
  if (!services()[host]) return writeProblem(res, problemOf(unconfigured(host)));
  const refusal = checkUpdatesQuery(query);
  if (refusal) return writeProblem(res, problem('bad-request', refusal.detail));
  if (req.method === 'HEAD') return writeHeadOnly(res);
  const { registry, programs } = streams();
  const admitted = registry.admit(host, principal.keys, req, res);
  if (!admitted.ok) return writeProblem(res, problemOf(admitted.failure));
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  res.on('error', () => res.destroy());
  // One spelling of the query, so that programs which encode the brackets and those which don't share a stream.
  const subscribed = await programs[host].subscribe(
    query.toString(),
    () => beginStream(res, host),
    gone.signal,
  );
  if (!subscribed.ok) return writeProblem(res, problemOf(subscribed.failure));
  if (gone.signal.aborted) subscribed.value();
  else res.once('close', subscribed.value);
}

/** `GET /api/feeds/stream`: always 200, as a browser gives up otherwise; what is wrong is a `refused` event. */
export async function answerFeedStream(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const principal = await streamPrincipal(req, res);
  if (!principal) return;
  if (req.method === 'HEAD') return writeHeadOnly(res);
  if (streams().isOver) return sendBack(res);
  const lastEventId = req.headers['last-event-id']?.toString();
  const asked = readFeedStreamQuery(queryOf(req));
  const watching = asked.ok ? watchFeeds(asked.value, principal, req, res) : asked;
  if (watching.ok) return;
  refuseInside(res, watching.failure, lastEventId);
}

function watchFeeds(
  { ids, malformed, maxPerS }: FeedStreamQuery,
  principal: Principal,
  req: IncomingMessage,
  res: ServerResponse,
): Outcome<unknown> {
  const lastEventId = req.headers['last-event-id']?.toString();
  if (hostsOfPages().length === 0) return failed(unconfigured('updates'));
  const { registry, hub } = streams();
  const admitted = registry.admit('feeds', principal.keys, req, res);
  if (!admitted.ok) return admitted;
  res.on('error', () => res.destroy());
  const sink = beginStream(res, 'feeds');
  const watched = hub.watch({ ids, malformed, maxPerS, lastEventId, sink });
  if (watched.ok) res.once('close', watched.value);
  return watched;
}

/** What a reader may have unread; the news are some hundred bytes. */
const MOST_UNREAD_BYTES = 256 * 1024;

/** `GET /api/view/revisions`: tells our own pages what has changed. What can't begin is answered with a problem. */
export async function answerRevisionStream(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const principal = await streamPrincipal(req, res);
  if (!principal) return;
  if (req.method === 'HEAD') return writeHeadOnly(res);
  if (streams().isOver) return sendBack(res);
  const { registry, revisions } = streams();
  const admitted = registry.admit('revisions', principal.keys, req, res);
  if (!admitted.ok) return writeProblem(res, problemOf(admitted.failure));
  res.on('error', () => res.destroy());
  const sink = beginStream(res, 'revisions');
  const unsubscribe = await revisions.subscribe({
    send: (text) => {
      sink.write(Buffer.from(text));
      return res.writableLength <= MOST_UNREAD_BYTES;
    },
    destroy: () => sink.destroy(),
  });
  if (res.destroyed) unsubscribe();
  else res.once('close', unsubscribe);
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
  const data = JSON.stringify({ kind, detail, retryAfterS });
  const event = formatSseEvent({ event: 'refused', id: lastEventId ?? '0', data });
  if (!res.headersSent) beginStream(res, 'feeds');
  res.write(`retry: ${Math.max(REFUSED_RETRY_MS, (retryAfterS ?? 0) * 1000)}\n${event}`);
  endStream(res);
}

export function openHub(): FeedHub | undefined {
  return kept.get()?.hub;
}

export type StreamSources = Record<UpdateHost, ProgramStreams> & { feeds: FeedHub };

/** All that is fed by streams of the services, for what is asked about them; undefined before the first reader. */
export function streamSources(): StreamSources | undefined {
  const made = kept.get();
  return made && { feeds: made.hub, ...made.programs };
}

export function bufferedBytes(): number {
  const all = kept.get()?.registry.all() ?? [];
  return all.reduce((sum, res) => sum + res.writableLength, 0);
}

/** Ends the streams of whoever signed out. @param key as it stands among the keys of a principal */
export function endStreamsOf(key: string): void {
  for (const res of kept.get()?.registry.of(key) ?? []) endStream(res);
}

export function closeAllStreams(): void {
  kept.get()?.close();
}

/** Closes and forgets the streams, so that a test begins with none. */
export function resetStreams(): void {
  closeAllStreams();
  kept.set(undefined);
}

export type StreamLimits = { maxStreams: number; maxStreamsPerClient: number };

const RETRY_AFTER_S = 5;

/** Open stream answers, counted in all and by client, so that one client can't take them all. */
export class StreamRegistry {
  readonly #open = new Map<ServerResponse, { request: IncomingMessage; client: readonly string[] }>();

  /** @param limits asked for each stream; `onChange` hears how many streams of that name are open now */
  constructor(
    private readonly limits: () => StreamLimits,
    private readonly onChange: (stream: string, change: 1 | -1) => void,
  ) {}

  get size(): number {
    return this.#open.size;
  }

  /** Takes a place until the answer is closed. `too-many` over the limit of this client or of all. */
  admit(
    stream: string,
    client: readonly string[],
    request: IncomingMessage,
    res: ServerResponse,
  ): Outcome<true> {
    const { maxStreams, maxStreamsPerClient } = this.limits();
    const mine = Math.max(0, ...client.map((key) => this.of(key).length));
    if (mine >= maxStreamsPerClient)
      return failed(tooMany(`This client has ${mine} open streams, the limit.`));
    if (this.#open.size >= maxStreams)
      return failed(tooMany(`This dashboard has ${maxStreams} open streams, the limit.`));
    this.#open.set(res, { request, client });
    this.onChange(stream, 1);
    const release = () => {
      if (this.#open.delete(res)) this.onChange(stream, -1);
    };
    res.once('close', release);
    // An answer whose turn had not come on its connection (pipelining) is never said to be closed.
    if (!res.socket) request.socket.once('close', release);
    return ok(true);
  }

  all(): ServerResponse[] {
    return [...this.#open.keys()];
  }

  /** Ends those whose readers would not be let in any more, one after the other: thousands of them hold up nothing else. */
  async endUnless(isStillAuthorized: (request: IncomingMessage) => Promise<boolean>): Promise<void> {
    for (const [res, { request }] of [...this.#open]) if (!(await isStillAuthorized(request))) endStream(res);
  }

  of(key: string): ServerResponse[] {
    return [...this.#open].flatMap(([res, { client }]) => (client.includes(key) ? [res] : []));
  }
}

function tooMany(detail: string): Failure {
  return { kind: 'too-many', detail, retryAfterS: RETRY_AFTER_S };
}
