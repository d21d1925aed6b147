import { describe, expect, it } from 'vitest';
import {
  finishedRows,
  keeper,
  known,
  NOW,
  network,
  row,
  rows,
  senderOf,
  settingsOf,
} from './diagnosis-fixture';
import type { KeeperEvidence } from './incident';
import { lastHourOf, silenceTable as tableOf } from './silence-table';
import { triage } from './triage';

const silenceTable = (keepers: KeeperEvidence[]) => tableOf(keepers, triage(keepers, settingsOf, NOW), NOW);

describe('the table of silence', () => {
  const list = [
    ...rows(2, 1, { ageS: 20 }),
    row(5, { ageS: 120 }),
    row(6, { ageS: 400 }),
    row(7, { networkId: '10', ageS: 9000 }),
  ];
  const full = network('8453', {
    newest: known(row(1, { ageS: 20 })),
    lastDay: known(864),
    finished: finishedRows(
      rows(4, 50, (step) => ({ ageS: 600, tookS: step + 1 })),
      NOW - 7_200_000,
    ),
  });

  it('has for each network its last request, usual gap, pending, stuck and the last hour', () => {
    expect(silenceTable([keeper(list, [full])])).toMatchObject([
      {
        networkId: '8453',
        lastRequestMs: NOW - 20_000,
        usualGapMs: 100_000,
        pending: 4,
        stuck: 1,
        lastHour: { finished: 4, failed: 0, medianMs: 2000, p95Ms: 4000, extent: 'whole' },
        quiet: { holds: 'no' },
        missing: [],
      },
    ]);
  });

  it('means the same by stuck as everything else: incidents and single cases', () => {
    const outage = rows(12, 100, (step) => ({ ageS: 20 * step, sender: senderOf(step % 4) }));
    const counts = [known({ fromMs: NOW - 220_000, toMs: NOW, total: 12 })];
    const keepers = [keeper(outage, [network('8453', { ...full, finished: finishedRows([]), counts })])];
    const { incidents } = triage(keepers, settingsOf, NOW);
    expect(incidents).toMatchObject([{ rule: 'R6', size: 12 }]);
    expect(silenceTable(keepers)).toMatchObject([{ pending: 12, stuck: 12 }]);
  });

  it('puts the quiet ones first and says what is not known', () => {
    const quiet = network('10', { newest: known(row(1, { ageS: 7000 })), lastDay: known(5000) });
    const [first, second] = silenceTable([keeper(list, [full, quiet])]);
    expect([first?.networkId, second?.networkId]).toEqual(['10', '8453']);
    expect(first?.quiet.holds).toBe('yes');
    expect(first?.missing).toEqual(['Last hour: not asked']);
  });

  it('knows no pending when the keeper did not answer', () => {
    const silent: KeeperEvidence = {
      keeper: 'main',
      pending: { kind: 'missing', why: 'timeout' },
      networks: [network('1')],
    };
    const [only] = silenceTable([silent]);
    expect(only).toMatchObject({
      pending: undefined,
      stuck: undefined,
      lastHour: undefined,
      quiet: { holds: 'unknown' },
    });
    expect(only?.missing).toContain('Pending: timeout');
  });
});

describe('the last hour', () => {
  it('holds what finished within it, by the end', () => {
    const inside = row(1, { ageS: 3700, tookS: 100 });
    const outside = row(2, { ageS: 3700, tookS: 99 });
    expect(lastHourOf({ rows: [inside, outside], completeSinceMs: 0 }, NOW)).toMatchObject({
      finished: 1,
      medianMs: 100_000,
    });
  });

  it('counts failed ones, and says when rows don’t reach back an hour', () => {
    const failed = row(1, { ageS: 100, tookS: 9, state: { kind: 'failed' } });
    const found = lastHourOf({ rows: [failed], completeSinceMs: NOW - 3_599_999 }, NOW);
    expect(found).toMatchObject({ finished: 1, failed: 1, extent: 'part' });
  });

  it('has no percentiles of nothing', () => {
    expect(lastHourOf({ rows: [], completeSinceMs: 0 }, NOW)).toMatchObject({
      finished: 0,
      medianMs: undefined,
    });
  });
});
