import type { IncomingHttpHeaders } from 'node:http';
import { addAbortSignal, pipeline, type Readable } from 'node:stream';
import zlib from 'node:zlib';
import { type Dispatcher, Pool } from 'undici';
import { SerialQueue } from '@/lib/core/serial-queue';
import { type TransportTrouble, transportTrouble } from './service-failure';

type ExchangeRequest = {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
};

type ExchangeLimits = { headersMs: number; totalMs: number; maxBytes: number };

/** `bytes`: size of the decompressed body. `text` decodes on demand, because a large body takes time. */
export type ExchangeAnswer = {
  kind: 'answer';
  status: number;
  headers: IncomingHttpHeaders;
  bytes: number;
  text(): string;
};
export type ExchangeTrouble = { kind: 'trouble'; trouble: TransportTrouble; error?: Error };

/** Only the beginning of an error response matters. */
const MAX_ERROR_BYTES = 64 * 1024;

/** Never rejects. Reading stops at the byte cap, at the timeout, and at a status whose body is irrelevant. */
export async function exchange(
  dispatcher: Dispatcher,
  request: ExchangeRequest,
  limits: ExchangeLimits,
): Promise<ExchangeAnswer | ExchangeTrouble> {
  const deadline = AbortSignal.timeout(limits.totalMs);
  let isBegun = false;
  try {
    const answer = await send(dispatcher, request, limits, deadline);
    isBegun = true;
    return await readAnswer(answer, limits.maxBytes);
  } catch (error) {
    return trouble(error, isBegun, deadline);
  }
}

/** Never rejects. The timeout covers only the headers. Of an answer that is no stream, only an error text is read. */
export async function openEventStream(
  dispatcher: Dispatcher,
  request: ExchangeRequest,
  limits: ExchangeLimits,
  signal: AbortSignal | undefined,
): Promise<{ kind: 'open'; body: Readable } | ExchangeAnswer | ExchangeTrouble> {
  const deadline = AbortSignal.timeout(limits.totalMs);
  let isBegun = false;
  try {
    const answer = await send(dispatcher, request, limits, signal);
    isBegun = true;
    const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = answer.headers;
    if (answer.statusCode !== 200) {
      addAbortSignal(deadline, answer.body);
      return await readAnswer(answer, limits.maxBytes);
    }
    if (/^\s*text\/event-stream\b/i.test(String(type)) && encoding === 'identity')
      return { kind: 'open', body: answer.body };
    answer.body.destroy();
    return unreadable('it is not an event stream');
  } catch (error) {
    if (signal?.aborted)
      return { kind: 'trouble', trouble: { kind: 'unreachable', problem: 'was not called: cancelled' } };
    return trouble(error, isBegun, deadline);
  }
}

async function send(
  dispatcher: Dispatcher,
  request: ExchangeRequest,
  { headersMs }: ExchangeLimits,
  signal: AbortSignal | undefined,
): Promise<Dispatcher.ResponseData> {
  const answer = await dispatcher.request({ ...request, headersTimeout: headersMs, signal: signal ?? null });
  answer.body.on('error', () => {});
  return answer;
}

async function readAnswer(
  { statusCode: status, headers, body }: Dispatcher.ResponseData,
  maxBytes: number,
): Promise<ExchangeAnswer | ExchangeTrouble> {
  const isSuccess = status < 300;
  if (!isSuccess && !givesReason(status)) {
    body.destroy();
    return { kind: 'answer', status, headers, bytes: 0, text: () => '' };
  }
  const cap = isSuccess ? maxBytes : Math.min(MAX_ERROR_BYTES, maxBytes);
  const inflated = inflate(body, String(headers['content-encoding'] ?? ''));
  const pieces: Buffer[] = [];
  let bytes = isSuccess && Number(headers['content-length']) > cap ? Number.POSITIVE_INFINITY : 0;
  if (inflated !== undefined && bytes === 0) {
    // Counted after decompression, so that a small body cannot expand without limit.
    for await (const piece of inflated) {
      bytes += piece.length;
      pieces.push(piece);
      if (bytes > cap) break;
    }
  }
  body.destroy();
  if (inflated === undefined) return unreadable('it has a compression that was not requested');
  if (isSuccess && bytes > cap) return unreadable('it is over the byte cap');
  // Invalid UTF-8 becomes U+FFFD, because one bad byte in one row must not hide the other rows.
  const text = () => Buffer.concat(pieces).toString('utf8', 0, cap);
  return { kind: 'answer', status, headers, bytes, text };
}

export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

function inflate(body: Readable, encoding: string): Readable | undefined {
  const name = encoding.trim().toLowerCase();
  if (name === '' || name === 'identity') return body;
  const isZlib = name === 'gzip' || name === 'deflate';
  const decoder = isZlib ? zlib.createUnzip() : name === 'br' ? zlib.createBrotliDecompress() : undefined;
  return decoder && pipeline(body, decoder, () => {});
}

function givesReason(status: number): boolean {
  return status >= 400 && status < 500 && ![401, 403, 429].includes(status);
}

function unreadable(why: string): ExchangeTrouble {
  return { kind: 'trouble', trouble: { kind: 'malformed', problem: `sent an unreadable answer: ${why}` } };
}

function trouble(error: unknown, isBegun: boolean, deadline: AbortSignal): ExchangeTrouble {
  const thrown = error instanceof Error ? error : new Error();
  const problem = isBegun ? 'timed out in the middle of its answer' : 'timed out without an answer';
  const isTimeout = deadline.aborted || ('code' in thrown && thrown.code === 'UND_ERR_HEADERS_TIMEOUT');
  if (isTimeout) return { kind: 'trouble', trouble: { kind: 'timeout', problem } };
  return { kind: 'trouble', trouble: transportTrouble(thrown, isBegun), error: thrown };
}

/** `fresh`: new connections for streams and for a retry. */
type Connections = { pooled: Pool; fresh: Pool };

/** Limit of connections of a host; further calls wait in the pool, within their own timeout. */
const MAX_CONNECTIONS = 32;

export function createConnections(origin: string, connectMs: number): Connections {
  // The body timeout of undici limits only the silence between two chunks.
  const shared = { connect: { timeout: connectMs }, bodyTimeout: 0 };
  return {
    pooled: new Pool(origin, { ...shared, connections: MAX_CONNECTIONS }),
    fresh: new Pool(origin, { ...shared, pipelining: 0 }),
  };
}

/** Size up to which a piece takes well under a millisecond. */
const SMALL_BYTES = 128 * 1024;

const largeAnswers = new SerialQueue();

/** Large answers take turns of the event loop: ten at once would delay every stream, and fill memory. */
export async function runInTurn<T>(bytes: number, piece: () => T | Promise<T>): Promise<T> {
  if (bytes <= SMALL_BYTES) return piece();
  return largeAnswers.run(async () => {
    await new Promise((next) => setImmediate(next));
    return piece();
  });
}
