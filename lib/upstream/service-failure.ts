import type { IncomingHttpHeaders } from 'node:http';
import { assertNever, type Failure, type ServiceName } from '@/lib/core/outcome';
import { looksLikeWebPage, plainErrorText } from './plain-text';
import type { GateRefusal } from './service-gate';
import type { TransportTrouble } from './transport-trouble';

/** Whom a failure is about. */
export type ServiceIdentity = {
  service: ServiceName;
  /** As in health and metrics: `logs:main`, `updates`. */
  label: string;
  /** The setting that holds the key, for the remedy in the message. Default: the service's usual one. */
  keySetting?: string;
};

/** An answer that is not a success. */
export type RefusedAnswer = {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The key the call went out with, so that a service that echoes it does not give it away. */
  key: string | undefined;
  /** Seconds of the answer's `Retry-After`, where it has one. */
  retryAfterS?: number;
};

const NAMES: Record<ServiceName, string> = {
  logs: 'request log service',
  updates: 'price update service',
  upgraded: 'upgraded price update service',
  router: 'price router',
};

const KEY_SETTINGS: Record<ServiceName, string> = {
  logs: 'LOGS_API_KEY',
  updates: 'UPDATES_API_KEY',
  upgraded: 'UPGRADED_UPDATES_API_KEY',
  router: 'ROUTER_API_KEY',
};

/** "The request log service (test)": the beginning of every message. */
function describeService({ service, label }: ServiceIdentity): string {
  const colon = label.indexOf(':');
  return `The ${NAMES[service]}${colon < 0 ? '' : ` (${label.slice(colon + 1)})`}`;
}

/** The failure for a status that is not 2xx, by the table of the gateway's errors. */
export function failureOfAnswer(identity: ServiceIdentity, answer: RefusedAnswer): Failure {
  const { status } = answer;
  const who = describeService(identity);
  const about = { service: identity.service, upstreamStatus: status };
  const retry = answer.retryAfterS === undefined ? {} : { retryAfterS: answer.retryAfterS };
  if (status === 401 || status === 403) return keyFailure(identity, status, answer.key !== undefined);
  if (status === 429) {
    return {
      kind: 'rate-limited',
      ...about,
      ...retry,
      detail: `${who} limits our calls (429).${wait(answer.retryAfterS)}`,
    };
  }
  if (status >= 400 && status < 500) {
    const detail = ownWords(answer) || `${who} answered ${status} and gave no reason.`;
    return { kind: status === 404 ? 'missing' : 'rejected', ...about, detail };
  }
  if (status >= 500 && status < 600) {
    return {
      kind: 'failing',
      ...about,
      ...retry,
      detail: `${who} is failing (${status}).${wait(answer.retryAfterS)}`,
    };
  }
  const form =
    status < 400
      ? `redirects us elsewhere (${status}), which we do not follow`
      : `answered with the unknown status ${status}`;
  return { kind: 'malformed', ...about, detail: `${who} ${form}. Check its URL.` };
}

/** The failure for a call that a gate held back. */
export function failureOfGate(identity: ServiceIdentity, refusal: GateRefusal, keySet: boolean): Failure {
  const { kind, upstreamStatus, retryAfterS } = refusal;
  const about = { service: identity.service, upstreamStatus, retryAfterS };
  const who = describeService(identity);
  switch (kind) {
    case 'unauthorized':
      return { ...keyFailure(identity, upstreamStatus, keySet), retryAfterS };
    case 'rate-limited':
      return { kind, ...about, detail: `${who} limits our calls (${upstreamStatus}).${wait(retryAfterS)}` };
    case 'failing':
      return { kind, ...about, detail: `${who} is failing (${upstreamStatus}).${wait(retryAfterS)}` };
    default:
      return assertNever(kind);
  }
}

/** The failure for a call that got no usable answer. */
export function failureOfTrouble(identity: ServiceIdentity, trouble: TransportTrouble): Failure {
  const detail = `${describeService(identity)} ${trouble.problem}.`;
  return { kind: trouble.kind, service: identity.service, detail };
}

/** The failure for a success whose body is not what the contract describes. `problem` ends the sentence. */
export function malformed(identity: ServiceIdentity, problem: string): Failure {
  return failureOfTrouble(identity, {
    kind: 'malformed',
    problem: `sent an answer we cannot read: ${problem}`,
  });
}

/** The failure for a key that can't be put into a header (or whose file can't be read). No call was made. */
export function unusableKey(identity: ServiceIdentity): Failure {
  const detail = `Our key for ${lower(describeService(identity))} cannot be used. Check ${keySettingOf(identity)}.`;
  return { kind: 'unauthorized', service: identity.service, detail };
}

/** The failure of our own call budget: nobody's fault but the crowd's, so it names no service as guilty. */
export function budgetSpent(identity: ServiceIdentity, retryAfterS: number): Failure {
  const detail = `Too many calls to ${lower(describeService(identity))} are waiting here.${wait(retryAfterS)}`;
  return { kind: 'too-many', detail, retryAfterS };
}

/**
 * True when the answer shows a working service: a request it refused with a reason is no outage. A web page
 * in place of that reason is what a wrong base URL gives.
 */
export function isSoundRefusal({ status, headers, text }: RefusedAnswer): boolean {
  if (status < 400 || status >= 500 || [401, 403, 429].includes(status)) return false;
  return !looksLikeWebPage(text, contentTypeOf(headers));
}

/** The header `Content-Type`, or nothing. */
export function contentTypeOf(headers: IncomingHttpHeaders): string {
  return headers['content-type'] ?? '';
}

function keyFailure(identity: ServiceIdentity, status: number, keySet: boolean): Failure {
  const what = keySet ? `rejected our key (${status}). Check` : `wants a key (${status}). Set`;
  const detail = `${describeService(identity)} ${what} ${keySettingOf(identity)}.`;
  return { kind: 'unauthorized', service: identity.service, upstreamStatus: status, detail };
}

/** The setting that holds the key of a service, or names its file with `_FILE` behind it. */
export function keySettingOf({ service, keySetting }: ServiceIdentity): string {
  return keySetting ?? KEY_SETTINGS[service];
}

function ownWords({ text, headers, key }: RefusedAnswer): string {
  return plainErrorText(text, contentTypeOf(headers), key);
}

function wait(retryAfterS: number | undefined): string {
  return retryAfterS === undefined ? '' : ` The next call is possible in ${retryAfterS} s.`;
}

function lower(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}
