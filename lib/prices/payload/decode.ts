import { bytesToHex } from '@noble/hashes/utils.js';
import type { FeedId } from '@/lib/core/feed';
import { formatIsoSeconds, unixSeconds } from '@/lib/core/time';

/** The part expected at a byte offset (from zero), and a sentence for the user. */
export type PayloadFault = {
  readonly kind: 'fault';
  readonly offset: number;
  readonly part: string;
  readonly problem: string;
  readonly bytes: Uint8Array;
};

/** A field of the header or the signed message. `isId`: worth copying. */
type Field = {
  readonly name: string;
  readonly value: string;
  readonly offset: number;
  readonly isId: boolean;
};

/** Proofs and signatures are not verified here; `checkUpdate` does that. */
export type DecodedUpdate = Extract<ReturnType<typeof decodeUpdate>, { kind: 'update' }>;
/** A signature over the body. `index` is the position of the signer in its set; r and s have 32 bytes each. */
export type PayloadSignature = DecodedUpdate['signatures'][number];
/** `raw` is the message as it was hashed; `proof` has the sibling hashes, 20 bytes each, from the leaf up. */
export type ProvenMessage = ReturnType<typeof readProven>;
/** Values are scaled by `10^expo`; times are signed unix seconds, as the contract reads them. */
export type PriceMessage = ReturnType<typeof readPrice>;

const HASH_BYTES = 20;

class Notes {
  readonly offsets = new Map<string, number>();
  readonly remarks: string[] = [];
  readonly fields: Field[] = [];
  fault?: PayloadFault;
  constructor(readonly bytes: Uint8Array) {}
}

/** Reads big-endian values and records the offset of each. Throws if the bytes end early. */
class Reader {
  #at = 0;

  /** @param name for messages @param from offset in the payload */
  constructor(
    readonly notes: Notes,
    readonly bytes = notes.bytes,
    private readonly name = 'payload',
    private readonly from = 0,
  ) {}

  bytesOf(count: number, part: string): Uint8Array {
    const left = this.bytes.length - this.#at;
    if (left < count)
      this.#fail(part, this.#at, `Truncated ${this.name}: ${part} needs ${count} bytes, ${left} left.`);
    this.notes.offsets.set(part, this.from + this.#at);
    this.#at += count;
    return this.bytes.subarray(this.#at - count, this.#at);
  }

  /** Adds the value just read to the fields on screen. @param isId worth copying */
  show(name: string, part: string, value: string, isId = false): void {
    this.notes.fields.push({ name, value, offset: this.notes.offsets.get(part) ?? 0, isId });
  }

  u64(part: string, bytes = 8): bigint {
    return this.bytesOf(bytes, part).reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  }

  i64(part: string): bigint {
    return BigInt.asIntN(64, this.u64(part));
  }

  uint(bytes: 1 | 2 | 4, part: string): number {
    return Number(this.u64(part, bytes));
  }

  showNumber(name: string, part: string, bytes: number, isId = false): bigint {
    const value = this.u64(part, bytes);
    this.show(name, part, String(value), isId);
    return value;
  }

  showHex(name: string, part: string, bytes: number): Uint8Array {
    const value = this.bytesOf(bytes, part);
    this.show(name, part, `0x${bytesToHex(value)}`, true);
    return value;
  }

  expect(text: string, part: string): void {
    const bytes = this.bytesOf(text.length, part);
    if (String.fromCharCode(...bytes) === text) return;
    const hex = bytesToHex(bytes);
    this.#fail(part, this.#at - text.length, `Expected “${text}”, found 0x${hex}.${otherFormat(hex)}`);
  }

  version(supported: number, part: string): void {
    const value = this.uint(1, part);
    if (value !== supported) this.#fail(part, this.#at - 1, `Expected ${supported}, found ${value}.`);
  }

  /** Confined to the next bytes. */
  frame(length: number, name: string): Reader {
    const from = this.from + this.#at;
    return new Reader(this.notes, this.bytesOf(length, name), name, from);
  }

  /** Bytes that remain are ignored, as contracts do, but noted in a remark. */
  end(): void {
    const left = this.rest().length;
    if (left === 0) return;
    this.notes.remarks.push(`Byte ${this.from + this.#at}: ${left} bytes after the ${this.name}, ignored`);
  }

  /** A view of the unread bytes. */
  rest(): Uint8Array {
    return this.bytes.subarray(this.#at);
  }

  #fail(part: string, at: number, problem: string): never {
    this.notes.fault = { kind: 'fault', offset: this.from + at, part, problem, bytes: this.notes.bytes };
    throw new Error(problem);
  }
}

/** Guesses by the first bytes. */
function otherFormat(hex: string): string {
  if (hex === '50325748') return ' Looks like an attestation of an older kind.';
  if (hex.startsWith('010000')) return ' Looks like a signed message (VAA) without an update header.';
  return hex === '2a22999a' ? ' Looks like a router payload of format “evm”.' : '';
}

/** Reports where and why decoding fails. The result refers to `bytes` and has no copies. */
export function decodeUpdate(bytes: Uint8Array) {
  const notes = new Notes(bytes);
  const { remarks } = notes;
  try {
    const reader = new Reader(notes);
    reader.expect('PNAU', 'magic');
    reader.version(1, 'major version');
    const minor = reader.uint(1, 'minor version');
    reader.show('Magic, version', 'magic', `PNAU, 1.${minor}`);
    if (minor !== 0) remarks.push(`Byte 5: unknown minor version ${minor}`);
    const trailing = reader.bytesOf(reader.uint(1, 'length of the trailing header'), 'trailing header');
    const hex = trailing.length === 0 ? 'empty' : `0x${bytesToHex(trailing)}`;
    reader.show('Trailing header', 'length of the trailing header', hex);
    if (trailing.length > 0) remarks.push('Byte 7: unknown trailing header, skipped');
    reader.version(0, 'proof type');
    reader.show('Proof type', 'proof type', '0, Merkle');
    const vaa = readVaa(reader.frame(reader.uint(2, 'VAA length'), 'VAA'));
    const count = reader.uint(1, 'update count');
    const updates = Array.from({ length: count }, (_, index) =>
      readProven(reader, `of update ${index + 1} of ${count}`),
    );
    reader.end();
    // Offsets are by name of the part; remarks are on values that are readable but unexpected.
    const annotations = { offsets: notes.offsets as ReadonlyMap<string, number>, remarks };
    return { kind: 'update' as const, bytes, ...annotations, ...vaa, updates };
  } catch (error) {
    if (notes.fault !== undefined) return notes.fault;
    throw error;
  }
}

/** `signed` is the part that was signed. The fields before it form the header. */
function readVaa(reader: Reader) {
  reader.version(1, 'VAA version');
  reader.show('Signed message', 'VAA', 'VAA version 1');
  reader.showNumber('Guardian set', 'guardian set index', 4);
  const count = Number(reader.showNumber('Signatures', 'signature count', 1));
  const signatures = Array.from({ length: count }, (_, at) => {
    const place = `of signature ${at + 1} of ${count}`;
    return {
      index: reader.uint(1, `signer index ${place}`),
      r: reader.bytesOf(32, `r ${place}`),
      s: reader.bytesOf(32, `s ${place}`),
      recovery: reader.uint(1, `recovery id ${place}`),
    };
  });
  const signed = reader.rest();
  const header = reader.notes.fields.splice(0);
  const timestampS = reader.u64('timestamp', 4);
  reader.show('Timestamp', 'timestamp', `${timestampS} ${secondsAsIso(timestampS) ?? ''}`);
  reader.showNumber('Nonce', 'nonce', 4);
  reader.showNumber('Emitter chain', 'emitter chain', 2);
  reader.showHex('Emitter address', 'emitter address', 32);
  reader.showNumber('Sequence', 'sequence', 8, true);
  reader.showNumber('Consistency', 'consistency level', 1);
  reader.expect('AUWV', 'magic of the signed payload');
  reader.version(0, 'type of the signed payload');
  const slot = reader.showNumber('Slot', 'slot', 8, true);
  reader.showNumber('Ring size', 'ring size', 4);
  const root = reader.showHex('Merkle root', 'root', HASH_BYTES);
  reader.end();
  return { signatures, signed, header, body: reader.notes.fields, slot, root };
}

function readProven(reader: Reader, place: string) {
  const inner = reader.frame(reader.uint(2, `message length ${place}`), `message ${place}`);
  const type = inner.uint(1, `message type ${place}`);
  const message = type === 0 ? readPrice(inner, place) : ({ kind: 'other', type } as const);
  if (type === 0) inner.end();
  const nodes = reader.uint(1, `proof length ${place}`);
  const hashes = reader.bytesOf(nodes * HASH_BYTES, `proof ${place}`);
  const proof = Array.from({ length: nodes }, (_, index) =>
    hashes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES),
  );
  return { message, raw: inner.bytes, proof };
}

function readPrice(reader: Reader, place: string) {
  return {
    kind: 'price' as const,
    id: bytesToHex(reader.bytesOf(32, `feed id ${place}`)) as FeedId,
    price: reader.i64(`price ${place}`),
    conf: reader.u64(`confidence ${place}`),
    expo: Number(BigInt.asIntN(32, reader.u64(`exponent ${place}`, 4))),
    publishTimeS: reader.i64(`publish time ${place}`),
    prevPublishTimeS: reader.i64(`previous publish time ${place}`),
    emaPrice: reader.i64(`EMA price ${place}`),
    emaConf: reader.u64(`EMA confidence ${place}`),
  };
}

/** `2026-11-20T08:05:03Z`; undefined beyond the year 9999. */
export function secondsAsIso(seconds: bigint): string | undefined {
  const unix = unixSeconds(Number(seconds));
  return unix === undefined ? undefined : formatIsoSeconds(unix * 1000);
}
