import { describe, expect, it } from 'vitest';
import { pastedIds } from './directory';

describe('pasted ids', () => {
  it('are read from a text of nothing but ids, however separated, in any case', () => {
    const text = `0x${'A'.repeat(64)},\n ${'b'.repeat(64)} `;
    expect(pastedIds(text)).toEqual(['a'.repeat(64), 'b'.repeat(64)]);
  });

  it.each([
    `["0x${'a'.repeat(64)}","0x${'b'.repeat(64)}"]`,
    `<${'a'.repeat(64)}> \`${'b'.repeat(64)}\`.`,
    `\u200b${'a'.repeat(64)}\n${'b'.repeat(64)}\u200b`,
    `?ids[]=${'a'.repeat(64)}&ids%5B%5D=0x${'b'.repeat(64)}`,
    `https://prices.example/v2/updates/price/latest?ids[]=${'a'.repeat(64)}&ids[]=${'b'.repeat(64)}`,
  ])('are read as people copy them: %.60j', (text) => {
    expect(pastedIds(text)).toEqual(['a'.repeat(64), 'b'.repeat(64)]);
  });

  it('are not taken from a text that holds anything else', () => {
    expect(pastedIds(`${'a'.repeat(64)} btc`)).toEqual([]);
    expect(pastedIds('')).toEqual([]);
  });
});
