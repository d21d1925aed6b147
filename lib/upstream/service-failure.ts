import type { IncomingHttpHeaders } from 'node:http';
import { SERVICE_TERMS } from '@/lib/core/health';
import type { Failure, ServiceName } from '@/lib/core/outcome';

/** Why a call may not go out now. `retryAfterS` counts down to the moment when it may. */
export type GateRefusal = {
  kind: 'rate-limited' | 'failing' | 'unauthorized';
  upstreamStatus: number;
  retryAfterS: number;
};

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

/** "The request log service (test)": the beginning of every message. */
function describeService({ service, label }: ServiceIdentity): string {
  const colon = label.indexOf(':');
  return `The ${lower(SERVICE_TERMS[service].name)}${colon < 0 ? '' : ` (${label.slice(colon + 1)})`}`;
}

/** The failure for a status that is not 2xx, by the table of the gateway's errors. */
export function failureOfAnswer(identity: ServiceIdentity, answer: RefusedAnswer): Failure {
  const { status } = answer;
  if (status === 401 || status === 403) return keyFailure(identity, status, answer.key !== undefined);
  if (status === 429) return pauseFailure(identity, 'rate-limited', status, answer.retryAfterS);
  if (status >= 500 && status < 600) return pauseFailure(identity, 'failing', status, answer.retryAfterS);
  const who = describeService(identity);
  const about = { service: identity.service, upstreamStatus: status };
  if (status >= 400 && status < 500) {
    const detail = ownWords(answer) || `${who} answered ${status} and gave no reason.`;
    return { kind: status === 404 ? 'missing' : 'rejected', ...about, detail };
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
  if (kind === 'unauthorized') return { ...keyFailure(identity, upstreamStatus, keySet), retryAfterS };
  return pauseFailure(identity, kind, upstreamStatus, retryAfterS);
}

function pauseFailure(
  identity: ServiceIdentity,
  kind: 'rate-limited' | 'failing',
  upstreamStatus: number,
  retryAfterS: number | undefined,
): Failure {
  const what = kind === 'failing' ? 'is failing' : 'limits our calls';
  const detail = `${describeService(identity)} ${what} (${upstreamStatus}).${wait(retryAfterS)}`;
  const failure = { kind, service: identity.service, upstreamStatus, detail };
  return retryAfterS === undefined ? failure : { ...failure, retryAfterS };
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
  return keySetting ?? SERVICE_TERMS[service].key;
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

/** A call that got no usable answer. */
export type TransportTrouble = {
  kind: 'timeout' | 'unreachable' | 'malformed';
  /** Ends the sentence "The service …". */
  problem: string;
};

const UNREACHABLE: Record<string, string> = {
  ECONNREFUSED: 'refused the connection',
  ENOTFOUND: 'cannot be found: its host name is unknown',
  EAI_AGAIN: 'cannot be found: the name server does not answer',
  EHOSTUNREACH: 'cannot be reached: no route to its host',
  ENETUNREACH: 'cannot be reached: no network',
  EMFILE: 'cannot be reached: this process has no file descriptor left',
  UND_ERR_SOCKET: 'closed the connection without an answer',
  ECONNRESET: 'closed the connection without an answer',
  EPIPE: 'closed the connection without an answer',
};

/** Names an error of the HTTP layer. Its own message is never used: it may hold addresses or header values. */
export function troubleOf(error: Error, answerBegun: boolean): TransportTrouble {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') {
    return { kind: 'timeout', problem: 'did not take our connection in time' };
  }
  if (error.name === 'HTTPParserError' || code === 'UND_ERR_HEADERS_OVERFLOW') {
    return { kind: 'malformed', problem: 'does not answer in HTTP as we know it' };
  }
  if (/^(Z_|ERR__)/.test(code)) {
    return { kind: 'malformed', problem: 'sent an answer we cannot read: its compression is damaged' };
  }
  if (answerBegun) return { kind: 'malformed', problem: 'broke off in the middle of its answer' };
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') {
    return { kind: 'malformed', problem: 'promised one length of its answer and sent another' };
  }
  if (/CERT|TLS|SSL|^EPROTO$/.test(code)) {
    return {
      kind: 'unreachable',
      problem: 'cannot be reached: no secure connection, its certificate or TLS version is not accepted',
    };
  }
  return { kind: 'unreachable', problem: UNREACHABLE[code] ?? 'cannot be reached' };
}

/** True for the ways in which a connection ends under a request. */
export function isConnectionEnd(error: Error | undefined): boolean {
  return (
    error !== undefined &&
    'code' in error &&
    /^(UND_ERR_SOCKET|ECONNRESET|EPIPE|ECONNABORTED)$/.test(String(error.code))
  );
}

/** The gateway's contract: at most 500 characters of a service's own words. */
const MAX_CHARACTERS = 500;
/** Shorter "keys" occur in ordinary words, and hiding them would only garble the text. */
const MIN_KEY_LENGTH = 4;
/** In data more is at stake: a short key could be part of a number or a hash. */
const MIN_KEY_LENGTH_IN_DATA = 12;

/**
 * A service's error body as one line of plain text that may be shown: no control or direction characters, no
 * web page, no key, at most 500 characters. Empty when nothing showable is left.
 */
export function plainErrorText(body: string, contentType: string, key: string | undefined): string {
  if (looksLikeWebPage(body, contentType)) return '';
  const line = body
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\p{Cf}\p{Cs}]/gu, '')
    .trim();
  // Last, since a key may stand there with invisible characters in it.
  const whole = withoutKey(line, key, MIN_KEY_LENGTH);
  return shortened(key === undefined ? whole : withoutKeyTraces(whole, key));
}

/**
 * A success's body that is a sentence instead of JSON, or a JSON text, as one line that may be shown. Empty for a web page
 * and for what begins like a JSON object or list. Our key was taken out of the body before.
 */
export function plainAnswerText(body: string): string {
  return /^[\s\uFEFF]*[[{]/.test(body) ? '' : plainErrorText(unquoted(body), '', undefined);
}

function unquoted(body: string): string {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'string' ? value : body;
  } catch {
    return body;
  }
}

/** JSON of a service, or an event of its stream, without our key: a service that repeats it must not hand it to everybody. */
export function dataWithoutKey(text: string, key: string | undefined): string {
  return withoutKey(text, key, MIN_KEY_LENGTH_IN_DATA);
}

function withoutKey(text: string, key: string | undefined, minLength: number): string {
  if (key === undefined || key.length < minLength) return text;
  const spellings = new Set([key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key)]);
  let rest = text;
  for (const spelling of spellings) rest = rest.replaceAll(spelling, '[key]');
  return rest;
}

/** True for HTML and XML, by what the body says it is or by how it begins. */
export function looksLikeWebPage(body: string, contentType: string): boolean {
  return /\b(html|xml)\b/i.test(contentType) || /^\s*</.test(body.replace(/^\uFEFF/, ''));
}

function shortened(line: string): string {
  if (line.length <= MAX_CHARACTERS) return line;
  // A cut through a surrogate pair would leave half a character.
  return line.slice(0, MAX_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '');
}

/** So many characters of a key in a row tell too much of it; fewer occur in ordinary words. */
const TELLING = 8;
/** No line that is shown is nearly as long, and no more than this is searched. */
const MOST_CHARACTERS = 4000;

/**
 * A line without any piece of a key that is 8 characters or longer, as it is, in base64 or in hex: some services repeat what
 * they refuse with the end masked, or all of a request in an encoding. Cut at 4,000 characters.
 */
export function withoutKeyTraces(line: string, key: string): string {
  const text = line.slice(0, MOST_CHARACTERS);
  if (key.length < TELLING) return text;
  // In base64 it looks different after none, one or two bytes of something else; the characters at its ends are shared.
  const base64 = [0, 1, 2].map((before) =>
    Buffer.concat([Buffer.alloc(before), Buffer.from(key)])
      .toString('base64')
      .replace(/=+$/, '')
      .slice(before === 0 ? 0 : before + 1, -1),
  );
  const url = base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'));
  const hex = Buffer.from(key).toString('hex');
  const forms = [key, ...base64, ...url, hex, hex.toUpperCase()];
  const pieces = new Set(
    forms.flatMap((form, at) => {
      const length = at === 0 ? TELLING : at <= 6 ? TELLING + 2 : TELLING * 2;
      return Array.from({ length: Math.max(0, form.length - length + 1) }, (_, from) =>
        form.slice(from, from + length),
      );
    }),
  );
  const lengths = [TELLING, TELLING + 2, TELLING * 2];
  let shown = '';
  let hiddenTo = 0;
  for (let at = 0; at < text.length; at++) {
    const found = lengths.findLast((length) => pieces.has(text.slice(at, at + length)));
    if (found !== undefined) {
      if (at >= hiddenTo) shown += '[key]';
      hiddenTo = Math.max(hiddenTo, at + found);
    }
    if (at >= hiddenTo) shown += text[at];
  }
  return shown;
}
