import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';

/** Writes integers and bytes one after the other; big-endian unless made with `little`. */
export class ByteWriter {
  readonly #parts: Uint8Array[] = [];
  readonly #little: boolean;

  constructor(order: 'big' | 'little' = 'big') {
    this.#little = order === 'little';
  }

  /** Throws a RangeError for a value that needs more bytes, instead of cutting it. */
  uint(bytes: 1 | 2 | 4 | 8, value: number | bigint): this {
    const whole = BigInt(value);
    if (BigInt.asUintN(8 * bytes, whole) !== whole) throw new RangeError(`not ${bytes} bytes: ${value}`);
    const part = Buffer.from(whole.toString(16).padStart(2 * bytes, '0'), 'hex');
    return this.raw(this.#little ? part.reverse() : part);
  }

  /** The same for a number that may be below 0. */
  int(bytes: 2 | 4 | 8, value: number | bigint): this {
    const whole = BigInt(value);
    if (BigInt.asIntN(8 * bytes, whole) !== whole) throw new RangeError(`not ${bytes} bytes: ${value}`);
    return this.uint(bytes, BigInt.asUintN(8 * bytes, whole));
  }

  raw(bytes: Uint8Array): this {
    this.#parts.push(bytes);
    return this;
  }

  text(ascii: string): this {
    return this.raw(Buffer.from(ascii, 'ascii'));
  }

  done(): Buffer {
    return Buffer.concat(this.#parts);
  }
}

/** `before`: 13 of 19 sign, as guardians did before the upgrade. `after`: 3 of 5. */
export type Generation = 'before' | 'after';

// The set indexes only tell the two sets apart; they follow the true ones in order, not in value.
const SETS = {
  before: { setIndex: 4, size: 19, quorum: 13 },
  after: { setIndex: 5, size: 5, quorum: 3 },
};

function secretKey(seed: string, role: string): Uint8Array {
  return keccak_256(utf8ToBytes(`keeperscope sandbox signer ${seed} ${role}`));
}

type RecoverableSignature = { r: Uint8Array; s: Uint8Array; recovery: number };

function signDigest(digest: Uint8Array, key: Uint8Array): RecoverableSignature {
  const bytes = secp256k1.sign(digest, key, { prehash: false, format: 'recovered' });
  return { recovery: bytes[0] ?? 0, r: bytes.subarray(1, 33), s: bytes.subarray(33, 65) };
}

/** A set of simulated guardians. Their keys come from the seed, so they can never be mistaken for true ones. */
export class SignerSet {
  readonly setIndex: number;
  readonly #quorum: number;
  readonly #keys: readonly Uint8Array[];

  constructor(seed: string, generation: Generation) {
    const { setIndex, size, quorum } = SETS[generation];
    this.setIndex = setIndex;
    this.#quorum = quorum;
    this.#keys = Array.from({ length: size }, (_, i) => secretKey(seed, `${generation} ${i}`));
  }

  /** Signs with a quorum that changes with `turn`; the guardian indexes ascend, as contracts demand. */
  sign(digest: Uint8Array, turn: number): (RecoverableSignature & { index: number })[] {
    const size = this.#keys.length;
    return [...this.#keys.entries()]
      .filter(([index]) => (index - (turn % size) + size) % size < this.#quorum)
      .map(([index, key]) => ({ index, ...signDigest(digest, key) }));
  }
}

/** The simulated router's own keys: one for the secp256k1 formats, one for `solana`. */
export class RouterSigner {
  readonly #ecdsa: Uint8Array;
  readonly #ed25519: Uint8Array;

  constructor(seed: string) {
    this.#ecdsa = secretKey(seed, 'router secp256k1');
    this.#ed25519 = secretKey(seed, 'router ed25519');
  }

  signEcdsa(payload: Uint8Array): RecoverableSignature {
    return signDigest(keccak_256(payload), this.#ecdsa);
  }

  signEd25519(payload: Uint8Array): { signature: Uint8Array; publicKey: Uint8Array } {
    return {
      signature: ed25519.sign(payload, this.#ed25519),
      publicKey: ed25519.getPublicKey(this.#ed25519),
    };
  }
}
