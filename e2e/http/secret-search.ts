/** A shorter piece of a secret is no leak. */
const PIECE = 8;
/** Characters that stand for a piece in base64 at any position, in hex, and percent-encoded. */
const PIECE_IN_BASE64 = 10;
const PIECE_IN_HEX = PIECE * 2;
const PIECE_IN_PERCENT = PIECE * 3;

/** Returns places such as `NAME in hex`, each once, sorted. */
export type Search = (haystack: string | Uint8Array) => string[];

/**
 * Plain, reversed, in base64 in all three positions and both alphabets, in hex, and percent-encoded. One pass over
 * the haystack, however many pieces there are. `secrets` are ASCII texts by name.
 */
export function searchFor(secrets: Readonly<Record<string, string>>): Search {
  const pieces = new Map<string, string>();
  for (const [name, secret] of Object.entries(secrets)) {
    for (const [form, text, length] of formsOf(secret)) {
      for (let at = 0; at + length <= text.length; at++)
        pieces.set(text.slice(at, at + length), `${name} ${form}`.trim());
    }
  }
  const lengths = [...new Set([...pieces.keys()].map(({ length }) => length))];
  // A bitmap of the first four bytes of all pieces, checked at every position of every file.
  const beginnings = new Uint8Array(2 ** 24);
  const slotOf = (word: number) => Math.imul(word, 0x9e3779b1) >>> 8;
  for (const piece of pieces.keys()) beginnings[slotOf(Buffer.from(piece).readInt32BE(0))] = 1;
  return (haystack) => {
    const bytes = Buffer.from(haystack as Uint8Array);
    const hits = new Set<string>();
    let word = 0;
    for (let at = 0; at < bytes.length; at++) {
      word = (word << 8) | (bytes[at] as number);
      if (beginnings[slotOf(word)] !== 1) continue;
      for (const length of lengths) {
        const name = pieces.get(bytes.toString('latin1', at - 3, at - 3 + length));
        if (name !== undefined) hits.add(name);
      }
    }
    return [...hits].sort();
  };
}

/** `length` is that of a piece. */
function formsOf(secret: string): [form: string, text: string, length: number][] {
  const hex = Buffer.from(secret).toString('hex');
  const percent = (digits: string) => digits.replace(/../g, '%$&');
  const inBase64 = [0, 1, 2].map((before) => base64After(before, secret));
  const inUrls = inBase64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  return [
    ['', secret, PIECE],
    ['reversed', [...secret].reverse().join(''), PIECE],
    ...[...inBase64, ...inUrls].map((text): [string, string, number] => ['in base64', text, PIECE_IN_BASE64]),
    ...[hex, hex.toUpperCase()].flatMap((digits): [string, string, number][] => [
      ['in hex', digits, PIECE_IN_HEX],
      ['percent-encoded', percent(digits), PIECE_IN_PERCENT],
    ]),
  ];
}

/** Base64 of the secret after `before` other bytes, without the characters shared with neighbours. */
function base64After(before: number, secret: string): string {
  const whole = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
  return whole.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((whole.length * 8) / 6));
}
