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
