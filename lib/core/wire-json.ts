import { isLosslessNumber, parse, stringify } from 'lossless-json';
import { withoutEnding } from './text';

/** No service of the contract nests deeper than five; the bound keeps recursive readers within the stack. */
const MAX_DEPTH = 1000;
/** As many as the byte cap has room for in log rows, and far more than any answer of the contract. */
const MAX_VALUES = 1_000_000;

/**
 * A number that JSON.parse might not give back as it was written: 16 digits or more, a fraction, an exponent, or -0. Of 16
 * digits the end is not looked for: an expression that takes all of a run and goes on needs a stack, which millions overflow.
 */
const DELICATE_NUMBER = /[:,[\s](?:-?\d{16}|(?:-0|-?(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+))\s*[,\]}])/;

const [QUOTE, COMMA] = [0x22, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Thirty megabytes of brackets become a gigabyte of lists: a look at the characters costs a fraction. */
export function isParsable(text: string): boolean {
  let values = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const opens = code === OPEN_LIST || code === OPEN_OBJECT;
    if (opens || code === COMMA) values += 1;
    if (opens) depth += 1;
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
    else if (code === QUOTE) at = closingQuote(text, at);
    if (at < 0) return true;
    if (values > MAX_VALUES || depth > MAX_DEPTH) return false;
  }
  return true;
}

/** Where the JSON string that begins at this quotation mark ends: at which other one; -1 when it does not. */
function closingQuote(text: string, begin: number): number {
  let end = text.indexOf('"', begin + 1);
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

/** By an odd number of backslashes before the quotation mark. */
function isEscaped(text: string, quote: number): boolean {
  let at = quote;
  while (text.charAt(at - 1) === '\\') at -= 1;
  return (quote - at) % 2 === 1;
}

/** Parsed JSON, and the way back to the text of any part of it. */
export type WireDocument = { value: unknown; textOf: (part: unknown) => string };

/**
 * Parses JSON without losing a digit: where JSON.parse would lose one, every number becomes a `LosslessNumber` (read it by
 * `integerText`). Of members that stand twice the last one counts. Undefined for what is no JSON, or beyond the bounds above.
 * @param parsed what JSON.parse has made of it, where that was asked already
 */
export function readWireDocument(text: string, parsed?: unknown): WireDocument | undefined {
  // A short text has no room for too many values, nor for too deep ones that are closed again.
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

/** The token of a `LosslessNumber`, as it was written; undefined for text and everything else. */
export const numberToken = (value: unknown) => (isLosslessNumber(value) ? value.value : undefined);

/** Whether the value is a JSON object (not null, a list or a number), with members of any kind. */
export const isWireObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);

/** The own member of that name, or undefined: `{}` has no `constructor` here. */
export function member(object: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

export function textMember(object: Record<string, unknown>, name: string): string | undefined {
  const value = member(object, name);
  return typeof value === 'string' ? value : undefined;
}

/** The object of that name; an empty one where there is none. */
export function objectMember(object: Record<string, unknown>, name: string): Record<string, unknown> {
  const value = member(object, name);
  return isWireObject(value) ? value : {};
}

/** What could be read of a list, and each element that could not, with its JSON and why. */
export type ReadRows<T> = { rows: T[]; unreadable: { rawJson: string; problem: string }[] };

/** Each element by itself. @param read gives a text where it can't be read: why */
export function readEach<T extends object>(
  list: readonly unknown[],
  textOf: WireDocument['textOf'],
  read: (element: Record<string, unknown>, textOf: WireDocument['textOf']) => T | string,
): ReadRows<T> {
  const result: ReadRows<T> = { rows: [], unreadable: [] };
  for (const element of list) {
    const one = isWireObject(element) ? read(element, textOf) : 'The element is not an object.';
    if (typeof one === 'string') result.unreadable.push({ rawJson: textOf(element), problem: one });
    else result.rows.push(one);
  }
  return result;
}

/** A text that is a JSON list; undefined when it is none, or was cut off. */
export function readListText<T extends object>(
  text: string,
  read: (element: Record<string, unknown>) => T | string,
): ReadRows<T> | undefined {
  const { value, textOf } = readWireDocument(text) ?? {};
  return Array.isArray(value) && textOf ? readEach(value, textOf, read) : undefined;
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
  const significant = withoutEnding(whole + fraction, (digit) => digit === '0');
  if (significant === '' || /^0+$/.test(significant)) return '0';
  const shift = Number(exponentText) + whole.length - significant.length;
  // JSON.parse makes Infinity of anything that is longer when it is written out.
  return shift < 0 || shift > 309 ? undefined : canonicalDigits(sign, significant + '0'.repeat(shift));
}

/** The digits of an integer (number, text, `LosslessNumber`); undefined for `+`, blanks, exponents, `0x`. */
export function integerText(value: unknown): string | undefined {
  if (typeof value === 'string') {
    const [, sign = '', digits] = /^(-?)(\d+)$/.exec(value) ?? [];
    return digits === undefined ? undefined : canonicalDigits(sign, digits);
  }
  if (isLosslessNumber(value)) return integerOfToken(value.value);
  if (typeof value !== 'number' || !Number.isInteger(value)) return undefined;
  return Number.isSafeInteger(value) ? String(value) : BigInt(value).toString();
}

/** The integer as a number, when it came as number or text and a number holds it exactly; else undefined. */
export function safeInteger(value: unknown): number | undefined {
  const text = integerText(value);
  if (text === undefined || text.length > 17) return undefined;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : undefined;
}
