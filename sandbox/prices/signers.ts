import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';

const BYTES: Readonly<Record<string, number>> = { B: 1, H: 2, I: 4, Q: 8 };

/**
 * Integers and bytes one after the other, by a format as Python's `struct` has it: `>` big-endian or `<` little, then for each
 * value B, H, I or Q for 1, 2, 4 or 8 bytes, a small letter where it may be below 0, and s for a text or bytes. Throws a
 * RangeError for a value that needs more bytes, instead of cutting it.
 */
export function pack(format: string, ...values: (number | bigint | string | Uint8Array)[]): Buffer {
  const parts = values.map((value, at) => {
    const code = format[at + 1] ?? '';
    if (typeof value === 'string' || value instanceof Uint8Array) return Buffer.from(value as string);
    const bits = 8 * (BYTES[code.toUpperCase()] ?? 0);
    const whole = BigInt(value);
    const fits = code === code.toUpperCase() ? BigInt.asUintN : BigInt.asIntN;
    if (fits(bits, whole) !== whole) throw new RangeError(`not ${bits} bits: ${value}`);
    const digits = BigInt.asUintN(bits, whole).toString(16);
    const part = Buffer.from(digits.padStart(bits / 4, '0'), 'hex');
    return format.startsWith('<') ? part.reverse() : part;
  });
  return Buffer.concat(parts);
}

/** Keys come from the seed, so that they can never be mistaken for true ones. */
export function secretKey(seed: string, role: string): Uint8Array {
  return keccak_256(utf8ToBytes(`keeperscope sandbox signer ${seed} ${role}`));
}

/** `r 32 | s 32 | recovery id u8` by secp256k1. */
export function signDigest(digest: Uint8Array, key: Uint8Array): Buffer {
  const bytes = secp256k1.sign(digest, key, { prehash: false, format: 'recovered' });
  return Buffer.concat([bytes.subarray(1), bytes.subarray(0, 1)]);
}

/** `before`: 13 of 19 sign, as guardians did before the upgrade. `after`: 3 of 5. */
export type Generation = 'before' | 'after';

// The set indexes only tell the two sets apart; they follow the true ones in order, not in value.
const SETS = {
  before: { setIndex: 4, size: 19, quorum: 13 },
  after: { setIndex: 5, size: 5, quorum: 3 },
};

/**
 * A body signed by simulated guardians, with a quorum that changes with `turn`; the guardian indexes ascend, as contracts demand:
 * `version u8 =1 | set index u32 | signature count u8 | n × (index u8, signature 65) | body`.
 */
export function signedByGuardians(seed: string, generation: Generation, turn: number, body: Buffer): Buffer {
  const { setIndex, size, quorum } = SETS[generation];
  const digest = keccak_256(keccak_256(body));
  const indexes = Array.from({ length: quorum }, (_, i) => (turn + i) % size).sort((a, b) => a - b);
  const signatures = indexes.map((index) =>
    pack('>Bs', index, signDigest(digest, secretKey(seed, `${generation} ${index}`))),
  );
  return pack('>BIBss', 1, setIndex, quorum, Buffer.concat(signatures), body);
}
