import type { IncomingHttpHeaders } from 'node:http';
import zlib from 'node:zlib';
import { buildConnector, type Dispatcher, errors, Pool } from 'undici';
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

export type ExchangeAnswer = {
  kind: 'answer';
  status: number;
  headers: IncomingHttpHeaders;
  body: CollectedBody;
};
export type ExchangeResult = ExchangeAnswer | { kind: 'trouble'; trouble: TransportTrouble; error?: Error };

/** Of an answer that is no success only the beginning matters, and no more than this is read. */
const MAX_ERROR_BYTES = 64 * 1024;

/**
 * One request and its whole answer over one connection. Never rejects. A time-out covers connecting, headers
 * and body. At the cap, at a time-out, and where the status says all (redirect, 401, 403, 429, 5xx) the
 * connection is destroyed and nothing more is read.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: ExchangeRequest,
  limits: ExchangeLimits,
  timers: Timers,
): Promise<ExchangeResult> {
  return new Promise((resolve) => {
    const handler = new Exchange(limits, timers, resolve);
    dispatcher.dispatch(
      { method: request.method, path: request.target, headers: request.headers, body: request.body ?? null },
      handler,
    );
  });
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly #limits: ExchangeLimits;
  readonly #timers: Timers;
  readonly #resolve: (result: ExchangeResult) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #cancelAlarm: () => void;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #reader: BodyReader | undefined;
  #settled = false;

  constructor(limits: ExchangeLimits, timers: Timers, resolve: (result: ExchangeResult) => void) {
    this.#limits = limits;
    this.#timers = timers;
    this.#resolve = resolve;
    const ms = Math.max(0, Math.min(limits.headersBy, limits.doneBy) - timers.elapsed());
    this.#cancelAlarm = timers.after(ms, () =>
      this.#giveUp({ kind: 'timeout', problem: 'sent no answer in time' }),
    );
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The time was over while the request still waited for its connection.
    if (this.#settled) this.#abort();
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200 || this.#settled) return;
    this.#status = status;
    this.#headers = headers;
    if (textMatters(status)) this.#readBody(headers);
    else this.#cutHere();
  }

  #readBody(headers: IncomingHttpHeaders): void {
    const success = this.#status < 300;
    const maxBytes = success ? this.#limits.maxBytes : Math.min(MAX_ERROR_BYTES, this.#limits.maxBytes);
    const expectedBytes = Number(headers['content-length']) || 0;
    if (success && expectedBytes > maxBytes) {
      this.#giveUp(OVERSIZED);
      return;
    }
    this.#rearm();
    this.#reader = new BodyReader({
      encoding: String(headers['content-encoding'] ?? ''),
      maxBytes,
      expectedBytes,
      onReady: () => this.#controller?.resume(),
      onRead: (read) => this.#onBody(read),
    });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#reader?.write(chunk) === false) controller.pause();
  }

  onResponseEnd(): void {
    this.#reader?.end();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#settle({ kind: 'trouble', trouble: troubleOf(error, this.#status > 0), error });
  }

  #onBody(read: ReadBody): void {
    if (read.kind === 'broken') {
      this.#giveUp({ kind: 'malformed', problem: `sent an answer we cannot read: ${read.problem}` });
    } else if (read.kind === 'cut' && this.#status < 300) {
      this.#giveUp(OVERSIZED);
    } else {
      this.#settle(this.#answer(read.body));
      if (read.kind === 'cut') this.#abort();
    }
  }

  #answer(body: CollectedBody): ExchangeAnswer {
    return { kind: 'answer', status: this.#status, headers: this.#headers, body };
  }

  /** The status says all: nobody has to wait for a page that may never end. */
  #cutHere(): void {
    this.#settle(this.#answer(NO_BODY));
    this.#abort();
  }

  #giveUp(trouble: TransportTrouble): void {
    this.#settle({ kind: 'trouble', trouble });
    this.#abort();
  }

  #rearm(): void {
    this.#cancelAlarm();
    const ms = Math.max(0, this.#limits.doneBy - this.#timers.elapsed());
    this.#cancelAlarm = this.#timers.after(ms, () =>
      this.#giveUp({ kind: 'timeout', problem: 'did not finish its answer in time' }),
    );
  }

  #abort(): void {
    this.#controller?.abort(new errors.RequestAbortedError());
  }

  #settle(result: ExchangeResult): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#cancelAlarm();
    this.#reader?.stop();
    this.#resolve(result);
  }
}

/** Successes are read for their data, and refusals of a request for the service's reason. */
function textMatters(status: number): boolean {
  if (status < 300) return true;
  return status >= 400 && status < 500 && status !== 401 && status !== 403 && status !== 429;
}

const NO_BODY: CollectedBody = { bytes: 0, text: () => '' };

const OVERSIZED: TransportTrouble = { kind: 'malformed', problem: 'sent an answer over the byte cap' };

/** What became of a body. `cut`: it went over the cap and its text is only the beginning. */
export type ReadBody = { kind: 'whole' | 'cut'; body: CollectedBody } | { kind: 'broken'; problem: string };

/** Bytes that become text when they are asked to: for a large body that is work of its own. */
export type CollectedBody = Pick<BodyBuffer, 'bytes' | 'text'>;

export type BodyReaderOptions = {
  /** The header `Content-Encoding`. */
  encoding: string;
  /** Cap in bytes, counted after decompression. */
  maxBytes: number;
  /** Content-Length, or 0. */
  expectedBytes: number;
  /** More may be written. */
  onReady(): void;
  /** Called once. */
  onRead(body: ReadBody): void;
};

/** The compressions we ask for, and can therefore read. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

/**
 * Reads a body, compressed or not, and counts what comes out of the decompression, so that a small body can't
 * become a large one.
 */
export class BodyReader {
  readonly #options: BodyReaderOptions;
  readonly #encoding: string;
  readonly #buffer: BodyBuffer;
  #inflater: ReturnType<typeof inflaterFor>;
  #done = false;

  constructor(options: BodyReaderOptions) {
    this.#options = options;
    const encoding = options.encoding.trim().toLowerCase();
    this.#encoding = encoding === 'identity' ? '' : encoding;
    this.#buffer = new BodyBuffer(options.maxBytes, this.#encoding === '' ? options.expectedBytes : 0);
  }

  /** False: wait with more until `onReady` is called. */
  write(chunk: Buffer): boolean {
    if (this.#done || chunk.length === 0) return true;
    if (this.#encoding === '') {
      this.#take(chunk);
      return true;
    }
    this.#inflater ??= this.#start(chunk[0] ?? 0);
    return this.#inflater?.write(chunk) ?? true;
  }

  /** All bytes have come. */
  end(): void {
    // Without a single byte there is nothing to inflate: an empty body, whatever the header says.
    if (this.#inflater) this.#inflater.end();
    else this.#finish({ kind: 'whole', body: this.#buffer });
  }

  /** Nobody wants the body any more. */
  stop(): void {
    this.#done = true;
    this.#inflater?.destroy();
  }

  #take(piece: Uint8Array): void {
    if (!this.#done && !this.#buffer.append(piece)) this.#finish({ kind: 'cut', body: this.#buffer });
  }

  #start(firstByte: number) {
    const inflater = inflaterFor(this.#encoding, firstByte);
    if (!inflater) {
      this.#finish({ kind: 'broken', problem: 'it is compressed in a way we did not ask for' });
      return undefined;
    }
    inflater.on('data', (piece: Buffer) => this.#take(piece));
    inflater.on('drain', () => this.#options.onReady());
    inflater.on('end', () => this.#finish({ kind: 'whole', body: this.#buffer }));
    inflater.on('error', () => this.#finish({ kind: 'broken', problem: 'its compression is damaged' }));
    return inflater;
  }

  #finish(body: ReadBody): void {
    if (this.#done) return;
    this.stop();
    this.#options.onRead(body);
  }
}

function inflaterFor(encoding: string, firstByte: number) {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip();
    case 'br':
      return zlib.createBrotliDecompress();
    case 'deflate':
      // Some servers send bare deflate data under this name; a zlib header always has 8 in its low bits.
      return (firstByte & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw();
    default:
      return undefined;
  }
}

const FIRST_BYTES = 64 * 1024;
/** A promised length is believed up to here; beyond, room is made as bytes really come. */
const MAX_FIRST_BYTES = 4 * 1024 * 1024;
const NEXT_BYTES = 1024 * 1024;
const NOTHING = Buffer.alloc(0);

/**
 * Collects a body up to a cap in a few large segments. The chunks are copied rather than kept: a body sent byte
 * by byte would otherwise cost a hundred times its size in small objects. Only one that comes whole is kept as it is.
 */
export class BodyBuffer {
  readonly #cap: number;
  readonly #expected: number;
  readonly #full: Buffer[] = [];
  #segment: Buffer = NOTHING;
  #filled = 0;
  #length = 0;

  /** `expected` is a hint, such as a Content-Length; 0 when nothing is known. */
  constructor(cap: number, expected: number) {
    this.#cap = cap;
    this.#expected = expected;
  }

  /** Takes the chunk, or says false when it does not fit under the cap: then it keeps what fits. */
  append(chunk: Uint8Array): boolean {
    const fits = chunk.length <= this.#cap - this.#length;
    const part = fits ? chunk : chunk.subarray(0, this.#cap - this.#length);
    if (this.#length === 0 && part.length === this.#expected) this.#keep(part);
    else this.#copy(part);
    return fits;
  }

  /** How many bytes it holds. */
  get bytes(): number {
    return this.#length;
  }

  /**
   * The body as UTF-8. Bytes that are none become U+FFFD, as everywhere on the web: one bad byte in one row must
   * not hide the other rows.
   */
  text(): string {
    if (this.#full.length === 0) return this.#segment.toString('utf8', 0, this.#filled);
    const whole = Buffer.concat([...this.#full, this.#segment.subarray(0, this.#filled)]);
    return whole.toString('utf8');
  }

  #keep(whole: Uint8Array): void {
    this.#segment = Buffer.from(whole.buffer, whole.byteOffset, whole.length);
    this.#filled = whole.length;
    this.#length = whole.length;
  }

  #copy(chunk: Uint8Array): void {
    let rest = chunk;
    while (rest.length > 0) {
      if (this.#filled === this.#segment.length) this.#nextSegment(rest.length);
      const part = rest.subarray(0, this.#segment.length - this.#filled);
      this.#segment.set(part, this.#filled);
      this.#filled += part.length;
      this.#length += part.length;
      rest = rest.subarray(part.length);
    }
  }

  #nextSegment(atLeast: number): void {
    if (this.#filled > 0) this.#full.push(this.#segment);
    this.#segment = Buffer.allocUnsafe(
      this.#length === 0 ? this.#firstBytes() : Math.max(NEXT_BYTES, atLeast),
    );
    this.#filled = 0;
  }

  #firstBytes(): number {
    const expected = this.#expected > 0 ? Math.min(this.#expected, MAX_FIRST_BYTES) : FIRST_BYTES;
    return Math.min(expected, this.#cap);
  }
}

/** The connections to one service. */
export type Connections = {
  /** Kept open and used again. */
  kept: Pool;
  /** A new connection for each request, closed after it: for streams, and for a second try. */
  fresh: Pool;
  /** True when the error is the end of a connection that had already carried an answer. */
  diedAfterUse(error: Error): boolean;
  close(): Promise<void>;
};

/** Calls under way at once, per service; more wait in the pool, inside their own time-out. */
const MAX_KEPT = 32;

/** Nothing connects before the first call. `origin` is scheme, host and port. */
export function createConnections(origin: string, connectMs: number): Connections {
  const endedAfterUse = new WeakSet<Error>();
  const connector = buildConnector({ timeout: connectMs });
  const connect: buildConnector.connector = (options, done) =>
    connector(options, (...[error, socket]) => {
      if (error) return done(error, null);
      socket.on('error', (reason: Error) => {
        if (socket.bytesRead > 0) endedAfterUse.add(reason);
      });
      return done(null, socket);
    });
  // Our own time-outs cover headers and body; undici's would only count the silence between two chunks.
  const shared = { connect, headersTimeout: 0, bodyTimeout: 0 };
  const kept = new Pool(origin, { ...shared, connections: MAX_KEPT });
  const fresh = new Pool(origin, { ...shared, pipelining: 0 });
  return {
    kept,
    fresh,
    diedAfterUse(error) {
      if (error instanceof errors.SocketError) return (error.socket?.bytesRead ?? 0) > 0;
      return endedAfterUse.has(error);
    },
    async close() {
      await Promise.all([kept.destroy(), fresh.destroy()]);
    },
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
