import type { IncomingHttpHeaders } from 'node:http';
import { type Failure, failed, type Outcome, ok } from '@/lib/domain/outcome';
import type { CallBudget, CallPriority } from './call-budget';
import { DEFAULT_RETRY_AFTER_S, readRetryAfter } from './retry-after';
import { budgetSpent, failureOfGate, type ServiceIdentity, unusableKey } from './service-failure';
import type { CallKey, KeyUse, ServiceGate } from './service-gate';

export type Admission = {
  /** The key the call goes out with, once it may. */
  ready: Promise<Outcome<CallKey>>;
  promote(): void;
  withdraw(): void;
};

export type CallAdmission = {
  /** Asks for one call: at once when a gate is shut, else as soon as the budget has room. */
  request(priority: CallPriority, use: KeyUse): Admission;
  /**
   * Takes what an answer says to all later calls.
   * @returns the seconds it asks everybody to wait, where it does
   */
  learn(status: number, headers: IncomingHttpHeaders, call: CallKey): number | undefined;
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
export function createCallAdmission({
  identity,
  apiKey,
  gate,
  budget,
  now,
}: CallAdmissionOptions): CallAdmission {
  return {
    request(priority, use) {
      const key = readKey(identity, apiKey, use);
      if (!key.ok) return refused(key.failure);
      const refusal = gate.refusal(key.value);
      if (refusal) return refused(failureOfGate(identity, refusal, key.value.key !== undefined));
      const ticket = budget.take(priority);
      const ready = ticket.answer.then((answer) => {
        if (!answer.granted) return failed<CallKey>(budgetSpent(identity, answer.retryAfterS));
        // While this call waited for its turn an answer to another one may have shut the gate.
        const late = gate.admit(key.value);
        return late ? failed<CallKey>(failureOfGate(identity, late, key.value.key !== undefined)) : key;
      });
      return { ready, promote: ticket.promote, withdraw: ticket.withdraw };
    },
    learn(status, headers, call) {
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
  };
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
