/** A piece of a secret that is worth reporting has so many characters. */
const PIECE = 8;
/** What stands for them in base64 wherever they begin, in hex, and percent-encoded. */
const PIECE_IN_BASE64 = 10;
const PIECE_IN_HEX = PIECE * 2;
const PIECE_IN_PERCENT = PIECE * 3;

/** Searches anything for every piece of every secret. @returns where one was found: `NAME in hex`, each once, sorted */
export type Search = (haystack: string | Uint8Array) => string[];

/**
 * A search for secrets and all their pieces of 8 characters or more: as they are, reversed, in base64 in all three
 * positions and both alphabets, in hex, and percent-encoded. It passes once over the haystack, however many pieces there are.
 * @param secrets ASCII texts by their names
 */
export function searchFor(secrets: Readonly<Record<string, string>>): Search {
  const machine = new PieceMachine();
  for (const [name, secret] of Object.entries(secrets)) {
    for (const [form, text, length] of formsOf(secret)) {
      for (let at = 0; at + length <= text.length; at++) {
        machine.learn(text.slice(at, at + length), form === '' ? name : `${name} ${form}`);
      }
    }
  }
  machine.link();
  return (haystack) => machine.search(typeof haystack === 'string' ? Buffer.from(haystack) : haystack);
}

/** Each form of a secret: its name, its text, and how long a piece of it is. */
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

/** The secret in base64 behind so many bytes of something else, without what the neighbours have a part in. */
function base64After(before: number, secret: string): string {
  const whole = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
  return whole.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((whole.length * 8) / 6));
}

/** Pieces are ASCII; any other byte ends what was matched so far. */
const ALPHABET = 128;

/** The automaton of Aho and Corasick over bytes: one step per byte, whatever was learned. */
class PieceMachine {
  #steps = new Int32Array(ALPHABET * 1024);
  #states = 1;
  #ends = new Uint8Array(0);
  readonly #names = new Map<number, string>();

  learn(piece: string, name: string): void {
    let state = 0;
    for (const byte of Buffer.from(piece)) {
      const place = state * ALPHABET + byte;
      state = this.#steps[place] || this.#newState(place);
    }
    this.#names.set(state, name);
  }

  #newState(place: number): number {
    const state = this.#states++;
    if (this.#states * ALPHABET > this.#steps.length) {
      const larger = new Int32Array(this.#steps.length * 2);
      larger.set(this.#steps);
      this.#steps = larger;
    }
    this.#steps[place] = state;
    return state;
  }

  /** Fills in where a state goes on when a piece is left: to the longest beginning of another that has just been seen. */
  link(): void {
    const fallbacks = new Int32Array(this.#states);
    const queue = [0];
    for (const state of queue) {
      const fallback = fallbacks[state] ?? 0;
      const name = this.#names.get(fallback);
      if (name !== undefined && !this.#names.has(state)) this.#names.set(state, name);
      for (let byte = 0; byte < ALPHABET; byte++) {
        const place = state * ALPHABET + byte;
        const instead = state === 0 ? 0 : (this.#steps[fallback * ALPHABET + byte] ?? 0);
        const next = this.#steps[place] ?? 0;
        if (next === 0) this.#steps[place] = instead;
        else {
          fallbacks[next] = instead;
          queue.push(next);
        }
      }
    }
    this.#ends = new Uint8Array(this.#states);
    for (const state of this.#names.keys()) this.#ends[state] = 1;
  }

  search(bytes: Uint8Array): string[] {
    const found = new Set<number>();
    const steps = this.#steps;
    const ends = this.#ends;
    let state = 0;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      state = byte < ALPHABET ? (steps[state * ALPHABET + byte] as number) : 0;
      if (ends[state] === 1) found.add(state);
    }
    return [...new Set([...found].map((one) => this.#names.get(one) ?? ''))].sort();
  }
}
