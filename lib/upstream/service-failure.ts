import type { IncomingHttpHeaders } from 'node:http';
import { SERVICE_TERMS } from '@/lib/core/health';
import type { Failure, ServiceName } from '@/lib/core/outcome';
import { tryParseJson } from '@/lib/core/text';

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

type RefusedAnswer = {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** A service may echo the key, so it is removed from the text. */
  key: string | undefined;
  retryAfterS?: number;
};

function describeService({ service, label }: ServiceIdentity): string {
  const colon = label.indexOf(':');
  return `The ${lower(SERVICE_TERMS[service].name)}${colon < 0 ? '' : ` (${label.slice(colon + 1)})`}`;
}

/** The failure of a status that is not 2xx, by the gateway's table of errors. */
export function failureOfRefusal(identity: ServiceIdentity, answer: RefusedAnswer): Failure {
  const { status, text, headers, key, retryAfterS } = answer;
  const serviceText = describeService(identity);
  const source = { service: identity.service, upstreamStatus: status };
  if (status === 401 || status === 403)
    return failureOfGate(identity, { kind: 'unauthorized', upstreamStatus: status }, key !== undefined);
  if (status === 429 || (status >= 500 && status < 600)) {
    const kind = status === 429 ? 'rate-limited' : 'failing';
    return failureOfGate(identity, { kind, upstreamStatus: status, retryAfterS });
  }
  if (status >= 400 && status < 500) {
    const errorText = plainErrorText(text, contentTypeOf(headers), key);
    const detail = errorText || `${serviceText} returned ${status} without a reason.`;
    return { kind: status === 404 ? 'missing' : 'rejected', ...source, detail };
  }
  const redirect = `a redirect (${status}), which is not followed`;
  const problemText = status < 400 ? redirect : `the unknown status ${status}`;
  return { kind: 'malformed', ...source, detail: `${serviceText} returned ${problemText}. Check its URL.` };
}

export function failureOfGate(
  identity: ServiceIdentity,
  { kind, upstreamStatus, retryAfterS }: Omit<GateRefusal, 'retryAfterS'> & { retryAfterS?: number },
  keySet = true,
): Failure {
  const { service } = identity;
  const problemText = {
    unauthorized: keySet ? 'rejected the API key' : 'requires an API key',
    failing: `returned ${upstreamStatus}`,
    'rate-limited': 'rate-limited us',
  }[kind];
  const status = kind === 'failing' ? '' : ` (${upstreamStatus})`;
  const remedy = ` ${keySet ? 'Check' : 'Set'} ${keySettingOf(identity)}.`;
  const next = kind === 'unauthorized' ? remedy : wait(retryAfterS);
  const detail = `${describeService(identity)} ${problemText}${status}.${next}`;
  return { kind, service, upstreamStatus, ...(retryAfterS === undefined ? {} : { retryAfterS }), detail };
}

export function failureOfTrouble(identity: ServiceIdentity, { kind, problem }: TransportTrouble): Failure {
  return { kind, service: identity.service, detail: `${describeService(identity)} ${problem}.` };
}

export function malformed(identity: ServiceIdentity, problem: string): Failure {
  return failureOfTrouble(identity, { kind: 'malformed', problem: `sent an unreadable answer: ${problem}` });
}

/** The key cannot be sent in a header, or its file cannot be read. No call was made. */
export function unusableKeyFailure(identity: ServiceIdentity): Failure {
  const detail = `The API key of ${lower(describeService(identity))} is unusable. Check ${keySettingOf(identity)}.`;
  return { kind: 'unauthorized', service: identity.service, detail };
}

/** The failure of a used-up call budget. It names no service, because none is at fault. */
export function budgetExhausted(identity: ServiceIdentity, retryAfterS: number): Failure {
  const detail = `The call budget of ${lower(describeService(identity))} is used up.${wait(retryAfterS)}`;
  return { kind: 'too-many', detail, retryAfterS };
}

/** A web page or no text suggests a wrong base URL. */
export function isRefusedByHealthyService({ status, headers, text, key }: RefusedAnswer): boolean {
  if (status < 400 || status >= 500 || [401, 403, 429].includes(status)) return false;
  return plainErrorText(text, contentTypeOf(headers), key) !== '';
}

function contentTypeOf(headers: IncomingHttpHeaders): string {
  return headers['content-type'] ?? '';
}

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
  /** Completes the sentence "The service …". */
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

/** The error's own message is never used, because it may contain addresses or header values. */
export function transportTrouble(error: Error, answerBegun: boolean): TransportTrouble {
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

/** The limit of the gateway's contract. */
const MAX_CHARACTERS = 500;
/** Shorter keys occur in ordinary words, and hiding them would garble the text. */
const MIN_KEY_LENGTH = 4;
/** A shorter key could be part of a number or a hash. */
const MIN_KEY_LENGTH_IN_DATA = 12;

/** One line, safe to show: no control characters, web pages or keys, at most 500 characters. It may be empty. */
export function plainErrorText(body: string, contentType: string, key: string | undefined): string {
  if (looksLikeWebPage(body, contentType)) return '';
  const line = body
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\p{Cf}\p{Cs}]/gu, '')
    .trim();
  // Keys are removed last, because a key may have been split by invisible characters.
  const whole = withoutKey(line, key, MIN_KEY_LENGTH);
  const shown = key === undefined ? whole : withoutKeyTraces(whole, key);
  // A cut through a surrogate pair would leave half a character.
  return shown.length <= MAX_CHARACTERS
    ? shown
    : shown.slice(0, MAX_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '');
}

/** One line that is safe to show; empty for JSON. */
export function plainAnswerText(body: string): string {
  if (/^[\s\uFEFF]*[[{]/.test(body)) return '';
  const value = tryParseJson(body);
  return plainErrorText(typeof value === 'string' ? value : body, '', undefined);
}

/** A service may echo our key in its JSON, or in an event of its stream. */
export function dataWithoutKey(text: string, key: string | undefined): string {
  return withoutKey(text, key, MIN_KEY_LENGTH_IN_DATA);
}

function withoutKey(text: string, key: string | undefined, minLength: number): string {
  if (key === undefined || key.length < minLength) return text;
  const spellings = new Set([key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key)]);
  return [...spellings].reduce((rest, spelling) => rest.replaceAll(spelling, '[key]'), text);
}

function looksLikeWebPage(body: string, contentType: string): boolean {
  return /\b(html|xml)\b/i.test(contentType) || /^\s*</.test(body.replace(/^\uFEFF/, ''));
}

/** Shorter runs of a key's characters occur in ordinary words. */
const MIN_HIDDEN_RUN = 8;
/** Lines that are shown are much shorter. */
const MAX_SEARCHED = 4000;

/** Hides every run of 8 or more characters of the key, also in base64 and hex. @returns at most 4,000 characters */
export function withoutKeyTraces(line: string, key: string): string {
  const text = line.slice(0, MAX_SEARCHED);
  if (key.length < MIN_HIDDEN_RUN) return text;
  // The base64 form depends on the bytes before the key. Its ends mix with other bytes, so they are cut off.
  const base64 = [0, 1, 2].map((before) =>
    Buffer.concat([Buffer.alloc(before), Buffer.from(key)])
      .toString('base64')
      .replace(/=+$/, '')
      .slice(before === 0 ? 0 : before + 1, -1),
  );
  const url = base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'));
  const hex = Buffer.from(key).toString('hex');
  const lengths = [MIN_HIDDEN_RUN, MIN_HIDDEN_RUN + 2, MIN_HIDDEN_RUN * 2] as const;
  const forms = [[key], [...base64, ...url], [hex, hex.toUpperCase()]];
  const pieces = new Set<string>();
  for (const [at, length] of lengths.entries())
    for (const form of forms[at] ?? [])
      for (let from = 0; from + length <= form.length; from++) pieces.add(form.slice(from, from + length));
  let shown = '';
  let hiddenTo = 0;
  for (let index = 0; index < text.length; index++) {
    const pieceLength = lengths.findLast((length) => pieces.has(text.slice(index, index + length)));
    if (pieceLength !== undefined) {
      if (index >= hiddenTo) shown += '[key]';
      hiddenTo = Math.max(hiddenTo, index + pieceLength);
    }
    if (index >= hiddenTo) shown += text[index];
  }
  return shown;
}
