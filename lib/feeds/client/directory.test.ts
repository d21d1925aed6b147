import { describe, expect, it } from 'vitest';
import { pastedIds } from './directory';

describe('pasted ids', () => {
  it('are read from a text of nothing but ids, however separated, in any case', () => {
    const text = `0x${'A'.repeat(64)},\n ${'b'.repeat(64)} `;
    expect(pastedIds(text)).toEqual(['a'.repeat(64), 'b'.repeat(64)]);
  });

  it('are not taken from a text that holds anything else', () => {
    expect(pastedIds(`${'a'.repeat(64)} btc`)).toEqual([]);
    expect(pastedIds('')).toEqual([]);
  });
});
