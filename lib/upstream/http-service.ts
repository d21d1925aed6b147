import { type Failure, failed, type Outcome, ok } from '@/lib/core/outcome';
import { type AdmissionState, CallAdmission, type CallKey, type KeyUse } from './call-admission';
import {
  type AnswerClock,
  type CallEvent,
  type CallRecord,
  type CallStatistics,
  createCallRecord,
  type FinishedCall,
  type LastCall,
} from './call-record';
import {
  ACCEPTED_ENCODINGS,
  type Connections,
  createConnections,
  type ExchangeAnswer,
  type ExchangeRequest,
  type ExchangeTrouble,
  exchange,
  inTurn,
  type OpenedStream,
  openEventStream,
} from './exchange';
import { type CallPriority, RateLimiter } from './rate-limiter';
import {
  contentTypeOf,
  dataWithoutKey,
  failureOfAnswer,
  failureOfTrouble,
  isConnectionEnd,
  isSoundRefusal,
  malformed,
  plainErrorText,
  type ServiceIdentity,
} from './service-failure';
import { createStreamRecord, type StreamRecord, type StreamStatistics } from './stream-record';
import { realTimers, type Timers } from './timers';

/** A success of the service: any 2xx. `contentType` as the service sent it, or empty. */
export type HttpAnswer = { status: number; contentType: string; text: string };

/** Checks a success's body. `problem` ends the sentence "sent an answer we cannot read: …". */
export type BodyCheck = (text: string) => CheckedBody;
/** With `rewrite` its result is the text, and is work of its own for a large body. */
type CheckedBody =
  | { ok: true; text: string; rewrite?: () => string }
  /** `answered`: no data, but an answer that the contract knows, so that the service works. */
  | { ok: false; problem: string; answered?: 'plain-text' };

export type HttpCall = {
  method: 'GET' | 'POST';
  /** Below the base URL, beginning with a slash. */
  path: string;
  /** The route's pattern for metrics, where the path holds a value. Default: the path. */
  route?: string;
  /** Without its question mark. */
  query?: string;
  /** JSON text. */
  body?: string;
  priority: CallPriority;
  /** Default `needed`: while the service rejects our key, the call is not made. */
  keyUse?: KeyUse;
  /** Cap after decompression. Default 32 MB. */
  maxBytes?: number;
  /** Run once per call, however many share it, so that health knows about bodies that are no answer. */
  check?: BodyCheck;
};

type StreamCall = { path: string; route?: string; query?: string; signal?: AbortSignal };

/** An open stream. What is passed on of its events goes through `withoutKey` first: a service may repeat our key. */
export type ServiceStream = OpenedStream & { withoutKey(text: string): string };

/** What is known of a host without calling it: calls, streams, budget, pauses. Nothing of the key itself. */
export type HostStatus = AdmissionState & {
  address: ServiceAddress;
  calls: CallStatistics;
  streams: StreamStatistics;
  /** Undefined before the first answer that says when it was made. */
  clock: AnswerClock | undefined;
};

/** One service host: every call to it goes through here, so that what holds for one caller holds for all. */
export type HttpService = {
  readonly identity: ServiceIdentity;
  /** One answer, whole. Identical calls at the same time share one; the calls share the result object too. */
  call(call: HttpCall): Promise<Outcome<HttpAnswer>>;
  /** A server-sent-events stream; an ordinary call of the budget until its headers are there. */
  open(call: StreamCall): Promise<Outcome<ServiceStream>>;
  /** The last call that really went out. */
  lastCall(): LastCall;
  status(): HostStatus;
  /** Ends all connections; calls under way fail as unreachable. */
  close(): Promise<void>;
};

export type HttpServiceOptions = ServiceIdentity & {
  /** With or without a path prefix and a trailing slash. */
  baseUrl: string;
  /** Asked at every call. None: no `Authorization` is sent. */
  apiKey: () => string | undefined;
  callsPerSecond: number;
  /** Shared by all that call one host. Default: one of its own, of `callsPerSecond`. */
  budget?: RateLimiter;
  observe?: (event: CallEvent) => void;
  /** Unix milliseconds. */
  now?: () => number;
  timers?: Timers;
  headersTimeoutMs?: number;
  totalTimeoutMs?: number;
};

/** Time-outs and cap of the gateway's contract. */
const HEADERS_TIMEOUT_MS = 10_000;
const TOTAL_TIMEOUT_MS = 15_000;
const MAX_BYTES = 32 * 1024 * 1024;

/** Nothing connects before the first call. @throws TypeError when `baseUrl` is no URL */
export function createHttpService(options: HttpServiceOptions): HttpService {
  return new KeptService(options);
}

class KeptService implements HttpService {
  readonly identity: ServiceIdentity;
  readonly #address: ServiceAddress;
  readonly #connections: Connections;
  readonly #admission: CallAdmission;
  readonly #record: CallRecord;
  readonly #timers: Timers;
  readonly #headersMs: number;
  readonly #totalMs: number;
  readonly #streams: StreamRecord;
  /** Calls under way, by what they ask. Nothing is kept afterwards: this is no cache. */
  readonly #shared = new Map<string, StartedCall>();
  /** A connection of ours that ends under a call may be one that was kept too long. */
  #hasAnswered = false;

  constructor(options: HttpServiceOptions) {
    const { service, label, keySetting, apiKey, callsPerSecond } = options;
    const { now = Date.now, timers = realTimers } = options;
    this.identity = { service, label, keySetting };
    this.#address = serviceAddress(options.baseUrl);
    this.#timers = timers;
    this.#headersMs = options.headersTimeoutMs ?? HEADERS_TIMEOUT_MS;
    this.#totalMs = options.totalTimeoutMs ?? TOTAL_TIMEOUT_MS;
    this.#connections = createConnections(this.#address.origin, this.#headersMs);
    this.#record = createCallRecord(label, now, options.observe);
    this.#streams = createStreamRecord(now);
    const budget = options.budget ?? new RateLimiter({ callsPerSecond, timers });
    this.#admission = new CallAdmission({ identity: this.identity, apiKey, budget, timers, now });
  }

  call(call: HttpCall): Promise<Outcome<HttpAnswer>> {
    const identity = `${call.method} ${call.path}?${call.query ?? ''} ${call.maxBytes ?? ''} ${call.body ?? ''}`;
    const known = this.#shared.get(identity);
    if (known) {
      // A user who joins a background call lends it the user's priority.
      if (call.priority === 'user') known.promote();
      return known.result;
    }
    const { result, promote } = this.#start(call);
    const shared = { promote, result: result.finally(() => this.#shared.delete(identity)) };
    this.#shared.set(identity, shared);
    return shared.result;
  }

  async open(call: StreamCall): Promise<Outcome<ServiceStream>> {
    const route = call.route ?? call.path;
    const admission = this.#admission.request('user', 'needed');
    call.signal?.addEventListener('abort', admission.withdraw, { once: true });
    const admitted = await admission.ready;
    call.signal?.removeEventListener('abort', admission.withdraw);
    if (!admitted.ok) return this.#heldBack(route, admitted.failure);
    return this.#openAdmitted(call, route, admitted.value);
  }

  lastCall(): LastCall {
    return this.#record.last();
  }

  status(): HostStatus {
    return {
      ...this.#admission.state(),
      address: this.#address,
      calls: this.#record.statistics(),
      streams: this.#streams.read(),
      clock: this.#record.dates.clock(),
    };
  }

  async close(): Promise<void> {
    await Promise.all([this.#connections.kept.destroy(), this.#connections.fresh.destroy()]);
  }

  #start(call: HttpCall): StartedCall {
    const { priority, keyUse: use = 'needed', route = call.path } = call;
    const admission = this.#admission.request(priority, use);
    const result = admission.ready.then((admitted) =>
      admitted.ok
        ? this.#callAdmitted(call, admitted.value)
        : this.#heldBack<HttpAnswer>(route, admitted.failure),
    );
    return { result, promote: admission.promote };
  }

  #heldBack<T>(route: string, failure: Failure): Outcome<T> {
    this.#record.heldBack(route, failure);
    return failed(failure);
  }

  async #callAdmitted(call: HttpCall, admitted: CallKey): Promise<Outcome<HttpAnswer>> {
    const startedAt = this.#timers.elapsed();
    const { key } = admitted;
    const result = await this.#exchangeTwiceIfNeeded(call, key, startedAt);
    const timed = { route: call.route ?? call.path, ms: this.#timers.elapsed() - startedAt };
    if (result.kind === 'trouble')
      return this.#finish(timed, failureOfTrouble(this.identity, result.trouble));
    if (result.status < 200 || result.status >= 300) return this.#refused(timed, result, admitted);
    this.#admission.learn(result.status, result.headers, admitted);
    return this.#success(call, { ...timed, status: result.status, bytes: result.bytes }, result, key);
  }

  /** An answer that is no success. */
  #refused<T>(timed: FinishedCall, answer: ExchangeAnswer, admitted: CallKey): Outcome<T> {
    const { status, headers, bytes } = answer;
    const retryAfterS = this.#admission.learn(status, headers, admitted);
    const refused = { status, headers, text: answer.text(), key: admitted.key, retryAfterS };
    const failure = failureOfAnswer(this.identity, refused);
    return this.#finish({ ...timed, status, bytes }, failure, isSoundRefusal(refused));
  }

  async #success(
    call: HttpCall,
    finished: FinishedCall,
    answer: ExchangeAnswer,
    key: string | undefined,
  ): Promise<Outcome<HttpAnswer>> {
    const { check = unchecked } = call;
    this.#record.dates.heard(answer.headers, finished.ms);
    const { bytes } = answer;
    const read = await inTurn(bytes, () => dataWithoutKey(answer.text(), key));
    const checked = await inTurn(bytes, () => check(read));
    if (!checked.ok) {
      // It may repeat words of the service, and these our key, which in words is hidden even where it is short.
      const problem = plainErrorText(checked.problem, '', key);
      const sound = checked.answered !== undefined;
      return this.#finish(finished, malformed(this.identity, problem), sound);
    }
    const text = checked.rewrite ? await inTurn(bytes, checked.rewrite) : checked.text;
    this.#record.finished(finished, undefined, true);
    return ok({ status: answer.status, contentType: contentTypeOf(answer.headers), text });
  }

  #finish<T>(call: FinishedCall, failure: Failure, isSound = false): Outcome<T> {
    this.#record.finished(call, failure, isSound);
    return failed(failure);
  }

  /**
   * A service may close an idle connection at the very moment we use it again. Such a call is sent once more,
   * over a new connection. That is safe: every call of these services only reads, the POSTs too.
   */
  async #exchangeTwiceIfNeeded(
    call: HttpCall,
    key: string | undefined,
    startedAt: number,
  ): Promise<ExchangeAnswer | ExchangeTrouble> {
    const request = callRequest(this.#address, call, key);
    const limits = { ...this.#limitsFrom(startedAt), maxBytes: call.maxBytes ?? MAX_BYTES };
    const { kept, fresh } = this.#connections;
    const first = await exchange(kept, request, limits, this.#timers);
    if (first.kind === 'answer') this.#hasAnswered = true;
    else if (this.#hasAnswered && first.trouble.kind === 'unreachable' && isConnectionEnd(first.error))
      return exchange(fresh, request, limits, this.#timers);
    return first;
  }

  #limitsFrom(startedAt: number) {
    return { headersBy: startedAt + this.#headersMs, doneBy: startedAt + this.#totalMs, maxBytes: MAX_BYTES };
  }

  async #openAdmitted(call: StreamCall, route: string, admitted: CallKey): Promise<Outcome<ServiceStream>> {
    const { key } = admitted;
    const startedAt = this.#timers.elapsed();
    const request = streamRequest(this.#address, call, key);
    const limits = this.#limitsFrom(startedAt);
    const { fresh } = this.#connections;
    const answer = await openEventStream(fresh, request, limits, this.#timers, call.signal);
    const timed = { route, ms: this.#timers.elapsed() - startedAt };
    if (answer.kind === 'trouble') {
      const failure = failureOfTrouble(this.identity, answer.trouble);
      return call.signal?.aborted ? failed(failure) : this.#finish(timed, failure);
    }
    if (answer.kind === 'answer') return this.#refused(timed, answer, admitted);
    this.#admission.learn(200, {}, admitted);
    this.#record.finished({ ...timed, status: 200 }, undefined, true);
    const stream = this.#streams.watch(answer.stream, call.query, call.signal);
    return ok({ ...stream, withoutKey: (text) => dataWithoutKey(text, key) });
  }
}

const unchecked: BodyCheck = (text) => ({ ok: true, text });

/** A call as it goes on the wire. */
function callRequest(address: ServiceAddress, call: HttpCall, key: string | undefined): ExchangeRequest {
  return {
    method: call.method,
    target: requestTarget(address, call.path, call.query),
    headers: {
      accept: 'application/json',
      'accept-encoding': ACCEPTED_ENCODINGS,
      ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...caller(key, call.priority),
    },
    body: call.body,
  };
}

/** The same for a stream. */
function streamRequest(address: ServiceAddress, call: StreamCall, key: string | undefined): ExchangeRequest {
  return {
    method: 'GET',
    target: requestTarget(address, call.path, call.query),
    // Compression would hold events back until a block is full.
    headers: { accept: 'text/event-stream', 'accept-encoding': 'identity', ...caller(key, 'user') },
  };
}

/**
 * Who calls, and with which key. Some firewalls refuse callers without a name; a service's own log tells by it which calls
 * somebody waits for.
 */
function caller(key: string | undefined, priority: CallPriority): Record<string, string> {
  const name = priority === 'user' ? 'keeperscope' : 'keeperscope (background)';
  return { 'user-agent': name, ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) };
}

/** Where a service lives. */
export type ServiceAddress = {
  /** Scheme, host and port. */
  origin: string;
  /** The base URL's path without a trailing slash: empty, or such as `/hermes`. */
  prefix: string;
};

/** Splits a base URL, with or without a path prefix and a trailing slash. @throws TypeError when it is no URL */
function serviceAddress(baseUrl: string): ServiceAddress {
  const { origin, pathname } = new URL(baseUrl);
  return { origin, prefix: pathname.replace(/\/+$/, '') };
}

/**
 * The request target for a path and a query below the address. `new URL(path, base)` would drop the prefix.
 * Characters that may not stand in a request line are percent-encoded; what is encoded already stays as it is.
 */
function requestTarget({ prefix }: ServiceAddress, path: string, query: string | undefined): string {
  const target = prefix + path + (query ? `?${query}` : '');
  return target.replace(/[^\x21-\x7e]|#/gu, (character) =>
    character === '#' ? '%23' : encodeURIComponent(character.replace(/\p{Cs}/u, '\uFFFD')),
  );
}

/** A call that is under way. `promote` tells it that a user waits for it too. */
type StartedCall = { result: Promise<Outcome<HttpAnswer>>; promote(): void };
