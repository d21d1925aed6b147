import { describe, expect, it } from 'vitest';
import { all, BASE, keeper, known, NOW, network, row, rows, senderOf, settingsOf } from './diagnosis-fixture';
import { type Incident, incidentHeadline, type KeeperEvidence, standingOf } from './incident';
import { triage } from './triage';

describe('the list of incidents', () => {
  it('has the gravest first and keeps its ids while requests come and go', () => {
    const outage = rows(12, 100, (step) => ({ ageS: 200, sender: senderOf(step % 4) }));
    const count = known({ fromMs: NOW - 200_000, toMs: NOW, total: 12 });
    const networks = [network(BASE, { counts: [count] })];
    const others = rows(20, 400, { ageS: 500, networkId: '1' });
    const before = triage([keeper([...others, ...outage], networks)], settingsOf, NOW);
    expect(before.incidents.map(({ networkId }) => networkId)).toEqual([BASE, '1']);
    const after = triage([keeper(others.slice(3))], settingsOf, NOW + 300_000);
    expect(after.incidents[0]?.id).toBe(before.incidents[1]?.id);
  });

  it('keeps keepers apart', () => {
    const other = rows(3, 100, { ageS: 500, keeper: 'test' });
    const both: KeeperEvidence[] = [
      keeper(rows(3, 100, { ageS: 500 })),
      { keeper: 'test', pending: all(other), networks: [] },
    ];
    expect(
      triage(both, settingsOf, NOW)
        .incidents.map(({ keeper: name }) => name)
        .sort(),
    ).toEqual(['main', 'test']);
  });

  it('has a headline with names and times as the reader wants them', () => {
    const [incident] = triage([keeper(rows(3, 100, { ageS: 500 }))], settingsOf, NOW).incidents as [Incident];
    const text = { network: () => 'Base', moment: (ms: number) => new Date(ms).toISOString().slice(11, 16) };
    expect(incidentHeadline(incident, text)).toBe('Base: 3 pending, 3 senders, since 11:51');
    expect(incidentHeadline({ ...incident, size: 0 }, text)).toBe('Base: nothing logged since 11:51');
    expect(incidentHeadline({ ...incident, size: 1234, senders: 1001 }, text)).toBe(
      'Base: 1,234 pending, 1,001 senders, since 11:51',
    );
  });
});

describe('what may be said', () => {
  const empty = triage([keeper([])], settingsOf, NOW);
  it('nothing is stuck, and when that was seen', () => {
    expect(standingOf(empty)).toEqual({ kind: 'nothing-stuck', checkedAtMs: NOW });
  });

  it.each([
    [
      'a keeper did not answer',
      [keeper([]), { keeper: 'test', pending: { kind: 'missing' as const, why: 'timeout' }, networks: [] }],
    ],
    ['rows are missing', [{ ...keeper([]), pending: all([], 3) }]],
    ['a row could not be read', [{ ...keeper([]), pending: all([], 0, 1) }]],
    ['nobody was asked', []],
  ])('never when %s', (_, keepers) => {
    expect(standingOf(triage(keepers, settingsOf, NOW)).kind).toBe('not-known');
  });

  it('what is stuck is said even when not all is known', () => {
    const partial = { ...keeper([]), pending: all([row(1, { ageS: 500 })], 7) };
    expect(standingOf(triage([partial], settingsOf, NOW))).toEqual({
      kind: 'stuck',
      incidents: 0,
      singles: 1,
      requests: 1,
    });
  });
});
