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
  return shortened(withoutKey(line, key, MIN_KEY_LENGTH));
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
