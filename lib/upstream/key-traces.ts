/** So many characters of a key in a row tell too much of it; fewer occur in ordinary words. */
const TELLING = 8;
/** As many characters as stand for them in base64, wherever the piece begins in what was encoded; and in hex. */
const TELLING_IN_BASE64 = 10;
const TELLING_IN_HEX = TELLING * 2;

/** No line that is shown is nearly as long, and no more than this is searched. */
const MOST_CHARACTERS = 4000;

/**
 * A line without any piece of a key that is 8 characters or longer, as it is, in base64 or in hex: some services repeat what
 * they refuse with the end masked, or all of a request in an encoding. Cut at 4,000 characters.
 */
export function withoutKeyTraces(line: string, key: string): string {
  if (key.length < TELLING) return line.slice(0, MOST_CHARACTERS);
  const bytes = Buffer.from(key);
  const hex = bytes.toString('hex');
  let rest = withoutPieces(line.slice(0, MOST_CHARACTERS), [key], TELLING);
  rest = withoutPieces(rest, base64Forms(bytes), TELLING_IN_BASE64);
  return withoutPieces(rest, [hex, hex.toUpperCase()], TELLING_IN_HEX);
}

/**
 * What the bytes look like in base64, after none, one or two bytes of something else; without the characters that the
 * neighbours have a part in. In both alphabets.
 */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]);
    const ownFrom = Math.ceil((before * 8) / 6);
    const ownTo = Math.floor((whole.length * 8) / 6);
    const own = whole.toString('base64').slice(ownFrom, ownTo);
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** The text with every run of pieces of these forms, each so many characters long, replaced. */
function withoutPieces(text: string, forms: readonly string[], length: number): string {
  const pieces = new Set(forms.flatMap((form) => piecesOf(form, length)));
  let shown = '';
  let hiddenTo = 0;
  for (let at = 0; at < text.length; at++) {
    if (pieces.has(text.slice(at, at + length))) {
      if (at >= hiddenTo) shown += '[key]';
      hiddenTo = at + length;
    }
    if (at >= hiddenTo) shown += text[at];
  }
  return shown;
}

function piecesOf(form: string, length: number): string[] {
  const count = Math.max(0, form.length - length + 1);
  return Array.from({ length: count }, (_, at) => form.slice(at, at + length));
}
