import { describe, expect, it } from 'vitest';
import { RULE } from '@/lib/pending/rules/rule-ids';
import type { Single } from './pending-response';
import { causeGroups } from './singles';

const single = (change: Partial<Single>): Single => ({
  key: 'main/8453/0xab/1/0xcd',
  keeper: 'main',
  networkId: '8453',
  sequence: '1',
  sender: '0xAB',
  rule: RULE.overtaken,
  severity: 'warning',
  sinceMs: 1000,
  isParked: false,
  isSettled: false,
  ...change,
});
const groups = (list: Single[], acknowledged: string[] = []) =>
  causeGroups(list, (key) => acknowledged.includes(key));

describe('single requests by cause', () => {
  it('are counted, with senders, networks, and the creation of the oldest and the newest', () => {
    const list = [
      single({ key: 'a', sinceMs: 5000 }),
      single({ key: 'b', sinceMs: 9000, sender: '0xab' }),
      single({ key: 'c', sinceMs: 7000, sender: '0xcd', networkId: '10' }),
    ];
    expect(groups(list, ['b'])).toEqual([
      {
        id: RULE.overtaken,
        rule: RULE.overtaken,
        severity: 'warning',
        isParked: false,
        isSettled: false,
        size: 3,
        acknowledged: 1,
        senders: 2,
        networkIds: ['8453', '10'],
        networks: 2,
        sinceMs: 5000,
        newestMs: 9000,
      },
    ]);
  });

  it('have the group with the newest request first and parked groups last', () => {
    const list = [
      single({ sinceMs: 3000 }),
      single({ sinceMs: 9000, isParked: true }),
      single({ sinceMs: 8000, rule: RULE.pastRetryBudget }),
      single({ sinceMs: 2000, rule: RULE.reorgedTwin, isSettled: true, isParked: true }),
      single({ sinceMs: 2500, rule: RULE.reorgedTwin }),
    ];
    expect(groups(list).map(({ id }) => id)).toEqual(['R4', 'R8', 'R5', 'parked-R8', 'parked-R5-settled']);
  });

  it('are as severe as the most severe of them, and a single one is named', () => {
    const list = [
      single({ severity: 'notice' }),
      single({ severity: 'critical' }),
      single({ rule: RULE.unusualGas }),
    ];
    const [later, gas] = groups(list);
    expect([later?.severity, later?.only]).toEqual(['critical', undefined]);
    expect(gas?.only).toEqual(list[2]);
  });

  it('name at most three networks, those with most requests first, and give the number of all', () => {
    const of = (networkId: string, count: number) =>
      Array.from({ length: count }, () => single({ networkId }));
    const [group] = groups([...of('1', 1), ...of('2', 3), ...of('3', 2), ...of('4', 1)]);
    expect(group).toMatchObject({ networks: 4, networkIds: ['2', '3', '1'] });
  });
});
