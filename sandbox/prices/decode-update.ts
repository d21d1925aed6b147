import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';

/**
 * Reads binary updates, for the tests: written after the description of the format alone, sharing nothing
 * with what writes them. Throws on anything that does not fit, and when bytes are left over.
 */
class Reader {
  #at = 0;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  take(count: number): Buffer {
    if (this.#at + count > this.#bytes.length) throw new Error('too short');
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  uint(count: number): number {
    return this.take(count).readUIntBE(0, count);
  }

  end(): void {
    if (this.#at !== this.#bytes.length) throw new Error(`${this.#bytes.length - this.#at} bytes left over`);
  }
}

type DecodedMessage = {
  id: string;
  price: bigint;
  conf: bigint;
  expo: number;
  publishTime: bigint;
  prevPublishTime: bigint;
  emaPrice: bigint;
  emaConf: bigint;
  proofLength: number;
  /** The root that message and proof lead to. */
  provenRoot: string;
};

export type DecodedUpdate = {
  setIndex: number;
  signatures: { index: number; recovered: string }[];
  timestamp: number;
  emitterChain: number;
  sequence: bigint;
  slot: bigint;
  ringSize: number;
  root: string;
  messages: DecodedMessage[];
};

const short = (bytes: Buffer): Buffer => Buffer.from(keccak_256(bytes)).subarray(0, 20);

function recoverAddress(digest: Uint8Array, rs: Buffer, recovery: number): string {
  const signature = secp256k1.Signature.fromBytes(rs, 'compact').addRecoveryBit(recovery);
  const key = signature.recoverPublicKey(digest).toBytes(false);
  return Buffer.from(keccak_256(key.subarray(1)).subarray(12)).toString('hex');
}

function decodeVaa(bytes: Buffer) {
  const header = new Reader(bytes);
  if (header.uint(1) !== 1) throw new Error('VAA version');
  const setIndex = header.uint(4);
  const count = header.uint(1);
  const raw = Array.from({ length: count }, () => ({
    index: header.uint(1),
    rs: header.take(64),
    recovery: header.uint(1),
  }));
  const body = bytes.subarray(6 + 66 * count);
  const digest = keccak_256(keccak_256(body));
  const signatures = raw.map(({ index, rs, recovery }) => ({
    index,
    recovered: recoverAddress(digest, rs, recovery),
  }));
  const reader = new Reader(body);
  const timestamp = reader.uint(4);
  reader.take(4);
  const emitterChain = reader.uint(2);
  reader.take(32);
  const sequence = reader.take(8).readBigUInt64BE();
  reader.take(1);
  if (reader.take(4).toString('ascii') !== 'AUWV' || reader.uint(1) !== 0) throw new Error('payload');
  const slot = reader.take(8).readBigUInt64BE();
  const ringSize = reader.uint(4);
  const root = reader.take(20).toString('hex');
  reader.end();
  return { setIndex, signatures, timestamp, emitterChain, sequence, slot, ringSize, root };
}

function decodeMessage(message: Buffer, proof: Buffer[]): DecodedMessage {
  const reader = new Reader(message);
  if (reader.uint(1) !== 0) throw new Error('message type');
  const fields = {
    id: reader.take(32).toString('hex'),
    price: reader.take(8).readBigInt64BE(),
    conf: reader.take(8).readBigUInt64BE(),
    expo: reader.take(4).readInt32BE(),
    publishTime: reader.take(8).readBigInt64BE(),
    prevPublishTime: reader.take(8).readBigInt64BE(),
    emaPrice: reader.take(8).readBigInt64BE(),
    emaConf: reader.take(8).readBigUInt64BE(),
  };
  let hash = short(Buffer.concat([Buffer.of(0), message]));
  for (const sibling of proof) {
    const sides = [hash, sibling].sort(Buffer.compare);
    hash = short(Buffer.concat([Buffer.of(1), ...sides]));
  }
  return { ...fields, proofLength: proof.length, provenRoot: hash.toString('hex') };
}

/** Decodes one update blob, recovers its signers and computes the root that each proof leads to. */
export function decodeUpdate(bytes: Buffer): DecodedUpdate {
  const reader = new Reader(bytes);
  if (reader.take(4).toString('ascii') !== 'PNAU') throw new Error('magic');
  if (reader.uint(1) !== 1 || reader.uint(1) !== 0) throw new Error('version');
  reader.take(reader.uint(1));
  if (reader.uint(1) !== 0) throw new Error('proof type');
  const vaa = decodeVaa(reader.take(reader.uint(2)));
  const messages = Array.from({ length: reader.uint(1) }, () => {
    const message = reader.take(reader.uint(2));
    const proof = Array.from({ length: reader.uint(1) }, () => reader.take(20));
    return decodeMessage(message, proof);
  });
  reader.end();
  return { ...vaa, messages };
}
