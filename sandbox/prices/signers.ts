import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak256 } from '@/sandbox/keccak';

const BYTES: Readonly<Record<string, number>> = { B: 1, H: 2, I: 4, Q: 8 };

/**
 * Packs values like Python's `struct`: `>` big-endian or `<` little-endian, then B, H, I or Q for 1, 2, 4 or 8 bytes
 * (lower case: signed), s for a text or bytes. Throws a RangeError if a value does not fit.
 */
export function pack(format: string, ...values: (number | bigint | string | Uint8Array)[]): Buffer {
  const order = format.startsWith('<') ? 'LE' : 'BE';
  const parts = values.map((value, index) => {
    if (typeof value === 'string') return Buffer.from(value);
    if (value instanceof Uint8Array) return value;
    const code = format[index + 1] ?? '';
    const kind = code === code.toUpperCase() ? 'UInt' : 'Int';
    const part = Buffer.alloc(BYTES[code.toUpperCase()] ?? 0);
    if (part.length === 8) part[`writeBig${kind}64${order}`](BigInt(value));
    else part[`write${kind}${order}`](Number(value), 0, part.length);
    return part;
  });
  return Buffer.concat(parts);
}

/** A key derived from the seed, so that it can't be mistaken for a real one. */
export function secretKey(seed: string, role: string): Uint8Array {
  return keccak256(Buffer.from(`keeperscope sandbox signer ${seed} ${role}`));
}

/** `r 32 | s 32 | recovery id u8` by secp256k1. */
export function signDigest(digest: Uint8Array, key: Uint8Array): Buffer {
  const bytes = secp256k1.sign(digest, key, { prehash: false, format: 'recovered' });
  return Buffer.concat([bytes.subarray(1), bytes.subarray(0, 1)]);
}

/** `before`: 13 of 19 guardians sign, as before the upgrade. `after`: 3 of 5. */
export type Generation = 'before' | 'after';

// The set indexes distinguish the two sets. Their order is real, their values are not.
const SETS = {
  before: { setIndex: 4, size: 19, quorum: 13 },
  after: { setIndex: 5, size: 5, quorum: 3 },
};

/** The quorum varies with `turn`. `version u8 =1 set index u32 signature count u8 n × (index u8, signature 65) body`. */
export function signedByGuardians(seed: string, generation: Generation, turn: number, body: Buffer): Buffer {
  const { setIndex, size, quorum } = SETS[generation];
  const digest = keccak256(keccak256(body));
  const indexes = Array.from({ length: quorum }, (_, i) => (turn + i) % size).sort((a, b) => a - b);
  const signatures = indexes.map((index) =>
    pack('>Bs', index, signDigest(digest, secretKey(seed, `${generation} ${index}`))),
  );
  return pack('>BIBss', 1, setIndex, quorum, Buffer.concat(signatures), body);
}
