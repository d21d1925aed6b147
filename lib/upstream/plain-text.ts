import { withoutKeyTraces } from './key-traces';

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
