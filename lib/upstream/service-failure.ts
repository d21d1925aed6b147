import type { IncomingHttpHeaders } from 'node:http';
import { SERVICE_TERMS } from '@/lib/core/health';
import type { Failure, ServiceName } from '@/lib/core/outcome';
import { tryParseJson } from '@/lib/core/text';

/** Why a call may not go out now. `retryAfterS` counts down to the moment when it may. */
export type GateRefusal = {
  kind: 'rate-limited' | 'failing' | 'unauthorized';
  upstreamStatus: number;
  retryAfterS: number;
};

export type ServiceIdentity = {
  service: ServiceName;
  label: string;
  keySetting?: string;
};

export type RefusedAnswer = {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The key the call went out with, so that a service that echoes it does not give it away. */
  key: string | undefined;
  retryAfterS?: number;
};

function describeService({ service, label }: ServiceIdentity): string {
  const colon = label.indexOf(':');
  return `The ${lower(SERVICE_TERMS[service].name)}${colon < 0 ? '' : ` (${label.slice(colon + 1)})`}`;
}

/** The failure for a status that is not 2xx, by the table of the gateway's errors. */
export function failureOfAnswer(identity: ServiceIdentity, answer: RefusedAnswer): Failure {
  const { status, text, headers, key, retryAfterS } = answer;
  const who = describeService(identity);
  const about = { service: identity.service, upstreamStatus: status };
  if (status === 401 || status === 403)
    return failureOfGate(identity, { kind: 'unauthorized', upstreamStatus: status }, key !== undefined);
  if (status === 429 || (status >= 500 && status < 600)) {
    const kind = status === 429 ? 'rate-limited' : 'failing';
    return failureOfGate(identity, { kind, upstreamStatus: status, retryAfterS });
  }
  if (status >= 400 && status < 500) {
    const said = plainErrorText(text, contentTypeOf(headers), key);
    const detail = said || `${who} returned ${status} without a reason.`;
    return { kind: status === 404 ? 'missing' : 'rejected', ...about, detail };
  }
  const redirect = `a redirect (${status}), which is not followed`;
  const what = status < 400 ? redirect : `the unknown status ${status}`;
  return { kind: 'malformed', ...about, detail: `${who} returned ${what}. Check its URL.` };
}

export function failureOfGate(
  identity: ServiceIdentity,
  { kind, upstreamStatus, retryAfterS }: Omit<GateRefusal, 'retryAfterS'> & { retryAfterS?: number },
  keySet = true,
): Failure {
  const { service } = identity;
  const what = {
    unauthorized: keySet ? 'rejected the API key' : 'requires an API key',
    failing: `returned ${upstreamStatus}`,
    'rate-limited': 'rate-limited us',
  }[kind];
  const status = kind === 'failing' ? '' : ` (${upstreamStatus})`;
  const remedy = ` ${keySet ? 'Check' : 'Set'} ${keySettingOf(identity)}.`;
  const next = kind === 'unauthorized' ? remedy : wait(retryAfterS);
  const detail = `${describeService(identity)} ${what}${status}.${next}`;
  return { kind, service, upstreamStatus, ...(retryAfterS === undefined ? {} : { retryAfterS }), detail };
}

export function failureOfTrouble(identity: ServiceIdentity, { kind, problem }: TransportTrouble): Failure {
  return { kind, service: identity.service, detail: `${describeService(identity)} ${problem}.` };
}

export function malformed(identity: ServiceIdentity, problem: string): Failure {
  return failureOfTrouble(identity, { kind: 'malformed', problem: `sent an unreadable answer: ${problem}` });
}

/** The failure for a key that can't be put into a header (or whose file can't be read). No call was made. */
export function unusableKeyFailure(identity: ServiceIdentity): Failure {
  const detail = `The API key of ${lower(describeService(identity))} is unusable. Check ${keySettingOf(identity)}.`;
  return { kind: 'unauthorized', service: identity.service, detail };
}

/** The failure of our own call budget: nobody's fault but the crowd's, so it names no service as guilty. */
export function budgetExhausted(identity: ServiceIdentity, retryAfterS: number): Failure {
  const detail = `The call budget of ${lower(describeService(identity))} is used up.${wait(retryAfterS)}`;
  return { kind: 'too-many', detail, retryAfterS };
}

/** A request refused with a reason is no outage; a web page in its place is what a wrong base URL gives. */
export function isRefusedByHealthyService({ status, headers, text }: RefusedAnswer): boolean {
  if (status < 400 || status >= 500 || [401, 403, 429].includes(status)) return false;
  return !looksLikeWebPage(text, contentTypeOf(headers));
}

export function contentTypeOf(headers: IncomingHttpHeaders): string {
  return headers['content-type'] ?? '';
}

/** The setting that holds the key of a service, or names its file with `_FILE` behind it. */
export function keySettingOf({ service, keySetting }: ServiceIdentity): string {
  return keySetting ?? SERVICE_TERMS[service].key;
}

function wait(retryAfterS: number | undefined): string {
  return retryAfterS === undefined ? '' : ` Retry in ${retryAfterS} s.`;
}

function lower(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

export type TransportTrouble = {
  kind: 'timeout' | 'unreachable' | 'malformed';
  /** Ends the sentence "The service …". */
  problem: string;
};

const CLOSED = 'is unreachable: connection closed without an answer';
const UNREACHABLE: Record<string, string> = {
  ECONNREFUSED: 'is unreachable: connection refused',
  ENOTFOUND: 'is unreachable: unknown host name',
  EAI_AGAIN: 'is unreachable: the name server does not answer',
  EHOSTUNREACH: 'is unreachable: no route to its host',
  ENETUNREACH: 'is unreachable: no network',
  EMFILE: 'is unreachable: this process has no file descriptor left',
  UND_ERR_SOCKET: CLOSED,
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
};

/** Names an error of the HTTP layer. Its own message is never used: it may hold addresses or header values. */
export function troubleOf(error: Error, answerBegun: boolean): TransportTrouble {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const unreadable = (why: string) =>
    ({ kind: 'malformed', problem: `sent an unreadable answer: ${why}` }) as const;
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT')
    return { kind: 'timeout', problem: 'timed out while connecting' };
  if (error.name === 'HTTPParserError' || code === 'UND_ERR_HEADERS_OVERFLOW') return unreadable('not HTTP');
  if (/^(Z_|ERR__)/.test(code)) return unreadable('its compression is damaged');
  if (answerBegun) return unreadable('it was cut off');
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') return unreadable('not of the announced length');
  const isTls = /CERT|TLS|SSL|^EPROTO$/.test(code);
  const why = isTls ? 'is unreachable: its certificate or TLS version is not accepted' : UNREACHABLE[code];
  return { kind: 'unreachable', problem: why ?? 'is unreachable' };
}

export function isConnectionEnd(error: (Error & { code?: unknown }) | undefined): boolean {
  return /^(UND_ERR_SOCKET|ECONNRESET|EPIPE|ECONNABORTED)$/.test(String(error?.code));
}

/** The gateway's contract: at most 500 characters of a service's own words. */
const MAX_CHARACTERS = 500;
/** Shorter "keys" occur in ordinary words, and hiding them would only garble the text. */
const MIN_KEY_LENGTH = 4;
/** In data more is at stake: a short key could be part of a number or a hash. */
const MIN_KEY_LENGTH_IN_DATA = 12;

/** An error body as one line that may be shown: no controls, web page or key, at most 500 characters; else empty. */
export function plainErrorText(body: string, contentType: string, key: string | undefined): string {
  if (looksLikeWebPage(body, contentType)) return '';
  const line = body
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\p{Cf}\p{Cs}]/gu, '')
    .trim();
  // Last, since a key may stand there with invisible characters in it.
  const whole = withoutKey(line, key, MIN_KEY_LENGTH);
  const shown = key === undefined ? whole : withoutKeyTraces(whole, key);
  // A cut through a surrogate pair would leave half a character.
  return shown.length <= MAX_CHARACTERS
    ? shown
    : shown.slice(0, MAX_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '');
}

/** A success that is a sentence instead of JSON, as one line that may be shown; else empty. */
export function plainAnswerText(body: string): string {
  if (/^[\s\uFEFF]*[[{]/.test(body)) return '';
  const value = tryParseJson(body);
  return plainErrorText(typeof value === 'string' ? value : body, '', undefined);
}

/** JSON of a service, or an event of its stream, without our key: a service that repeats it must not hand it to everybody. */
export function dataWithoutKey(text: string, key: string | undefined): string {
  return withoutKey(text, key, MIN_KEY_LENGTH_IN_DATA);
}

function withoutKey(text: string, key: string | undefined, minLength: number): string {
  if (key === undefined || key.length < minLength) return text;
  const spellings = new Set([key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key)]);
  return [...spellings].reduce((rest, spelling) => rest.replaceAll(spelling, '[key]'), text);
}

export function looksLikeWebPage(body: string, contentType: string): boolean {
  return /\b(html|xml)\b/i.test(contentType) || /^\s*</.test(body.replace(/^\uFEFF/, ''));
}

/** So many characters of a key in a row tell too much of it; fewer occur in ordinary words. */
const TELLING = 8;
/** No line that is shown is nearly as long, and no more than this is searched. */
const MOST_CHARACTERS = 4000;

/** A line without 8 characters of a key in a row, in base64 and hex neither, as services send it; 4,000 at most. */
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
  const lengths = [TELLING, TELLING + 2, TELLING * 2] as const;
  const forms = [[key], [...base64, ...url], [hex, hex.toUpperCase()]];
  const pieces = new Set<string>();
  for (const [at, length] of lengths.entries())
    for (const form of forms[at] ?? [])
      for (let from = 0; from + length <= form.length; from++) pieces.add(form.slice(from, from + length));
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
