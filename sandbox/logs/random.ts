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

/** What a hash or an address stands for. The numbers are part of the texts: changing them changes all. */
export const KIND = {
  historyRequest: 1,
  historyReveal: 2,
  liveRequest: 3,
  liveReveal: 4,
  sender: 5,
  provider: 6,
  extraRequest: 7,
  extraReveal: 8,
} as const;
export type Kind = (typeof KIND)[keyof typeof KIND];

/** Kinds take the lowest bits of the second word, the upper bits of the number those above. */
const KIND_SPAN = 16;

const HASH_WORDS = 8;
const ADDRESS_WORDS = 5;
/** Words are written here and read as hex: closures and arrays for each hash are what costs most. */
const scratch = Buffer.alloc(4 * HASH_WORDS);

/**
 * Transaction hashes and addresses are made of numbers so that they look random and yet lead back to
 * the number: finding the row of a hash takes neither a table nor a scan.
 */
function toHex(mixer: Mixer, kind: Kind, id: number, words: number): string {
  const [first, second] = mixer.permute(id % WORD, kind + KIND_SPAN * Math.floor(id / WORD));
  scratch.writeUInt32BE(first, 0);
  scratch.writeUInt32BE(second, 4);
  for (let index = 2; index < words; index++)
    scratch.writeUInt32BE(mixer.word(1000 + kind, id, index), 4 * index);
  return scratch.toString('hex', 0, 4 * words);
}

/** 64 hex digits that lead back to nothing. */
export function randomHex(mixer: Mixer, purpose: number, k: number): string {
  for (let index = 0; index < HASH_WORDS; index++)
    scratch.writeUInt32BE(mixer.word(purpose, k, index + 1), 4 * index);
  return scratch.toString('hex', 0, 4 * HASH_WORDS);
}

/** 64 hex digits, without 0x. */
export function getHash(mixer: Mixer, kind: Kind, id: number): string {
  return toHex(mixer, kind, id, HASH_WORDS);
}

/** 40 hex digits, without 0x. */
export function getAddress(mixer: Mixer, kind: Kind, id: number): string {
  return toHex(mixer, kind, id, ADDRESS_WORDS);
}

/** The kind and number behind lower-case hex digits of either length; undefined for any other text. */
export function identify(mixer: Mixer, hex: string): { kind: Kind; id: number } | undefined {
  const first = Number.parseInt(hex.slice(0, 8), 16);
  const second = Number.parseInt(hex.slice(8, 16), 16);
  const [low, rest] = mixer.restore(first, second);
  const kind = Object.values(KIND).find((one) => one === rest % KIND_SPAN);
  if (kind === undefined) return undefined;
  const id = low + WORD * Math.floor(rest / KIND_SPAN);
  return toHex(mixer, kind, id, hex.length / 8) === hex ? { kind, id } : undefined;
}
