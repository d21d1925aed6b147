import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** Writes integers and bytes one after the other; big-endian unless made with `little`. */
export class ByteWriter {
  #bytes = Buffer.alloc(256);
  #length = 0;
  readonly #little: boolean;

  constructor(order: 'big' | 'little' = 'big') {
    this.#little = order === 'little';
  }

  u8(value: number): this {
    this.#view(1).setUint8(0, value);
    return this;
  }

  u16(value: number): this {
    this.#view(2).setUint16(0, value, this.#little);
    return this;
  }

  i16(value: number): this {
    this.#view(2).setInt16(0, value, this.#little);
    return this;
  }

  u32(value: number): this {
    this.#view(4).setUint32(0, value, this.#little);
    return this;
  }

  i32(value: number): this {
    this.#view(4).setInt32(0, value, this.#little);
    return this;
  }

  /** Throws a RangeError for a value that needs more than 64 bits, instead of cutting it. */
  i64(value: bigint): this {
    if (BigInt.asIntN(64, value) !== value) throw new RangeError('not an i64');
    this.#view(8).setBigInt64(0, value, this.#little);
    return this;
  }

  /** Throws a RangeError for a value that needs more than 64 bits, instead of cutting it. */
  u64(value: bigint): this {
    if (BigInt.asUintN(64, value) !== value) throw new RangeError('not a u64');
    this.#view(8).setBigUint64(0, value, this.#little);
    return this;
  }

  raw(bytes: Uint8Array): this {
    this.#grow(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
    return this;
  }

  text(ascii: string): this {
    return this.raw(Buffer.from(ascii, 'ascii'));
  }

  /** A copy of what was written. */
  done(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#length));
  }

  #view(size: number): DataView {
    this.#grow(size);
    const view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset + this.#length, size);
    this.#length += size;
    return view;
  }

  #grow(size: number): void {
    if (this.#length + size <= this.#bytes.length) return;
    const larger = Buffer.alloc(Math.max(this.#bytes.length * 2, this.#length + size));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}

/** `before`: 13 of 19 sign, as guardians did before the upgrade. `after`: 3 of 5. */
export type Generation = 'before' | 'after';

type SetShape = { setIndex: number; size: number; quorum: number };

// The set indexes only tell the two sets apart; they follow the true ones in order, not in value.
const SHAPES: Readonly<Record<Generation, SetShape>> = {
  before: { setIndex: 4, size: 19, quorum: 13 },
  after: { setIndex: 5, size: 5, quorum: 3 },
};

function secretKey(seed: string, role: string): Uint8Array {
  return keccak_256(utf8ToBytes(`keeperscope sandbox signer ${seed} ${role}`));
}

/** The 20-byte address (lower-case hex, without `0x`) of a secret key, as a contract computes it. */
function addressOf(key: Uint8Array): string {
  const point = secp256k1.getPublicKey(key, false);
  return bytesToHex(keccak_256(point.subarray(1)).subarray(12));
}

export type RecoverableSignature = { r: Uint8Array; s: Uint8Array; recovery: number };

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
    const shape = SHAPES[generation];
    this.setIndex = shape.setIndex;
    this.#quorum = shape.quorum;
    this.#keys = Array.from({ length: shape.size }, (_, i) => secretKey(seed, `${generation} ${i}`));
  }

  /** Addresses in the order of the guardian indexes. */
  addresses(): string[] {
    return this.#keys.map(addressOf);
  }

  /** Signs with a quorum that changes with `turn`; the guardian indexes ascend, as contracts demand. */
  sign(digest: Uint8Array, turn: number): { index: number; signature: RecoverableSignature }[] {
    const size = this.#keys.length;
    const chosen = Array.from({ length: this.#quorum }, (_, i) => (turn + i) % size).sort((a, b) => a - b);
    return chosen.map((index) => {
      const key = this.#keys[index];
      if (!key) throw new Error(`no signer ${index}`);
      return { index, signature: signDigest(digest, key) };
    });
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

  address(): string {
    return addressOf(this.#ecdsa);
  }

  /** Signs keccak-256 of the payload. */
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
