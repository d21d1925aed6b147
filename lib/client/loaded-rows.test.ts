import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ListedRow } from '@/lib/contract/codec/listing';
import type { Sort, Within } from '@/lib/contract/codec/requests-url';
import { readOne } from '@/lib/domain/log-row-fixture';
import { unknownNetwork } from '@/lib/domain/network';
import { cellText } from './cell-text';
import { compareDigits, sortLoaded, withinLoaded } from './loaded-rows';

const unreadable = (key: string): ListedRow => ({
  kind: 'unreadable',
  key,
  rawJson: '{}',
  problem: 'The row is not an object.',
  keeper: 'main',
});

let made = 0;
const record = (change: Record<string, string | undefined>): ListedRow => {
  made += 1;
  return { ...readOne(change), keeper: 'main', key: `row-${made}` };
};

const withGas = (gas: string | undefined) =>
  record({ gas_limit: gas === undefined ? undefined : JSON.stringify(gas) });
const gasOf = (rows: readonly ListedRow[]) => rows.map((row) => cellText(row, 'gas-limit'));
const keysOf = (rows: readonly ListedRow[]) => rows.map((row) => row.key);

describe('filters within the loaded rows', () => {
  const [small, large, none] = [withGas('100000'), withGas('900000'), withGas(undefined)];
  const rows = [small, unreadable('u'), large, none];
  const left = (within: Partial<Within>) => withinLoaded(rows, { only: [], not: [], ...within });

  it('leave everything when there are none', () => {
    expect(left({})).toEqual({ rows, hidden: 0 });
  });

  it('keep only what has the value, and whatever cannot be read', () => {
    const only = [{ column: 'gas-limit' as const, value: '100000' }];
    expect(left({ only })).toEqual({ rows: [small, rows[1]], hidden: 2 });
  });

  it('take several values of one column as alternatives', () => {
    const only = ['100000', '900000'].map((value) => ({ column: 'gas-limit' as const, value }));
    expect(left({ only }).hidden).toBe(1);
  });

  it('want every column that is named', () => {
    const only = [
      { column: 'gas-limit' as const, value: '100000' },
      { column: 'keeper' as const, value: 'other' },
    ];
    expect(left({ only }).rows).toEqual([rows[1]]);
  });

  it('leave out a value, but not rows that lack one', () => {
    const not = [{ column: 'gas-limit' as const, value: '100000' }];
    expect(left({ not })).toEqual({ rows: [rows[1], large, none], hidden: 1 });
  });

  it('take hex in upper and lower case for the same', () => {
    const only = [{ column: 'provider' as const, value: `0x${'cD'.repeat(20)}` }];
    expect(left({ only }).hidden).toBe(0);
  });

  it('bound the gas limit on both sides, inclusively', () => {
    expect(gasOf(left({ gasMin: '100000', gasMax: '900000' }).rows)).toEqual(['100000', undefined, '900000']);
    expect(gasOf(left({ gasMin: '100001' }).rows)).toEqual([undefined, '900000']);
    expect(gasOf(left({ gasMax: '99999' }).rows)).toEqual([undefined]);
  });

  it('hide as many as they say, in the order that was, and never an unreadable row', () => {
    const someRow = fc.oneof(
      fc.constantFrom('5', '70', '900', undefined).map(withGas),
      fc.nat().map((n) => unreadable(`u${n}`)),
    );
    const cells = fc.array(
      fc.record({ column: fc.constant('gas-limit' as const), value: fc.constantFrom('5', '70') }),
    );
    fc.assert(
      fc.property(fc.array(someRow), cells, cells, (some, only, not) => {
        const { rows: kept, hidden } = withinLoaded(some, { only, not });
        expect(kept.length + hidden).toBe(some.length);
        expect(some.filter((row) => kept.includes(row))).toEqual(kept);
        expect(kept.filter((row) => row.kind === 'unreadable')).toEqual(
          some.filter((row) => row.kind === 'unreadable'),
        );
      }),
    );
  });
});

describe('the order of the loaded rows', () => {
  const anyDirection = fc.constantFrom('asc' as const, 'desc' as const);

  it('is exact for figures of any length, missing ones last, unreadable ones at the end', () => {
    const someRow = fc.oneof(
      { weight: 6, arbitrary: fc.bigInt({ min: 0n, max: 2n ** 70n }).map((gas) => withGas(String(gas))) },
      { weight: 2, arbitrary: fc.constantFrom('7', '10', '10').map(withGas) },
      { weight: 1, arbitrary: fc.constant(undefined).map(withGas) },
      { weight: 1, arbitrary: fc.nat().map((n) => unreadable(`u${n}`)) },
    );
    fc.assert(
      fc.property(fc.array(someRow), anyDirection, (rows, direction) => {
        const sorted = sortLoaded(rows, `gas-limit.${direction}`);
        const rank = (row: ListedRow) => {
          const gas = cellText(row, 'gas-limit');
          return row.kind === 'unreadable' ? 2 : gas === undefined ? 1 : 0;
        };
        expect(sorted.toSorted((a, b) => rows.indexOf(a) - rows.indexOf(b))).toEqual(rows);
        for (const [index, row] of sorted.entries()) {
          const next = sorted[index + 1];
          if (next === undefined) continue;
          expect(rank(row)).toBeLessThanOrEqual(rank(next));
          const isBefore = rows.indexOf(row) < rows.indexOf(next);
          if (rank(row) !== rank(next)) continue;
          const [a, b] = [row, next].map((one) => BigInt(cellText(one, 'gas-limit') ?? 0));
          if (a === b || rank(row) > 0) expect(isBefore).toBe(true);
          else expect((a ?? 0n) < (b ?? 0n)).toBe(direction === 'asc');
        }
      }),
    );
  });

  it('compares digits as integers do', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.bigInt(), (a, b) => {
        expect(Math.sign(compareDigits(String(a), String(b)))).toBe(a < b ? -1 : a > b ? 1 : 0);
      }),
    );
  });

  it('goes by every digit of a time, whatever its zone', () => {
    const times = [
      '2026-11-20T08:05:03.1234567891Z',
      '2026-11-20T09:05:03.123456789+01:00',
      '2026-11-20T08:05:03',
      '2026-11-20T08:05:03.12345678900Z',
    ];
    const rows = times.map((time) => record({ last_updated_at: JSON.stringify(time) }));
    const order = [2, 1, 3, 0].map((index) => rows[index]?.key);
    expect(keysOf(sortLoaded(rows, 'updated.asc'))).toEqual(order);
    expect(keysOf(sortLoaded(rows, 'updated.desc'))).toEqual([0, 1, 3, 2].map((index) => rows[index]?.key));
  });

  it('compares gas shares without rounding', () => {
    const row = (used: string, limit: string) =>
      record({ gas_limit: limit, state: `{"state":"completed","gas_used":${used}}` });
    const rows = [row('2', '3'), row('66666666', '100000000'), row('4', '6')];
    expect(keysOf(sortLoaded(rows, 'gas-share.asc'))).toEqual([1, 0, 2].map((index) => rows[index]?.key));
  });

  it('by networks goes by their names where they have one', () => {
    const rows = ['9', '10', '8453'].map((id) => record({ network_id: id }));
    const base = { ...unknownNetwork('8453'), name: 'Base', known: true };
    expect(keysOf(sortLoaded(rows, 'network.asc', undefined, [base]))).toEqual(
      [2, 0, 1].map((index) => rows[index]?.key),
    );
  });

  it('by duration has running requests among the others once the time is known', () => {
    const pending = record({});
    const done = record({ state: '{"state":"completed"}' });
    const later = readOne().createdAt.ms + 60_000;
    expect(keysOf(sortLoaded([pending, done], 'duration.desc'))).toEqual([done.key, pending.key]);
    expect(keysOf(sortLoaded([done, pending], 'duration.desc', later))).toEqual([pending.key, done.key]);
  });

  it.each<Sort>(['created.asc', 'created.desc'])('by %s is the server’s', (sort) => {
    const rows = [withGas('2'), unreadable('u'), withGas('1')];
    expect(sortLoaded(rows, sort)).toEqual(rows);
  });
});
