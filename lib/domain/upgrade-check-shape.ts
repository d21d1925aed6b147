import { isWireObject, numberToken } from './wire-json';

/** What a value is on the wire, as finely as a client may depend on it. */
export type WireType =
  | 'list'
  | 'object'
  | 'null'
  | 'true or false'
  | 'integer'
  | 'fraction'
  | 'text of digits'
  | '0x hex text'
  | 'hex text'
  | 'text'
  /** Some of the objects that could have the member don't. */
  | 'absent';

/** The form of JSON values: of all elements of a list together. */
export type WireShape = {
  readonly types: Set<WireType>;
  readonly members: Map<string, WireShape>;
  element: WireShape | undefined;
  /** How many values, and how many of them objects. */
  seen: number;
  objects: number;
};

/**
 * `added`: only the upgraded host sends it, which the contract allows. `missing`: only the old host does. `changed`: of
 * another type. `optional`: null or absent on one host only, of the same type otherwise.
 */
export type ShapeDifference = {
  readonly kind: 'added' | 'missing' | 'changed' | 'optional';
  /** As in `parsed[].price.expo`; names may come from strangers. */
  readonly path: string;
  readonly old: readonly WireType[];
  readonly upgraded: readonly WireType[];
};

/** No answer of the contract nests deeper than five or has more than forty members; what is beyond is not compared. */
const DEEPEST = 20;
const MOST_MEMBERS = 1000;
/** Shorter text of the letters a to f may as well be a word. */
const SHORTEST_HEX = 16;
const MOST_DIFFERENCES = 100;

/** The shape of a value from `readWireDocument`. */
export function wireShapeOf(value: unknown): WireShape {
  const shape = emptyShape();
  const budget = { members: MOST_MEMBERS };
  note(shape, value, { depth: 0, budget });
  markAbsent(shape);
  return shape;
}

function emptyShape(): WireShape {
  return { types: new Set(), members: new Map(), element: undefined, seen: 0, objects: 0 };
}

type Within = { depth: number; budget: { members: number } };

function note(shape: WireShape, value: unknown, within: Within): void {
  shape.types.add(wireTypeOf(value));
  shape.seen += 1;
  if (within.depth >= DEEPEST) return;
  const deeper = { ...within, depth: within.depth + 1 };
  if (Array.isArray(value)) {
    for (const one of value) {
      shape.element ??= emptyShape();
      note(shape.element, one, deeper);
    }
  } else if (isWireObject(value)) {
    shape.objects += 1;
    noteMembers(shape, value, deeper);
  }
}

function noteMembers(shape: WireShape, object: Record<string, unknown>, within: Within): void {
  for (const [name, value] of Object.entries(object)) {
    let known = shape.members.get(name);
    if (known === undefined) {
      if (within.budget.members <= 0) continue;
      within.budget.members -= 1;
      known = emptyShape();
      shape.members.set(name, known);
    }
    note(known, value, within);
  }
}

function markAbsent(shape: WireShape): void {
  for (const known of shape.members.values()) {
    if (known.seen < shape.objects) known.types.add('absent');
    markAbsent(known);
  }
  if (shape.element !== undefined) markAbsent(shape.element);
}

function wireTypeOf(value: unknown): WireType {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'boolean') return 'true or false';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'fraction';
  const token = numberToken(value);
  if (token !== undefined) return /^-?\d+$/.test(token) ? 'integer' : 'fraction';
  return typeof value === 'string' ? textType(value) : 'object';
}

function textType(text: string): WireType {
  if (/^-?\d{1,40}$/.test(text)) return 'text of digits';
  if (/^0x[0-9a-f]*$/i.test(text)) return '0x hex text';
  return text.length >= SHORTEST_HEX && /^[0-9a-f]+$/i.test(text) ? 'hex text' : 'text';
}

/**
 * Where two answers differ in form, in the order of the old host's members and then the new ones. A member that is added or
 * missing stands for all below it. A list that is empty on one host says nothing about its elements. At most a hundred.
 */
export function shapeDifferences(old: WireShape, upgraded: WireShape): ShapeDifference[] {
  const found: ShapeDifference[] = [];
  compare(old, upgraded, { path: '', found });
  return found;
}

type Finding = { path: string; found: ShapeDifference[] };

function compare(old: WireShape, upgraded: WireShape, { path, found }: Finding): void {
  if (found.length >= MOST_DIFFERENCES) return;
  const kind = typeDifference(old.types, upgraded.types);
  if (kind !== undefined) {
    found.push({
      kind,
      path: path || '(the whole answer)',
      old: [...old.types],
      upgraded: [...upgraded.types],
    });
  }
  if (old.element !== undefined && upgraded.element !== undefined) {
    compare(old.element, upgraded.element, { path: `${path}[]`, found });
  }
  // Where one is no object at all, that is the difference, not each member.
  if (old.objects === 0 || upgraded.objects === 0) return;
  for (const name of new Set([...old.members.keys(), ...upgraded.members.keys()])) {
    compareMember(name, [old, upgraded], { path: path === '' ? name : `${path}.${name}`, found });
  }
}

function compareMember(name: string, [left, right]: [WireShape, WireShape], finding: Finding): void {
  const [old, upgraded] = [left.members.get(name), right.members.get(name)];
  const { path, found } = finding;
  if (old !== undefined && upgraded !== undefined) compare(old, upgraded, finding);
  else if (found.length >= MOST_DIFFERENCES) return;
  else if (old !== undefined) found.push({ kind: 'missing', path, old: [...old.types], upgraded: [] });
  else found.push({ kind: 'added', path, old: [], upgraded: [...(upgraded?.types ?? [])] });
}

const OPTIONAL: ReadonlySet<WireType> = new Set(['null', 'absent']);

function typeDifference(old: Set<WireType>, upgraded: Set<WireType>): 'changed' | 'optional' | undefined {
  if (sameTypes(old, upgraded)) return undefined;
  const [left, right] = [valued(old), valued(upgraded)];
  // What is always null on one host can't be said to have another type.
  return sameTypes(left, right) || left.size === 0 || right.size === 0 ? 'optional' : 'changed';
}

function valued(types: Set<WireType>): Set<WireType> {
  return new Set([...types].filter((type) => !OPTIONAL.has(type)));
}

function sameTypes(one: Set<WireType>, other: Set<WireType>): boolean {
  return one.size === other.size && [...one].every((type) => other.has(type));
}
