import type { IncomingHttpHeaders } from 'node:http';
import { type Dispatcher, errors } from 'undici';
import { BodyReader, type CollectedBody, type ReadBody } from './body-reader';
import type { Timers } from './timers';
import { type TransportTrouble, troubleOf } from './transport-trouble';

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
