import type { IncomingHttpHeaders } from 'node:http';
import { type Failure, failed, type Outcome, ok } from '@/lib/core/outcome';
import { retryAfterSeconds } from '@/lib/core/retry-after';
import type { HostReport } from '@/lib/core/service-report';
import { MINUTE_MS } from '@/lib/core/time';
import type { Timers } from '@/lib/core/timers';
import type { BudgetUsage, CallPriority, RateLimiter } from './rate-limiter';
import {
  budgetExhausted,
  failureOfGate,
  type GateRefusal,
  type ServiceIdentity,
  unusableKeyFailure,
} from './service-failure';

/** `optional`: calls are made even while other routes reject the key, and their answers are no verdict on it. */
export type KeyUse = 'needed' | 'optional';

export type CallKey = { key: string | undefined; use: KeyUse };

type KeyVerdict = NonNullable<HostReport['key']['verdict']>;

const KEY_RETRY_MS = MINUTE_MS;

/** Admits calls by the key, the pauses that the service requested, and our budget, for all callers of the host. */
export class CallAdmission {
  #pause: { kind: 'rate-limited' | 'failing'; upstreamStatus: number; until: number } | undefined;
  readonly #rejections = new Map<KeyUse, { key: string | undefined; status: number; until: number }>();
  #verdict: { key: string | undefined; report: KeyVerdict } | undefined;

  constructor(
    private readonly options: {
      identity: ServiceIdentity;
      apiKey: () => string | undefined;
      budget: RateLimiter;
      timers: Timers;
      now: () => number;
    },
  ) {}

  /** A call is refused at once while the host is paused; otherwise it is admitted once the budget has a token. */
  request(priority: CallPriority, use: KeyUse) {
    const { identity, budget, timers } = this.options;
    const key = this.#key(use);
    if (!key.ok) return refused(key.failure);
    const refusalNow = () => {
      const refusal = this.#refusal(key.value);
      return refusal && failureOfGate(identity, refusal, key.value.key !== undefined);
    };
    const early = refusalNow();
    if (early) return refused(early);
    const ticket = budget.acquire(priority);
    const ready = ticket.answer.then((answer): Outcome<CallKey> => {
      if (!answer.granted) return failed(budgetExhausted(identity, answer.retryAfterS));
      // Another answer may have paused the host while this call waited for its token.
      const late = refusalNow();
      if (late) return failed(late);
      // A rejected key is tried once a minute, and this call is that attempt.
      const rejection = this.#rejectionOf(key.value);
      if (rejection) rejection.until = timers.elapsed() + KEY_RETRY_MS;
      return key;
    });
    return { ready, promote: ticket.promote, withdraw: ticket.withdraw };
  }

  /** @returns seconds for which all callers have to wait */
  recordAnswer(status: number, headers: IncomingHttpHeaders, { key, use }: CallKey): number | undefined {
    const { timers, now } = this.options;
    const accepts = status < 300 || (status >= 400 && status < 500 && ![401, 403, 429].includes(status));
    // A 403 may concern one feed of a plan rather than the key, so it pauses nothing.
    if (status === 401) this.#rejections.set(use, { key, status, until: timers.elapsed() + KEY_RETRY_MS });
    else if (accepts) this.#rejections.delete(use);
    // Only a route that needs the key gives a verdict.
    const isRefused = status === 401 || status === 403;
    // A service may refuse a call before it checks the key.
    if (isRefused || (status < 300 && use === 'needed')) {
      const verdict = isRefused ? 'refused' : 'accepted';
      this.#verdict = { key, report: { verdict, upstreamStatus: status, atMs: now() } };
    }
    const retryHeaders = {
      retryAfter: headers['retry-after'],
      date: headers.date,
      reset: headers['ratelimit-reset'] ?? headers['x-ratelimit-reset'],
    };
    const seconds = retryAfterSeconds(status, retryHeaders, now());
    if (seconds === undefined) return undefined;
    const until = timers.elapsed() + seconds * 1000;
    const kind = status === 429 ? 'rate-limited' : 'failing';
    // Answers may arrive out of order, so the longest pause applies.
    if (!this.#pause || until > this.#pause.until) this.#pause = { kind, upstreamStatus: status, until };
    return seconds;
  }

  /** `unusable`: the key cannot be read, or cannot be sent in a header. */
  state(): {
    key: HostReport['key']['state'];
    verdict?: KeyVerdict;
    pause?: GateRefusal;
    budget: BudgetUsage;
  } {
    const budget = this.options.budget.usage();
    const read = this.#key('needed');
    if (!read.ok) return { key: 'unusable', budget };
    const { key } = read.value;
    return {
      key: key === undefined ? 'none' : 'set',
      // A verdict on a replaced key does not apply to the new one.
      verdict: this.#verdict?.key === key ? this.#verdict?.report : undefined,
      pause: this.#refusal(read.value) ?? this.#refusal({ key, use: 'optional' }),
      budget,
    };
  }

  #refusal(call: CallKey): GateRefusal | undefined {
    const nowMs = this.options.timers.elapsed();
    const retryAfterS = (until: number) => Math.max(1, Math.ceil((until - nowMs) / 1000));
    if (this.#pause && nowMs < this.#pause.until) {
      const { until, ...why } = this.#pause;
      return { ...why, retryAfterS: retryAfterS(until) };
    }
    const rejection = this.#rejectionOf(call);
    if (!rejection || nowMs >= rejection.until) return undefined;
    const { status: upstreamStatus, until } = rejection;
    return { kind: 'unauthorized', upstreamStatus, retryAfterS: retryAfterS(until) };
  }

  #rejectionOf({ key, use }: CallKey) {
    const rejection = this.#rejections.get(use);
    return rejection?.key === key ? rejection : undefined;
  }

  #key(use: KeyUse): Outcome<CallKey> {
    const { identity, apiKey } = this.options;
    try {
      const key = apiKey() || undefined;
      // Any other character in a header would split the request, or the HTTP layer would refuse it.
      if (key !== undefined && !/^[\x21-\x7e]+$/.test(key)) return failed(unusableKeyFailure(identity));
      return ok({ key, use });
    } catch {
      return failed(unusableKeyFailure(identity));
    }
  }
}

function refused(failure: Failure) {
  return { ready: Promise.resolve(failed<CallKey>(failure)), promote() {}, withdraw() {} };
}
