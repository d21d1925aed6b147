const WORD = 2 ** 32;

/** The finaliser of MurmurHash3: every input bit affects every output bit. */
function scramble(value: number): number {
  let word = value ^ (value >>> 16);
  word = Math.imul(word, 0x85ebca6b);
  word ^= word >>> 13;
  word = Math.imul(word, 0xc2b2ae35);
  return (word ^ (word >>> 16)) >>> 0;
}

/** Pseudo-random numbers as pure functions of seed and arguments. Not for secrets. */
export class Mixer {
  private readonly low: number;
  private readonly high: number;

  /** Mixers of different streams with the same seed are independent. */
  constructor(seed: number, stream = 0) {
    this.low = scramble((seed >>> 0) ^ Math.imul(stream, 0x632be5ab));
    this.high = scramble((Math.floor(seed / WORD) >>> 0) ^ 0x5bd1e995);
  }

  /** 32 bits. Only the lower 32 bits of the two numbers are used. */
  word(purpose: number, a: number, b = 0): number {
    const first = scramble(this.low ^ Math.imul(purpose, 0x9e3779b1));
    const second = scramble((first + Math.imul(a, 0x27d4eb2f)) ^ this.high);
    return scramble(second ^ Math.imul(b, 0x165667b1) ^ (b >>> 15));
  }

  /** 0 inclusive to 1 exclusive. */
  fraction(purpose: number, a: number, b = 0): number {
    return this.word(purpose, a, b) / WORD;
  }

  below(count: number, purpose: number, a: number, b = 0): number {
    return Math.floor(this.fraction(purpose, a, b) * count);
  }

  firstWord(purpose: number, id: number): number {
    return this.word(purpose, id, 2 * Math.floor(id / WORD));
  }

  words(purpose: number, id: number, into: Uint32Array, at: number, count: number): void {
    let before = this.firstWord(purpose, id);
    let last = this.word(purpose, id, 2 * Math.floor(id / WORD) + 1);
    into[at] = before;
    into[at + 1] = last;
    for (let index = 2; index < count; index++) {
      const next = scramble(last ^ Math.imul(before, 0x2c1b3c6d));
      into[at + index] = next;
      before = last;
      last = next;
    }
  }
}

/** Scratch space for hex, because allocating arrays for each hash is the main cost. */
const scratch = new Uint32Array(8);
const bytes = Buffer.from(scratch.buffer);

/** Hex without 0x, 8 digits for each word. 5 words make an address, 8 a hash. */
export function randomHex(mixer: Mixer, purpose: number, id: number, words = 8): string {
  mixer.words(purpose, id, scratch, 0, words);
  return bytes.toString('hex', 0, 4 * words);
}

/** The first word is enough for a mismatch. */
export function isRandomHex(hex: string): (mixer: Mixer, purpose: number, id: number) => boolean {
  bytes.write(hex, 0, 4, 'hex');
  const [first] = scratch;
  return (mixer, purpose, id) =>
    mixer.firstWord(purpose, id) === first && randomHex(mixer, purpose, id, hex.length / 8) === hex;
}
