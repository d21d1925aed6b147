import { bytesToHex } from '@noble/hashes/utils.js';
import { type FeedId, parseFeedId } from '@/lib/core/feed';
import { formatIsoSeconds, unixSeconds } from '@/lib/core/time';

/** Why bytes are no update: what should stand at which byte (from zero), and a sentence for people. */
export type PayloadFault = {
  readonly kind: 'fault';
  readonly offset: number;
  readonly part: string;
  readonly problem: string;
  readonly bytes: Uint8Array;
};

/** One signature over the body. `index`: place of the signer in its set; r and s 32 bytes each. */
export type PayloadSignature = {
  readonly index: number;
  readonly r: Uint8Array;
  readonly s: Uint8Array;
  readonly recovery: number;
};

/** A price as it is proven. All scaled by `10^expo`; times as the contract reads them, in signed unix seconds. */
export type PriceMessage = {
  readonly kind: 'price';
  readonly id: FeedId;
  readonly price: bigint;
  readonly conf: bigint;
  readonly expo: number;
  readonly publishTimeS: bigint;
  readonly prevPublishTimeS: bigint;
  readonly emaPrice: bigint;
  readonly emaConf: bigint;
};

/** `raw`: the message as it was hashed. `proof`: the sibling hashes, 20 bytes each, from the leaf up. */
export type ProvenMessage = {
  readonly message: PriceMessage | { readonly kind: 'other'; readonly type: number };
  readonly raw: Uint8Array;
  readonly proof: readonly Uint8Array[];
};

/** A member of the header or of the signed message, as text; `isId`: worth copying. */
export type Field = {
  readonly name: string;
  readonly value: string;
  readonly offset: number;
  readonly isId: boolean;
};

/** A binary update taken apart. That its proofs hold and who signed it is another question: `checkUpdate`. */
export type DecodedUpdate = {
  readonly kind: 'update';
  readonly bytes: Uint8Array;
  /** Where each part begins, by its name. */
  readonly offsets: ReadonlyMap<string, number>;
  /** What is readable but not as it should be. */
  readonly remarks: readonly string[];
  readonly header: readonly Field[];
  /** What stands in the signed bytes. */
  readonly body: readonly Field[];
  readonly signatures: readonly PayloadSignature[];
  /** The bytes that are signed. */
  readonly signed: Uint8Array;
  readonly slot: bigint;
  /** 20 bytes. */
  readonly root: Uint8Array;
  readonly updates: readonly ProvenMessage[];
};

const HASH_BYTES = 20;

class FaultError extends Error {
  constructor(readonly fault: PayloadFault) {
    super(fault.problem);
  }
}

/** Reads big-endian values one after the other, and notes where each began; throws where one does not fit. */
class Reader {
  #at = 0;
  /** Those of the payload, also in a frame of it. */
  readonly offsets: Map<string, number>;
  readonly remarks: string[];
  /** Those of this frame. */
  readonly fields: Field[] = [];

  /** @param name what the bytes are. @param whole the reader of the payload; @param from where the bytes begin in it */
  constructor(
    readonly bytes: Uint8Array,
    private readonly name = 'payload',
    private readonly whole?: Reader,
    private readonly from = 0,
  ) {
    this.offsets = whole?.offsets ?? new Map();
    this.remarks = whole?.remarks ?? [];
  }

  take(count: number, part: string): Uint8Array {
    const left = this.bytes.length - this.#at;
    if (left < count) {
      this.#fail(part, this.#at, `Truncated ${this.name}: ${part} needs ${count} bytes, ${left} left.`);
    }
    this.offsets.set(part, this.from + this.#at);
    this.#at += count;
    return this.bytes.subarray(this.#at - count, this.#at);
  }

  /** Keeps what was just read of a part for people. @returns the value */
  field<T>(name: string, part: string, value: T, { text = String(value), isId = false } = {}): T {
    this.fields.push({ name, value: text, offset: this.offsets.get(part) ?? 0, isId });
    return value;
  }

  u64(part: string, bytes = 8): bigint {
    return this.take(bytes, part).reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  }

  i64(part: string): bigint {
    return BigInt.asIntN(64, this.u64(part));
  }

  uint(bytes: 1 | 2 | 4, part: string): number {
    return Number(this.u64(part, bytes));
  }

  expect(text: string, part: string): void {
    const found = this.take(text.length, part);
    if (String.fromCharCode(...found) === text) return;
    const problem = `Expected “${text}”, found 0x${bytesToHex(found)}.${foreign(bytesToHex(found))}`;
    this.#fail(part, this.#at - text.length, problem);
  }

  version(known: number, part: string): void {
    const found = this.uint(1, part);
    if (found !== known) this.#fail(part, this.#at - 1, `Expected ${known}, found ${found}.`);
  }

  /** The next bytes with a reader of their own, which can't leave them. */
  frame(length: number, name: string): Reader {
    const from = this.from + this.#at;
    return new Reader(this.take(length, name), name, this.whole ?? this, from);
  }

  /** Nothing more is due: what is left is ignored, as contracts do, and remarked on. */
  end(): void {
    const left = this.rest().length;
    if (left > 0)
      this.remarks.push(`Byte ${this.from + this.#at}: ${left} bytes after the ${this.name}, ignored`);
  }

  /** What has not been read yet, a view. */
  rest(): Uint8Array {
    return this.bytes.subarray(this.#at);
  }

  #fail(part: string, at: number, problem: string): never {
    const { bytes } = this.whole ?? this;
    throw new FaultError({ kind: 'fault', offset: this.from + at, part, problem, bytes });
  }
}

/** What the bytes may be instead, where their beginning tells. */
function foreign(hex: string): string {
  if (hex === '50325748') return ' Looks like an attestation of an older kind.';
  if (hex.startsWith('010000')) return ' Looks like a signed message (VAA) without an update header.';
  return hex === '2a22999a' ? ' Looks like a router payload of format “evm”.' : '';
}

/** Takes a binary update apart, or says where that ends and why. Views of `bytes`, no copies. */
export function decodeUpdate(bytes: Uint8Array): DecodedUpdate | PayloadFault {
  try {
    const reader = new Reader(bytes);
    reader.expect('PNAU', 'magic');
    reader.version(1, 'major version');
    const minor = reader.uint(1, 'minor version');
    reader.field('Magic, version', 'magic', `PNAU, 1.${minor}`);
    if (minor !== 0) reader.remarks.push(`Byte 5: unknown minor version ${minor}`);
    const trailing = reader.take(reader.uint(1, 'length of the trailing header'), 'trailing header');
    const hex = trailing.length === 0 ? 'empty' : `0x${bytesToHex(trailing)}`;
    reader.field('Trailing header', 'length of the trailing header', hex);
    if (trailing.length > 0) reader.remarks.push('Byte 7: unknown trailing header, skipped');
    reader.version(0, 'proof type');
    reader.field('Proof type', 'proof type', '0, Merkle');
    const vaa = readVaa(reader, reader.frame(reader.uint(2, 'VAA length'), 'VAA'));
    const count = reader.uint(1, 'update count');
    const updates = Array.from({ length: count }, (_, at) =>
      readProven(reader, `of update ${at + 1} of ${count}`),
    );
    reader.end();
    const { offsets, remarks, fields: header } = reader;
    return { kind: 'update', bytes, offsets, remarks, header, ...vaa, updates };
  } catch (error) {
    if (error instanceof FaultError) return error.fault;
    throw error;
  }
}

/** @param payload whose header the first members belong to. @param reader of the signed message */
function readVaa(payload: Reader, reader: Reader) {
  reader.version(1, 'VAA version');
  payload.field('Signed message', 'VAA', 'VAA version 1');
  payload.field('Guardian set', 'guardian set index', reader.uint(4, 'guardian set index'));
  const count = payload.field('Signatures', 'signature count', reader.uint(1, 'signature count'));
  const signatures = Array.from({ length: count }, (_, at): PayloadSignature => {
    const of = `of signature ${at + 1} of ${count}`;
    return {
      index: reader.uint(1, `signer index ${of}`),
      r: reader.take(32, `r ${of}`),
      s: reader.take(32, `s ${of}`),
      recovery: reader.uint(1, `recovery id ${of}`),
    };
  });
  const signed = reader.rest();
  const isId = { isId: true };
  const hexOf = (bytes: Uint8Array) => ({ text: `0x${bytesToHex(bytes)}`, isId: true });
  const timestampS = reader.uint(4, 'timestamp');
  const dated = { text: `${timestampS} ${secondsAsIso(BigInt(timestampS)) ?? ''}` };
  reader.field('Timestamp', 'timestamp', timestampS, dated);
  reader.field('Nonce', 'nonce', reader.uint(4, 'nonce'));
  reader.field('Emitter chain', 'emitter chain', reader.uint(2, 'emitter chain'));
  const emitter = reader.take(32, 'emitter address');
  reader.field('Emitter address', 'emitter address', emitter, hexOf(emitter));
  reader.field('Sequence', 'sequence', reader.u64('sequence'), isId);
  reader.field('Consistency', 'consistency level', reader.uint(1, 'consistency level'));
  reader.expect('AUWV', 'magic of the signed payload');
  reader.version(0, 'type of the signed payload');
  const slot = reader.field('Slot', 'slot', reader.u64('slot'), isId);
  reader.field('Ring size', 'ring size', reader.uint(4, 'ring size'));
  const root = reader.take(HASH_BYTES, 'root');
  reader.field('Merkle root', 'root', root, hexOf(root));
  reader.end();
  return { signatures, signed, body: reader.fields, slot, root };
}

function readProven(reader: Reader, of: string): ProvenMessage {
  const inner = reader.frame(reader.uint(2, `message length ${of}`), `message ${of}`);
  const type = inner.uint(1, `message type ${of}`);
  const message = type === 0 ? readPrice(inner, of) : ({ kind: 'other', type } as const);
  if (type === 0) inner.end();
  const nodes = reader.uint(1, `proof length ${of}`);
  const hashes = reader.take(nodes * HASH_BYTES, `proof ${of}`);
  const proof = Array.from({ length: nodes }, (_, at) =>
    hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES),
  );
  return { message, raw: inner.bytes, proof };
}

function readPrice(reader: Reader, of: string): PriceMessage {
  const id = parseFeedId(bytesToHex(reader.take(32, `feed id ${of}`)));
  if (id === undefined) throw new Error('32 bytes are 64 hex digits');
  return {
    kind: 'price',
    id,
    price: reader.i64(`price ${of}`),
    conf: reader.u64(`confidence ${of}`),
    expo: Number(BigInt.asIntN(32, reader.u64(`exponent ${of}`, 4))),
    publishTimeS: reader.i64(`publish time ${of}`),
    prevPublishTimeS: reader.i64(`previous publish time ${of}`),
    emaPrice: reader.i64(`EMA price ${of}`),
    emaConf: reader.u64(`EMA confidence ${of}`),
  };
}

/** `2026-11-20T08:05:03Z`; undefined for seconds that no date of four-digit years has. */
export function secondsAsIso(seconds: bigint): string | undefined {
  const known = unixSeconds(Number(seconds));
  return known === undefined ? undefined : formatIsoSeconds(known * 1000);
}
