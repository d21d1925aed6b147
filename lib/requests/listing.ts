import { failed, type Outcome, ok } from '@/lib/core/outcome';
import { type LogRow, readRow } from '@/lib/core/request-record';
import type { ClockOff } from '@/lib/core/service-clock';
import {
  integerText,
  isWireObject,
  member,
  readWireDocument,
  safeInteger,
  type WireDocument,
} from '@/lib/core/wire-json';
import type { KeeperStatus } from './keeper-status';

/** A row of the log table and the keeper that logged it. Its `key` begins with the keeper: `main/8453/0x…/17/0x…`. */
export type ListedRow = LogRow & {
  keeper: string;
  /** The service has it no more: what stands here is what it said last. */
  gone?: true;
};

/** One page of a view: the rows of all the queries it takes, merged by time. */
export type Listing = {
  /** In the order that the view asks for by `created`; sorting by other columns is the page's. */
  rows: ListedRow[];
  /** All matches of the view up to `asof`, decimal digits; undefined when a service gave none. */
  total: string | undefined;
  /** ISO time: the moment that this result is pinned to, whether or not the view named one. */
  asof: string;
  /** How many matches stand before the first row, decimal digits. */
  offset: string;
  /** Names the place after the last row for the next page; undefined on the last one. */
  cursor: string | undefined;
};

/** The answer of our route: `clocks` are those of the keepers that were asked, where they are not ours. */
export type ListingAnswer = Listing & {
  clocks: ClockOff[];
  /** Names the place before the first row for the page before; undefined on the first one. */
  previous: string | undefined;
  /** Rows of the keepers that can't be read, in all; the first page of an unfiltered view begins with some of them. */
  unreadable: number;
  /** Of the index that it was read from; 0 where that is not said. */
  revision: number;
  index: KeeperStatus[];
};

/** The rows, each with a key of its own: the second row of a key becomes `key#2`, the third `key#3`. */
export function withUniqueKeys(rows: readonly ListedRow[]): ListedRow[] {
  const used = new Set<string>();
  const counts = new Map<string, number>();
  return rows.map((row) => {
    let count = (counts.get(row.key) ?? 0) + 1;
    let key = count === 1 ? row.key : `${row.key}#${count}`;
    while (used.has(key)) {
      count += 1;
      key = `${row.key}#${count}`;
    }
    counts.set(row.key, count);
    used.add(key);
    return key === row.key ? row : { ...row, key };
  });
}

/**
 * Reads the text of a listing, `{"rows":[{"keeper":"main","row":{…}},…],"asof":…}` with every row as its service wrote
 * it: no digit is lost, and a row that can't be read stays as such. Fails with `malformed` when it is no listing.
 */
export function readListing(text: string): Outcome<ListingAnswer> {
  const document = readWireDocument(text);
  const body = document?.value;
  if (document === undefined || !isWireObject(body)) return malformed('it is not JSON, or it was cut off');
  const entries = member(body, 'rows');
  if (!Array.isArray(entries)) return malformed('it has no list of rows');
  const rows: ListedRow[] = [];
  for (const entry of entries) {
    const row = listedRow(entry, document.textOf);
    if (row === undefined) return malformed('a row has no keeper');
    rows.push(row);
  }
  const asof = textMember(body, 'asof');
  if (asof === undefined) return malformed('it names no moment');
  return ok({
    rows: withUniqueKeys(rows),
    total: countMember(body, 'total'),
    asof,
    offset: countMember(body, 'offset') ?? '0',
    cursor: textMember(body, 'cursor'),
    clocks: clocksMember(body),
    previous: textMember(body, 'previous'),
    unreadable: Number(countMember(body, 'unreadable') ?? 0),
    revision: safeInteger(member(body, 'revision')) ?? 0,
    index: indexMember(body, document.textOf),
  });
}

function listedRow(entry: unknown, textOf: WireDocument['textOf']): ListedRow | undefined {
  if (!isWireObject(entry)) return undefined;
  const keeper = textMember(entry, 'keeper');
  if (keeper === undefined) return undefined;
  const row = readRow(member(entry, 'row') ?? null, textOf);
  const gone = member(entry, 'gone') === true ? { gone: true as const } : {};
  return { ...row, key: `${keeper}/${row.key}`, keeper, ...gone };
}

function textMember(object: Record<string, unknown>, name: string): string | undefined {
  const value = member(object, name);
  return typeof value === 'string' ? value : undefined;
}

function countMember(object: Record<string, unknown>, name: string): string | undefined {
  const digits = integerText(member(object, name));
  return digits?.startsWith('-') ? undefined : digits;
}

function clocksMember(body: Record<string, unknown>): ClockOff[] {
  const list = member(body, 'clocks');
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown) => {
    if (!isWireObject(entry)) return [];
    const [keeper, offByMs] = [textMember(entry, 'keeper'), safeInteger(member(entry, 'offByMs'))];
    return keeper === undefined || offByMs === undefined ? [] : [{ keeper, offByMs }];
  });
}

/** It is ours, and holds no number that JSON would not keep. */
function indexMember(body: Record<string, unknown>, textOf: WireDocument['textOf']): KeeperStatus[] {
  const list = member(body, 'index');
  return Array.isArray(list) ? (JSON.parse(textOf(list)) as KeeperStatus[]) : [];
}

function malformed(problem: string): Outcome<never> {
  return failed({ kind: 'malformed', detail: `The listing cannot be read: ${problem}.` });
}
