/** An answer of 4xx with a plain text that says why. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    text: string,
  ) {
    super(text);
  }
}

/** What a caller sent, for use in an error text: quoted, without control characters, not too long. */
export function shown(value: string): string {
  return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
}

export function malformedQuery(problem: string): Refusal {
  return new Refusal(400, `Failed to deserialize query string: ${problem}`);
}

/** The one value of a parameter, or undefined when it is absent. Twice is refused with 400, as is all below. */
export function single(query: URLSearchParams, name: string): string | undefined {
  const values = query.getAll(name);
  if (values.length > 1) throw malformedQuery(`duplicate field \`${name}\``);
  return values[0];
}

/** A parameter that must be there. */
export function needed(query: URLSearchParams, name: string): string {
  const value = single(query, name);
  if (value === undefined) throw malformedQuery(`missing field \`${name}\``);
  return value;
}

export function flag(query: URLSearchParams, name: string, absent: boolean): boolean {
  const value = single(query, name) ?? String(absent);
  if (value === 'true' || value === 'false') return value === 'true';
  throw malformedQuery(`${name}: provided string ${shown(value)} was not \`true\` or \`false\``);
}

/** One of the allowed words; undefined when it is absent. */
export function choice<T extends string>(
  query: URLSearchParams,
  name: string,
  allowed: readonly T[],
): T | undefined {
  const value = single(query, name);
  const found = allowed.find((word) => word === value);
  if (found !== undefined || value === undefined) return found;
  const words = allowed.map((word) => `\`${word}\``).join(', ');
  throw malformedQuery(`${name}: unknown variant \`${shown(value).slice(1, -1)}\`, expected one of ${words}`);
}

const I64_MAX = 2n ** 63n - 1n;

/** A unix time in seconds (int64). Beyond 2^53 its digits no longer matter: nothing is held there. */
export function unixSeconds(text: string, name: string): number {
  const seconds = /^-?\d{1,19}$/.test(text) ? BigInt(text) : undefined;
  if (seconds === undefined || seconds > I64_MAX || seconds < -I64_MAX - 1n) {
    throw new Refusal(400, `Cannot parse \`${name}\` with value ${shown(text)} to a \`i64\``);
  }
  return Number(seconds);
}

/** A feed id as 64 lower-case hex digits. `0x` and upper case are accepted. */
export function canonicalId(text: string): string {
  const id = text.replace(/^0x/i, '').toLowerCase();
  if (/^[0-9a-f]{64}$/.test(id)) return id;
  throw malformedQuery(`invalid price id ${shown(text)}: expected 32 bytes as hex`);
}

/** All values of `ids[]` (or `ids[0]`, `ids[1]` …) in canonical form, each once, in the order they came. */
export function idList(query: URLSearchParams): string[] {
  const ids = [...query].flatMap(([name, value]) => (/^ids\[\d*\]$/.test(name) ? [canonicalId(value)] : []));
  if (ids.length === 0) throw malformedQuery('missing field `ids`');
  return [...new Set(ids)];
}
