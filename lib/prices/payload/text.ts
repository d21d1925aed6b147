import { bytesToHex } from '@noble/hashes/utils.js';

/** Bytes as people pass them around, read; or what is wrong with the text. */
export type PayloadText =
  | { readonly kind: 'bytes'; readonly encoding: 'hex' | 'base64'; readonly bytes: Uint8Array }
  | {
      readonly kind: 'unreadable';
      /** A sentence for people. */
      readonly problem: string;
      /** Where the first wrong character stands; absent where the text as a whole is wrong. */
      readonly place?: TextPlace;
    };

/** Line and column count from one, `index` from zero; all in UTF-16 units of the text as it was given. */
export type TextPlace = { readonly index: number; readonly line: number; readonly column: number };

/** What is decoded at most, in bytes. */
export const MOST_PAYLOAD_BYTES = 1 << 20;
/** Twice as many hex digits, and as much again of blanks. */
export const LONGEST_PAYLOAD_TEXT = 4 * MOST_PAYLOAD_BYTES;

/** Above this share of hex digits among the first characters a text was meant as hex: of base64 a third are. */
const HEX_SHARE = 0.85;
const PROBED = 200;
/** How an update begins in base64. What follows may be zeros, which are written with a letter that hex has too. */
const BASE64_MAGIC = 'UE5BV';

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const PAD = '='.charCodeAt(0);
const BLANK = -2;
/** For each ASCII code its value as a digit; -1: none, -2: a blank to skip. */
const HEX_DIGITS = digitTable('0123456789abcdef', '0123456789ABCDEF');
const BASE64_DIGITS = digitTable(BASE64, `${BASE64.slice(0, 62)}-_`);

function digitTable(...alphabets: string[]): Int8Array {
  const table = new Int8Array(128).fill(-1);
  for (const blank of ' \t\r\n\f\v') table[blank.charCodeAt(0)] = BLANK;
  for (const alphabet of alphabets) {
    for (let value = 0; value < alphabet.length; value++) table[alphabet.charCodeAt(value)] = value;
  }
  return table;
}

function digitOf(table: Int8Array, code: number): number {
  return table[code] ?? -1;
}

function placeOf(text: string, index: number): TextPlace {
  let line = 1;
  let lineStart = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < index; at = text.indexOf('\n', at + 1)) {
    line += 1;
    lineStart = at + 1;
  }
  return { index, line, column: index - lineStart + 1 };
}

/** A character for a message: what cannot be seen is named by its code point. */
function shown(text: string, index: number): string {
  const code = text.codePointAt(index) ?? 0;
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return code > 0x20 && code < 0x7f ? `“${String.fromCodePoint(code)}”` : name;
}

function unreadable(text: string, index: number, problem: string): PayloadText {
  return { kind: 'unreadable', problem, place: placeOf(text, index) };
}

type Span = { start: number; end: number };

const AROUND = ' \t\r\n\f\v\u00a0\ufeff"\'`,;';

/** The text without what surrounds a value in JSON or in a list: blanks, quotes, commas. */
function bounds(text: string): Span {
  const isAround = (at: number) => AROUND.includes(text.charAt(at));
  let start = 0;
  let end = text.length;
  while (start < end && isAround(start)) start += 1;
  while (end > start && isAround(end - 1)) end -= 1;
  return { start, end };
}

function looksLikeHex(text: string, { start, end }: Span): boolean {
  if (text.startsWith(BASE64_MAGIC, start)) return false;
  const probe = text.slice(start, Math.min(end, start + PROBED)).replaceAll(/\s/g, '');
  const digits = probe.replaceAll(/[^0-9a-f]/gi, '').length;
  return digits > probe.length * HEX_SHARE;
}

function readHex(text: string, { start, end }: Span): PayloadText {
  const bytes = new Uint8Array((end - start) >> 1);
  let digits = 0;
  let high = 0;
  let last = start;
  for (let at = start; at < end; at++) {
    const value = digitOf(HEX_DIGITS, text.charCodeAt(at));
    if (value === BLANK) continue;
    if (value === -1) {
      return unreadable(text, at, `${shown(text, at)} is no hex digit.`);
    }
    if (digits % 2 === 0) high = value;
    else bytes[digits >> 1] = high * 16 + value;
    digits += 1;
    last = at;
  }
  if (digits % 2 === 1) {
    return unreadable(
      text,
      last,
      `The number of hex digits is odd (${digits}): half of the last byte is missing.`,
    );
  }
  return { kind: 'bytes', encoding: 'hex', bytes: bytes.subarray(0, digits >> 1) };
}

/** The digits of base64 up to the padding, and where that begins. */
function readBase64(text: string, { start, end }: Span): PayloadText {
  const bytes = new Uint8Array(Math.ceil((end - start) * 0.75));
  let [digits, pads, bits, last] = [0, 0, 0, start];
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    const value = digitOf(BASE64_DIGITS, code);
    if (value === BLANK) continue;
    if (code === PAD) {
      pads += 1;
      if (pads > 2 || (digits + pads) % 4 === 1) {
        return unreadable(text, at, '“=” may only fill up the last group of four characters.');
      }
      continue;
    }
    if (value === -1) return unreadable(text, at, `${shown(text, at)} is no character of base64.`);
    if (pads > 0) return unreadable(text, at, 'Nothing may follow “=”, which ends base64.');
    bits = ((bits << 6) | value) & 0xffffff;
    digits += 1;
    const shift = (digits & 3) === 2 ? 4 : (digits & 3) === 3 ? 2 : 0;
    if ((digits & 3) !== 1) bytes[((digits * 3) >> 2) - 1] = bits >> shift;
    last = at;
  }
  const problem = base64End(digits, pads, bits);
  if (problem !== undefined) return unreadable(text, last, problem);
  return { kind: 'bytes', encoding: 'base64', bytes: bytes.subarray(0, (digits * 3) >> 2) };
}

/** What is wrong with the last group of four, if anything. Padding may be left out, but not in part. */
function base64End(digits: number, pads: number, bits: number): string | undefined {
  const over = digits & 3;
  if (over === 1) return `A single character is left over after groups of four (${digits} in all).`;
  if (pads > 0 && (digits + pads) % 4 !== 0) return 'The padding “=” is not complete.';
  const unused = over === 2 ? bits & 0b1111 : over === 3 ? bits & 0b11 : 0;
  return unused === 0 ? undefined : 'The last character holds bits that belong to no byte.';
}

function tooLarge(amount: string): PayloadText {
  return { kind: 'unreadable', problem: `This is too large: ${amount}. At most 1 MiB is decoded here.` };
}

/**
 * Reads a payload that was pasted: hex or base64 (also its form for URLs), with or without `0x`, blanks anywhere, and quotes
 * around it. Which of the two it is, is told by its characters; with `0x` it is hex.
 */
export function readPayloadText(text: string): PayloadText {
  if (text.length > LONGEST_PAYLOAD_TEXT) return tooLarge(`${text.length} characters`);
  const span = bounds(text);
  if (span.start === span.end) return { kind: 'unreadable', problem: 'There is no payload in this text.' };
  const isMarked = /^0x/i.test(text.slice(span.start, span.start + 2));
  const inside = isMarked ? { ...span, start: span.start + 2 } : span;
  const read = isMarked || looksLikeHex(text, span) ? readHex(text, inside) : readBase64(text, inside);
  if (read.kind !== 'bytes') return read;
  if (read.bytes.length === 0) return { kind: 'unreadable', problem: 'There is no payload in this text.' };
  return read.bytes.length > MOST_PAYLOAD_BYTES ? tooLarge(`${read.bytes.length} bytes`) : read;
}

/** So many bytes are given to one call at a time, since arguments live on the stack. */
const CHUNK = 0x6000;

/** A payload as text, as the service writes it: hex in lower case without `0x`, base64 with padding. */
export function payloadText(bytes: Uint8Array, encoding: 'hex' | 'base64'): string {
  if (encoding === 'hex') return bytesToHex(bytes);
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK) {
    pieces.push(String.fromCharCode(...bytes.subarray(at, at + CHUNK)));
  }
  return btoa(pieces.join(''));
}

/** One row of a hex view: up to sixteen bytes from `offset`. */
export type HexRow = { readonly offset: number; readonly cells: readonly HexCell[] };

export type HexCell = {
  /** Two lower-case digits. */
  readonly hex: string;
  /** The character that the byte is in ASCII, `.` where it is none that can be seen. */
  readonly text: string;
  readonly marked?: 'yes';
};

const ROW = 16;

/**
 * The bytes around a place, a row before and two behind it, on rows that begin at multiples of sixteen. Where the place is the
 * end of the bytes, the last rows; nothing is marked then.
 */
export function hexAround(bytes: Uint8Array, offset: number): HexRow[] {
  const at = Math.max(0, Math.min(offset, bytes.length - 1));
  const first = Math.max(0, at - (at % ROW) - ROW);
  const rows: HexRow[] = [];
  for (let start = first; start < Math.min(first + 4 * ROW, bytes.length); start += ROW) {
    const cells = Array.from(bytes.subarray(start, start + ROW), (byte, within) =>
      cellOf(byte, start + within === offset),
    );
    rows.push({ offset: start, cells });
  }
  return rows;
}

function cellOf(byte: number, isMarked: boolean): HexCell {
  const hex = byte.toString(16).padStart(2, '0');
  const text = byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.';
  return isMarked ? { hex, text, marked: 'yes' } : { hex, text };
}
