/** What the search text of the log table is, and the form in which the service is asked for it. */
export type RecognisedQuery =
  | { kind: 'transaction' | 'address' | 'sequence'; canonical: string }
  | { kind: 'none' }
  | { kind: 'empty' };

/** Sequence numbers are u64. */
const MAX_SEQUENCE = 2n ** 64n - 1n;

/** Blanks at the ends, and the invisible characters that come along when text is copied from a page. */
const INVISIBLE = /[\u200b-\u200f\u2060\ufeff]/g;

/**
 * Recognises a 32-byte transaction hash, a 20-byte address or a sequence number, with or without `0x`, in any case.
 * 64 and 40 hex digits are a hash and an address even when all of them are decimal digits: no u64 is that long.
 * @returns `canonical`: lower-case hex with `0x`, or decimal digits without leading zeros.
 */
export function recogniseQuery(text: string): RecognisedQuery {
  const cleaned = text.replace(INVISIBLE, '').trim().toLowerCase();
  if (cleaned === '') return { kind: 'empty' };
  const hex = /^(?:0x)?([0-9a-f]+)$/.exec(cleaned)?.[1];
  if (hex?.length === 64) return { kind: 'transaction', canonical: `0x${hex}` };
  if (hex?.length === 40) return { kind: 'address', canonical: `0x${hex}` };
  // A longer run of digits is no u64; the bound also keeps pasted megabytes away from BigInt.
  if (!/^(?:0x[0-9a-f]+|\d+)$/.test(cleaned) || cleaned.length > 64) return { kind: 'none' };
  const sequence = BigInt(cleaned);
  return sequence <= MAX_SEQUENCE ? { kind: 'sequence', canonical: sequence.toString() } : { kind: 'none' };
}
