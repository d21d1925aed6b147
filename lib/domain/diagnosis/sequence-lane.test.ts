import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BASE, countingReads, hashOf, NOW, PROVIDER, row, rows } from './diagnosis-fixture';
import { USUAL_SETTINGS } from './diagnosis-settings';
import type { LoggedRow } from './evidence';
import { sequenceLane } from './sequence-lane';

const normal = { ms: 60_000, from: 'setting', finished: 0 } as const;
const laneOf = (list: LoggedRow[]) =>
  sequenceLane(list, { networkId: BASE, provider: PROVIDER.toUpperCase() }, normal, USUAL_SETTINGS, NOW);

describe('the lane', () => {
  it('puts marks in order of their number, with gaps between', () => {
    const lane = laneOf([
      row(12, { tookS: 1 }),
      row(10),
      row(9, { provider: '0x02' }),
      row(9, { networkId: '1' }),
    ]);
    expect(lane.items).toMatchObject([
      { kind: 'request', sequence: '10', state: 'pending' },
      { kind: 'gap', from: '11', to: '11', count: '1' },
      { kind: 'request', sequence: '12', state: 'completed' },
    ]);
    expect(lane).toMatchObject({ marks: 2, missingNumbers: '1', overtaken: 0, twins: 0 });
  });

  it('names every state, the unknown one too', () => {
    const lane = laneOf([
      row(1, { ageS: 300 }),
      row(2, { ageS: 301 }),
      row(3, { state: { kind: 'failed' } }),
      row(4, { state: { kind: 'completed', callback: 'failed' } }),
      row(5, { state: { kind: 'unknown', wireName: 'queued' } }),
    ]);
    expect(lane.items.map((item) => item.kind === 'request' && item.state)).toEqual([
      'pending',
      'stuck',
      'failed',
      'callback-failed',
      'unknown',
    ]);
  });

  it('marks as overtaken what is stuck below 10 finished ones, not below 9', () => {
    const above = (count: number) => laneOf([row(1, { ageS: 500 }), ...rows(count, 2, { tookS: 1 })]);
    expect(above(10).items[0]).toMatchObject({ overtakenBy: 10 });
    expect(above(9).items[0]).not.toHaveProperty('overtakenBy');
    expect(laneOf([row(1, { ageS: 300 }), ...rows(10, 2, { tookS: 1 })]).overtaken).toBe(0);
  });

  it('a finished twin overtakes nobody, and both name each other', () => {
    const twin = row(1, { requestTxHash: hashOf(77), ageS: 400, tookS: 1 });
    const own = row(1, { ageS: 500 });
    const lane = laneOf([twin, own, ...rows(9, 2, { tookS: 1 })]);
    expect(lane.items[0]).toMatchObject({ key: own.key, twins: [twin.key] });
    expect(lane.items[1]).toMatchObject({ key: twin.key, twins: [own.key] });
    expect(lane).toMatchObject({ overtaken: 0, twins: 2 });
  });

  it('counts gaps beyond what a number can hold', () => {
    expect(laneOf([row(0), row(1, { sequence: '18446744073709551615' })]).missingNumbers).toBe(
      '18446744073709551614',
    );
  });

  it('has each row once and the numbers rising, whatever the order of the rows', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(50), fc.nat(3)), { maxLength: 100 }), (pairs) => {
        const list = pairs.map(([sequence, tx]) => row(sequence, { requestTxHash: hashOf(tx) }));
        const { items, marks, missingNumbers } = laneOf(list);
        const sequences = items.flatMap((item) => (item.kind === 'request' ? Number(item.sequence) : []));
        expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
        expect(marks).toBe(new Set(list.map(({ key }) => key)).size);
        const distinct = new Set(sequences);
        const span = distinct.size === 0 ? 0 : Math.max(...distinct) - Math.min(...distinct) + 1;
        expect(Number(missingNumbers)).toBe(span - distinct.size);
      }),
    );
  });

  it('reads 5,000 rows in proportion to their number', () => {
    const cost = (count: number) => {
      const change = (step: number) => ({ sequence: String(count * 3 - step * 3), ageS: 500 });
      const { list, reads } = countingReads(rows(count, 0, change));
      laneOf(list);
      return reads();
    };
    expect(cost(5000)).toBeLessThan(cost(2500) * 2.2);
  });

  it('five thousand rows of one number don’t grow with the square', () => {
    const lane = laneOf(rows(5000, 0, { sequence: '7' }));
    expect(lane.items.every((item) => item.kind === 'request' && item.twins.length === 8)).toBe(true);
  });
});
