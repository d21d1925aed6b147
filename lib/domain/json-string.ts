/** Where the JSON string that begins at this quotation mark ends: at which other one; -1 when it does not. */
export function closingQuote(text: string, begin: number): number {
  let end = text.indexOf('"', begin + 1);
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

/** A quotation mark is part of its string when an odd number of backslashes stands before it. */
function isEscaped(text: string, quote: number): boolean {
  let at = quote;
  while (text.charAt(at - 1) === '\\') at -= 1;
  return (quote - at) % 2 === 1;
}
