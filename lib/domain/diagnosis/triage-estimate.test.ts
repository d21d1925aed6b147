import { describe, expect, it } from 'vitest';
import { BASE, finishedRows, keeper, known, NOW, network, row, rows, settingsOf } from './diagnosis-fixture';
import type { LoggedRow } from './evidence';
import type { NetworkEvidence } from './incident';
import { triage } from './triage';

const run = (list: LoggedRow[], networks?: NetworkEvidence[]) =>
  triage([keeper(list, networks)], settingsOf, NOW);
const asked = { kind: 'missing', why: 'being asked for' } as const;
const quick = { newest: known(row(9, { ageS: 5 })), lastDay: known(5000) };
const leadOf = (list: LoggedRow[], given: Partial<NetworkEvidence>) =>
  run(list, [network(BASE, given)]).incidents[0]?.verdicts[0];
const even = rows(9, 0, (step) => ({ ageS: 500, sequence: String(100 + 2 * step) }));

describe('a cause while not all is known of the network', () => {
  const stuck = rows(3, 100, { ageS: 500 });

  it('is an estimate before its newest rows are there, and says what is missing', () => {
    const lead = leadOf(stuck, { finished: asked, newest: asked, lastDay: asked });
    expect(lead).toMatchObject({
      rule: 'R4',
      basis: 'estimate',
      missing: 'What else happened on this network (being asked for)',
    });
  });

  it('is evidence once they are there', () => {
    expect(leadOf(stuck, { ...quick, finished: finishedRows([]) })).toMatchObject({
      rule: 'R4',
      basis: 'evidence',
    });
  });

  it('is an estimate while the count of its last day could still make it silence', () => {
    const lead = leadOf(stuck, { ...quick, lastDay: asked, finished: finishedRows([]) });
    expect(lead).toMatchObject({
      basis: 'estimate',
      missing: 'How lively this network is (being asked for)',
    });
  });

  it('is an estimate while a count could still make it the whole network', () => {
    const many = rows(5, 100, { ageS: 500 });
    const late = { ...quick, finished: finishedRows([], NOW - 400_000) };
    expect(leadOf(many, late)).toMatchObject({
      rule: 'R4',
      basis: 'estimate',
      missing: 'How many requests of that time finished (not counted yet)',
    });
    const count = known({ fromMs: NOW - 500_000, toMs: NOW, total: 90 });
    expect(leadOf(many, { ...late, counts: [count] })).toMatchObject({ rule: 'R4', basis: 'evidence' });
    // Four could not be the whole network.
    expect(leadOf(many.slice(1), late)).toMatchObject({ rule: 'R4', basis: 'evidence' });
  });

  it('is an estimate of a replica as well, which may turn out to be the whole network', () => {
    const nothing = { finished: asked, newest: asked, lastDay: asked };
    expect(leadOf(even, nothing)).toMatchObject({ rule: 'R13', basis: 'estimate' });
    expect(leadOf(even, { ...quick, finished: finishedRows([]) })).toMatchObject({ rule: 'R6' });
    const others = rows(9, 500, { ageS: 400, tookS: 3 });
    expect(leadOf(even, { ...quick, finished: finishedRows(others) })).toMatchObject({
      rule: 'R13',
      basis: 'evidence',
    });
  });

  it('keeps what an estimate already lacks', () => {
    const batch = rows(3, 100, { ageS: 500, requestTxHash: '0x01' });
    expect(leadOf(batch, { finished: asked })).toMatchObject({
      rule: 'R15',
      missing: 'How many of this transaction are done',
    });
  });

  it('is an estimate of a single request too', () => {
    const [single] = run([row(100, { ageS: 500 })], [network(BASE, { finished: asked })]).singles;
    expect(single?.verdicts[0]).toMatchObject({ rule: 'R4', basis: 'estimate' });
    const [settled] = run(
      [row(100, { ageS: 500 })],
      [network(BASE, { ...quick, finished: finishedRows([]) })],
    ).singles;
    expect(settled?.verdicts[0]).toMatchObject({ rule: 'R4', basis: 'evidence' });
  });
});
