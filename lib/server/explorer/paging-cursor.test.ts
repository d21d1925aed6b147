import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatCursor, type Place, readCursor } from './paging-cursor';
import { FIRST } from './time-order';

const place: fc.Arbitrary<Place> = fc.record({
  order: fc.constantFrom<Place['order']>('newest-first', 'oldest-first'),
  list: fc.stringMatching(/^[\w-]{8}$/),
  asof: fc.constant('2026-11-20T08:00:00.000Z'),
  positions: fc.array(fc.maxSafeNat(), { maxLength: 20 }),
  total: fc.option(fc.bigInt({ min: 0n, max: 2n ** 64n }), { nil: undefined }),
  moment: fc.constantFrom(FIRST, '2026-11-20T08:00:00', '2026-11-20T07:59:59.123456789'),
  shown: fc.option(
    fc.array(fc.stringMatching(/^[\w-]{8}$/), { maxLength: 10 }).map((marks) => new Set(marks)),
    { nil: undefined },
  ),
});

test('a cursor is read back as it was written, and fits into a URL as it is', () => {
  fc.assert(
    fc.property(place, (one) => {
      const text = formatCursor(one);
      expect(encodeURIComponent(text)).toBe(text);
      expect(readCursor(text)).toEqual(one);
    }),
  );
});

test('what is no cursor of ours is nothing', () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64url');
  const good = JSON.parse(
    Buffer.from(
      formatCursor({
        order: 'newest-first',
        list: 'abc',
        asof: '2026-11-20T08:00:00Z',
        positions: [1],
        total: 2n,
        moment: FIRST,
        shown: new Set(),
      }),
      'base64url',
    ).toString(),
  );
  const wrong = [
    { v: 2 },
    { o: 'x' },
    { l: 1 },
    { a: 'now' },
    { p: [-1] },
    { p: [0.5] },
    { p: 7 },
    { k: [1] },
  ];
  const more = [{ t: 'x' }, { t: 5 }, { n: '-1' }, { n: 3 }];
  for (const change of [...wrong, ...more]) {
    expect(readCursor(base64(JSON.stringify({ ...good, ...change })))).toBeUndefined();
  }
  for (const text of [
    '',
    '{}',
    'null',
    '[]',
    '5',
    'x'.repeat(9000),
    base64('{'),
    base64('null'),
    '%00',
    'é',
  ]) {
    expect(readCursor(text)).toBeUndefined();
  }
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(readCursor(text)).toBeUndefined();
    }),
  );
});
