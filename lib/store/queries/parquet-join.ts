import 'server-only';

/**
 * Joins Parquet files with equal columns: their row groups one after the other, then one footer. DuckDB writes the
 * files; this code reads and writes only the footer, a struct in Thrift's compact protocol
 * (https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift). ADR 0036 gives the reasons.
 */
export class ParquetJoin {
  #footer: Struct | undefined;
  readonly #groups: Uint8Array[] = [];
  #rows = 0n;
  #end = MAGIC.length;

  get isEmpty(): boolean {
    return this.#footer === undefined;
  }

  /** @param file a complete Parquet file @returns the next bytes of the joined file */
  add(file: Buffer): Buffer {
    const footerStart = file.length - 8 - file.readUInt32LE(file.length - 8);
    const footer = new FooterReader(file.subarray(footerStart)).struct();
    const isFirst = this.#footer === undefined;
    const moved = BigInt(this.#end - MAGIC.length);
    for (const group of structs(footer, FOOTER.rowGroups)) {
      moveGroup(group, moved);
      group.set(GROUP.ordinal, { type: Type.i16, value: BigInt(this.#groups.length) });
      this.#groups.push(new Writer().struct(group).bytes());
    }
    this.#rows += integer(footer, FOOTER.rows);
    this.#end += footerStart - MAGIC.length;
    footer.delete(FOOTER.rowGroups);
    this.#footer ??= footer;
    return file.subarray(isFirst ? 0 : MAGIC.length, footerStart);
  }

  /** @returns the last bytes of the joined file */
  end(metadata: Record<string, string>): Buffer {
    const footer: Struct = new Map(this.#footer);
    footer.set(FOOTER.rows, { type: Type.i64, value: this.#rows });
    footer.set(FOOTER.rowGroups, { type: Type.list, elementType: Type.struct, written: this.#groups });
    const pairs = Object.entries(metadata).map(([key, value]): Struct => {
      const text = (string: string): Value => ({ type: Type.binary, value: Buffer.from(string) });
      return new Map([
        [1, text(key)],
        [2, text(value)],
      ]);
    });
    const written = pairs.map((pair) => new Writer().struct(pair).bytes());
    footer.set(FOOTER.metadata, { type: Type.list, elementType: Type.struct, written });
    const bytes = new Writer().struct(footer).bytes();
    const length = Buffer.alloc(4);
    length.writeUInt32LE(bytes.length);
    return Buffer.concat([bytes, length, MAGIC]);
  }
}

const MAGIC = Buffer.from('PAR1');
const FOOTER = { rows: 3, rowGroups: 4, metadata: 5 };
const GROUP = { columns: 1, offset: 5, ordinal: 7 };
/** Field ids of file offsets, in a column chunk and in its metadata. */
const CHUNK = { offset: 2, meta: 3, indexes: [4, 6] };
const META_OFFSETS = [9, 10, 11, 14];

function moveGroup(group: Struct, by: bigint): void {
  move(group, GROUP.offset, by);
  for (const chunk of structs(group, GROUP.columns)) {
    for (const place of [CHUNK.offset, ...CHUNK.indexes]) move(chunk, place, by);
    const meta = chunk.get(CHUNK.meta);
    if (meta?.type === Type.struct) for (const place of META_OFFSETS) move(meta.value, place, by);
  }
}

/** Zero means that the offset is not given. */
function move(struct: Struct, field: number, by: bigint): void {
  const value = struct.get(field);
  if (value?.type === Type.i64 && value.value !== 0n) value.value += by;
}

function structs(struct: Struct, field: number): Struct[] {
  const member = struct.get(field);
  if (member?.type !== Type.list || !('values' in member)) return [];
  return member.values.flatMap((value) => (value.type === Type.struct ? [value.value] : []));
}

function integer(struct: Struct, field: number): bigint {
  const value = struct.get(field);
  return value?.type === Type.i64 ? value.value : 0n;
}

/** Types of the compact protocol. A boolean field is encoded in its type. */
const Type = {
  true: 1,
  false: 2,
  byte: 3,
  i16: 4,
  i32: 5,
  i64: 6,
  double: 7,
  binary: 8,
  list: 9,
  set: 10,
  struct: 12,
} as const;

type Value =
  | { type: 1 | 2 }
  | { type: 3 | 4 | 5 | 6; value: bigint }
  | { type: 7 | 8; value: Uint8Array }
  | { type: 9 | 10; elementType: number; values: Value[] }
  | { type: 9; elementType: 12; written: readonly Uint8Array[] }
  | { type: 12; value: Struct };
type Struct = Map<number, Value>;

class FooterReader {
  #at = 0;

  constructor(private readonly bytes: Buffer) {}

  struct(): Struct {
    const struct: Struct = new Map();
    for (let id = 0; ; ) {
      const head = this.#byte();
      if (head === 0) return struct;
      const step = head >> 4;
      id = step === 0 ? Number(this.#zigzag()) : id + step;
      struct.set(id, this.#value(head & 15));
    }
  }

  #value(type: number, isElement = false): Value {
    switch (type) {
      case Type.true:
      case Type.false:
        return { type: isElement ? (this.#byte() === 1 ? Type.true : Type.false) : type };
      case Type.byte:
        return { type, value: BigInt(this.#byte()) };
      case Type.i16:
      case Type.i32:
      case Type.i64:
        return { type, value: this.#zigzag() };
      case Type.double:
        return { type, value: this.#read(8) };
      case Type.binary:
        return { type, value: this.#read(Number(this.#varint())) };
      case Type.list:
      case Type.set: {
        const head = this.#byte();
        const count = head >> 4 === 15 ? Number(this.#varint()) : head >> 4;
        const elementType = head & 15;
        return {
          type,
          elementType,
          values: Array.from({ length: count }, () => this.#value(elementType, true)),
        };
      }
      case Type.struct:
        return { type, value: this.struct() };
      default:
        throw new Error(`A Parquet footer has a value of type ${type}.`);
    }
  }

  #byte(): number {
    this.#at += 1;
    return this.bytes.readUInt8(this.#at - 1);
  }

  #read(count: number): Uint8Array {
    this.#at += count;
    return this.bytes.subarray(this.#at - count, this.#at);
  }

  #varint(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.#byte();
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  }

  #zigzag(): bigint {
    const value = this.#varint();
    return (value >> 1n) ^ -(value & 1n);
  }
}

class Writer {
  readonly #parts: Uint8Array[] = [];

  bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }

  struct(struct: Struct): this {
    let bytesBefore = 0;
    for (const [id, value] of [...struct].sort(([a], [b]) => a - b)) {
      const step = id - bytesBefore;
      if (step > 0 && step < 16) this.#byte((step << 4) | value.type);
      else {
        this.#byte(value.type);
        this.#zigzag(BigInt(id));
      }
      this.#value(value);
      bytesBefore = id;
    }
    return this.#byte(0);
  }

  #value(value: Value, isElement = false): void {
    switch (value.type) {
      case Type.true:
      case Type.false:
        if (isElement) this.#byte(value.type);
        return;
      case Type.byte:
        this.#byte(Number(value.value));
        return;
      case Type.i16:
      case Type.i32:
      case Type.i64:
        this.#zigzag(value.value);
        return;
      case Type.binary:
        this.#varint(BigInt(value.value.length));
        this.#parts.push(value.value);
        return;
      case Type.double:
        this.#parts.push(value.value);
        return;
      case Type.list:
      case Type.set: {
        const count = 'written' in value ? value.written.length : value.values.length;
        this.#byte((Math.min(count, 15) << 4) | value.elementType);
        if (count >= 15) this.#varint(BigInt(count));
        if ('written' in value) this.#parts.push(...value.written);
        else for (const item of value.values) this.#value(item, true);
        return;
      }
      case Type.struct:
        this.struct(value.value);
    }
  }

  #byte(value: number): this {
    this.#parts.push(Uint8Array.of(value));
    return this;
  }

  #varint(value: bigint): void {
    const bytes: number[] = [];
    for (let left = value; ; left >>= 7n) {
      bytes.push(Number(left & 127n) | (left > 127n ? 128 : 0));
      if (left <= 127n) break;
    }
    this.#parts.push(Uint8Array.from(bytes));
  }

  #zigzag(value: bigint): void {
    this.#varint(value < 0n ? -value * 2n - 1n : value * 2n);
  }
}
