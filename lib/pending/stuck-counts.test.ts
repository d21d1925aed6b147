import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type IsAcknowledged, stuckCounts, stuckSpans } from './stuck-counts';

const among =
  (...targets: string[]): IsAcknowledged =>
  (kind, id) =>
    targets.includes(`${kind} ${id}`);

const base = { keeper: 'main', networkId: '8453' };

describe('the number of stuck requests', () => {
  const triage = {
    incidents: [
      { ...base, id: 'main/8453/network', size: 41, severity: 'warning' },
      { ...base, id: 'main/8453/silence', size: 0, severity: 'critical' },
      { ...base, networkId: '10', id: 'main/10/network', size: 5, severity: 'notice' },
    ],
    singles: [
      { ...base, key: 'main/a', isParked: false, severity: 'warning' },
      { ...base, key: 'main/b', isParked: false, severity: 'notice' },
      { ...base, key: 'main/old', isParked: true, severity: 'critical' },
    ],
  } as const;

  it('includes incidents and single requests, without acknowledged and parked ones', () => {
    expect(stuckCounts(triage, among(), 0)).toEqual({
      stuck: 48,
      acknowledged: 0,
      parked: 1,
      worst: 'warning',
    });
    const isAcknowledged = among('incident main/10/network', 'request main/a');
    expect(stuckCounts(triage, isAcknowledged, 0)).toEqual({
      stuck: 42,
      acknowledged: 6,
      parked: 1,
      worst: 'warning',
    });
  });

  it('is zero for a healthy keeper that carries old orphans', () => {
    const orphans = Array.from({ length: 25 }, (_, index) => ({
      ...base,
      key: `main/${index}`,
      isParked: true,
      severity: 'notice' as const,
    }));
    expect(stuckCounts({ incidents: [], singles: orphans }, among(), 0).stuck).toBe(0);
  });

  it('is as severe as the worst of them, without acknowledged and parked ones', () => {
    const worst = (...targets: string[]) => stuckCounts(triage, among(...targets), 0).worst;
    expect(worst('incident main/8453/network')).toBe('warning');
    expect(worst('incident main/8453/network', 'request main/a')).toBe('notice');
    expect(stuckCounts({ incidents: [], singles: [] }, among(), 9).worst).toBe('none');
  });

  it('counts unexamined requests as parked, and can count a single network', () => {
    const counts = stuckCounts(triage, among(), 300, ({ networkId }) => networkId === '10');
    expect(counts).toEqual({ stuck: 5, acknowledged: 0, parked: 300, worst: 'notice' });
  });

  it('leaves an acknowledged parked request among the parked ones', () => {
    const counts = stuckCounts(triage, among('request main/old'), 0);
    expect(counts).toEqual({ stuck: 48, acknowledged: 0, parked: 1, worst: 'warning' });
  });
});

describe('stuck requests as spans of time', () => {
  const row = (ms: number, key: string) => ({ ms, key });

  it('reach from one stuck request to the next while no other was created between them', () => {
    const rows = [row(1, 'a'), row(2, 'b'), row(5, 'other'), row(9, 'c')];
    expect(stuckSpans(rows, (key) => key !== 'other')).toEqual({
      spans: [
        { fromMs: 1, toMs: 2 },
        { fromMs: 9, toMs: 9 },
      ],
      keys: [],
    });
  });

  it('leave a millisecond shared with other requests to the keys', () => {
    const rows = [row(1, 'a'), row(2, 'b'), row(2, 'other'), row(3, 'c')];
    const { spans, keys } = stuckSpans(rows, (key) => key !== 'other');
    expect([spans.length, keys]).toEqual([2, ['b']]);
  });

  it('count each stuck request, and no other', () => {
    const pending = fc.array(fc.record({ ms: fc.nat(30), isStuck: fc.boolean() }), { maxLength: 40 });
    fc.assert(
      fc.property(pending, (list) => {
        const rows = list
          .map((request, index) => ({ ...request, key: String(index) }))
          .sort((a, b) => a.ms - b.ms);
        const stuck = new Set(rows.filter(({ isStuck }) => isStuck).map(({ key }) => key));
        const { spans, keys } = stuckSpans(rows, (key) => stuck.has(key));
        const counted = rows.filter(
          ({ ms, key }) => keys.includes(key) || spans.some(({ fromMs, toMs }) => ms >= fromMs && ms <= toMs),
        );
        expect(new Set(counted.map(({ key }) => key))).toEqual(stuck);
      }),
    );
  });
});
