import type { ListedRow } from '@/lib/contract/codec/listing';
import { cellText } from './cell-text';

export type LoadedValue = { value: string; count: number };

/**
 * Every value that a column of addresses has in the loaded rows, the most frequent one first; those that differ by their
 * case only are one, as they came first. Values that are chosen but not loaded follow with a count of 0, so that they can
 * be taken back.
 */
export function loadedValues(
  rows: readonly ListedRow[],
  column: 'sender' | 'provider',
  chosen: readonly string[],
): LoadedValue[] {
  const counted = new Map<string, LoadedValue>();
  for (const value of chosen) counted.set(value.toLowerCase(), { value, count: 0 });
  for (const row of rows) {
    const value = cellText(row, column);
    if (value === undefined || value === '') continue;
    const known = counted.get(value.toLowerCase());
    if (known === undefined) counted.set(value.toLowerCase(), { value, count: 1 });
    else known.count += 1;
  }
  return [...counted.values()].sort((a, b) => b.count - a.count);
}

/** Digits as people write amounts: `500000`, `500,000`, `500_000`, `500 000`. Undefined for anything else. */
export function typedAmount(text: string): string | undefined {
  const plain = text.trim().replace(/(?<=\d)[,_ \u00a0\u202f'](?=\d{3}(?!\d))/g, '');
  return /^\d{1,40}$/.test(plain) ? BigInt(plain).toString() : undefined;
}
