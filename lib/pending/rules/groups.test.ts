import { describe, expect, it } from 'vitest';
import type { LoggedRow } from './evidence';
import { batchRule, networkRule, replicaRule, senderRule, silenceRule } from './groups';
import {
  all,
  around,
  ask,
  durations,
  finishedRows,
  hashOf,
  known,
  NOW,
  row,
  rows,
  senderOf,
} from './rules-fixture';

const stuck = (count: number, senders: number, from = 100) =>
  rows(count, from, (step) => ({ ageS: 200, sender: senderOf(step % senders) }));
const done = (count: number, change = {}) => rows(count, 500, { ageS: 100, tookS: 3, ...change });
const askOf = (list: LoggedRow[], missing = 0) =>
  ask(networkRule, list[0] as LoggedRow, { window: around(list, missing) });

describe('R6, the whole network', () => {
  it('5 pending, not 4', () => {
    expect(askOf(stuck(5, 3))).toMatchObject({ holds: 'yes', severity: 'critical', covers: 5 });
    expect(askOf(stuck(4, 3)).holds).toBe('no');
  });

  it('of 3 senders, not 2', () => {
    expect(askOf(stuck(5, 2)).holds).toBe('no');
  });

  it('80 % of the rows since the oldest, not less', () => {
    expect(askOf([...stuck(16, 3), ...done(4)]).holds).toBe('yes');
    expect(askOf([...stuck(15, 3), ...done(4)]).holds).toBe('no');
  });

  it('rows from before the oldest don’t count', () => {
    expect(askOf([...stuck(5, 3), ...done(50, { ageS: 201 })]).holds).toBe('yes');
  });

  it('pending within normal counts on neither side', () => {
    const young = rows(50, 700, { ageS: 59 });
    expect(askOf([...stuck(5, 3), ...young]).figures[2]?.value).toBe(5);
    expect(askOf([...stuck(4, 3), ...young]).holds).toBe('no');
    const finished = durations(new Array(20).fill(250));
    expect(ask(networkRule, row(1), { window: around(stuck(5, 3)), finished }).holds).toBe('no');
  });

  it('one straggler from before does not hide it, and is not part of it', () => {
    const straggler = row(1, { ageS: 800 });
    const list = [straggler, ...done(40, { ageS: 700 }), ...stuck(6, 3)];
    expect(ask(networkRule, row(100, { ageS: 200 }), { window: around(list) })).toMatchObject({
      holds: 'yes',
      covers: 6,
    });
    expect(ask(networkRule, straggler, { window: around(list) }).holds).toBe('no');
  });

  it('holds while the unseen can’t change it, else is not told', () => {
    expect(askOf(stuck(16, 3), 4).holds).toBe('yes');
    expect(askOf(stuck(16, 3), 5).holds).toBe('unknown');
    expect(askOf(stuck(2, 2), 2).holds).toBe('no');
    expect(ask(networkRule, row(1)).missing).toContain('not asked');
  });

  it('rows of other networks and unknown states are no pending ones', () => {
    const odd = rows(2, 800, { ageS: 100, state: { kind: 'unknown', wireName: 'queued' } });
    expect(askOf([...stuck(5, 3), ...odd]).holds).toBe('no');
    expect(askOf([...stuck(5, 3), ...rows(9, 800, { tookS: 1, networkId: '1' })]).holds).toBe('yes');
  });
});

describe('R7, this sender’s contract', () => {
  const own = senderOf(1);
  const mine = (count: number, change = {}) => rows(count, 100, { ageS: 200, sender: own, ...change });
  const askSender = (list: LoggedRow[], missing = 0, given = {}) =>
    ask(senderRule, row(100, { ageS: 200, sender: own }), { window: around(list, missing), ...given });

  it('3 pending of the sender and 10 others finished', () => {
    expect(askSender([...mine(3), ...done(10)])).toMatchObject({ holds: 'yes', covers: 3 });
    expect(askSender([...mine(2), ...done(10)]).holds).toBe('no');
    expect(askSender([...mine(3), ...done(9)]).holds).toBe('no');
  });

  it('80 % of its own since the oldest of them, not less', () => {
    const ownDone = (count: number) => rows(count, 300, { ageS: 150, tookS: 2, sender: own });
    expect(askSender([...mine(4), ...ownDone(1), ...done(10)]).holds).toBe('yes');
    expect(askSender([...mine(3), ...ownDone(1), ...done(10)]).holds).toBe('no');
    expect(askSender([...mine(19), ...ownDone(5), ...done(10)]).holds).toBe('no');
    expect(
      askSender([...mine(3), ...rows(9, 300, { ageS: 201, tookS: 2, sender: own }), ...done(10)]).holds,
    ).toBe('yes');
  });

  it('pending within normal is no sign', () => {
    expect(askSender([...mine(3, { ageS: 59 }), ...done(10)]).holds).toBe('no');
  });

  it('reckons with what is unseen', () => {
    expect(askSender([...mine(8), ...done(10)], 2).holds).toBe('yes');
    expect(askSender([...mine(8), ...done(10)], 3).holds).toBe('unknown');
    expect(askSender(done(10), 2).holds).toBe('no');
    expect(ask(senderRule, row(1, { sender: undefined }), { window: around([]) }).holds).toBe('unknown');
    expect(ask(senderRule, row(1)).holds).toBe('unknown');
  });

  it('says when the sender’s newest request was finished, if E3 tells', () => {
    const sender = all([
      row(3, { ageS: 900, tookS: 4, sender: own }),
      row(4, { ageS: 300, tookS: 4, sender: own, networkId: '1' }),
    ]);
    expect(askSender([...mine(3), ...done(10)], 0, { sender }).figures.at(-1)).toMatchObject({
      value: NOW - 900_000,
      unit: 'moment',
    });
  });
});

describe('R9, gone quiet', () => {
  const quiet = (ageS: number, rowsOfDay: number) =>
    ask(silenceRule, row(1), { newest: known(row(9, { ageS })), lastDay: known(rowsOfDay) });

  it('after 10 minutes on a busy network', () => {
    expect(quiet(600, 5000).holds).toBe('no');
    expect(quiet(600.001, 5000)).toMatchObject({ holds: 'yes', severity: 'warning' });
  });

  it('after seven mean gaps on a slower one', () => {
    expect(quiet(7 * 864, 100).holds).toBe('no');
    expect(quiet(7 * 864 + 1, 100).headline).toBe(
      'Nothing logged for 100 min, typically every 14 min: no demand, or capture has stopped',
    );
  });

  it('is not told of fewer than 50 rows a day', () => {
    expect(quiet(86_000, 50).holds).toBe('yes');
    expect(quiet(86_000, 49).missing).toBe('only 49 requests in the last 24 hours; 50 are needed');
    expect(quiet(86_000, 0).holds).toBe('unknown');
  });

  it('does not take an old answer for silence', () => {
    const newest = known(row(9, { ageS: 3600 }), 'limit=1', NOW - 3_600_000);
    expect(ask(silenceRule, row(1), { newest, lastDay: known(5000) }).holds).toBe('no');
  });
});

describe('R13, one replica', () => {
  const every = (step: number, count: number, from = 100) =>
    rows(count, 0, (index) => ({ ageS: 400, sequence: String(from + step * index) }));
  const askIt = (list: LoggedRow[], missing = 0) =>
    ask(replicaRule, list[0] as LoggedRow, { pending: all(list, missing) });

  it.each([2, 3, 4])('8 pending numbers that agree modulo %d', (modulus) => {
    expect(askIt(every(modulus, 8))).toMatchObject({ holds: 'yes', covers: 8 });
    expect(askIt(every(modulus, 7)).holds).toBe('no');
  });

  it('names the largest modulus', () => {
    expect(askIt(every(4, 8)).headline).toContain('modulo 4');
    expect(askIt(every(2, 8)).headline).toContain('modulo 2');
  });

  it('90 % are enough, less are not', () => {
    const odd = (count: number) =>
      rows(count, 900, (index) => ({ ageS: 400, sequence: String(901 + 12 * index + (index % 2) * 6) }));
    expect(askIt([...every(2, 9), ...odd(1)]).holds).toBe('yes');
    expect(askIt([...every(2, 8), ...odd(1)]).holds).toBe('no');
  });

  it('a request that does not share it is not explained by it', () => {
    const other = row(901, { ageS: 400 });
    expect(ask(replicaRule, other, { pending: all([...every(2, 9), other]) }).holds).toBe('no');
  });

  it('counts a number once, and only past normal, of the same lane', () => {
    const twins = every(2, 8).map((one) => ({ ...one, sequence: '100' }));
    expect(askIt(twins).holds).toBe('no');
    expect(
      askIt(every(2, 8).map((one) => ({ ...one, provider: one.sequence === '114' ? '0x02' : one.provider })))
        .holds,
    ).toBe('no');
    const young = rows(8, 0, (index) => ({ ageS: 59, sequence: String(100 + 2 * index) }));
    expect(askIt(young).holds).toBe('no');
  });

  it('reckons with pending rows unseen', () => {
    expect(askIt(every(2, 18), 2).holds).toBe('yes');
    expect(askIt(every(2, 18), 3).holds).toBe('unknown');
    expect(ask(replicaRule, row(1)).holds).toBe('unknown');
  });
});

it('none of them speaks of a finished request', () => {
  const request = row(1, { ageS: 400, tookS: 2 });
  const given = { window: around(stuck(9, 4)), pending: all(stuck(9, 4)), finished: finishedRows(done(20)) };
  for (const rule of [networkRule, senderRule, replicaRule])
    expect(ask(rule, request, given).holds).toBe('no');
});

describe('R15, one of a batch', () => {
  const request = row(1);
  const tx = hashOf(1);
  it('says how many of the transaction are done', () => {
    const sameTransaction = all([
      request,
      row(2, { requestTxHash: tx, tookS: 3 }),
      row(3, { requestTxHash: tx }),
    ]);
    expect(ask(batchRule, request, { sameTransaction })).toMatchObject({
      holds: 'yes',
      headline: 'One of a batch: 1 of 3 done',
      covers: 2,
    });
  });

  it('a single row is no batch, nor are rows that the search found by their reveal', () => {
    expect(ask(batchRule, request, { sameTransaction: all([request, row(2)]) }).holds).toBe('no');
  });
});
