import type { IncomingHttpHeaders } from 'node:http';
import { type Failure, failed, type Outcome, ok } from '@/lib/core/outcome';
import {
  type BudgetUsage,
  type CallPriority,
  DEFAULT_RETRY_AFTER_S,
  type RateLimiter,
  readRetryAfter,
} from './rate-limiter';
import {
  budgetSpent,
  failureOfGate,
  type GateRefusal,
  type ServiceIdentity,
  unusableKey,
} from './service-failure';
import type { Timers } from './timers';

export type Admission = {
  /** The key the call goes out with. */
  ready: Promise<Outcome<CallKey>>;
  promote(): void;
  withdraw(): void;
};

/** Whether calls may go out now, and what is known of the key they go out with. */
export type AdmissionState = {
  /** `unusable`: it can't stand in a header, or can't be read. */
  key: 'none' | 'set' | 'unusable';
  /** What the service last said of this very key; absent before the first answer to it. */
  verdict?: KeyVerdict;
  /** Why no call goes out now. */
  pause?: GateRefusal;
  budget: BudgetUsage;
};

export type CallAdmission = {
  /** Asks for one call: refused at once where calls stop now, else let out as soon as the budget has room. */
  request(priority: CallPriority, use: KeyUse): Admission;
  /**
   * Takes what an answer says to all later calls.
   * @returns the seconds it asks everybody to wait, where it does
   */
  learn(status: number, headers: IncomingHttpHeaders, call: CallKey): number | undefined;
  state(): AdmissionState;
};

export type CallAdmissionOptions = {
  identity: ServiceIdentity;
  /** Asked at every call: key files are rotated. */
  apiKey: () => string | undefined;
  gate: ServiceGate;
  budget: RateLimiter;
  /** Unix milliseconds. */
  now: () => number;
};

/** Decides whether and when a call may go out: key, earlier refusals of the service, our own budget. */
export function createCallAdmission(options: CallAdmissionOptions): CallAdmission {
  const { identity, apiKey, gate, budget, now } = options;
  const verdicts = createKeyVerdict(now);
  return {
    request: (priority, use) => request(priority, use, options),
    learn(status, headers, call) {
      verdicts.learn(status, call);
      // 403 may be about one feed of a plan, not the key, so it holds nobody back.
      if (status === 401) gate.keyRejected(call, status);
      else if (status < 300 || (status >= 400 && status < 500 && status !== 403 && status !== 429))
        gate.keyAccepted(call);
      const named = readRetryAfter(headers['retry-after'], headers.date, now());
      if (status === 429) {
        const seconds = named ?? DEFAULT_RETRY_AFTER_S;
        gate.pause('rate-limited', status, seconds);
        return seconds;
      }
      if (status < 500 || named === undefined) return undefined;
      gate.pause('failing', status, named);
      return named;
    },
    state() {
      const key = readKey(identity, apiKey, 'needed');
      if (!key.ok) return { key: 'unusable', budget: budget.usage() };
      const verdict = verdicts.of(key.value);
      const pause = gate.refusal(key.value) ?? gate.refusal({ ...key.value, use: 'optional' });
      return {
        key: key.value.key === undefined ? 'none' : 'set',
        ...(verdict === undefined ? {} : { verdict }),
        ...(pause === undefined ? {} : { pause }),
        budget: budget.usage(),
      };
    },
  };
}

function request(priority: CallPriority, use: KeyUse, options: CallAdmissionOptions): Admission {
  const { identity, apiKey, gate, budget } = options;
  const key = readKey(identity, apiKey, use);
  if (!key.ok) return refused(key.failure);
  const shut = (refusal: GateRefusal) => failureOfGate(identity, refusal, key.value.key !== undefined);
  const early = gate.refusal(key.value);
  if (early) return refused(shut(early));
  const ticket = budget.take(priority);
  const ready = ticket.answer.then((answer) => {
    if (!answer.granted) return failed(budgetSpent(identity, answer.retryAfterS));
    // While it waited for its turn, an answer to another call may have shut the gate.
    const late = gate.admit(key.value);
    return late ? failed(shut(late)) : ok(key.value);
  });
  return { ready, promote: ticket.promote, withdraw: ticket.withdraw };
}

function refused(failure: Failure): Admission {
  return { ready: Promise.resolve(failed(failure)), promote() {}, withdraw() {} };
}

function readKey(identity: ServiceIdentity, apiKey: () => string | undefined, use: KeyUse): Outcome<CallKey> {
  try {
    const key = apiKey() || undefined;
    // Anything else in a header would split the request or be refused by the HTTP layer.
    if (key !== undefined && !/^[\x21-\x7e]+$/.test(key)) return failed(unusableKey(identity));
    return ok({ key, use });
  } catch {
    return failed(unusableKey(identity));
  }
}

/**
 * Whether a route needs the key. `optional`: it is sent, but a key that another route rejects may still do here,
 * and being answered here proves nothing about the key.
 */
export type KeyUse = 'needed' | 'optional';

/** The key of one call. */
export type CallKey = { key: string | undefined; use: KeyUse };

export type ServiceGate = {
  /** The reason why no call may go out with this key now, if there is one. */
  refusal(call: CallKey): GateRefusal | undefined;
  /** Like `refusal`, and takes the one try a minute that a rejected key has. Ask right before sending. */
  admit(call: CallKey): GateRefusal | undefined;
  /** The service asked for a pause. */
  pause(kind: 'rate-limited' | 'failing', upstreamStatus: number, seconds: number): void;
  /** The service rejected the key (401). */
  keyRejected(call: CallKey, upstreamStatus: number): void;
  /** The service answered as if the key is good. */
  keyAccepted(call: CallKey): void;
};

type Rejection = { key: string | undefined; upstreamStatus: number; until: number; order: number };

/** A rejected key is tried once a minute: often enough to notice that it was allowed again. */
const KEY_RETRY_MS = 60_000;

/**
 * What a service told us once holds for every caller at once: nobody calls before `Retry-After` is over, and
 * a rejected key is tried at most once a minute. A changed key (rotated file) is tried at once.
 */
export function createServiceGate(timers: Timers): ServiceGate {
  let hold: { kind: 'rate-limited' | 'failing'; upstreamStatus: number; until: number } | undefined;
  const rejections = new Map<KeyUse, Rejection>();
  // Calls and rejections in their order: an answer to a call that went out before a rejection says nothing about it.
  let order = 0;
  const admittedAs = new WeakMap<CallKey, number>();

  const secondsTo = (until: number) => Math.max(1, Math.ceil((until - timers.elapsed()) / 1000));
  const isAhead = (until: number) => timers.elapsed() < until;
  const rejectionOf = ({ key, use }: CallKey) => {
    const rejection = rejections.get(use);
    return rejection?.key === key ? rejection : undefined;
  };

  const refusal = (call: CallKey): GateRefusal | undefined => {
    if (hold && isAhead(hold.until)) {
      const { kind, upstreamStatus, until } = hold;
      return { kind, upstreamStatus, retryAfterS: secondsTo(until) };
    }
    const rejection = rejectionOf(call);
    if (!rejection || !isAhead(rejection.until)) return undefined;
    const { upstreamStatus, until } = rejection;
    return { kind: 'unauthorized', upstreamStatus, retryAfterS: secondsTo(until) };
  };

  return {
    refusal,
    admit(call) {
      const refused = refusal(call);
      const rejection = rejectionOf(call);
      if (!refused && rejection) rejection.until = timers.elapsed() + KEY_RETRY_MS;
      if (!refused) admittedAs.set(call, ++order);
      return refused;
    },
    pause(kind, upstreamStatus, seconds) {
      const until = timers.elapsed() + seconds * 1000;
      // Answers to calls that were already under way may come out of order: the longest pause counts.
      if (!hold || until > hold.until) hold = { kind, upstreamStatus, until };
    },
    keyRejected({ key, use }, upstreamStatus) {
      rejections.set(use, { key, upstreamStatus, until: timers.elapsed() + KEY_RETRY_MS, order: ++order });
    },
    keyAccepted(call) {
      const rejection = rejections.get(call.use);
      const isOlder = rejection !== undefined && (admittedAs.get(call) ?? order) < rejection.order;
      if (!isOlder) rejections.delete(call.use);
    },
  };
}

/** What a service last said of a key. */
export type KeyVerdict = {
  verdict: 'accepted' | 'refused';
  upstreamStatus: number;
  /** Unix milliseconds. */
  atMs: number;
};

/** Remembers what the service last said of the key that is in use; of a key that was replaced nothing is known. */
export function createKeyVerdict(now: () => number): {
  learn(upstreamStatus: number, call: CallKey): void;
  of(call: Pick<CallKey, 'key'>): KeyVerdict | undefined;
} {
  let last: (KeyVerdict & { key: string | undefined }) | undefined;
  return {
    learn(upstreamStatus, { key, use }) {
      const refused = upstreamStatus === 401 || upstreamStatus === 403;
      // A route that needs no key proves nothing by its success, nor does a limit or a fault of the service.
      const accepted = upstreamStatus < 300 || (upstreamStatus >= 400 && upstreamStatus < 500);
      if (!refused && (!accepted || upstreamStatus === 429 || use === 'optional')) return;
      last = { key, verdict: refused ? 'refused' : 'accepted', upstreamStatus, atMs: now() };
    },
    of({ key }) {
      if (last === undefined || last.key !== key) return undefined;
      const { verdict, upstreamStatus, atMs } = last;
      return { verdict, upstreamStatus, atMs };
    },
  };
}
