import type { IncomingHttpHeaders } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import zlib from 'node:zlib';
import { type Dispatcher, Pool } from 'undici';
import { type TransportTrouble, troubleOf } from './service-failure';
import type { Timers } from './timers';

export type ExchangeRequest = {
  method: 'GET' | 'POST';
  /** Path and query as they go on the wire. */
  target: string;
  headers: Record<string, string>;
  body?: string;
};

/** Moments in `Timers.elapsed` milliseconds, so that a second try lives inside the first one's time. */
export type ExchangeLimits = { headersBy: number; doneBy: number; maxBytes: number };

/** `bytes`: of the body, decompressed. It becomes text when it is asked to: for a large body that is work of its own. */
export type ExchangeAnswer = {
  kind: 'answer';
  status: number;
  headers: IncomingHttpHeaders;
  bytes: number;
  text(): string;
};
export type ExchangeTrouble = { kind: 'trouble'; trouble: TransportTrouble; error?: Error };
export type OpenedStream = {
  /** The iteration throws when the connection breaks, and ends at `close` or when the caller's signal is aborted. */
  body: AsyncIterable<Uint8Array>;
  close(): void;
};

/** Of an answer that is no success only the beginning matters, and no more than this is read. */
const MAX_ERROR_BYTES = 64 * 1024;
const LATE: TransportTrouble = { kind: 'timeout', problem: 'sent no answer in time' };
const LATE_BODY: TransportTrouble = { kind: 'timeout', problem: 'did not finish its answer in time' };
const CALLED_OFF: TransportTrouble = {
  kind: 'unreachable',
  problem: 'was not asked: the call was called off',
};

/**
 * One request and its whole answer over one connection. Never rejects. A time-out covers connecting, headers and body. At
 * the cap, at a time-out, and where the status says all (redirect, 401, 403, 429, 5xx) the connection is destroyed and
 * nothing more is read.
 */
export async function exchange(
  dispatcher: Dispatcher,
  request: ExchangeRequest,
  limits: ExchangeLimits,
  timers: Timers,
): Promise<ExchangeAnswer | ExchangeTrouble> {
  const deadline = deadlineOf(timers);
  try {
    const answer = await begin(dispatcher, request, limits, deadline);
    return await readAnswer(answer, limits, deadline);
  } catch (error) {
    return trouble(error, deadline, undefined);
  } finally {
    deadline.clear();
  }
}

/**
 * Opens a server-sent-events stream: headers in time, then no time limit. An answer that is no stream is read as far as
 * its reason. Never rejects.
 */
export async function openEventStream(
  dispatcher: Dispatcher,
  request: ExchangeRequest,
  limits: ExchangeLimits,
  timers: Timers,
  signal: AbortSignal | undefined,
): Promise<{ kind: 'open'; stream: OpenedStream } | ExchangeAnswer | ExchangeTrouble> {
  const deadline = deadlineOf(timers);
  signal?.addEventListener('abort', deadline.cut, { once: true });
  const forget = () => signal?.removeEventListener('abort', deadline.cut);
  if (signal?.aborted) deadline.cut();
  let isOpen = false;
  try {
    const answer = await begin(dispatcher, request, limits, deadline);
    if (answer.statusCode !== 200) return await readAnswer(answer, limits, deadline);
    const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = answer.headers;
    isOpen = /^\s*text\/event-stream\b/i.test(String(type)) && encoding === 'identity';
    if (isOpen) return { kind: 'open', stream: openedStream(answer.body, deadline, forget) };
    answer.body.destroy();
    return unreadable('answered with something that is no event stream');
  } catch (error) {
    return trouble(error, deadline, signal);
  } finally {
    deadline.clear();
    if (!isOpen) forget();
  }
}

type Deadline = {
  readonly signal: AbortSignal;
  /** What it is that comes too late. */
  late: TransportTrouble;
  set(by: number, late: TransportTrouble): void;
  cut(): void;
  clear(): void;
  begun: boolean;
};

function deadlineOf(timers: Timers): Deadline {
  const controller = new AbortController();
  let clear = () => {};
  const deadline: Deadline = {
    signal: controller.signal,
    late: LATE,
    begun: false,
    set(by, late) {
      clear();
      deadline.late = late;
      clear = timers.after(Math.max(0, by - timers.elapsed()), deadline.cut);
    },
    cut: () => controller.abort(),
    clear: () => clear(),
  };
  return deadline;
}

async function begin(
  dispatcher: Dispatcher,
  { method, target: path, headers, body }: ExchangeRequest,
  { headersBy, doneBy }: ExchangeLimits,
  deadline: Deadline,
): Promise<Dispatcher.ResponseData> {
  deadline.set(Math.min(headersBy, doneBy), LATE);
  const answer = await dispatcher.request({
    method,
    path,
    headers,
    body: body ?? null,
    signal: deadline.signal,
  });
  deadline.begun = true;
  deadline.clear();
  answer.body.on('error', () => {});
  return answer;
}

async function readAnswer(
  { statusCode: status, headers, body }: Dispatcher.ResponseData,
  { doneBy, maxBytes }: ExchangeLimits,
  deadline: Deadline,
): Promise<ExchangeAnswer | ExchangeTrouble> {
  const isSuccess = status < 300;
  if (!isSuccess && !isReason(status)) {
    body.destroy();
    return { kind: 'answer', status, headers, bytes: 0, text: () => '' };
  }
  deadline.set(doneBy, LATE_BODY);
  const cap = isSuccess ? maxBytes : Math.min(MAX_ERROR_BYTES, maxBytes);
  const inflated = inflate(body, String(headers['content-encoding'] ?? ''));
  if (inflated === undefined) {
    body.destroy();
    return unreadable('sent an answer we cannot read: it is compressed in a way we did not ask for');
  }
  const pieces: Buffer[] = [];
  let bytes = 0;
  if (!isSuccess || !(Number(headers['content-length']) > cap)) {
    // Counted after the decompression, so that a small body can't become a large one.
    for await (const piece of inflated) {
      bytes += piece.length;
      pieces.push(piece);
      if (bytes > cap) break;
    }
  } else bytes = Number.POSITIVE_INFINITY;
  body.destroy();
  if (isSuccess && bytes > cap) return unreadable('sent an answer over the byte cap');
  // Bytes that are no UTF-8 become U+FFFD: one bad byte in one row must not hide the other rows.
  return {
    kind: 'answer',
    status,
    headers,
    bytes,
    text: () => Buffer.concat(pieces).toString('utf8', 0, cap),
  };
}

/** The compressions we ask for. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

function inflate(body: Readable, encoding: string): Readable | undefined {
  switch (encoding.trim().toLowerCase()) {
    case '':
    case 'identity':
      return body;
    case 'gzip':
    case 'deflate':
      return pipeline(body, zlib.createUnzip(), () => {});
    case 'br':
      return pipeline(body, zlib.createBrotliDecompress(), () => {});
    default:
      return undefined;
  }
}

/** Whether the words of a refusal matter: those that say why a request was refused. */
function isReason(status: number): boolean {
  return status >= 400 && status < 500 && ![401, 403, 429].includes(status);
}

function unreadable(problem: string): ExchangeTrouble {
  return { kind: 'trouble', trouble: { kind: 'malformed', problem } };
}

function trouble(error: unknown, deadline: Deadline, signal: AbortSignal | undefined): ExchangeTrouble {
  if (signal?.aborted) return { kind: 'trouble', trouble: CALLED_OFF };
  if (deadline.signal.aborted) return { kind: 'trouble', trouble: deadline.late };
  const thrown = error instanceof Error ? error : new Error();
  return { kind: 'trouble', trouble: troubleOf(thrown, deadline.begun), error: thrown };
}

function openedStream(body: Readable, { signal }: Deadline, forget: () => void): OpenedStream {
  let isClosed = false;
  const close = () => {
    isClosed = true;
    forget();
    body.destroy();
  };
  async function* pieces(): AsyncGenerator<Uint8Array> {
    try {
      for await (const piece of body) yield piece as Uint8Array;
    } catch (error) {
      if (!isClosed && !signal.aborted) throw error;
    } finally {
      close();
    }
  }
  return { body: pieces(), close };
}

/** The connections to one service: those kept open and used again, and new ones, for streams and for a second try. */
export type Connections = { kept: Pool; fresh: Pool };

/** Calls under way at once, per service; more wait in the pool, inside their own time-out. */
const MAX_KEPT = 32;

/** Nothing connects before the first call. `origin` is scheme, host and port. */
export function createConnections(origin: string, connectMs: number): Connections {
  // Our own time-outs cover headers and body; undici's would only count the silence between two chunks.
  const shared = { connect: { timeout: connectMs }, headersTimeout: 0, bodyTimeout: 0 };
  return {
    kept: new Pool(origin, { ...shared, connections: MAX_KEPT }),
    fresh: new Pool(origin, { ...shared, pipelining: 0 }),
  };
}

/** Up to here a piece takes well under a millisecond. */
const SMALL_BYTES = 128 * 1024;

let line: Promise<unknown> = Promise.resolve();

/**
 * Large answers are worked on one piece at a time, each in a turn of the event loop of its own: ten that arrive together
 * would else hold every stream for ten times as long. The line is as long as calls are under way.
 * @param bytes size of the body that the piece is about; a small one does not wait
 */
export async function inTurn<T>(bytes: number, piece: () => T): Promise<T> {
  if (bytes <= SMALL_BYTES) return piece();
  const turn = line.then(() => new Promise((next) => setImmediate(next))).then(piece);
  line = turn.catch(() => {});
  return turn;
}
