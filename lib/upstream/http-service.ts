import type { CallEvent } from '@/lib/core/call-event';
import { type Failure, failed, type Outcome, ok } from '@/lib/core/outcome';
import type { HostReport } from '@/lib/core/service-report';
import { realTimers, type Timers } from '@/lib/core/timers';
import { CallAdmission, type CallKey, type KeyUse } from './call-admission';
import {
  AnswerDates,
  CallRecord,
  type FinishedCall,
  type LastCall,
  type OpenedStream,
  StreamRecord,
} from './call-record';
import {
  ACCEPTED_ENCODINGS,
  createConnections,
  type ExchangeAnswer,
  type ExchangeTrouble,
  exchange,
  openEventStream,
  runInTurn,
} from './exchange';
import { type CallPriority, RateLimiter } from './rate-limiter';
import {
  dataWithoutKey,
  failureOfRefusal,
  failureOfTrouble,
  isConnectionEnd,
  isRefusedByHealthyService,
  malformed,
  plainErrorText,
  type ServiceIdentity,
} from './service-failure';

export type HttpAnswer = { text: string };

/** `problem` completes the sentence "sent an unreadable answer: …". */
export type BodyCheck = (text: string) => CheckedBody | Promise<CheckedBody>;
export type CheckedBody =
  /** `isUntold`: it does not tell whether the part of the host is usable. */
  | { ok: true; text: string; isUntold?: boolean }
  /** `answered`: the answer has no data but the interface contract allows it, so the service works. */
  | { ok: false; problem: string; answered?: 'plain-text' }
  /** The body reports a rate limit in spite of the 2xx, which counts as a 429. */
  | { ok: false; isRateLimited: true }
  /** The body is readable, and proves that the service can't be used. */
  | { ok: false; failure: Failure };

export type HttpCall = {
  method: 'GET' | 'POST';
  path: string;
  /** Route for metrics, if the path contains a value. */
  route?: string;
  query?: string;
  body?: string;
  /** A part of the path or the query that is hidden when a text of the service is shown. */
  secret?: string | undefined;
  priority: CallPriority;
  /** A part of the host that may be unusable by itself, such as one URL of a node; not secret. */
  part?: string;
  /** How the call uses its key, by default `needed`. */
  keyUse?: KeyUse;
  /** Size after decompression, by default 32 MB. */
  maxBytes?: number;
  /** Runs once per call, however many callers share it, so that unusable bodies count in the health of the service. */
  check?: BodyCheck;
};

type StreamCall = { path: string; query?: string; signal?: AbortSignal; passedOn?: (ms: number) => void };

/** `prefix`: path of the base URL without a trailing slash, such as `/hermes`. */
export type ServiceAddress = { origin: string; prefix: string };

export type HttpServiceOptions = ServiceIdentity & {
  /** Base URL, which may have a path prefix and a trailing slash. */
  baseUrl: string;
  /** The key, read at every call. Without one, no `Authorization` is sent. */
  apiKey: (() => string | undefined) & { readonly origin?: () => HostReport['key']['origin'] };
  callsPerSecond: number;
  /** Shared by all clients of one host. */
  budget?: RateLimiter;
  observe?: (event: CallEvent) => void;
  /** Record of another client of the same host, so that both report the same last call. */
  record?: CallRecord;
  now?: () => number;
  timers?: Timers;
  headersTimeoutMs?: number;
  totalTimeoutMs?: number;
};

/** Limits of the gateway's contract. */
const HEADERS_TIMEOUT_MS = 10_000;
const TOTAL_TIMEOUT_MS = 15_000;
const MAX_BYTES = 32 * 1024 * 1024;

/** All calls to a host go through one instance, so that pauses and budgets apply to all callers. */
export class HttpService {
  readonly address: ServiceAddress;
  readonly #connections: ReturnType<typeof createConnections>;
  readonly #admission: CallAdmission;
  readonly record: CallRecord;
  readonly #dates: AnswerDates;
  readonly #streams: StreamRecord;
  /** Running calls by their identity. Nothing is cached after a call. */
  readonly #shared = new Map<string, { result: Promise<Outcome<HttpAnswer>>; promote(): void }>();
  /** A connection that breaks after an earlier answer may simply have been idle for too long. */
  #hasAnswered = false;

  /** @throws TypeError if `baseUrl` is not a URL */
  constructor(readonly options: HttpServiceOptions) {
    const { label, apiKey, callsPerSecond } = options;
    const { now = Date.now, timers = realTimers, headersTimeoutMs = HEADERS_TIMEOUT_MS } = options;
    // `new URL(path, base)` would drop the path prefix.
    const { origin, pathname } = new URL(options.baseUrl);
    this.address = { origin, prefix: pathname.replace(/\/+$/, '') };
    this.#connections = createConnections(origin, headersTimeoutMs);
    this.record = options.record ?? new CallRecord(label, now, options.observe);
    this.#dates = new AnswerDates(now);
    this.#streams = new StreamRecord(now);
    const budget = options.budget ?? new RateLimiter({ callsPerSecond, timers });
    this.#admission = new CallAdmission({ identity: options, apiKey, budget, timers, now });
  }

  /** Identical concurrent calls share one request and one result object. */
  call(call: HttpCall): Promise<Outcome<HttpAnswer>> {
    const identity = `${call.part ?? ''} ${call.method} ${call.path}?${call.query ?? ''} ${call.maxBytes ?? ''} ${call.body ?? ''}`;
    const underWay = this.#shared.get(identity);
    if (underWay) {
      if (call.priority === 'user') underWay.promote();
      return underWay.result;
    }
    const { ready, promote } = this.#admission.request(call.priority, call.keyUse ?? 'needed');
    const result = ready
      .then((admitted) =>
        admitted.ok
          ? this.#callAdmitted(call, admitted.value)
          : this.#heldBack<HttpAnswer>(call.route ?? call.path, admitted.failure),
      )
      .finally(() => this.#shared.delete(identity));
    this.#shared.set(identity, { promote, result });
    return result;
  }

  /** Opening costs one call of the budget. `withoutKey` removes our key from events that repeat it. */
  async open({
    path: route,
    query,
    signal,
    passedOn,
  }: StreamCall): Promise<Outcome<OpenedStream & { withoutKey(text: string): string }>> {
    const admission = this.#admission.request('user', 'needed');
    signal?.addEventListener('abort', admission.withdraw, { once: true });
    const admitted = await admission.ready;
    signal?.removeEventListener('abort', admission.withdraw);
    if (!admitted.ok) return this.#heldBack(route, admitted.failure);
    const { key } = admitted.value;
    // Compression would hold events back until a block is full.
    const accept = { accept: 'text/event-stream', 'accept-encoding': 'identity' };
    const headers = { ...accept, ...callerHeaders(key, 'user') };
    const request = { method: 'GET', path: this.#target(route, query), headers } as const;
    const startedAt = performance.now();
    const answer = await openEventStream(this.#connections.fresh, request, this.#limits(), signal);
    const timed = { route, ms: performance.now() - startedAt, isStream: true };
    if (answer.kind === 'trouble') {
      const failure = failureOfTrouble(this.options, answer.trouble);
      return signal?.aborted ? failed(failure) : this.#finish(timed, failure);
    }
    if (answer.kind === 'answer') {
      // A malformed query and an unknown feed are the caller's fault. The reason then names the feed.
      const ids = new URLSearchParams(query).getAll('ids[]').map((id) => id.replace(/^0x/, '').toLowerCase());
      const text = answer.text().toLowerCase();
      const isOfCaller =
        [400, 422].includes(answer.status) || (answer.status === 404 && ids.some((id) => text.includes(id)));
      return this.#refused(timed, answer, admitted.value, { isOfCaller });
    }
    this.#admission.recordAnswer(200, {}, admitted.value);
    this.record.finished({ ...timed, status: 200 }, undefined, true);
    const stream = this.#streams.watch(answer.body, query, signal, passedOn);
    return ok({ ...stream, withoutKey: (text) => dataWithoutKey(text, key) });
  }

  lastCall(): LastCall {
    return this.record.last;
  }

  /** The key itself is never included. */
  status(nowMs?: number) {
    return {
      ...this.#admission.state(),
      calls: this.record.statistics(nowMs),
      streams: this.#streams.read(),
      clock: this.#dates.clock(),
    };
  }

  /** Running calls fail as unreachable. */
  async close(): Promise<void> {
    await Promise.all([this.#connections.pooled.destroy(), this.#connections.fresh.destroy()]);
  }

  #heldBack<T>(route: string, failure: Failure): Outcome<T> {
    this.record.heldBack(route, failure);
    return failed(failure);
  }

  async #callAdmitted(call: HttpCall, admitted: CallKey): Promise<Outcome<HttpAnswer>> {
    const startedAt = performance.now();
    const result = await this.#exchangeWithRetry(call, admitted.key, startedAt);
    const timed = { route: call.route ?? call.path, ms: performance.now() - startedAt, part: call.part };
    if (result.kind === 'trouble') return this.#finish(timed, failureOfTrouble(this.options, result.trouble));
    const { status, bytes } = result;
    if (status < 200 || status >= 300) return this.#refused(timed, result, admitted, call);
    this.#admission.recordAnswer(status, result.headers, admitted);
    return this.#success(call, { ...timed, status, bytes }, result, admitted);
  }

  #refused<T>(
    timed: FinishedCall,
    answer: ExchangeAnswer,
    admitted: CallKey,
    { secret, isOfCaller = true }: { secret?: string | undefined; isOfCaller?: boolean } = {},
  ): Outcome<T> {
    const { status, headers, bytes } = answer;
    const retryAfterS = this.#admission.recordAnswer(status, headers, admitted);
    const refused = { status, headers, text: answer.text(), key: admitted.key ?? secret, retryAfterS };
    const failure = failureOfRefusal(this.options, refused);
    return this.#finish(
      { ...timed, status, bytes },
      failure,
      isOfCaller && isRefusedByHealthyService(refused),
    );
  }

  async #success(
    { check, secret }: HttpCall,
    finished: FinishedCall,
    answer: ExchangeAnswer,
    admitted: CallKey,
  ): Promise<Outcome<HttpAnswer>> {
    const key = admitted.key ?? secret;
    this.#dates.recordAnswer(answer.headers, finished.ms);
    const { bytes } = answer;
    const read = await runInTurn(bytes, () => dataWithoutKey(answer.text(), key));
    const checked: CheckedBody = check ? await runInTurn(bytes, () => check(read)) : { ok: true, text: read };
    if ('isRateLimited' in checked)
      return this.#refused(finished, { ...answer, status: 429 }, admitted, { secret });
    if ('failure' in checked) return this.#finish(finished, checked.failure);
    if (!checked.ok) {
      // The problem may quote the service, and so our key. In running text, even a short key is hidden.
      const problem = plainErrorText(checked.problem, '', key);
      return this.#finish(finished, malformed(this.options, problem), checked.answered !== undefined);
    }
    this.record.finished(checked.isUntold ? { ...finished, part: undefined } : finished, undefined, true);
    return ok({ text: checked.text });
  }

  #finish<T>(call: FinishedCall, failure: Failure, isHealthy = false): Outcome<T> {
    this.record.finished(call, failure, isHealthy);
    return failed(failure);
  }

  /** A service may close an idle connection just as we use it. A retry is safe because all calls only read. */
  async #exchangeWithRetry(
    { method, path, query, body, priority, maxBytes }: HttpCall,
    key: string | undefined,
    startedAt: number,
  ): Promise<ExchangeAnswer | ExchangeTrouble> {
    const accept = { accept: 'application/json', 'accept-encoding': ACCEPTED_ENCODINGS };
    const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
    const headers = { ...accept, ...type, ...callerHeaders(key, priority) };
    const request = { method, path: this.#target(path, query), headers, body };
    const first = await exchange(this.#connections.pooled, request, this.#limits(maxBytes));
    if (first.kind === 'answer') this.#hasAnswered = true;
    else if (this.#hasAnswered && first.trouble.kind === 'unreachable' && isConnectionEnd(first.error)) {
      const limits = this.#limits(maxBytes, performance.now() - startedAt);
      return exchange(this.#connections.fresh, request, limits);
    }
    return first;
  }

  /** A retry has only the time that the first attempt left. */
  #limits(maxBytes = MAX_BYTES, spentMs = 0) {
    const { headersTimeoutMs = HEADERS_TIMEOUT_MS, totalTimeoutMs = TOTAL_TIMEOUT_MS } = this.options;
    const left = (ms: number) => Math.max(1, Math.ceil(ms - spentMs));
    return { headersMs: left(headersTimeoutMs), totalMs: left(totalTimeoutMs), maxBytes };
  }

  /** Encoded characters are not encoded twice. */
  #target(path: string, query: string | undefined): string {
    const target = this.address.prefix + path + (query ? `?${query}` : '');
    return target.replace(/[^\x21-\x7e]|#/gu, (character) =>
      character === '#' ? '%23' : encodeURIComponent(character.replace(/\p{Cs}/u, '\uFFFD')),
    );
  }
}

/**
 * Headers of the caller. Some firewalls refuse callers without a user agent; its value tells the service which calls a
 * person waits for.
 */
function callerHeaders(key: string | undefined, priority: CallPriority): Record<string, string> {
  const name = priority === 'user' ? 'keeperscope' : 'keeperscope (background)';
  return { 'user-agent': name, ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) };
}
