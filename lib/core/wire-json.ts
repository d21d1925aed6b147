import { isLosslessNumber, parse, stringify } from 'lossless-json';
import { trimEndWhere } from './text';

/** Services nest at most five levels; the bound protects recursive readers from a stack overflow. */
const MAX_DEPTH = 1000;
/** Limit of values in a body: as many as log rows can have within the byte cap, far more than any real answer. */
const MAX_VALUES = 1_000_000;

/**
 * A number that JSON.parse might change: 16 digits or more, a fraction, an exponent, or -0. Only 16 digits are matched,
 * because matching a whole run needs a stack, which millions of digits would overflow.
 */
const DELICATE_NUMBER = /[:,[\s](?:-?\d{16}|(?:-0|-?(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+))\s*[,\]}])/;

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Checks the bounds above. Thirty megabytes of brackets parse to a gigabyte of lists; this scan is much cheaper. */
export function isParsable(text: string): boolean {
  let values = 0;
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const opens = code === OPEN_LIST || code === OPEN_OBJECT;
    if (opens || code === COMMA) values += 1;
    if (opens) depth += 1;
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
    else if (code === QUOTE) index = closingQuote(text, index);
    if (index < 0) return true;
    if (values > MAX_VALUES || depth > MAX_DEPTH) return false;
  }
  return true;
}

/** Index of the closing quotation mark; -1 if there is none. */
function closingQuote(text: string, begin: number): number {
  let end = text.indexOf('"', begin + 1);
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

/** An odd number of backslashes escapes. */
function isEscaped(text: string, quote: number): boolean {
  let index = quote;
  while (text.charAt(index - 1) === '\\') index -= 1;
  return (quote - index) % 2 === 1;
}

/** `textOf` returns the JSON of any part of the value. */
export type WireDocument = { value: unknown; textOf: (part: unknown) => string };

/**
 * Parses without losing a digit: if JSON.parse would, every number becomes a `LosslessNumber`, which `integerText`
 * reads. Of duplicate members, the last counts. Undefined if the text is invalid or beyond the bounds above.
 * @param parsed the result of JSON.parse, if the caller already has it
 */
export function readWireDocument(text: string, parsed?: unknown): WireDocument | undefined {
  // A short text cannot exceed the bounds.
  if (text.length > 2 * MAX_DEPTH && !isParsable(text)) return undefined;
  try {
    if (!DELICATE_NUMBER.test(text)) {
      return { value: parsed ?? JSON.parse(text), textOf: (part) => JSON.stringify(part) };
    }
    const value = parse(text, undefined, { onDuplicateKey: ({ newValue }) => newValue });
    return { value, textOf: (part) => stringify(part) ?? 'null' };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The number as written; undefined for anything but a `LosslessNumber`. */
export const numberToken = (value: unknown) => (isLosslessNumber(value) ? value.value : undefined);

export const isWireObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);

/** Own members only, so `{}` has no `constructor`. */
export function member(object: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

export function textMember(object: Record<string, unknown>, name: string): string | undefined {
  const value = member(object, name);
  return typeof value === 'string' ? value : undefined;
}

/** An empty object if the member is absent or of another type. */
export function objectMember(object: Record<string, unknown>, name: string): Record<string, unknown> {
  const value = member(object, name);
  return isWireObject(value) ? value : {};
}

export type ReadRows<T> = { rows: T[]; unreadable: { rawJson: string; problem: string }[] };

/** @param read returns the reason as text if the element is unreadable */
export function readRows<T extends object>(
  list: readonly unknown[],
  textOf: WireDocument['textOf'],
  read: (element: Record<string, unknown>, textOf: WireDocument['textOf']) => T | string,
): ReadRows<T> {
  const result: ReadRows<T> = { rows: [], unreadable: [] };
  for (const element of list) {
    const rowOrProblem = isWireObject(element) ? read(element, textOf) : 'The element is not an object.';
    if (typeof rowOrProblem === 'string')
      result.unreadable.push({ rawJson: textOf(element), problem: rowOrProblem });
    else result.rows.push(rowOrProblem);
  }
  return result;
}

/** Undefined if the text is not a list or was cut off. */
export function readListText<T extends object>(
  text: string,
  read: (element: Record<string, unknown>) => T | string,
): ReadRows<T> | undefined {
  const { value, textOf } = readWireDocument(text) ?? {};
  return Array.isArray(value) && textOf ? readRows(value, textOf, read) : undefined;
}

function canonicalDigits(sign: string, digits: string): string {
  const trimmed = digits.replace(/^0+(?=\d)/, '');
  return trimmed === '0' ? trimmed : sign + trimmed;
}

/** `1e3` and `10.0` are integers in JSON; `1.5` and `1e400` (Infinity to JSON.parse) are not. */
function integerOfToken(token: string): string | undefined {
  if (!Number.isFinite(Number(token))) return undefined;
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(token);
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponentText = '0'] = match;
  const significant = trimEndWhere(whole + fraction, (digit) => digit === '0');
  if (significant === '' || /^0+$/.test(significant)) return '0';
  const shift = Number(exponentText) + whole.length - significant.length;
  // Longer integers are Infinity to JSON.parse.
  return shift < 0 || shift > 309 ? undefined : canonicalDigits(sign, significant + '0'.repeat(shift));
}

/** Digits of a number, text or `LosslessNumber`; undefined for `+`, blanks, exponents, `0x` in text. */
export function integerText(value: unknown): string | undefined {
  if (typeof value === 'string') {
    const [, sign = '', digits] = /^(-?)(\d+)$/.exec(value) ?? [];
    return digits === undefined ? undefined : canonicalDigits(sign, digits);
  }
  if (isLosslessNumber(value)) return integerOfToken(value.value);
  if (typeof value !== 'number' || !Number.isInteger(value)) return undefined;
  return Number.isSafeInteger(value) ? String(value) : BigInt(value).toString();
}

/** Undefined if a number cannot hold the integer exactly. */
export function safeInteger(value: unknown): number | undefined {
  const text = integerText(value);
  if (text === undefined || text.length > 17) return undefined;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : undefined;
}
