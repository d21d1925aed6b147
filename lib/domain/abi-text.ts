/** Digits of one ABI word of 32 bytes. */
const WORD_DIGITS = 64;

/** Services give at most 256 bytes of return data; of longer data no more than this is decoded, in bytes. */
const MOST_BYTES = 4096;

/** `part` when the data ends before the text does. */
export type AbiText = { text: string; extent: 'whole' | 'part' };

/** The unsigned number in the ABI word that begins at this digit; undefined when the data ends within it. */
export function abiNumber(digits: string, at: number): bigint | undefined {
  const word = digits.slice(at, at + WORD_DIGITS);
  return /^[0-9a-fA-F]{64}$/.test(word) ? BigInt(`0x${word}`) : undefined;
}

function bytesOf(digits: string): Uint8Array {
  const bytes = new Uint8Array(Math.floor(digits.length / 2));
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

/**
 * A `string` as the only argument of ABI-encoded data: offset, length, bytes of UTF-8. What is no UTF-8 becomes U+FFFD;
 * a character that is cut off at the end of the data is left out.
 * @param digits hex digits after the selector, without `0x`
 * @returns undefined when the data ends before the text begins, or is not hex
 */
export function decodeAbiString(digits: string): AbiText | undefined {
  if (!/^[0-9a-fA-F]*$/.test(digits)) return undefined;
  const offset = abiNumber(digits, 0);
  if (offset === undefined || offset > BigInt(digits.length)) return undefined;
  const lengthAt = Number(offset) * 2;
  const length = abiNumber(digits, lengthAt);
  if (length === undefined) return undefined;
  const start = lengthAt + WORD_DIGITS;
  const given = BigInt(Math.floor((digits.length - start) / 2));
  const taken = [length, given, BigInt(MOST_BYTES)].reduce((least, one) => (one < least ? one : least));
  const bytes = bytesOf(digits.slice(start, start + Number(taken) * 2));
  // In stream mode the decoder keeps an unfinished character to itself.
  const isPart = taken < length;
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: isPart });
  return { text, extent: isPart ? 'part' : 'whole' };
}
