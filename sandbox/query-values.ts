/** An answer of 4xx with a plain text that says why. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}

/** What a caller sent, for use in an error text: quoted, without control characters, not too long. */
export function shown(value: string): string {
  return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
}

export function malformedQuery(problem: string): Refusal {
  return new Refusal(400, `Failed to deserialize query string: ${problem}`);
}

/** The one value of a parameter, or undefined when it is absent. Twice is refused with 400. */
export function single(query: URLSearchParams, name: string): string | undefined {
  const values = query.getAll(name);
  if (values.length > 1) throw malformedQuery(`duplicate field \`${name}\``);
  return values[0];
}

/** `true` or `false`; anything else is refused with 400. */
export function flag(query: URLSearchParams, name: string, absent: boolean): boolean {
  const value = single(query, name);
  if (value === undefined) return absent;
  if (value === 'true') return true;
  if (value === 'false') return false;
  throw malformedQuery(`${name}: provided string ${shown(value)} was not \`true\` or \`false\``);
}

/** One of the allowed words; anything else is refused with 400. */
export function choice<T extends string, A extends T | undefined>(
  query: URLSearchParams,
  name: string,
  allowed: readonly T[],
  absent: A,
): T | A {
  const value = single(query, name);
  if (value === undefined) return absent;
  const found = allowed.find((word) => word === value);
  if (found) return found;
  const words = allowed.map((word) => `\`${word}\``).join(', ');
  throw malformedQuery(`${name}: unknown variant \`${shown(value).slice(1, -1)}\`, expected one of ${words}`);
}

/** A parameter that must be there. */
export function needed(query: URLSearchParams, name: string): string {
  const value = single(query, name);
  if (value === undefined) throw malformedQuery(`missing field \`${name}\``);
  return value;
}

const I64_MAX = 2n ** 63n - 1n;

/** A unix time in seconds (int64). Text that is no such integer is refused with 400. */
export function unixSeconds(text: string, name: string): number {
  const seconds = /^-?\d{1,19}$/.test(text) ? BigInt(text) : undefined;
  if (seconds === undefined || seconds > I64_MAX || seconds < -I64_MAX - 1n) {
    throw new Refusal(400, `Cannot parse \`${name}\` with value ${shown(text)} to a \`i64\``);
  }
  // Beyond 2^53 the digits no longer matter: nothing is held there.
  return Number(seconds);
}

/** A feed id in canonical form: 64 lower-case hex digits. `0x` and upper case are accepted. */
export function canonicalId(text: string): string {
  const id = text.replace(/^0x/i, '').toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(id)) {
    throw malformedQuery(`invalid price id ${shown(text)}: expected 32 bytes as hex`);
  }
  return id;
}

/** All values of `ids[]` (or `ids[0]`, `ids[1]` …) in canonical form, each once, in the order they came. */
export function idList(query: URLSearchParams): string[] {
  const ids: string[] = [];
  for (const [name, value] of query) if (/^ids\[\d*\]$/.test(name)) ids.push(canonicalId(value));
  if (ids.length === 0) throw malformedQuery('missing field `ids`');
  return [...new Set(ids)];
}
