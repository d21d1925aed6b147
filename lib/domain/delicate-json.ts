import { LosslessNumber } from 'lossless-json';
import { closingQuote } from './json-string';

/** A number token as it stands in JSON; only looked for outside of strings. */
const NUMBER = /-?\d[\d.eE+-]*/g;
/** So many digits JSON.parse might not give back as they were written. */
const DELICATE_DIGITS = 16;

/** A number of valid JSON that JSON.parse might change: so many digits, a fraction, an exponent, or -0. */
function isDelicate(token: string): boolean {
  const digits = token.startsWith('-') ? token.length - 1 : token.length;
  return digits >= DELICATE_DIGITS || token === '-0' || /[.eE]/.test(token);
}

/**
 * Parses JSON with each delicate number as a `LosslessNumber`, all others as plain ones. The parser of that library reads
 * strings character by character: a megabyte of rows takes it a tenth of a second, thirty hold everybody up for seconds. So
 * JSON.parse does the work, with such numbers written as strings that are marked, and turned back afterwards.
 * @param text nested no deeper than a recursive function may go
 * @throws SyntaxError for anything that is not JSON
 */
export function parseDelicateJson(text: string): unknown {
  // What the marks make valid must not have been wrong before: `{1.5:2}`.
  JSON.parse(text);
  // Nobody outside can know it, so no string of a service passes for a number.
  const mark = `${Math.random().toString(36).slice(2, 12)} `;
  return restored(JSON.parse(marked(text, mark)), mark);
}

function marked(text: string, mark: string): string {
  const pieces: string[] = [];
  const asString = (token: string) => (isDelicate(token) ? `"${mark}${token}"` : token);
  let at = 0;
  while (at < text.length) {
    const quote = text.indexOf('"', at);
    const end = quote < 0 ? text.length : quote;
    pieces.push(text.slice(at, end).replace(NUMBER, asString));
    at = quote < 0 ? end : closingQuote(text, quote) + 1;
    pieces.push(text.slice(end, at));
  }
  return pieces.join('');
}

function restored(value: unknown, mark: string): unknown {
  if (typeof value === 'string')
    return value.startsWith(mark) ? new LosslessNumber(value.slice(mark.length)) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) value[at] = restored(value[at], mark);
    return value;
  }
  for (const [name, before] of Object.entries(value)) {
    const after = restored(before, mark);
    // Assigning to `__proto__` would give the object another prototype.
    if (after !== before)
      Object.defineProperty(value, name, {
        value: after,
        enumerable: true,
        writable: true,
        configurable: true,
      });
  }
  return value;
}
