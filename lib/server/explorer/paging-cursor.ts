import 'server-only';
import { createHash } from 'node:crypto';
import { parseIsoTime } from '@/lib/domain/units';
import type { Slice } from './paging-runs';
import { FIRST, isoOfMoment, type Moment, momentOf, type PlacedRow } from './time-order';

/** A place in the list of a view, between two of its rows. */
export type Place = {
  order: 'newest-first' | 'oldest-first';
  /** Which list it is a place of: a short hash. */
  list: string;
  /** ISO time that the list is pinned to. */
  asof: string;
  /** Rows of each part that stand above it, in the order of newest first, when it was noted. */
  positions: number[];
  /** Rows of the whole list then; undefined when a service did not say. */
  total: bigint | undefined;
  /** The moment of the row that was shown last. */
  moment: Moment;
  /**
   * Marks of the rows of that moment that were shown. Undefined when they are too many, or when not all of them are
   * known: then the positions tell.
   */
  shown: ReadonlySet<string> | undefined;
  /**
   * Per part, how many of the rows above it are dated after `asof`: the first page of a list is asked for before there is
   * a moment to pin it to, and the next one may be without them. Absent when there are none.
   */
  ahead?: number[];
};

/** A longer one does not fit into a URL any more. */
const MOST_CHARACTERS = 8000;
const MOST_SHOWN = 300;
/** 48 bits: enough to tell the rows of one moment apart. */
const MARK_CHARACTERS = 8;
const VERSION = 1;

/** The mark of a row in a cursor. */
export function markOf({ row }: PlacedRow): string {
  return shortHash(row.key);
}

export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, MARK_CHARACTERS);
}

/**
 * The place after a slice; undefined when the list ends there.
 * @param from the place that the slice began at, where it is known
 */
export function placeAfter(
  slice: Slice,
  about: Pick<Place, 'order' | 'list' | 'asof' | 'ahead'>,
  from: Place | undefined,
): Place | undefined {
  const forward = about.order === 'newest-first';
  const last = forward ? slice.rows.at(-1) : slice.rows[0];
  const positions = forward ? slice.after : slice.before;
  const atEnd = forward ? slice.ended : positions.every((position) => position === 0);
  if (last === undefined || atEnd) return undefined;
  const { moment } = last;
  const isFirst = forward ? slice.before.every((position) => position === 0) : slice.ended;
  // A page full of one moment: rows of it may stand on the pages before, which are not known here.
  const hidesShown = from === undefined && !isFirst && slice.rows.every((row) => row.moment === moment);
  const shown = hidesShown ? undefined : shownAt(moment, slice.rows, from);
  const { ahead, ...rest } = about;
  const hasAhead = ahead?.some((count) => count > 0);
  return { ...rest, positions, total: slice.total, moment, shown, ...(hasAhead ? { ahead } : {}) };
}

function shownAt(moment: Moment, rows: readonly PlacedRow[], from: Place | undefined): Place['shown'] {
  const earlier = from?.moment === moment ? from.shown : new Set<string>();
  if (earlier === undefined) return undefined;
  const marks = rows.filter((row) => row.moment === moment).map(markOf);
  const all = new Set([...earlier, ...marks]);
  return all.size > MOST_SHOWN ? undefined : all;
}

/** The place as opaque text for a URL. */
export function formatCursor({ order, list, asof, positions, total, moment, shown, ahead }: Place): string {
  const fields = {
    v: VERSION,
    o: order === 'newest-first' ? 'n' : 'o',
    l: list,
    a: asof,
    p: positions,
    n: total?.toString(),
    t: moment === FIRST ? '' : isoOfMoment(moment),
    k: shown === undefined ? undefined : [...shown],
    x: ahead,
  };
  return Buffer.from(JSON.stringify(fields)).toString('base64url');
}

/** Reads a cursor back; undefined for anything that `formatCursor` did not write, or wrote in another version. */
export function readCursor(text: string): Place | undefined {
  const fields = fieldsOf(text);
  if (fields?.v !== VERSION) return undefined;
  const { o, l, a, p, n, t, k, x } = fields;
  if ((o !== 'n' && o !== 'o') || typeof l !== 'string') return undefined;
  if (typeof a !== 'string' || parseIsoTime(a) === undefined) return undefined;
  if (!isListOf(p, isPosition) || !(k === undefined || isListOf(k, isMark))) return undefined;
  if (!(x === undefined || (isListOf(x, isPosition) && x.length === p.length))) return undefined;
  if (typeof t !== 'string' || (t !== '' && parseIsoTime(t) === undefined)) return undefined;
  if (n !== undefined && !(typeof n === 'string' && /^\d{1,30}$/.test(n))) return undefined;
  return {
    order: o === 'n' ? 'newest-first' : 'oldest-first',
    list: l,
    asof: a,
    positions: p,
    total: n === undefined ? undefined : BigInt(n),
    moment: t === '' ? FIRST : momentOf(t),
    shown: k === undefined ? undefined : new Set(k),
    ...(x === undefined ? {} : { ahead: x }),
  };
}

function fieldsOf(text: string): Record<string, unknown> | undefined {
  if (text.length > MOST_CHARACTERS || !/^[\w-]+$/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function isListOf<T>(value: unknown, isOne: (one: unknown) => one is T): value is T[] {
  return Array.isArray(value) && value.every(isOne);
}

function isPosition(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isMark(value: unknown): value is string {
  return typeof value === 'string';
}
