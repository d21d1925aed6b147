import type { Mixer } from './mix';

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

const WORD = 2 ** 32;
/** Kinds take the lowest bits of the second word, the upper bits of the number those above. */
const KIND_SPAN = 16;

const HASH_WORDS = 8;
const ADDRESS_WORDS = 5;

/**
 * Transaction hashes and addresses are made of numbers so that they look random and yet lead back to
 * the number: finding the row of a hash takes neither a table nor a scan.
 */
function hexOf(mixer: Mixer, kind: Kind, id: number, words: number): string {
  const [first, second] = mixer.permute(id % WORD, kind + KIND_SPAN * Math.floor(id / WORD));
  return wordsHex(words, (index) => {
    if (index < 2) return index === 0 ? first : second;
    return mixer.word(1000 + kind, id, index);
  });
}

/** 64 hex digits, without 0x. */
export function hashOf(mixer: Mixer, kind: Kind, id: number): string {
  return hexOf(mixer, kind, id, HASH_WORDS);
}

/** 40 hex digits, without 0x. */
export function addressOf(mixer: Mixer, kind: Kind, id: number): string {
  return hexOf(mixer, kind, id, ADDRESS_WORDS);
}

/** The kind and number behind lower-case hex digits of either length; undefined for any other text. */
export function identify(mixer: Mixer, hex: string): { kind: Kind; id: number } | undefined {
  const first = Number.parseInt(hex.slice(0, 8), 16);
  const second = Number.parseInt(hex.slice(8, 16), 16);
  const [low, rest] = mixer.restore(first, second);
  const kind = Object.values(KIND).find((one) => one === rest % KIND_SPAN);
  if (kind === undefined) return undefined;
  const id = low + WORD * Math.floor(rest / KIND_SPAN);
  return hexOf(mixer, kind, id, hex.length / 8) === hex ? { kind, id } : undefined;
}

const scratch = Buffer.alloc(4 * HASH_WORDS);

/** The hex digits of so many 32-bit words, at most 8. */
export function wordsHex(words: number, wordAt: (index: number) => number): string {
  for (let index = 0; index < words; index++) scratch.writeUInt32BE(wordAt(index), 4 * index);
  return scratch.toString('hex', 0, 4 * words);
}
