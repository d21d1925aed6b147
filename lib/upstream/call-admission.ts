import type { IncomingHttpHeaders } from 'node:http';
import { type Failure, failed, type Outcome, ok } from '@/lib/core/outcome';
import type { BudgetUsage, CallBudget, CallPriority } from './call-budget';
import { DEFAULT_RETRY_AFTER_S, readRetryAfter } from './retry-after';
import { budgetSpent, failureOfGate, type ServiceIdentity, unusableKey } from './service-failure';
import {
  type CallKey,
  createKeyVerdict,
  type GateRefusal,
  type KeyUse,
  type KeyVerdict,
  type ServiceGate,
} from './service-gate';

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
  budget: CallBudget;
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
