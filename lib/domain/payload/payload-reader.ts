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
