import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readQueries, readRecents } from './browsing-history';

const HASH = `0x${'ab'.repeat(32)}`;

describe('recent requests', () => {
  it('never link outside the dashboard, whatever the storage holds', () => {
    const places = [
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      '/\t/evil.example',
      '/\n\\evil.example',
      '/fine/\r../evil',
      '/.//evil.example',
      'javascript:alert(1)',
      '',
      '/fine',
    ];
    const text = JSON.stringify(places.map((path) => ({ label: 'x', path })));
    expect(readRecents(text).map(({ path }) => path)).toEqual(['/fine']);
  });

  it('and recent searches survive any text in the storage', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(readRecents(text).every(({ path }) => path.startsWith('/'))).toBe(true);
        expect(readQueries(text).length).toBeLessThanOrEqual(8);
      }),
    );
  });
});

it('recent searches are canonical, once each, and eight at most', () => {
  const numbers = Array.from({ length: 20 }, (_, index) => String(index));
  const stored = ['17', HASH, '18'];
  expect(readQueries(JSON.stringify(['17', HASH, HASH, 'hello', '007', 7, '<b>1</b>', '18']))).toEqual(
    stored,
  );
  expect(readQueries(JSON.stringify(numbers))).toEqual(numbers.slice(0, 8));
});
