import { integerText, parseWireJson } from '@/lib/domain/wire-json';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

/** With their quotation marks, as they stand in the text. */
const ROWS = '"requests"';
const MEMBERS = ['"network_id"', '"gas_limit"'];

/** A number that becomes text: where it stands, and its digits. */
type Cut = { begin: number; end: number; digits: string };

/**
 * Writes the numbers `network_id` and `gas_limit` of log rows as text, as the contract has them, in one pass over
 * the characters: a lossless parser takes ten times as long and would stall every stream meanwhile. An integer with
 * an exponent is written out; a number that is none keeps its spelling. All else stays as it is, byte by byte:
 * spaces, other numbers, members of these names deeper in a row.
 *
 * @param text a log list that JSON.parse accepts (not checked again)
 * @param isReadable whether the row at this index of `requests` may be rewritten
 * @returns the same string when there is nothing to rewrite
 */
export function quoteLogIntegers(text: string, isReadable: (index: number) => boolean): string {
  const cuts = new LogScanner(text, isReadable).cuts();
  if (cuts.length === 0) return text;
  const pieces: string[] = [];
  let done = 0;
  for (const { begin, end, digits } of cuts) {
    pieces.push(text.slice(done, begin), digits);
    done = end;
  }
  pieces.push(text.slice(done));
  return pieces.join('"');
}

const NUMBER_MEMBER = /("(?:network_id|gas_limit)"\s*:\s*)(-?\d[\d.eE+-]*)/g;

/**
 * The same for the usual list, by one search, in half the time. Without a backslash no text can hold a quotation mark, so
 * every match is a member; and when there are as many matches as the rows have such numbers, none stands elsewhere.
 * Numbers with a sign, a point or an exponent are left to the scanner.
 *
 * @param expected how many numbers of that name the rows have at their top level
 * @returns undefined when the list is not a usual one
 */
export function quotePlainIntegers(text: string, expected: number): string | undefined {
  if (text.includes('\\')) return undefined;
  let plain = 0;
  let found = 0;
  const quoted = text.replace(NUMBER_MEMBER, (_, name: string, number: string) => {
    found += 1;
    if (/^\d+$/.test(number)) plain += 1;
    return `${name}"${number}"`;
  });
  return found === expected && plain === found ? quoted : undefined;
}

/** Walks valid JSON. Every method begins at `#at` and leaves it behind what it has read. */
class LogScanner {
  readonly #text: string;
  readonly #isReadable: (index: number) => boolean;
  #at = 0;
  #cuts: Cut[] = [];

  constructor(text: string, isReadable: (index: number) => boolean) {
    this.#text = text;
    this.#isReadable = isReadable;
  }

  cuts(): Cut[] {
    this.#skipSpace();
    this.#members((keyBegin, keyEnd) => {
      if (this.#code() !== OPEN_LIST || this.#key(keyBegin, keyEnd) !== ROWS) return this.#skipValue();
      // Of members that stand twice the last one counts, here as for every parser.
      this.#cuts = [];
      this.#rows();
    });
    return this.#cuts;
  }

  #rows(): void {
    this.#at += 1;
    this.#skipSpace();
    for (let index = 0; this.#code() !== CLOSE_LIST; index += 1) {
      if (this.#code() === OPEN_OBJECT && this.#isReadable(index)) this.#row();
      else this.#skipValue();
      this.#skipSpace();
      if (this.#code() === COMMA) this.#at += 1;
      this.#skipSpace();
    }
    this.#at += 1;
  }

  #row(): void {
    this.#members((keyBegin, keyEnd) => {
      const begin = this.#at;
      const code = this.#code();
      this.#skipValue();
      const isNumber = code === MINUS || (code >= ZERO && code <= NINE);
      if (!isNumber || !MEMBERS.includes(this.#key(keyBegin, keyEnd))) return;
      this.#cuts.push({ begin, end: this.#at, digits: digitsOf(this.#text.slice(begin, this.#at)) });
    });
  }

  /** An object: `visit` is told where each key stands, with its quotation marks, and reads the value. */
  #members(visit: (keyBegin: number, keyEnd: number) => void): void {
    this.#at += 1;
    this.#skipSpace();
    while (this.#code() === QUOTE) {
      const begin = this.#at;
      this.#skipString();
      const end = this.#at;
      this.#skipSpace();
      if (this.#code() === COLON) this.#at += 1;
      this.#skipSpace();
      visit(begin, end);
      this.#skipSpace();
      if (this.#code() === COMMA) this.#at += 1;
      this.#skipSpace();
    }
    this.#at += 1;
  }

  /** A key may be spelled with escapes, and still be that member to every parser. */
  #key(begin: number, end: number): string {
    const key = this.#text.slice(begin, end);
    return key.includes('\\') ? JSON.stringify(JSON.parse(key)) : key;
  }

  #skipValue(): void {
    const code = this.#code();
    if (code === QUOTE) this.#skipString();
    else if (code === OPEN_OBJECT || code === OPEN_LIST) this.#skipNested();
    else this.#skipWord();
  }

  #skipNested(): void {
    let depth = 0;
    do {
      const code = this.#code();
      if (code === QUOTE) {
        this.#skipString();
        continue;
      }
      if (code === OPEN_OBJECT || code === OPEN_LIST) depth += 1;
      else if (code === CLOSE_OBJECT || code === CLOSE_LIST) depth -= 1;
      this.#at += 1;
    } while (depth > 0 && this.#at < this.#text.length);
  }

  #skipString(): void {
    let end = this.#text.indexOf('"', this.#at + 1);
    while (end > 0 && this.#isEscaped(end)) end = this.#text.indexOf('"', end + 1);
    this.#at = end < 0 ? this.#text.length : end + 1;
  }

  /** A quote is part of its string when an odd number of backslashes stands before it. */
  #isEscaped(quote: number): boolean {
    let at = quote;
    while (this.#text.charCodeAt(at - 1) === BACKSLASH) at -= 1;
    return (quote - at) % 2 === 1;
  }

  /** A number, true, false or null. */
  #skipWord(): void {
    for (; this.#at < this.#text.length; this.#at += 1) {
      const code = this.#code();
      if (code <= 0x20 || code === COMMA || code === CLOSE_OBJECT || code === CLOSE_LIST) return;
    }
  }

  #skipSpace(): void {
    while (this.#code() <= 0x20) this.#at += 1;
  }

  /** The character at the cursor; NaN at the end, which is no character and compares false with all. */
  #code(): number {
    return this.#text.charCodeAt(this.#at);
  }
}

function digitsOf(token: string): string {
  return /^\d+$/.test(token) ? token : (integerText(parseWireJson(token)) ?? token);
}
