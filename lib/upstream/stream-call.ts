import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { BodyBuffer } from './exchange';
import { type TransportTrouble, troubleOf } from './service-failure';
import type { Timers } from './timers';

/**
 * A stream that has begun. The iteration throws when the connection breaks, and ends at `close` or when
 * the caller's signal is aborted.
 */
export type OpenedStream = { body: AsyncIterable<Uint8Array>; close(): void };

export type StreamAnswer =
  | { kind: 'open'; stream: OpenedStream }
  | { kind: 'refused'; status: number; headers: IncomingHttpHeaders; text: string }
  | { kind: 'trouble'; trouble: TransportTrouble };

export type StreamRequest = {
  target: string;
  headers: Record<string, string>;
  signal: AbortSignal | undefined;
  headersMs: number;
  totalMs: number;
};

type Answer = Dispatcher.ResponseData;

/** The reason of a refusal, no more. */
const MAX_REFUSAL_BYTES = 64 * 1024;

/**
 * Opens a server-sent-events stream: headers within `headersMs`, then no time limit. An answer that is no
 * stream is read as far as its reason, within `totalMs` from the start. Never rejects.
 */
export async function openEventStream(
  dispatcher: Dispatcher,
  request: StreamRequest,
  timers: Timers,
): Promise<StreamAnswer> {
  const cut = new AbortController();
  const cutNow = () => cut.abort();
  if (request.signal?.aborted) return CANCELLED;
  request.signal?.addEventListener('abort', cutNow, { once: true });
  const forget = () => request.signal?.removeEventListener('abort', cutNow);
  const startedAt = timers.elapsed();
  let cancelAlarm = timers.after(request.headersMs, cutNow);
  try {
    const { target: path, headers } = request;
    const answer = await dispatcher.request({ method: 'GET', path, headers, signal: cut.signal });
    cancelAlarm();
    answer.body.on('error', () => {});
    if (answer.statusCode === 200) return begin(answer, cut.signal, forget);
    cancelAlarm = timers.after(request.totalMs - (timers.elapsed() - startedAt), cutNow);
    return await refusal(answer, forget);
  } catch (error) {
    forget();
    if (request.signal?.aborted) return CANCELLED;
    if (cut.signal.aborted) return LATE;
    return { kind: 'trouble', trouble: troubleOf(error instanceof Error ? error : new Error(), false) };
  } finally {
    cancelAlarm();
  }
}

function begin(answer: Answer, cut: AbortSignal, forget: () => void): StreamAnswer {
  const type = String(answer.headers['content-type'] ?? '');
  const encoding = String(answer.headers['content-encoding'] ?? 'identity');
  if (/^\s*text\/event-stream\b/i.test(type) && encoding === 'identity') {
    return { kind: 'open', stream: openedStream(answer, cut, forget) };
  }
  forget();
  answer.body.destroy();
  return {
    kind: 'trouble',
    trouble: { kind: 'malformed', problem: 'answered with something that is no event stream' },
  };
}

function openedStream({ body }: Answer, cut: AbortSignal, forget: () => void): OpenedStream {
  let closed = false;
  const close = () => {
    closed = true;
    forget();
    body.destroy();
  };
  async function* pieces(): AsyncGenerator<Uint8Array> {
    try {
      for await (const piece of body) yield piece as Uint8Array;
    } catch (error) {
      if (!closed && !cut.aborted) throw error;
    } finally {
      close();
    }
  }
  return { body: pieces(), close };
}

async function refusal(answer: Answer, forget: () => void): Promise<StreamAnswer> {
  const { statusCode: status, headers, body } = answer;
  const buffer = new BodyBuffer(MAX_REFUSAL_BYTES, 0);
  const wordless = status < 400 || status >= 500 || [401, 403, 429].includes(status);
  if (!wordless) {
    for await (const piece of body) {
      if (!buffer.append(piece as Uint8Array)) break;
    }
  }
  forget();
  body.destroy();
  return { kind: 'refused', status, headers, text: buffer.text() };
}

const CANCELLED: StreamAnswer = {
  kind: 'trouble',
  trouble: { kind: 'unreachable', problem: 'was not asked: the call was called off' },
};
const LATE: StreamAnswer = {
  kind: 'trouble',
  trouble: { kind: 'timeout', problem: 'sent no answer in time' },
};

/** A stream that stands. Times are unix milliseconds. */
export type StandingStream = {
  openedAtMs: number;
  /** Ids that it was asked for. */
  feeds: number;
  /** When its last byte came; absent before the first. */
  lastByteAtMs?: number;
};

/** How a stream came to its end: we closed it, the service ended it in good order, or the connection broke. */
export type StreamEnd = 'closed-here' | 'ended-by-service' | 'broken';

/** The streams of one host since the process began. */
export type StreamStatistics = {
  /** Those that stand, the oldest first. */
  standing: StandingStream[];
  opened: number;
  ends: Record<StreamEnd, number>;
  /** The last end that was not ours. */
  lastEnd?: { end: StreamEnd; atMs: number; lastedMs: number };
};

export type StreamRecord = {
  /** The same stream, watched from now on until it ends, is closed, or its signal is aborted. */
  watch(stream: OpenedStream, query: string | undefined, signal: AbortSignal | undefined): OpenedStream;
  read(): StreamStatistics;
};

/** Keeps account of the streams of one host. @param now unix milliseconds */
export function createStreamRecord(now: () => number): StreamRecord {
  const standing = new Set<StandingStream>();
  const ends: Record<StreamEnd, number> = { 'closed-here': 0, 'ended-by-service': 0, broken: 0 };
  let opened = 0;
  let lastEnd: StreamStatistics['lastEnd'];

  const finish = (state: StandingStream, end: StreamEnd) => {
    if (!standing.delete(state)) return;
    ends[end] += 1;
    if (end !== 'closed-here') lastEnd = { end, atMs: now(), lastedMs: now() - state.openedAtMs };
  };

  return {
    watch(stream, query, signal) {
      const state: StandingStream = { openedAtMs: now(), feeds: feedsIn(query) };
      opened += 1;
      standing.add(state);
      const closedHere = () => finish(state, 'closed-here');
      signal?.addEventListener('abort', closedHere, { once: true });
      const over = (end: StreamEnd) => {
        signal?.removeEventListener('abort', closedHere);
        finish(state, end);
      };
      return {
        body: watched(stream.body, state, now, over),
        close() {
          over('closed-here');
          stream.close();
        },
      };
    },
    read: () => ({
      standing: [...standing].map((state) => ({ ...state })),
      opened,
      ends: { ...ends },
      ...(lastEnd === undefined ? {} : { lastEnd }),
    }),
  };
}

async function* watched(
  body: AsyncIterable<Uint8Array>,
  state: StandingStream,
  now: () => number,
  over: (end: StreamEnd) => void,
): AsyncGenerator<Uint8Array> {
  let end: StreamEnd = 'closed-here';
  try {
    for await (const piece of body) {
      state.lastByteAtMs = now();
      yield piece;
    }
    end = 'ended-by-service';
  } catch (error) {
    end = 'broken';
    throw error;
  } finally {
    over(end);
  }
}

function feedsIn(query: string | undefined): number {
  return new URLSearchParams(query).getAll('ids[]').length;
}
