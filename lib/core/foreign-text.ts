/**
 * Characters that change how the text around them looks without being seen themselves: controls, zero-width
 * characters, and the marks that turn the writing direction (a reason text may hold any of them). Also halves of
 * surrogate pairs: a page that comes from the server cannot hold them, and would differ from what the browser makes of it.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** Text from a service with its invisible characters spelled out: U+202E becomes `⟨202E⟩`. */
export function spelledOut(text: string): string {
  return text.replace(
    UNSEEN,
    (character) => `⟨${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  );
}

/**
 * The beginning of a text from a service, spelled out, at most `max` UTF-16 units of it and an ellipsis.
 * A service may send a megabyte where a word is due; a page must not carry it once per row.
 */
export function clipped(text: string, max: number): string {
  if (text.length <= max) return spelledOut(text);
  // Not between the halves of a surrogate pair, which would show as a broken character.
  const lastUnit = text.charCodeAt(max - 1);
  const cut = lastUnit >= 0xd800 && lastUnit <= 0xdbff ? max - 1 : max;
  return `${spelledOut(text.slice(0, cut))}…`;
}
