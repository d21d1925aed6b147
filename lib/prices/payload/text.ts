import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';

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

function looksLikeHex(text: string): boolean {
  if (text.startsWith(BASE64_MAGIC)) return false;
  const probe = text.slice(0, PROBED).replaceAll(/\s/g, '');
  return probe.replaceAll(/[^0-9a-f]/gi, '').length > probe.length * HEX_SHARE;
}

function placeOf(text: string, index: number): TextPlace {
  const before = text.slice(0, index);
  return { index, line: before.split('\n').length, column: index - before.lastIndexOf('\n') };
}

/** A character for a message: what cannot be seen is named by its code point. */
function shown(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return code > 0x20 && code < 0x7f ? `“${character}”` : name;
}

const ENCODINGS = {
  hex: { foreign: /[^0-9a-f\s]/iu, is: 'hex digit', decode: (digits: string) => hexToBytes(digits) },
  base64: {
    foreign: /[^\w+/=\s-]/u,
    is: 'character of base64',
    decode: (digits: string) =>
      Uint8Array.from(atob(digits.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0)),
  },
} as const;

/**
 * Reads hex (with or without `0x`, any case) or base64 (the alphabet of URLs too, padded or not), with blanks anywhere and
 * quotes or commas around.
 */
export function readPayloadText(text: string): PayloadText {
  if (text.length > LONGEST_PAYLOAD_TEXT) return tooLarge(`${text.length} characters`);
  const start = /^[\s\ufeff"'`,;]*(?:0x)?/i.exec(text)?.[0].length ?? 0;
  const value = text.slice(start).replace(/[\s\ufeff"'`,;]+$/, '');
  if (value === '') return { kind: 'unreadable', problem: 'There is no payload in this text.' };
  const encoding = looksLikeHex(value) || /0x$/i.test(text.slice(0, start)) ? 'hex' : 'base64';
  const { foreign, is, decode } = ENCODINGS[encoding];
  const wrong = foreign.exec(value);
  if (wrong !== null) {
    return {
      kind: 'unreadable',
      problem: `${shown(wrong[0])} is no ${is}.`,
      place: placeOf(text, start + wrong.index),
    };
  }
  const digits = value.replaceAll(/\s/g, '');
  try {
    const bytes = decode(digits);
    return bytes.length > MOST_PAYLOAD_BYTES
      ? tooLarge(`${bytes.length} bytes`)
      : { kind: 'bytes', encoding, bytes };
  } catch {
    return { kind: 'unreadable', problem: `The ${encoding} is incomplete: ${digits.length} characters.` };
  }
}

function tooLarge(amount: string): PayloadText {
  return { kind: 'unreadable', problem: `This is too large: ${amount}. At most 1 MiB is decoded here.` };
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

/** One row of a hex view: up to sixteen bytes from `offset`, in hex and as ASCII (`.` for what can't be seen). */
export type HexRow = { readonly offset: number; readonly hex: readonly string[]; readonly ascii: string };

const ROW = 16;

/** The bytes around a place, a row before and two behind it, on rows that begin at multiples of sixteen. */
export function hexAround(bytes: Uint8Array, offset: number): HexRow[] {
  const at = Math.max(0, Math.min(offset, bytes.length - 1));
  const first = Math.max(0, at - (at % ROW) - ROW);
  const starts = [0, 1, 2, 3].map((row) => first + row * ROW).filter((start) => start < bytes.length);
  return starts.map((start) => {
    const row = bytes.subarray(start, start + ROW);
    return {
      offset: start,
      hex: Array.from(row, (byte) => byte.toString(16).padStart(2, '0')),
      ascii: String.fromCharCode(...row).replaceAll(/[^ -~]/g, '.'),
    };
  });
}
