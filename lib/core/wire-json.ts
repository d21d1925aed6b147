import { isLosslessNumber, LosslessNumber, parse, stringify } from 'lossless-json';
import { withoutTrailingZeros } from './text';

/** Longest written-out integer that a number token may stand for: JSON.parse makes Infinity of anything longer. */
const MAX_EXPANDED_DIGITS = 309;

/** No service of the contract nests deeper than five; the bound keeps recursive readers within the stack. */
const MAX_DEPTH = 1000;

/**
 * A number token that JSON.parse might not give back as it was written: 16 digits or more, a fraction, an exponent, or
 * -0. Outside strings it stands between one of `:,[` or a blank and one of `,]}` or a blank. Of 16 digits the end is not
 * looked for: an expression that takes all of a run and then goes on needs a stack, which millions of digits overflow.
 */
const DELICATE_NUMBER = /[:,[\s](?:-?\d{16}|(?:-0|-?(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+))\s*[,\]}])/;

const QUOTE = 0x22;
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

function refuseDepth(text: string): void {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) {
      const end = closingQuote(text, i);
      if (end < 0) return;
      i = end;
    } else if (code === OPEN_LIST || code === OPEN_OBJECT) depth += 1;
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
    if (depth > MAX_DEPTH) throw new SyntaxError('JSON nested too deeply');
  }
}

/**
 * Parses JSON as a service sent it, without losing a digit: every number becomes a `LosslessNumber` (read it by
 * `integerText`). Of members that stand twice the last one counts, as with JSON.parse.
 * @throws SyntaxError for anything that is not JSON, or is nested more than a thousand deep.
 */
export function parseWireJson(text: string): unknown {
  refuseDepth(text);
  return parse(text, undefined, { onDuplicateKey: ({ newValue }) => newValue });
}

/** Parsed JSON, and the way back to the text of any part of it. */
export type WireDocument = { value: unknown; textOf: (part: unknown) => string };

/**
 * As `parseWireJson`, but much faster: numbers that JSON.parse loses nothing of are plain ones. Text that only looks
 * delicate inside a string takes the longer way, with the same result.
 * @returns undefined for anything that is not JSON, or is nested more than a thousand deep.
 */
export function readWireDocument(text: string): WireDocument | undefined {
  try {
    refuseDepth(text);
    if (DELICATE_NUMBER.test(text)) return { value: parseDelicateJson(text), textOf: stringifyWireJson };
    return { value: JSON.parse(text), textOf: (part) => JSON.stringify(part) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The JSON text of a value from `parseWireJson`, every digit as it came. */
export function stringifyWireJson(value: unknown): string {
  return stringify(value) ?? 'null';
}

/** The token of a number from `parseWireJson`, as it was written; undefined for text and everything else. */
export function numberToken(value: unknown): string | undefined {
  return isLosslessNumber(value) ? value.value : undefined;
}

/** Whether the value is a JSON object (not null, a list or a number), with members of any kind. */
export function isWireObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
}

/** The own member of that name, or undefined: `{}` has no `constructor` here. */
export function member(object: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function canonicalDigits(digits: string, negative: boolean): string {
  const trimmed = digits.replace(/^0+(?=\d)/, '');
  return negative && trimmed !== '0' ? `-${trimmed}` : trimmed;
}

/** `1e3` and `10.0` are integers in JSON; `1.5` and `1e400` (Infinity to JSON.parse) are not. */
function integerOfToken(token: string): string | undefined {
  if (!Number.isFinite(Number(token))) return undefined;
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(token);
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponentText = '0'] = match;
  const significant = withoutTrailingZeros(whole + fraction);
  if (significant === '' || /^0+$/.test(significant)) return '0';
  const shift =
    Number(exponentText) - fraction.length + (whole.length + fraction.length - significant.length);
  if (shift < 0 || shift > MAX_EXPANDED_DIGITS) return undefined;
  return canonicalDigits(significant + '0'.repeat(shift), sign === '-');
}

/**
 * The decimal digits of an integer that came as a number or as text: no leading zeros, `-` when negative.
 * Accepts what `parseWireJson` makes, and plain numbers of JSON.parse (whose digits are only as good as JSON.parse
 * left them). Undefined for everything else, also for text with blanks, a sign `+`, an exponent or a `0x`.
 */
export function integerText(value: unknown): string | undefined {
  if (typeof value === 'string') {
    const match = /^(-?)(\d+)$/.exec(value);
    return match === null ? undefined : canonicalDigits(match[2] ?? '', match[1] === '-');
  }
  if (isLosslessNumber(value)) return integerOfToken(value.value);
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) return String(value);
    return Number.isInteger(value) ? BigInt(value).toString() : undefined;
  }
  return undefined;
}

/** The integer as a number, when it came as number or text and a number holds it exactly; else undefined. */
export function safeInteger(value: unknown): number | undefined {
  const text = integerText(value);
  if (text === undefined || text.length > 17) return undefined;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : undefined;
}

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
