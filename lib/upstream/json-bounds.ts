import { closingQuote } from '@/lib/domain/json-string';

/** Below, no JSON costs much more than its size; a thousand log rows are less. */
const UNCOUNTED_CHARACTERS = 1_000_000;
/** As many as the byte cap has room for in log rows, and far more than any answer of the contract. */
const MOST_VALUES = 1_000_000;
/** No service of the contract nests deeper than five. */
const MOST_DEEP = 1000;

const [QUOTE, COMMA] = [0x22, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Whether JSON.parse may be given the text. Thirty megabytes of brackets become a gigabyte of lists, and hold everybody up
 * for many seconds while they do; a look at the characters costs a fraction of parsing. The text need not be JSON.
 */
export function isParsable(text: string): boolean {
  if (text.length <= UNCOUNTED_CHARACTERS) return true;
  let values = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = closingQuote(text, at);
      if (end < 0) return true;
      at = end;
    } else if (code === COMMA) values += 1;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      values += 1;
      depth += 1;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
    if (values > MOST_VALUES || depth > MOST_DEEP) return false;
  }
  return true;
}
