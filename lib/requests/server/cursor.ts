import 'server-only';
import { parseIsoTime } from '@/lib/core/time';
import type { Sort } from '@/lib/requests/view-shape';
import type { OrderKey, Place } from '@/lib/store/queries/view-order';

/** Where a page begins: beside a row of a list in this order, as of the moment in which that row was seen. */
export type Cursor = {
  side: 'after' | 'before';
  sort: Sort;
  /** ISO time. */
  asof: string;
  place: Place;
};

const VERSION = 1;
/** A place may hold a text of a service; one that is longer has no room in an address. */
const MOST_CHARACTERS = 6000;

/** @returns undefined for a place that is too long for an address */
export function formatCursor({ side, sort, asof, place }: Cursor): string | undefined {
  const cursor = Buffer.from(JSON.stringify([VERSION, side, sort, asof, ...place])).toString('base64url');
  return cursor.length > MOST_CHARACTERS ? undefined : cursor;
}

/** Undefined for a text that is no cursor of ours. Whether its place fits an order is told by `isPlaceOf`. */
export function readCursor(text: string): Cursor | undefined {
  const value = text.length > MOST_CHARACTERS ? undefined : parsed(text);
  if (!Array.isArray(value)) return undefined;
  const [version, side, sort, asof, ...place] = value as unknown[];
  if (version !== VERSION || (side !== 'after' && side !== 'before')) return undefined;
  if (typeof sort !== 'string' || typeof asof !== 'string' || parseIsoTime(asof) === undefined)
    return undefined;
  return { side, sort: sort as Sort, asof, place: place as Place };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
}

/** Whether a place has a value for each key of an order, of the kind that the key has. */
export function isPlaceOf(keys: readonly OrderKey[], place: Place): boolean {
  return place.length === keys.length && keys.every((key, at) => isValueOf(key, place[at]));
}

function isValueOf({ type, nullable }: OrderKey, value: unknown): boolean {
  if (value === null) return nullable;
  switch (type) {
    case 'bigint':
      return Number.isSafeInteger(value);
    case 'double precision':
      return Number.isFinite(value);
    case 'decimal(38,0)':
      return typeof value === 'string' && /^-?\d{1,38}$/.test(value);
    case 'uuid':
      return typeof value === 'string' && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value);
    case 'text':
      return typeof value === 'string';
  }
}
