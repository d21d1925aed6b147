import type { Mixer } from './mix';

/** What a hash or an address stands for. The numbers are part of the texts: changing them changes all. */
export const KIND = {
  historyRequest: 1,
  historyReveal: 2,
  liveRequest: 3,
  liveReveal: 4,
  sender: 5,
  provider: 6,
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
  let text = wordHex(first) + wordHex(second);
  for (let index = 2; index < words; index++) text += wordHex(mixer.word(1000 + kind, id, index));
  return text;
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

export function wordHex(word: number): string {
  return word.toString(16).padStart(8, '0');
}
