import type { IncomingHttpHeaders } from 'node:http';
import { type Failure, failed, type Outcome, ok } from '@/lib/domain/outcome';
import type { BudgetUsage, CallBudget, CallPriority } from './call-budget';
import { createKeyVerdict, type KeyVerdict } from './key-verdict';
import { DEFAULT_RETRY_AFTER_S, readRetryAfter } from './retry-after';
import type { CircuitPass, CircuitRefusal, CircuitState, ServiceCircuit } from './service-circuit';
import {
  budgetSpent,
  failureOfCircuit,
  failureOfGate,
  type ServiceIdentity,
  unusableKey,
} from './service-failure';
import type { CallKey, GateRefusal, KeyUse, ServiceGate } from './service-gate';

/** A call that may go out: the key it goes out with, and whom to tell how it ended. */
export type AdmittedCall = CallKey & CircuitPass;

export type AdmissionRequest = {
  priority: CallPriority;
  use: KeyUse;
  /** The pattern of the route; absent for a stream, which has waits of its own and so no part in the circuit. */
  route?: string;
};

export type Admission = {
  ready: Promise<Outcome<AdmittedCall>>;
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
  /** Whether calls go out in spite of failures. */
  circuit: CircuitState;
  budget: BudgetUsage;
};

export type CallAdmission = {
  /** Asks for one call: refused at once where calls stop now, else let out as soon as the budget has room. */
  request(asked: AdmissionRequest): Admission;
  /**
   * Takes what an answer says to all later calls.
   * @returns the seconds it asks everybody to wait, where it does
   */
  learn(status: number, headers: IncomingHttpHeaders, call: CallKey): number | undefined;
  state(): AdmissionState;
  /** Somebody wants to know now: the circuit lets a try out before its time, within limits. */
  tryEarly(): void;
};

export type CallAdmissionOptions = {
  identity: ServiceIdentity;
  /** Asked at every call: key files are rotated. */
  apiKey: () => string | undefined;
  gate: ServiceGate;
  circuit: ServiceCircuit;
  budget: CallBudget;
  /** Unix milliseconds. */
  now: () => number;
};

/** Decides whether and when a call may go out: key, earlier refusals and failures of the service, our own budget. */
export function createCallAdmission(options: CallAdmissionOptions): CallAdmission {
  const { identity, apiKey, gate, circuit, budget, now } = options;
  const verdicts = createKeyVerdict(now);
  return {
    request: (asked) => request(asked, options),
    tryEarly: () => circuit.tryEarly(),
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
      const [held, used] = [circuit.state(), budget.usage()];
      if (!key.ok) return { key: 'unusable', circuit: held, budget: used };
      const verdict = verdicts.of(key.value);
      const pause = gate.refusal(key.value) ?? gate.refusal({ ...key.value, use: 'optional' });
      return {
        key: key.value.key === undefined ? 'none' : 'set',
        ...(verdict === undefined ? {} : { verdict }),
        ...(pause === undefined ? {} : { pause }),
        circuit: held,
        budget: used,
      };
    },
  };
}

function request(asked: AdmissionRequest, options: CallAdmissionOptions): Admission {
  const { identity, apiKey, budget } = options;
  const key = readKey(identity, apiKey, asked.use);
  if (!key.ok) return refused(key.failure);
  const early = whyNot(asked, key.value, options);
  if (early) return refused(early);
  const ticket = budget.take(asked.priority);
  const ready = ticket.answer.then((answer) =>
    answer.granted ? enter(asked, key.value, options) : failed(budgetSpent(identity, answer.retryAfterS)),
  );
  return { ready, promote: ticket.promote, withdraw: ticket.withdraw };
}

/** Why no such call goes out now; where there are two reasons, the one that lasts longer. */
function whyNot(
  { route }: AdmissionRequest,
  key: CallKey,
  { identity, gate, circuit, now }: CallAdmissionOptions,
): Failure | undefined {
  const shut = gate.refusal(key);
  const open = route === undefined ? undefined : circuit.refusal(route);
  if (open && open.waitMs > (shut?.retryAfterS ?? 0) * 1000) return failureOfCircuit(identity, open, now());
  return shut && failureOfGate(identity, shut, key.key !== undefined);
}

/**
 * Lets a call out whose turn it is. While it waited for that, an answer to another one may have shut the gate or opened the
 * circuit; where it is known soon whether the service works again, it waits for that too.
 */
function enter(
  asked: AdmissionRequest,
  key: CallKey,
  options: CallAdmissionOptions,
  first?: CircuitRefusal,
): Outcome<AdmittedCall> | Promise<Outcome<AdmittedCall>> {
  const { identity, gate, circuit, now } = options;
  const late = whyNot(asked, key, options);
  if (late) return failed(late);
  const pass = asked.route === undefined ? STREAM : circuit.enter(asked.route);
  if ('over' in pass) {
    gate.admit(key);
    return ok({ ...key, over: pass.over });
  }
  const refusedFirst = first ?? pass;
  const wait = circuit.soon(refusedFirst);
  if (wait) return wait.then(() => enter(asked, key, options, refusedFirst));
  return failed(failureOfCircuit(identity, pass, now()));
}

const STREAM: CircuitPass = { over: () => undefined };

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
