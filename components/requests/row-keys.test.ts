import { describe, expect, it } from 'vitest';
import { rowAfterKey } from './row-keys';

describe('keys in the table', () => {
  it.each([
    ['j', 4, 5],
    ['ArrowDown', 4, 5],
    ['k', 4, 3],
    ['ArrowUp', 4, 3],
    ['PageDown', 4, 13],
    ['PageUp', 40, 31],
    ['Home', 40, 0],
    ['End', 40, 99],
  ])('%s goes from row %i to row %i', (key, from, to) => {
    expect(rowAfterKey(key, from, 100, 10)).toBe(to);
  });

  it.each([
    ['j', 99, 99],
    ['k', 0, 0],
    ['PageDown', 95, 99],
    ['PageUp', 2, 0],
  ])('%s stays within the rows at %i', (key, from, to) => {
    expect(rowAfterKey(key, from, 100, 10)).toBe(to);
  });

  it('moves at least one row where the table is very low', () => {
    expect(rowAfterKey('PageDown', 3, 100, 0)).toBe(4);
  });

  it.each(['x', 'Enter', 'Tab', 'ArrowLeft'])('%s is left alone', (key) => {
    expect(rowAfterKey(key, 3, 100, 10)).toBeUndefined();
  });

  it('has nowhere to go without rows', () => {
    expect(rowAfterKey('j', 0, 0, 10)).toBeUndefined();
  });
});
