/** Fractions are words divided by this. */
const WORD = 2 ** 32;

/** The finaliser of MurmurHash3: every bit of the input reaches every bit of the result. */
function scramble(value: number): number {
  let word = value ^ (value >>> 16);
  word = Math.imul(word, 0x85ebca6b);
  word ^= word >>> 13;
  word = Math.imul(word, 0xc2b2ae35);
  return (word ^ (word >>> 16)) >>> 0;
}

/**
 * Numbers that look random and are pure functions of the seed and of what is asked. Not for secrets.
 */
export class Mixer {
  private readonly low: number;
  private readonly high: number;

  /** Mixers of other streams with the same seed have nothing in common. */
  constructor(seed: number, stream = 0) {
    this.low = scramble((seed >>> 0) ^ Math.imul(stream, 0x632be5ab));
    this.high = scramble((Math.floor(seed / WORD) >>> 0) ^ 0x5bd1e995);
  }

  /** 32 bits for a purpose and two numbers, of which the lower 32 bits count. */
  word(purpose: number, a: number, b = 0): number {
    const first = scramble(this.low ^ Math.imul(purpose, 0x9e3779b1));
    const second = scramble((first + Math.imul(a, 0x27d4eb2f)) ^ this.high);
    return scramble(second ^ Math.imul(b, 0x165667b1) ^ (b >>> 15));
  }

  /** From 0 up to but not including 1. */
  fraction(purpose: number, a: number, b = 0): number {
    return this.word(purpose, a, b) / WORD;
  }

  /** A whole number from 0 to `count` - 1. */
  below(count: number, purpose: number, a: number, b = 0): number {
    return Math.floor(this.fraction(purpose, a, b) * count);
  }

  /** Two words that look random and lead back to what they were made of (a Feistel network). */
  permute(left: number, right: number): [number, number] {
    let [a, b] = [left >>> 0, right >>> 0];
    for (let round = 0; round < 4; round++) [a, b] = [b, (a ^ this.word(FEISTEL, b, round)) >>> 0];
    return [a, b];
  }

  /** Undoes `permute`. */
  restore(left: number, right: number): [number, number] {
    let [a, b] = [left >>> 0, right >>> 0];
    for (let round = 3; round >= 0; round--) [a, b] = [(b ^ this.word(FEISTEL, a, round)) >>> 0, a];
    return [a, b];
  }
}

const FEISTEL = 0xfe157e1;
