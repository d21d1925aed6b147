import type { ListedRow } from '@/lib/contract/codec/listing';
import type { ColumnId } from '@/lib/contract/codec/requests-columns';
import type { Cell, Sort, Within } from '@/lib/contract/codec/requests-url';
import type { Network } from '@/lib/domain/network';
import { cellText, gasShare, type ListedRecord } from './cell-text';

/** What no service can do, done with the rows of the page: filters on any cell, and the order by any column. */

/** Columns whose texts are the same value in upper and in lower case. */
const HEX_COLUMNS: ReadonlySet<ColumnId> = new Set([
  'sender',
  'provider',
  'request-tx',
  'reveal-tx',
  'user-random',
  'provider-random',
  'random-number',
]);

function comparable(column: ColumnId, text: string): string {
  return HEX_COLUMNS.has(column) ? text.toLowerCase() : text;
}

function valuesByColumn(cells: readonly Cell[]): [ColumnId, ReadonlySet<string>][] {
  const columns = [...new Set(cells.map((cell) => cell.column))];
  return columns.map((column) => [
    column,
    new Set(cells.filter((cell) => cell.column === column).map((cell) => comparable(column, cell.value))),
  ]);
}

function isAmong(row: ListedRow, column: ColumnId, values: ReadonlySet<string>): boolean {
  const text = cellText(row, column);
  return text !== undefined && values.has(comparable(column, text));
}

function isGasWithin({ gasLimit }: ListedRecord, { gasMin, gasMax }: Within): boolean {
  if (gasMin === undefined && gasMax === undefined) return true;
  if (gasLimit === undefined) return false;
  const isEnough = gasMin === undefined || compareDigits(gasLimit, gasMin) >= 0;
  return isEnough && (gasMax === undefined || compareDigits(gasLimit, gasMax) <= 0);
}

/**
 * The rows that the filters of the page leave, in their order, and how many they hide. A row without a value is none of
 * `only`, and none of `not`. Rows that can't be read always stay: nobody knows whether they match.
 */
export function withinLoaded(
  rows: readonly ListedRow[],
  within: Within,
): { rows: ListedRow[]; hidden: number } {
  const only = valuesByColumn(within.only);
  const not = valuesByColumn(within.not);
  const kept = rows.filter(
    (row) =>
      row.kind === 'unreadable' ||
      (only.every(([column, values]) => isAmong(row, column, values)) &&
        !not.some(([column, values]) => isAmong(row, column, values)) &&
        isGasWithin(row, within)),
  );
  return { rows: kept, hidden: rows.length - kept.length };
}

/** Decimal integers of any length, without leading zeros: exact, and without making a number of them. */
export function compareDigits(a: string, b: string): number {
  const [negativeA, negativeB] = [a.startsWith('-'), b.startsWith('-')];
  if (negativeA !== negativeB) return negativeA ? -1 : 1;
  const [less, more] = negativeA ? [b, a] : [a, b];
  return less.length - more.length || compareText(less, more);
}

/** By code units, so that the server and every browser agree. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** ISO texts in UTC with fractions of any length: to the last digit. */
function compareTimes(a: string, b: string): number {
  const fraction = (text: string) => text.slice(20, -1).replace(/0{1,40}$/, '');
  return compareText(a.slice(0, 19), b.slice(0, 19)) || compareText(fraction(a), fraction(b));
}

type Direction = 1 | -1;

/** Stable, also downwards; records without a value follow, then what can't be read, both in their order. */
function sortedBy<K>(
  rows: readonly ListedRow[],
  keyOf: (record: ListedRecord) => K | undefined,
  compare: (a: K, b: K) => number,
  direction: Direction,
): ListedRow[] {
  const keyed: { row: ListedRow; key: K }[] = [];
  const missing: ListedRow[] = [];
  const unreadable: ListedRow[] = [];
  for (const row of rows) {
    const key = row.kind === 'record' ? keyOf(row) : undefined;
    if (row.kind === 'unreadable') unreadable.push(row);
    else if (key === undefined) missing.push(row);
    else keyed.push({ row, key });
  }
  keyed.sort((a, b) => direction * compare(a.key, b.key));
  return [...keyed.map(({ row }) => row), ...missing, ...unreadable];
}

type Share = { used: bigint; limit: bigint };

/** By multiplication across: a quotient would round. */
function compareShares(a: Share, b: Share): number {
  const [left, right] = [a.used * b.limit, b.used * a.limit];
  return left < right ? -1 : left > right ? 1 : 0;
}

function columnOf(sort: Sort): { column: ColumnId; direction: Direction } {
  const dot = sort.lastIndexOf('.');
  return {
    column: sort.slice(0, dot) as ColumnId,
    direction: sort.slice(dot + 1) === 'asc' ? 1 : -1,
  };
}

/**
 * The loaded rows in the order of a column. By `created` the whole result is ordered by the server, so they stay as they
 * come. Exact, stable, missing values last in both directions, unreadable rows at the end.
 * @param nowMs unix milliseconds, for the ages of unfinished requests; without it those come last by duration
 * @param networks names to order networks by; those without one follow by their ids
 */
export function sortLoaded(
  rows: readonly ListedRow[],
  sort: Sort,
  nowMs?: number,
  networks: readonly Network[] = [],
): ListedRow[] {
  const { column, direction } = columnOf(sort);
  const text = (record: ListedRecord) => cellText(record, column, nowMs);
  switch (column) {
    case 'created':
      return [...rows];
    case 'updated':
      return sortedBy(rows, text, compareTimes, direction);
    case 'sequence':
    case 'duration':
    case 'block':
    case 'gas-limit':
    case 'gas-used':
      return sortedBy(rows, text, compareDigits, direction);
    case 'gas-share':
      return sortedBy(rows, gasShare, compareShares, direction);
    case 'network':
      return sortedBy(rows, networkKey(networks), compareNetworks, direction);
    default:
      return sortedBy(
        rows,
        (record) => {
          const whole = text(record);
          return whole === undefined ? undefined : comparable(column, whole);
        },
        compareText,
        direction,
      );
  }
}

type NetworkKey = { name: string | undefined; id: string };

function networkKey(networks: readonly Network[]): (record: ListedRecord) => NetworkKey {
  const names = new Map(
    networks.filter((network) => network.known).map((network) => [network.networkId, network.name]),
  );
  return ({ networkId }) => ({ name: names.get(networkId)?.toLowerCase(), id: networkId });
}

function compareNetworks(a: NetworkKey, b: NetworkKey): number {
  if (a.name === undefined || b.name === undefined) {
    const named = Number(a.name === undefined) - Number(b.name === undefined);
    return named || compareDigits(a.id, b.id);
  }
  return compareText(a.name, b.name) || compareDigits(a.id, b.id);
}
