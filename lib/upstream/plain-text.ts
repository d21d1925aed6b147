/** The gateway's contract: at most 500 characters of a service's own words. */
const MAX_CHARACTERS = 500;
/** Shorter "keys" occur in ordinary words, and hiding them would only garble the text. */
const MIN_KEY_LENGTH = 4;

/**
 * A service's error body as one line of plain text that may be shown: no control or direction characters, no
 * web page, no key, at most 500 characters. Empty when nothing showable is left.
 */
export function plainErrorText(body: string, contentType: string, key: string | undefined): string {
  if (looksLikeWebPage(body, contentType)) return '';
  const keyless = key && key.length >= MIN_KEY_LENGTH ? body.replaceAll(key, '[key]') : body;
  const line = keyless
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\p{Cf}\p{Cs}]/gu, '')
    .trim();
  return shortened(line);
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
