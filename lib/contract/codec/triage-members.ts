/**
 * Readers for the members of our own JSON answers, each of which gives a value or throws `NotOurs`: an answer is read
 * whole or not at all.
 */

/** Something is not as our routes write it. Caught in `readAnswer`, never seen outside. */
class NotOurs extends Error {}

export type Read<T> = (value: unknown) => T;

/** Undefined for text that is not JSON or not what `read` takes. */
export function readAnswer<T>(text: string, read: Read<T>): T | undefined {
  try {
    return read(JSON.parse(text));
  } catch (error) {
    if (error instanceof NotOurs || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function refuse(what: string): never {
  throw new NotOurs(what);
}

export const text: Read<string> = (value) => (typeof value === 'string' ? value : refuse('text'));

export const finite: Read<number> = (value) =>
  typeof value === 'number' && Number.isFinite(value) ? value : refuse('number');

/** A whole number of 0 or more. */
export const count: Read<number> = (value) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : refuse('count');

/** Decimal digits of any length. */
export const digits: Read<string> = (value) =>
  typeof value === 'string' && /^-?\d+$/.test(value) ? value : refuse('digits');

/** Absent and null are undefined. */
export function optional<T>(read: Read<T>): Read<T | undefined> {
  return (value) => (value === undefined || value === null ? undefined : read(value));
}

export function list<T>(read: Read<T>): Read<T[]> {
  return (value) => (Array.isArray(value) ? value.map((item: unknown) => read(item)) : refuse('list'));
}

export function byName<T>(read: Read<T>): Read<Record<string, T>> {
  return (value) =>
    Object.fromEntries(Object.entries(objectOf(value)).map(([name, item]) => [name, read(item)]));
}

export function oneOf<const T extends readonly string[]>(words: T): Read<T[number]> {
  return (value) => words.find((word) => word === value) ?? refuse(`one of ${words.join(', ')}`);
}

/** An object with these members and no others; members that are undefined are absent. */
export function shape<T extends object>(members: { [K in keyof T]-?: Read<T[K]> }): Read<T> {
  const entries = Object.entries(members) as [string, Read<unknown>][];
  return (value) => {
    const object = objectOf(value);
    const read = entries.map(([name, member]) => [
      name,
      member(Object.hasOwn(object, name) ? object[name] : undefined),
    ]);
    return Object.fromEntries(read.filter(([, member]) => member !== undefined)) as T;
  };
}

export function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : refuse('object');
}
