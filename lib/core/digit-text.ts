/**
 * Work on long runs of characters that a service may have written. They are loops: an expression that is tied to the end
 * of a text, such as `/0+$/`, begins anew at each character of a run, and takes minutes for a megabyte of them.
 */

/** The text up to its last character that is not one of these. */
export function withoutEnding(text: string, isEnding: (character: string) => boolean): string {
  let end = text.length;
  while (end > 0 && isEnding(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Decimals without the zeros at their end. */
export function withoutTrailingZeros(digits: string): string {
  return withoutEnding(digits, (character) => character === '0');
}

/** Decimal digits, with a sign or not, in groups of three: `-1234567` → `-1,234,567`. */
export function groupsOfThree(digits: string, separator: string): string {
  const start = digits.startsWith('-') ? 1 : 0;
  const first = (digits.length - start) % 3;
  const groups = first === 0 ? [] : [digits.slice(start, start + first)];
  for (let at = start + first; at < digits.length; at += 3) groups.push(digits.slice(at, at + 3));
  return digits.slice(0, start) + groups.join(separator);
}
