import { bytesToHex } from '@noble/hashes/utils.js';
import { type FeedId, parseFeedId } from '@/lib/core/feed';
import { type UnixSeconds, unixSeconds } from '@/lib/core/time';

/** Where a named piece of a payload stands in its bytes. */
export type PayloadPart = { readonly name: string; readonly offset: number; readonly length: number };

/** Why bytes are no update, and where that shows. */
export type PayloadFault = {
  readonly kind: 'fault';
  /** The first byte of what cannot be read, counted from zero. */
  readonly offset: number;
  /** What should stand there. */
  readonly part: string;
  /** A sentence for people. */
  readonly problem: string;
  /** What was read before. */
  readonly parts: readonly PayloadPart[];
};

const NOTHING = new Uint8Array(0);

/** `1 byte`, `20 bytes`. */
export function byteCount(count: number): string {
  return count === 1 ? '1 byte' : `${count} bytes`;
}

/**
 * Reads big-endian values one after the other and notes where each stood. The first thing that does not fit is kept as
 * `fault`; from then on every read gives zeros, so that what follows needs to ask only once, at the end. All counts of the
 * format are at most 255, so nothing can be read for long after that.
 */
export class PayloadReader {
  fault: PayloadFault | undefined;
  readonly parts: PayloadPart[] = [];
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;
  #end: number;
  /** What ends at `#end`, when it is not the payload itself. */
  #frame: string | undefined;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#end = bytes.length;
  }

  get offset(): number {
    return this.#at;
  }

  /** Bytes up to the end of the payload, or of the frame that is being read. */
  get left(): number {
    return this.fault === undefined ? this.#end - this.#at : 0;
  }

  /** Keeps the first fault only: what comes after it is its consequence. */
  fail(part: string, problem: string, offset = this.#at): void {
    this.fault ??= { kind: 'fault', offset, part, problem, parts: this.parts };
  }

  /** A view of the next bytes, not a copy. */
  take(count: number, part: string): Uint8Array {
    return this.#claim(count, part) ? this.#bytes.subarray(this.#at - count, this.#at) : NOTHING;
  }

  u8(part: string): number {
    return this.#claim(1, part) ? this.#view.getUint8(this.#at - 1) : 0;
  }

  u16(part: string): number {
    return this.#claim(2, part) ? this.#view.getUint16(this.#at - 2) : 0;
  }

  u32(part: string): number {
    return this.#claim(4, part) ? this.#view.getUint32(this.#at - 4) : 0;
  }

  i32(part: string): number {
    return this.#claim(4, part) ? this.#view.getInt32(this.#at - 4) : 0;
  }

  u64(part: string): bigint {
    return this.#claim(8, part) ? this.#view.getBigUint64(this.#at - 8) : 0n;
  }

  i64(part: string): bigint {
    return this.#claim(8, part) ? this.#view.getBigInt64(this.#at - 8) : 0n;
  }

  /** Reads what lies in the next `length` bytes, which it must not leave; goes on behind them, whatever was read. */
  frame<T>(length: number, name: string, read: (raw: Uint8Array) => T): T {
    const start = this.#at;
    if (this.fault === undefined && length > this.left) {
      this.fail(
        name,
        `The ${name} is said to be ${byteCount(length)} long; ${byteCount(this.left)} ${this.left === 1 ? 'is' : 'are'} left.`,
      );
    }
    const [end, frame] = [this.#end, this.#frame];
    if (this.fault === undefined) {
      this.parts.push({ name, offset: start, length });
      this.#end = start + length;
      this.#frame = name;
    }
    const raw = this.fault === undefined ? this.#bytes.subarray(start, start + length) : NOTHING;
    const value = read(raw);
    if (this.fault === undefined) this.#at = start + length;
    [this.#end, this.#frame] = [end, frame];
    return value;
  }

  /** Moves on by `count` when there are so many; else that is the fault. */
  #claim(count: number, part: string): boolean {
    if (this.fault !== undefined) return false;
    const left = this.#end - this.#at;
    if (left < count) {
      const where = this.#frame === undefined ? 'The payload' : `The ${this.#frame}`;
      this.fail(
        part,
        `${where} ends too early: the ${part} needs ${byteCount(count)}, and ${left === 0 ? 'none' : left} ${left === 1 ? 'is' : 'are'} left.`,
      );
      return false;
    }
    if (count > 0) this.parts.push({ name: part, offset: this.#at, length: count });
    this.#at += count;
    return true;
  }
}

/** One signature over the body, as it stands in the payload. */
export type PayloadSignature = {
  readonly offset: number;
  /** Place of the signer in its set. */
  readonly index: number;
  /** 32 bytes each. */
  readonly r: Uint8Array;
  readonly s: Uint8Array;
  readonly recovery: number;
};

/** What is signed. Addresses and hashes are lower-case hex without `0x`. */
export type PayloadBody = {
  readonly offset: number;
  /** Its bytes: what the digest is made of. */
  readonly bytes: Uint8Array;
  readonly timestamp: UnixSeconds;
  readonly nonce: number;
  readonly emitterChain: number;
  readonly emitterAddress: string;
  readonly sequence: bigint;
  readonly consistency: number;
  readonly payload: {
    readonly magic: 'AUWV';
    readonly type: number;
    readonly slot: bigint;
    readonly ringSize: number;
    /** 20 bytes. */
    readonly root: Uint8Array;
  };
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
  /** Bytes behind the last member, which readers are to ignore. */
  readonly trailingBytes: number;
};

/** A message that is proven like a price, but of another type. */
export type OtherMessage = { readonly kind: 'other'; readonly type: number };

export type ProvenMessage = {
  readonly message: PriceMessage | OtherMessage;
  /** Where the message begins. */
  readonly offset: number;
  /** The message as it was hashed. */
  readonly raw: Uint8Array;
  /** The sibling hashes, 20 bytes each, from the leaf up. */
  readonly proof: readonly Uint8Array[];
};

/** Something that is readable but not as it should be. */
export type PayloadRemark = { readonly offset: number; readonly part: string; readonly remark: string };

/** A binary update taken apart. That its proofs hold and who signed it is another question: `checkUpdate`. */
export type DecodedUpdate = {
  readonly kind: 'update';
  /** Bytes in all. */
  readonly size: number;
  readonly header: {
    readonly major: number;
    readonly minor: number;
    readonly trailing: Uint8Array;
    readonly proofType: number;
  };
  readonly vaa: {
    readonly offset: number;
    readonly length: number;
    readonly version: number;
    readonly setIndex: number;
    readonly signatures: readonly PayloadSignature[];
  };
  readonly body: PayloadBody;
  readonly updates: readonly ProvenMessage[];
  /** Every piece that was read, in order; a frame (VAA, message) stands before what is in it. */
  readonly parts: readonly PayloadPart[];
  readonly remarks: readonly PayloadRemark[];
  /** Bytes behind the last update, which belong to nothing. */
  readonly leftOver: number;
};

const MAGIC = 'PNAU';
const BODY_MAGIC = 'AUWV';
const HASH_BYTES = 20;

class Remarks {
  readonly list: PayloadRemark[] = [];

  add(offset: number, part: string, remark: string): void {
    this.list.push({ offset, part, remark });
  }
}

/** Four bytes as text, for the message about what stands there instead. */
function shownMagic(bytes: Uint8Array): string {
  const isText = bytes.every((byte) => byte >= 0x20 && byte < 0x7f);
  return isText ? `“${String.fromCharCode(...bytes)}” (0x${bytesToHex(bytes)})` : `0x${bytesToHex(bytes)}`;
}

function readMagic(reader: PayloadReader, magic: string, part: string): void {
  const offset = reader.offset;
  const bytes = reader.take(magic.length, part);
  if (reader.fault !== undefined || String.fromCharCode(...bytes) === magic) return;
  reader.fail(part, `“${magic}” is due here, and ${shownMagic(bytes)} stands here.${foreign(bytes)}`, offset);
}

/** What the bytes may be instead, where their beginning tells. */
function foreign(bytes: Uint8Array): string {
  const text = String.fromCharCode(...bytes);
  if (text === 'P2WH') return ' It looks like an attestation of an older kind.';
  if (bytesToHex(bytes.subarray(0, 3)) === '010000') {
    return ' It looks like a signed message (VAA) without the header of an update.';
  }
  // The beginning of the router's format for EVM chains, big-endian.
  if (bytesToHex(bytes) === '2a22999a') return ' It looks like a payload of the router in its format “evm”.';
  return '';
}

function readHeader(reader: PayloadReader, remarks: Remarks): DecodedUpdate['header'] {
  readMagic(reader, MAGIC, 'magic');
  const major = reader.u8('major version');
  if (major !== 1) reader.fail('major version', `Version 1 is known here, not ${major}.`, reader.offset - 1);
  const minor = reader.u8('minor version');
  if (minor !== 0) remarks.add(reader.offset - 1, 'minor version', `It is ${minor}; 0 is known here.`);
  const trailing = reader.take(reader.u8('length of the trailing header'), 'trailing header');
  if (trailing.length > 0) {
    remarks.add(
      reader.offset - trailing.length,
      'trailing header',
      `${byteCount(trailing.length)} of unknown meaning, skipped.`,
    );
  }
  const proofType = reader.u8('proof type');
  if (proofType !== 0) {
    reader.fail('proof type', `Type 0 (Merkle proofs) is known here, not ${proofType}.`, reader.offset - 1);
  }
  return { major, minor, trailing, proofType };
}

function readSignatures(reader: PayloadReader, remarks: Remarks): PayloadSignature[] {
  const count = reader.u8('signature count');
  const signatures: PayloadSignature[] = [];
  for (let n = 1; n <= count && reader.fault === undefined; n++) {
    const name = `of signature ${n} of ${count}`;
    const offset = reader.offset;
    const index = reader.u8(`signer index ${name}`);
    const r = reader.take(32, `r ${name}`);
    const s = reader.take(32, `s ${name}`);
    const recovery = reader.u8(`recovery id ${name}`);
    const before = signatures.at(-1);
    if (before !== undefined && before.index >= index) {
      remarks.add(
        offset,
        `signer index ${name}`,
        `Index ${index} follows ${before.index}; contracts demand ascending ones.`,
      );
    }
    signatures.push({ offset, index, r, s, recovery });
  }
  return signatures;
}

function readBody(reader: PayloadReader, vaa: Uint8Array, start: number, remarks: Remarks): PayloadBody {
  const offset = reader.offset;
  const timestamp = unixSeconds(reader.u32('timestamp'));
  if (timestamp === undefined) throw new Error('32 bits of seconds reach to the year 2106');
  const nonce = reader.u32('nonce');
  const emitterChain = reader.u16('emitter chain');
  const emitterAddress = bytesToHex(reader.take(32, 'emitter address'));
  const sequence = reader.u64('sequence');
  const consistency = reader.u8('consistency level');
  readMagic(reader, BODY_MAGIC, 'magic of the signed payload');
  const type = reader.u8('type of the signed payload');
  if (type !== 0) {
    reader.fail(
      'type of the signed payload',
      `Type 0 (a root) is known here, not ${type}.`,
      reader.offset - 1,
    );
  }
  const slot = reader.u64('slot');
  const ringSize = reader.u32('ring size');
  const root = reader.take(HASH_BYTES, 'root');
  if (reader.left > 0) {
    remarks.add(reader.offset, 'signed payload', `${byteCount(reader.left)} behind the root, ignored.`);
  }
  return {
    ...{ offset, bytes: vaa.subarray(offset - start), timestamp, nonce, emitterChain, emitterAddress },
    ...{ sequence, consistency, payload: { magic: BODY_MAGIC, type, slot, ringSize, root } },
  };
}

function readVaa(reader: PayloadReader, remarks: Remarks): Pick<DecodedUpdate, 'vaa' | 'body'> {
  const length = reader.u16('VAA length');
  const offset = reader.offset;
  return reader.frame(length, 'VAA', (raw) => {
    const version = reader.u8('VAA version');
    if (version !== 1)
      reader.fail('VAA version', `Version 1 is known here, not ${version}.`, reader.offset - 1);
    const setIndex = reader.u32('guardian set index');
    const signatures = readSignatures(reader, remarks);
    return {
      vaa: { offset, length, version, setIndex, signatures },
      body: readBody(reader, raw, offset, remarks),
    };
  });
}

const NO_ID = '0'.repeat(64);

function readPrice(reader: PayloadReader, of: string, remarks: Remarks): PriceMessage {
  const id = parseFeedId(bytesToHex(reader.take(32, `feed id ${of}`)) || NO_ID);
  if (id === undefined) throw new Error('32 bytes are 64 hex digits');
  const price = reader.i64(`price ${of}`);
  const conf = reader.u64(`confidence ${of}`);
  const expo = reader.i32(`exponent ${of}`);
  const publishTimeS = reader.i64(`publish time ${of}`);
  const prevPublishTimeS = reader.i64(`previous publish time ${of}`);
  const emaPrice = reader.i64(`EMA price ${of}`);
  const emaConf = reader.u64(`EMA confidence ${of}`);
  const trailingBytes = reader.left;
  if (trailingBytes > 0) {
    remarks.add(
      reader.offset,
      `message ${of}`,
      `${byteCount(trailingBytes)} behind the last member, ignored.`,
    );
  }
  return {
    ...{ kind: 'price', id, price, conf, expo, publishTimeS, prevPublishTimeS, emaPrice, emaConf },
    trailingBytes,
  };
}

function readProven(reader: PayloadReader, of: string, remarks: Remarks): ProvenMessage {
  const length = reader.u16(`message length ${of}`);
  const offset = reader.offset;
  const proven = reader.frame(length, `message ${of}`, (raw) => {
    const type = reader.u8(`message type ${of}`);
    if (type === 0) return { raw, message: readPrice(reader, of, remarks) };
    remarks.add(offset, `message type ${of}`, `It is ${type}; only 0, a price, is known here.`);
    return { raw, message: { kind: 'other', type } as const };
  });
  const hashes = reader.u8(`proof length ${of}`);
  const proof = reader.take(hashes * HASH_BYTES, `proof ${of}`);
  const nodes = Array.from({ length: proof.length / HASH_BYTES }, (_, at) =>
    proof.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES),
  );
  return { ...proven, offset, proof: nodes };
}

/**
 * Takes a binary update apart (`binary.data` of the price update service, or `vaa` of its deprecated route), or says where
 * that ends and why. Format: observed behaviour of the service, and the contracts that read it. Views of `bytes`, no copies.
 */
export function decodeUpdate(bytes: Uint8Array): DecodedUpdate | PayloadFault {
  const reader = new PayloadReader(bytes);
  const remarks = new Remarks();
  const header = readHeader(reader, remarks);
  const signed = readVaa(reader, remarks);
  const count = reader.u8('update count');
  const updates: ProvenMessage[] = [];
  for (let n = 1; n <= count && reader.fault === undefined; n++) {
    updates.push(readProven(reader, `of update ${n} of ${count}`, remarks));
  }
  if (reader.fault !== undefined) return reader.fault;
  const leftOver = reader.left;
  if (count === 0) remarks.add(reader.offset - 1, 'update count', 'It is 0: nothing is proven.');
  if (leftOver > 0) {
    remarks.add(reader.offset, 'end', `${byteCount(leftOver)} left over behind the last update.`);
  }
  const { parts } = reader;
  return {
    kind: 'update',
    size: bytes.length,
    header,
    ...signed,
    updates,
    parts,
    remarks: remarks.list,
    leftOver,
  };
}
