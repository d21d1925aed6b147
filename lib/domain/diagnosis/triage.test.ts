import { describe, expect, it } from 'vitest';
import {
  BASE,
  finishedRows,
  hashOf,
  keeper,
  known,
  NOW,
  network,
  row,
  rows,
  senderOf,
  settingsOf,
} from './diagnosis-fixture';
import type { LoggedRow } from './evidence';
import { type Incident, type NetworkEvidence, standingOf } from './incident';
import { stretchesToCount } from './network-incident';
import { triage } from './triage';

const run = (list: LoggedRow[], networks?: NetworkEvidence[]) =>
  triage([keeper(list, networks)], settingsOf, NOW);
const outage = (count = 12, ageS = 200) => rows(count, 100, (step) => ({ ageS, sender: senderOf(step % 4) }));
const countOf = (total: number, fromMs = NOW - 200_000) => known({ fromMs, toMs: NOW, total });
const subjects = (incidents: Incident[]) => incidents.map(({ subject }) => subject.kind);

describe('a network that is stuck as a whole', () => {
  it('is one incident when a count of the stretch says so', () => {
    const found = run(outage(), [network(BASE, { counts: [countOf(15)] })]);
    expect(found.incidents).toHaveLength(1);
    expect(found.incidents[0]).toMatchObject({
      rule: 'R6',
      severity: 'critical',
      size: 12,
      senders: 4,
      id: 'main/8453/network',
    });
    expect(found.incidents[0]?.verdicts[0]).toMatchObject({ basis: 'evidence', covers: 12 });
  });

  it('is none when the count says otherwise, or nothing is known', () => {
    expect(run(outage(), [network(BASE, { counts: [countOf(16)] })]).incidents).toEqual([]);
    expect(run(outage()).incidents).toEqual([]);
  });

  it('is told by finished rows without a count, and by the count of the day when that is small', () => {
    const finished = finishedRows(rows(3, 900, { ageS: 150, tookS: 2 }));
    expect(subjects(run(outage(), [network(BASE, { finished })]).incidents)).toEqual(['network']);
    expect(subjects(run(outage(), [network(BASE, { lastDay: known(15) })]).incidents)).toEqual(['network']);
    expect(run(outage(), [network(BASE, { lastDay: known(16) })]).incidents).toEqual([]);
  });

  it('is judged without what is within normal, on both sides, and then counts what came since', () => {
    const young = rows(30, 800, { ageS: 5 });
    const found = run([...outage(), ...young], [network(BASE, { counts: [countOf(45)] })]);
    const [incident] = found.incidents;
    expect(incident).toMatchObject({ size: 42, senders: 34, sinceMs: NOW - 200_000 });
    expect(found.withinNormal).toEqual([]);
    const figures = incident?.verdicts[0]?.figures;
    expect(figures).toContainEqual({ label: 'Pending past normal', value: 12, unit: 'rows' });
    expect(figures).toContainEqual({
      label: 'Within normal by age, counted with them',
      value: 30,
      unit: 'rows',
    });
    expect(standingOf(found)).toMatchObject({ requests: 42 });
  });

  it('names the stretches to count: only those that might be one, and that finished rows don’t answer', () => {
    const list = [
      ...outage(),
      ...rows(9, 400, { ageS: 7000, sender: senderOf(1) }),
      row(1, { networkId: '1', ageS: 500 }),
    ];
    expect(stretchesToCount(list, [], settingsOf, NOW)).toEqual([
      { networkId: BASE, fromMs: NOW - 200_000, toMs: NOW },
    ]);
    expect(stretchesToCount(list, [network(BASE, { finished: finishedRows([]) })], settingsOf, NOW)).toEqual(
      [],
    );
    expect(stretchesToCount(rows(9, 1), [], settingsOf, NOW)).toEqual([]);
  });
});

describe('other groups', () => {
  it('one sender, by finished rows of others', () => {
    const own = rows(5, 100, { ageS: 200, sender: senderOf(1) });
    const networks = [network(BASE, { finished: finishedRows(rows(10, 900, { ageS: 150, tookS: 2 })) })];
    const [incident] = run(own, networks).incidents;
    expect(incident).toMatchObject({
      rule: 'R7',
      size: 5,
      senders: 1,
      subject: { kind: 'sender', sender: senderOf(1) },
    });
    expect(incident?.verdicts[0]).toMatchObject({ basis: 'evidence' });
    const nine = [network(BASE, { finished: finishedRows(rows(9, 900, { ageS: 150, tookS: 2 })) })];
    expect(run(own, nine).incidents).toEqual([]);
  });

  it('one sender, with its young ones, and nobody else’s', () => {
    const own = rows(5, 100, { ageS: 200, sender: senderOf(1) });
    const young = [row(300, { sender: senderOf(1) }), row(301, { sender: senderOf(2) })];
    const networks = [network(BASE, { finished: finishedRows(rows(10, 900, { ageS: 150, tookS: 2 })) })];
    const found = run([...own, ...young], networks);
    expect(found.incidents).toMatchObject([{ rule: 'R7', size: 6, senders: 1 }]);
    expect(found.withinNormal).toEqual([young[1]?.key]);
  });

  it('one sender, as an estimate from E1 alone, only of stuck ones and only when most are its own', () => {
    const own = (ageS: number) => rows(4, 100, { ageS, sender: senderOf(1) });
    const [incident] = run(own(400)).incidents;
    expect(incident?.verdicts[0]).toMatchObject({
      rule: 'R7',
      basis: 'estimate',
      missing: expect.any(String),
    });
    expect(run(own(300)).incidents).toEqual([]);
    expect(subjects(run([...own(400), ...rows(2, 200, { ageS: 400 })]).incidents)).toEqual(['rest']);
  });

  it('one batch', () => {
    const batch = rows(3, 100, { ageS: 500, sender: senderOf(1), requestTxHash: hashOf(1) });
    expect(run(batch).incidents).toMatchObject([{ rule: 'R15', size: 3, severity: 'warning' }]);
    expect(run(rows(2, 100, { ageS: 301, requestTxHash: hashOf(1) })).incidents).toMatchObject([
      { rule: 'R15' },
    ]);
    expect(run(rows(2, 100, { ageS: 300, requestTxHash: hashOf(1) })).incidents).toEqual([]);
  });

  it('one replica', () => {
    const even = rows(9, 0, (step) => ({ ageS: 500, sequence: String(100 + 2 * step) }));
    expect(run(even).incidents).toMatchObject([
      { rule: 'R13', size: 9, id: `main/8453/replica/${encodeURIComponent(row(1).provider ?? '')}/2/0` },
    ]);
  });

  it('silence takes what is stuck with it, and stands alone as a notice', () => {
    const quiet = { newest: known(row(9, { ageS: 900 })), lastDay: known(5000) };
    const single = run([row(1, { ageS: 950 })], [network(BASE, quiet)]);
    expect(single.incidents).toMatchObject([{ rule: 'R9', size: 1, severity: 'warning' }]);
    const alone = run([], [network(BASE, quiet)]);
    expect(alone.incidents).toMatchObject([
      { rule: 'R9', size: 0, severity: 'notice', oldestKey: undefined, sinceMs: NOW - 900_000 },
    ]);
    expect(standingOf(alone)).toEqual({ kind: 'nothing-stuck', checkedAtMs: NOW });
  });

  it('what has no common cause is one group by age or backlog from three on, else single', () => {
    const stuckRows = (count: number, ageS = 500) => rows(count, 100, (step) => ({ ageS: ageS + 50 * step }));
    expect(run(stuckRows(3)).incidents).toMatchObject([{ rule: 'R4', subject: { kind: 'rest' }, size: 3 }]);
    expect(run(stuckRows(3, 310)).incidents).toMatchObject([{ rule: 'R3', size: 3 }]);
    expect(run(stuckRows(2))).toMatchObject({
      incidents: [],
      singles: [
        { rule: 'R4', sequence: '101' },
        { rule: 'R4', sequence: '100' },
      ],
    });
    const far = [network(BASE, { newest: known(row(9, { requestBlock: '9000' })) })];
    expect(run(stuckRows(3), far).incidents).toMatchObject([{ rule: 'R10', size: 3 }]);
    expect(run(stuckRows(1), far).singles).toMatchObject([{ rule: 'R10' }]);
  });

  it('a single one is told by all that the newest rows of its network show', () => {
    const stuck = row(100, { ageS: 500 });
    const ruleIn = (list: LoggedRow[], sinceS: number, change: Partial<LoggedRow> = {}) => {
      const finished = finishedRows(list, NOW - sinceS * 1000);
      return run([{ ...stuck, ...change }], [network(BASE, { finished })]).singles[0];
    };
    const done = rows(12, 101, { ageS: 400, tookS: 3 });
    expect(ruleIn([], 5000)).toMatchObject({ rule: 'R4', verdicts: [{ rule: 'R4' }] });
    expect(ruleIn(done, 450)).toMatchObject({ rule: 'R8', severity: 'warning' });
    expect(ruleIn([], 5000, { gasLimit: '900000000' })?.rule).toBe('R11');
    expect(ruleIn([row(100, { ageS: 450, tookS: 3, requestTxHash: hashOf(7) })], 450)?.rule).toBe('R5');
    const beside = [stuck, ...rows(3, 104, { ageS: 450, tookS: 3 })];
    expect(ruleIn(beside, 1400)).toMatchObject({ rule: 'R12', verdicts: [{ rule: 'R12' }, { rule: 'R4' }] });
    expect(ruleIn(beside, 1399)?.rule).toBe('R4');
  });

  it('slow and normal ones are counted, and no incident', () => {
    const found = run([...rows(9, 100, { ageS: 120 }), ...rows(4, 300)]);
    expect(found).toMatchObject({ incidents: [], singles: [], pending: 13 });
    expect([found.slow.length, found.withinNormal.length]).toEqual([9, 4]);
  });

  it('the larger group takes a request that two could have, and the smaller one must still hold', () => {
    const mine = rows(6, 100, { ageS: 500, sender: senderOf(1) });
    const batch = mine.map((one, index) => (index < 3 ? { ...one, requestTxHash: hashOf(1) } : one));
    expect(run(batch).incidents).toMatchObject([{ rule: 'R7', size: 6 }]);
  });
});
