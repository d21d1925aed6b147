import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unixMillis } from '@/lib/domain/units';
import { rowOf } from './listing-fakes';
import { FIRST, isoOfMoment, millisAfter, momentOf, momentOfMillis, placeRows } from './time-order';

const fraction = fc.stringMatching(/^(?:\.[0-9]{1,12})?$/);
const second = fc.integer({ min: 0, max: 4_000_000_000 });
const isoOf = (at: number, digits: string, zone: string) =>
  `${new Date(at * 1000).toISOString().slice(0, 19)}${digits}${zone}`;

test('moments sort as the times do, with every digit of the fraction', () => {
  const nanos = (at: number, digits: string) =>
    BigInt(at) * 10n ** 12n + BigInt(digits.slice(1).padEnd(12, '0'));
  fc.assert(
    fc.property(second, fraction, second, fraction, fc.boolean(), (a, fa, b, fb, same) => {
      const other = same ? a : b;
      const [one, two] = [momentOf(isoOf(a, fa, 'Z')), momentOf(isoOf(other, fb, ''))];
      const order = nanos(a, fa) - nanos(other, fb);
      expect(one < two ? -1n : one > two ? 1n : 0n).toBe(order < 0n ? -1n : order > 0n ? 1n : 0n);
    }),
  );
});

test('a moment is the same in every zone, and is read back from its own ISO text', () => {
  expect(momentOf('2026-11-20T10:05:03.1200+02:00')).toBe('2026-11-20T08:05:03.12');
  expect(momentOf('2026-11-20T08:05:03.000Z')).toBe('2026-11-20T08:05:03');
  expect(momentOf('2026-11-20T08:05:00Z')).toBe('2026-11-20T08:05:00');
  expect(momentOf(isoOfMoment('2026-11-20T08:05:03.12'))).toBe('2026-11-20T08:05:03.12');
  expect(momentOfMillis(unixMillis(0))).toBe('1970-01-01T00:00:00');
});

test('a moment is told of a fraction of any length', () => {
  const fine = `2026-11-20T08:05:03.${'0'.repeat(100_000)}1`;
  expect(momentOf(`${fine}Z`)).toBe(fine);
});

test('every moment comes after the mark of rows whose time is unknown', () => {
  expect(momentOf('9999-12-31T23:59:59.999Z') < FIRST).toBe(true);
});

test('a time is rounded up to the millisecond, so that a bound lets its row in', () => {
  const ms = 1000;
  expect(millisAfter({ text: '1970-01-01T00:00:01.000Z', ms })).toBe(1000);
  expect(millisAfter({ text: '1970-01-01T00:00:01.000000Z', ms })).toBe(1000);
  expect(millisAfter({ text: '1970-01-01T00:00:01.000001Z', ms })).toBe(1001);
});

test('a row that cannot be read has the moment of the row before it', () => {
  const row = (id: number, createdAt: string, unreadable?: true) => {
    const read = rowOf({ id, networkId: '1', state: 'Pending', createdAt, unreadable });
    return { ...read, keeper: 'main' };
  };
  const rows = [row(1, '2026-01-01', true), row(2, '2026-01-02T00:00:00Z'), row(3, '2026-01-03', true)];
  const placed = placeRows(rows, 7);
  expect(placed.map(({ moment }) => moment)).toEqual([FIRST, '2026-01-02T00:00:00', '2026-01-02T00:00:00']);
  expect(placed.map(({ index }) => index)).toEqual([7, 8, 9]);
  expect(placeRows(rows.slice(0, 1), 3, '2025').map(({ moment }) => moment)).toEqual(['2025']);
});
