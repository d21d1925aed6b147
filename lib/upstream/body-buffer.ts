const FIRST_BYTES = 64 * 1024;
/** A promised length is believed up to here; beyond, room is made as bytes really come. */
const MAX_FIRST_BYTES = 4 * 1024 * 1024;
const NEXT_BYTES = 1024 * 1024;
const NOTHING = Buffer.alloc(0);

/**
 * Collects a body up to a cap in a few large segments. The chunks are copied rather than kept: a body sent byte
 * by byte would otherwise cost a hundred times its size in small objects. Only one that comes whole is kept as it is.
 */
export class BodyBuffer {
  readonly #cap: number;
  readonly #expected: number;
  readonly #full: Buffer[] = [];
  #segment: Buffer = NOTHING;
  #filled = 0;
  #length = 0;

  /** `expected` is a hint, such as a Content-Length; 0 when nothing is known. */
  constructor(cap: number, expected: number) {
    this.#cap = cap;
    this.#expected = expected;
  }

  /** Takes the chunk, or says false when it does not fit under the cap: then it keeps what fits. */
  append(chunk: Uint8Array): boolean {
    const fits = chunk.length <= this.#cap - this.#length;
    const part = fits ? chunk : chunk.subarray(0, this.#cap - this.#length);
    if (this.#length === 0 && part.length === this.#expected) this.#keep(part);
    else this.#copy(part);
    return fits;
  }

  /** How many bytes it holds. */
  get bytes(): number {
    return this.#length;
  }

  /**
   * The body as UTF-8. Bytes that are none become U+FFFD, as everywhere on the web: one bad byte in one row must
   * not hide the other rows.
   */
  text(): string {
    if (this.#full.length === 0) return this.#segment.toString('utf8', 0, this.#filled);
    const whole = Buffer.concat([...this.#full, this.#segment.subarray(0, this.#filled)]);
    return whole.toString('utf8');
  }

  #keep(whole: Uint8Array): void {
    this.#segment = Buffer.from(whole.buffer, whole.byteOffset, whole.length);
    this.#filled = whole.length;
    this.#length = whole.length;
  }

  #copy(chunk: Uint8Array): void {
    let rest = chunk;
    while (rest.length > 0) {
      if (this.#filled === this.#segment.length) this.#nextSegment(rest.length);
      const part = rest.subarray(0, this.#segment.length - this.#filled);
      this.#segment.set(part, this.#filled);
      this.#filled += part.length;
      this.#length += part.length;
      rest = rest.subarray(part.length);
    }
  }

  #nextSegment(atLeast: number): void {
    if (this.#filled > 0) this.#full.push(this.#segment);
    this.#segment = Buffer.allocUnsafe(
      this.#length === 0 ? this.#firstBytes() : Math.max(NEXT_BYTES, atLeast),
    );
    this.#filled = 0;
  }

  #firstBytes(): number {
    const expected = this.#expected > 0 ? Math.min(this.#expected, MAX_FIRST_BYTES) : FIRST_BYTES;
    return Math.min(expected, this.#cap);
  }
}
