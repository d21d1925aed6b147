import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_PENDING_SETTINGS } from '@/lib/core/pending-settings';
import { isFinished } from '@/lib/core/request-record';
import { diagnose } from '@/lib/pending/rules/diagnose';
import { ruleInput } from '@/lib/pending/rules/rule';
import { RULE } from '@/lib/pending/rules/rule-ids';
import { networkActivity } from './activity';
import { stretchesToCheck } from './groups';
import {
  byWeight,
  incidentHeadline,
  type KeyedIncident,
  type RecordedIncident,
  type Triage,
  triageNetwork,
  triageStatus,
} from './incidents';
import { type NetworkEvidence, pendingNetwork } from './network';
import { type LoggedRow, missing, type Piece } from './rules/evidence';
import {
  allRows,
  BASE,
  evidence,
  finishedRows,
  hashOf,
  knownPiece,
  NO_GROUP_VERDICTS,
  NOW,
  network,
  row,
  rows,
  senderOf,
} from './rules/rules-fixture';

type Options = {
  before?: KeyedIncident[];
  orphaned?: LoggedRow[];
  unseen?: number;
  nowMs?: number;
  recorded?: RecordedIncident[];
};

/** @param others ages (s) of rows that are not pending, or why they are not known */
function run(
  list: LoggedRow[],
  evidence: Partial<NetworkEvidence> = {},
  others: number[] | Piece<never> = [],
  { before = [], orphaned = [], unseen = 0, nowMs = NOW, recorded = [] }: Options = {},
) {
  const about = {
    settings: DEFAULT_PENDING_SETTINGS,
    evidence: network(evidence),
    pending: allRows(list, unseen),
    nowMs,
  };
  const keys = new Set(orphaned.map(({ key }) => key));
  const pendingBase = pendingNetwork({ keeper: 'main', networkId: BASE, ...about, orphaned: keys }, list);
  const times = Array.isArray(others) ? knownPiece(others.map((ageS) => NOW - ageS * 1000)) : others;
  return triageNetwork(
    pendingBase,
    stretchesToCheck(pendingBase).map((stretch) => ({ stretch, others: times })),
    before,
    recorded,
  );
}

const MANY = Array.from({ length: 40 }, () => 1);
const outage = (count = 12, ageS = 200) => rows(count, 100, (step) => ({ ageS, sender: senderOf(step % 4) }));
const finishedOthers = (count: number) => ({
  finished: finishedRows(rows(count, 900, { ageS: 150, tookS: 2 })),
});
const subjects = (incidents: KeyedIncident[]) => incidents.map(({ subject }) => subject.kind);

describe('a network that is stuck as a whole', () => {
  it('is one incident, judged by the other requests of the stretch', () => {
    const { incidents } = run(outage(), {}, [150, 150, 150]);
    expect(incidents).toMatchObject([
      { rule: RULE.wholeNetwork, severity: 'critical', size: 12, senders: 4, id: 'main/8453/network' },
    ]);
    expect(incidents[0]?.verdicts[0]).toMatchObject({ basis: 'evidence', covers: 12 });
    expect(run(outage(), {}, [150, 150, 150, 150]).incidents).toEqual([]);
  });

  it('is found whole, whatever came before, although only a few of the newest others are requested', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 61, max: 299 }), { minLength: 5, maxLength: 40 }),
        fc.array(fc.integer({ min: 1, max: 299 }), { maxLength: 60 }),
        (pending, others) => {
          const list = pending.map((ageS, index) => row(index, { ageS, sender: senderOf(index % 5) }));
          const newest = others.toSorted((a, b) => a - b);
          const most = Math.floor(list.length / 4) + 1;
          const size = (ages: number[]) => run(list, {}, ages).incidents[0]?.size;
          expect(size(newest.slice(0, most))).toBe(size(newest));
        },
      ),
    );
  });

  it('is judged without requests within normal, and then counts those that came since', () => {
    const young = rows(30, 800, { ageS: 5 });
    const triage = run([...outage(), ...young]);
    const whole = { size: 42, senders: 34, sinceMs: NOW - 200_000 };
    expect(triage).toMatchObject({ withinNormal: 0, incidents: [whole] });
    const figures = triage.incidents[0]?.verdicts[0]?.figures;
    expect(figures).toContainEqual({ label: 'Pending past normal', value: 12, unit: 'rows' });
  });

  it('names only the stretches to check that might be one incident', () => {
    const list = [...outage(), ...rows(9, 400, { ageS: 7000, sender: senderOf(1) })];
    const shape = {
      keeper: 'main',
      networkId: BASE,
      settings: DEFAULT_PENDING_SETTINGS,
      orphaned: new Set(''),
    };
    const pendingBase = pendingNetwork(
      { ...shape, nowMs: NOW, evidence: network(), pending: allRows(list) },
      list,
    );
    expect(stretchesToCheck(pendingBase)).toMatchObject([{ fromMs: NOW - 200_000, maxOthers: 4 }]);
  });

  it('leaves everything else an estimate while the other requests are unknown', () => {
    const unknown = missing('not synced before 08:00');
    const estimate = { rule: RULE.pastRetryBudget, basis: 'estimate' };
    expect(run(outage(12, 500), {}, unknown).incidents[0]?.verdicts[0]).toMatchObject(estimate);
    const [rest] = run(rows(3, 100, { ageS: 500 }), { lastDay: unknown }).incidents;
    expect(rest?.verdicts[0]).toMatchObject({ basis: 'estimate', missing: expect.stringContaining('08:00') });
    expect(run(rows(3, 100, { ageS: 500 })).incidents[0]?.verdicts[0]?.basis).toBe('evidence');
  });
});

describe('other groups', () => {
  it('one sender, with its own young requests only, judged by finished rows of others', () => {
    const ofSender = rows(5, 100, { ageS: 200, sender: senderOf(1) });
    const young = [row(300, { sender: senderOf(1) }), row(301, { sender: senderOf(2) })];
    const triage = run([...ofSender, ...young], finishedOthers(10));
    const subject = { kind: 'sender', sender: senderOf(1) };
    const incident = { rule: RULE.oneSender, size: 6, senders: 1, subject };
    expect(triage).toMatchObject({ withinNormal: 1, incidents: [incident] });
    expect(triage.incidents[0]?.verdicts[0]?.basis).toBe('evidence');
    expect(run(ofSender, finishedOthers(9)).incidents).toEqual([]);
  });

  it('one sender, as an estimate from stuck requests if finished rows don’t reach back', () => {
    const finished = finishedRows(rows(10, 900, { ageS: 100, tookS: 2 }), NOW - 120_000);
    const ofSender = (ageS: number) => rows(4, 100, { ageS, sender: senderOf(1) });
    const estimate = { rule: RULE.oneSender, basis: 'estimate' };
    expect(run(ofSender(500), { finished }).incidents[0]?.verdicts[0]).toMatchObject(estimate);
    expect(run(ofSender(300), { finished }).incidents).toEqual([]);
  });

  it.each([
    ['one batch', rows(3, 100, { ageS: 500, sender: senderOf(1), requestTxHash: hashOf(1) }), RULE.batch, 3],
    ['a batch of two', rows(2, 100, { ageS: 301, requestTxHash: hashOf(1) }), RULE.batch, 2],
    [
      'one replica',
      rows(9, 0, (step) => ({ ageS: 500, sequence: String(100 + 2 * step) })),
      RULE.replicaDown,
      9,
    ],
    ['three stuck', rows(3, 100, (step) => ({ ageS: 500 + 50 * step })), RULE.pastRetryBudget, 3],
    [
      'three at the end of retries',
      rows(3, 100, (step) => ({ ageS: 310 + 50 * step })),
      RULE.retryBudgetEnding,
      3,
    ],
  ])('%s', (_, list, rule, size) => {
    const odd = finishedRows(rows(4, 0, (step) => ({ ageS: 90, tookS: 3, sequence: String(51 + 2 * step) })));
    expect(run(list, { finished: odd }, MANY).incidents).toMatchObject([{ rule, size }]);
  });

  it('a batch that is not past the retry budget is no group', () => {
    expect(run(rows(2, 100, { ageS: 300, requestTxHash: hashOf(1) })).incidents).toEqual([]);
  });

  it('a quiet network includes its stuck requests, and is only a notice without them', () => {
    const quiet = { newest: knownPiece(row(9, { ageS: 900 })), lastDay: knownPiece(5000) };
    const [incident] = run([row(1, { ageS: 950 })], quiet).incidents;
    expect(incident).toMatchObject({ rule: RULE.networkQuiet, size: 1, severity: 'warning' });
    const [none] = run([], quiet).incidents;
    const notice = { rule: RULE.networkQuiet, size: 0, severity: 'notice', oldestKey: undefined };
    expect(none).toMatchObject({ ...notice, sinceMs: NOW - 900_000 });
  });

  it('three or more requests without a common cause are grouped by age or backlog; fewer stay single', () => {
    const far = { newest: knownPiece(row(9, { ageS: 5, requestBlock: '9000' })) };
    expect(run(rows(3, 100, { ageS: 500 }), far).incidents).toMatchObject([
      { rule: RULE.beyondCatchUp, size: 3 },
    ]);
    const two = run(rows(2, 100, { ageS: 500 }));
    expect(two.incidents).toEqual([]);
    const rules = two.singles.map(({ row: { sequence }, fromKnown }) => `${sequence} ${fromKnown().rule}`);
    expect(rules).toEqual(['100 R4', '101 R4']);
  });

  it('slow and normal requests are counted, but are no incident', () => {
    const triage = run([...rows(9, 100, { ageS: 120 }), ...rows(4, 300)], {}, MANY);
    expect(triage).toMatchObject({ incidents: [], singles: [], slow: 9, withinNormal: 4 });
  });

  it('a request that fits two groups belongs to the larger one, and the smaller one must hold without it', () => {
    const mine = rows(6, 100, { ageS: 500, sender: senderOf(1) });
    const batch = mine.map((request, index) =>
      index < 3 ? { ...request, requestTxHash: hashOf(1) } : request,
    );
    expect(run(batch, finishedOthers(10)).incidents).toMatchObject([{ rule: RULE.oneSender, size: 6 }]);
    expect(subjects(run(batch).incidents)).toEqual(['transaction', 'rest']);
  });
});

describe('the rules about many', () => {
  const stuck = (count: number, senders: number) =>
    rows(count, 100, (step) => ({ ageS: 200, sender: senderOf(step % senders) }));
  const whole = (list: LoggedRow[], others: number[] = []) =>
    run(list, {}, others).incidents.some(({ rule }) => rule === RULE.wholeNetwork);
  it('the whole network: 5 pending of 3 senders, 80 % of the rows since the oldest', () => {
    expect([whole(stuck(5, 3)), whole(stuck(4, 3)), whole(stuck(5, 2))]).toEqual([true, false, false]);
    const few = MANY.slice(0, 4);
    expect([whole(stuck(16, 3), few), whole(stuck(15, 3), few)]).toEqual([true, false]);
    expect(whole(stuck(5, 3), new Array(50).fill(201))).toBe(true);
  });

  it('the whole network: begins with the outage, not with stragglers among requests that completed', () => {
    const stragglers = [rows(1, 1, { ageS: 1500 }), rows(1, 2, { ageS: 1000 })].flat();
    const completed = Array.from({ length: 16 }, (_, index) => 1400 - index * 50);
    const { incidents } = run([...stragglers, ...outage(80)], {}, completed);
    expect(incidents[0]).toMatchObject({ rule: RULE.wholeNetwork, size: 80, sinceMs: NOW - 200_000 });
  });

  it('the whole network: one straggler from before does not hide it, and is not part of it', () => {
    const straggler = row(1, { ageS: 800 });
    const triage = run([straggler, ...stuck(6, 3)], {}, new Array(40).fill(700));
    expect(triage).toMatchObject({
      incidents: [{ rule: RULE.wholeNetwork, size: 6 }],
      singles: [{ row: straggler }],
    });
  });

  const rowsOfSender = (count: number, change = {}) =>
    rows(count, 100, { ageS: 200, sender: senderOf(1), ...change });
  const done = (count: number, change = {}) => rows(count, 300, { ageS: 150, tookS: 2, ...change });
  const ofSender = (mine: LoggedRow[], finished: LoggedRow[]) =>
    run(mine, { finished: finishedRows(finished) }, MANY).incidents.some(
      ({ rule }) => rule === RULE.oneSender,
    );
  it.each([
    ['3 pending and 10 others finished', rowsOfSender(3), done(10), true],
    ['2 pending', rowsOfSender(2), done(10), false],
    ['9 others finished', rowsOfSender(3), done(9), false],
    [
      '80 % of its own',
      rowsOfSender(4),
      [...done(10), row(900, { ageS: 150, tookS: 2, sender: senderOf(1) })],
      true,
    ],
    [
      '75 % of its own',
      rowsOfSender(3),
      [...done(10), row(900, { ageS: 150, tookS: 2, sender: senderOf(1) })],
      false,
    ],
    [
      'finished before the oldest',
      rowsOfSender(3),
      [...done(10), ...done(9, { ageS: 201, sender: senderOf(1) })],
      true,
    ],
    ['pending within normal', rowsOfSender(3, { ageS: 59 }), done(10), false],
  ])('one sender: %s', (_, mine, finished, holds) => {
    expect(ofSender(mine, finished)).toBe(holds);
  });

  const every = (modulus: number, count: number, change = {}) =>
    rows(count, 0, (step) => ({
      ageS: 500 + 2000 * step,
      sequence: String(100 + modulus * step),
      ...change,
    }));
  const odd = (count: number) =>
    rows(count, 901, (step) => ({ ageS: 500, sequence: String(901 + 12 * step) }));
  const elsewhere = finishedRows([3, 5, 9, 11].map((rest) => row(720 + rest, { ageS: 90, tookS: 3 })));
  const replica = (list: LoggedRow[], unseen = 0) =>
    run(list, { finished: elsewhere }, MANY, { unseen }).incidents.find(
      ({ rule }) => rule === RULE.replicaDown,
    )?.subject;
  it.each<[string, LoggedRow[], number, number | undefined]>([
    ['8 that agree modulo 4', every(4, 8), 0, 4],
    ['8 that agree modulo 3', every(3, 8), 0, 3],
    ['8 that agree modulo 2', every(2, 8), 0, 2],
    ['7', every(2, 7), 0, undefined],
    ['90 %', [...every(2, 9), ...odd(1)], 0, 2],
    ['less than 90 %', [...every(2, 8), ...odd(1)], 0, undefined],
    ['a number counts once', every(0, 8), 0, undefined],
    ['not stuck', every(2, 8, { ageS: 200 }), 0, undefined],
    ['unseen ones that can’t change it', every(2, 18), 2, 2],
    ['unseen ones that can', every(2, 18), 3, undefined],
  ])('one replica: %s', (_, list, unseen, modulus) => {
    const subject = modulus === undefined ? undefined : expect.objectContaining({ kind: 'replica', modulus });
    expect(replica(list, unseen)).toEqual(subject);
  });

  it('are ruled out or unknown for requests outside their incidents', () => {
    const { others } = run([row(1, { ageS: 500 })]);
    expect([
      others[RULE.wholeNetwork].holds,
      others[RULE.oneSender].holds,
      others[RULE.replicaDown].holds,
    ]).toEqual(['no', 'no', 'no']);
    const unsynced = missing('not synced');
    const blind = run(outage(12, 500), { finished: unsynced }, unsynced, { unseen: 2 });
    const reasons = [
      blind.others[RULE.wholeNetwork],
      blind.others[RULE.oneSender],
      blind.others[RULE.replicaDown],
    ].map((verdict) => verdict.missing);
    expect(reasons).toEqual([
      'Requests around it: not synced',
      'Finished requests of the network: not synced',
      '2 pending rows not seen',
    ]);
  });
});

describe('only requests that belong together are one incident', () => {
  const HOUR = 3600;
  it('old requests of six senders and two providers, from 8 h to 13 d, stand alone, each with its own cause', () => {
    const far = { newest: knownPiece(row(9, { ageS: 5, requestBlock: '900000' })) };
    const old = rows(6, 100, (step) => ({
      ageS: (8 + 60 * step) * HOUR,
      provider: step % 2 ? '0x01' : '0x02',
    }));
    const later = rows(12, 500, { ageS: 50, tookS: 2, provider: '0x02' });
    const { incidents, singles } = run(old, { ...far, finished: finishedRows(later) }, MANY);
    expect(incidents).toEqual([]);
    expect(singles.map(({ fromKnown }) => fromKnown().rule)).toEqual([
      RULE.beyondCatchUp,
      RULE.beyondCatchUp,
      RULE.beyondCatchUp,
      RULE.overtaken,
      RULE.overtaken,
      RULE.overtaken,
    ]);
  });

  it('20 with a hundred times the typical gas, a duplicate and one of twelve days are each named', () => {
    const gas = rows(20, 100, (step) => ({
      ageS: 500 + 400 * step,
      gasLimit: '50000000',
      sender: senderOf(step % 2),
    }));
    const [twin, old] = [row(300, { ageS: 500 }), row(301, { ageS: 12 * 24 * HOUR })];
    const finished = finishedRows(rows(40, 1000, { ageS: 90, tookS: 2 }));
    const triage = run([...gas, twin, old], { finished }, [], { orphaned: [twin] });
    const high = { rule: RULE.unusualGas, size: 20, subject: { kind: 'gas', limit: 'high' } };
    expect(triage.incidents).toMatchObject([high]);
    expect(triage.incidents[0]?.verdicts[0]?.headline).toContain('10 times the p50');
    const singles = triage.singles
      .map(({ fromKnown }) => `${fromKnown().rule} ${fromKnown().severity}`)
      .sort();
    expect(singles).toEqual(['R5 warning', 'R8 warning']);
    const low = gas.map((request) => ({ ...request, gasLimit: '5000' }));
    expect(run(low, { finished }).incidents).toMatchObject([
      { rule: RULE.unusualGas, subject: { limit: 'low' } },
    ]);
  });

  it('a quiet network includes requests stuck since then, and not those left days ago', () => {
    const quiet = { newest: knownPiece(row(9, { ageS: 2000 })), lastDay: knownPiece(5000) };
    const triage = run([row(1, { ageS: 2400 }), row(2, { ageS: 12 * 24 * HOUR })], quiet);
    expect(triage.incidents).toMatchObject([{ rule: RULE.networkQuiet, size: 1 }]);
    expect(triage.singles).toMatchObject([{ row: { sequence: '2' } }]);
  });

  it('the likely cause is as grave as the incident', () => {
    const batch = rows(3, 100, { ageS: 500, requestTxHash: hashOf(1) });
    for (const { severity, verdicts } of [...run(outage()).incidents, ...run(batch).incidents]) {
      expect(verdicts[0]?.severity).toBe(severity);
    }
  });
});

describe('an incident opened under one cause', () => {
  const senders = rows(42, 100, (step) => ({ ageS: 500, sender: senderOf(step % 14) }));
  const [whole] = run(senders).incidents as [KeyedIncident];
  const after = { finished: finishedRows(rows(40, 1000, { ageS: 90, tookS: 2, sender: senderOf(900) })) };

  it('keeps the cause when the outage ends, beside later causes, until its last request is over', () => {
    const later = NOW + 180_000;
    const options = { before: [whole], nowMs: later };
    expect(run(senders, after, MANY, { nowMs: later }).incidents.length).toBeGreaterThan(10);
    const incidents = run(senders.slice(3), after, MANY, options).incidents;
    expect(incidents).toMatchObject([
      { id: whole.id, rule: RULE.wholeNetwork, size: 39, severity: 'warning', confirmedAtMs: NOW },
    ]);
    const over = { severity: 'warning', headline: 'Left over after it ended' };
    expect(incidents[0]?.verdicts[0]).toMatchObject(over);
    const holding = incidents[0]?.verdicts.filter(({ holds }) => holds === 'yes');
    expect(holding?.map(({ rule }) => rule)).toEqual([
      RULE.wholeNetwork,
      RULE.overtaken,
      RULE.pastRetryBudget,
    ]);
    const again = run(senders.slice(5), after, MANY, { before: incidents, nowMs: later + 60_000 }).incidents;
    expect(again[0]?.verdicts[0]?.figures.slice(0, 3)).toEqual([
      { label: 'Still pending', value: 37, unit: 'rows' },
      { label: 'Held until', value: NOW, unit: 'moment' },
      whole.verdicts[0]?.figures[0],
    ]);
    expect(run([], after, MANY, { before: incidents }).incidents).toEqual([]);
  });

  it('returns and grows under the same name', () => {
    const [left] = run(senders.slice(30), after, MANY, { before: [whole] }).incidents as [KeyedIncident];
    const more = rows(10, 700, (step) => ({ ageS: 100, sender: senderOf(step % 4) }));
    expect(run([...senders.slice(30), ...more], after, [], { before: [left] }).incidents).toMatchObject([
      { id: whole.id, size: 22, severity: 'critical', confirmedAtMs: NOW },
    ]);
  });

  it('is not absorbed by a larger cause, and is not kept if it was an estimate', () => {
    const mine = rows(4, 50, { ageS: 600, sender: senderOf(1) });
    const [incident] = run(mine, finishedOthers(10), MANY).incidents as [KeyedIncident];
    const incidents = run([...mine, ...senders], finishedOthers(10), [], { before: [incident] }).incidents;
    expect(incidents.map(({ rule, size }) => `${rule} ${size}`)).toEqual(['R6 42', 'R7 4']);
    const guess = {
      ...incident,
      verdicts: incident.verdicts.map((verdict) => ({ ...verdict, basis: 'estimate' as const })),
    };
    expect(run([...mine, ...senders], finishedOthers(10), [], { before: [guess] }).incidents).toHaveLength(1);
  });

  it('without a shared cause stays open until none of its requests is pending, and takes none from another', () => {
    const three = rows(3, 100, (step) => ({ ageS: 500 + 500 * step }));
    const [rest] = run(three, {}, MANY).incidents as [KeyedIncident];
    const left = run(three.slice(1), {}, MANY, { before: [rest] });
    expect(left).toMatchObject({ incidents: [{ id: rest.id, size: 2 }], singles: [] });
    const [late] = three.slice(2);
    const last = run(late ? [late] : [], {}, MANY, { before: left.incidents });
    expect(last.incidents).toMatchObject([{ id: rest.id, size: 1, rule: RULE.pastRetryBudget }]);
    const old = rows(3, 50, (step) => ({ ageS: 4000 + 500 * step }));
    const [other] = run(old, {}, MANY).incidents as [KeyedIncident];
    const between = rows(6, 200, (step) => ({ ageS: 1600 + 400 * step }));
    const both = run([...three, ...old, ...between], {}, MANY, { before: [rest, other] }).incidents;
    expect(both.map(({ id }) => id).sort()).toEqual([rest.id, other.id].sort());
    expect(both.reduce((sum, { size }) => sum + size, 0)).toBe(12);
    expect(run([], {}, MANY, { before: last.incidents }).incidents).toEqual([]);
  });
});

it('after a restart, the rest of a recorded incident stays with it, and no other request joins', () => {
  const stuck = rows(3, 100, (step) => ({ ageS: 3000 - step }));
  const [opened] = run(stuck).incidents as [KeyedIncident];
  const recorded = [{ id: opened.id, openedMs: NOW - 2000_000 }];
  const [later, elsewhere] = [row(200, { ageS: 1000 }), row(201, { ageS: 2990, provider: '0x02' })];
  const restarted = run([...stuck.slice(2), later, elsewhere], {}, [], { recorded });
  expect(restarted.incidents).toMatchObject([{ id: opened.id, size: 1 }]);
  expect(run(stuck.slice(2)).incidents).toEqual([]);
  const next = run(stuck.slice(2), {}, [], { recorded, before: restarted.incidents });
  expect(next.incidents).toMatchObject([{ id: opened.id, size: 1 }]);
  expect(run([], {}, [], { recorded }).incidents).toEqual([]);
});

it('a silence lasts while another incident of its network opens, and while its evidence is missing', () => {
  const quiet = { newest: knownPiece(row(9, { ageS: 3000 })), lastDay: knownPiece(5000) };
  const before = run([], quiet).incidents;
  const unseen = { ...quiet, lastDay: missing('not synced yet') };
  const lasting = run([], unseen, [], { before }).incidents;
  expect(lasting.map(({ id, sinceMs }) => [id, sinceMs])).toEqual(
    before.map(({ id, sinceMs }) => [id, sinceMs]),
  );
  const older = rows(3, 100, { ageS: 9000 });
  expect(subjects(run(older, quiet, [], { before }).incidents).sort()).toEqual(['rest', 'silence']);
  const active = { newest: knownPiece(row(10, { ageS: 1 })), lastDay: missing('not synced yet') };
  expect(run([], active, [], { before }).incidents).toEqual([]);
});

it('a silence ends when its network counts as retired, also after a restart', () => {
  const silentFor = (days: number) => ({
    newest: knownPiece(row(9, { ageS: days * 86_400 })),
    lastDay: knownPiece(5000),
  });
  const before = run([], silentFor(29)).incidents;
  const recorded = before.map(({ id }) => ({ id, openedMs: NOW - 86_400_000 }));
  expect(run([], silentFor(31), [], { before }).incidents).toEqual([]);
  expect(run([], silentFor(31), [], { recorded }).incidents).toEqual([]);
});

it('a silence without evidence names no length, as that of its record is of the time of its opening', () => {
  const unseen = { newest: knownPiece(row(9, { ageS: 3000 })), lastDay: missing('not synced yet') };
  const recorded = [{ id: 'main/8453/silence', openedMs: NOW - 1000_000 }];
  const [silence] = run([], unseen, [], { recorded }).incidents;
  expect(silence?.verdicts[0]?.headline).toBe('Nothing logged for longer than usual');
  const quiet = { ...unseen, lastDay: knownPiece(5000) };
  const before = run([], quiet).incidents;
  expect(before[0]?.verdicts[0]?.headline).toMatch(/^Nothing logged for 50 min/);
  expect(run([], unseen, [], { before }).incidents[0]?.verdicts[0]?.headline).toBe(
    'Nothing logged for longer than usual',
  );
});

it('a working keeper is reported only as within normal', () => {
  const dice = fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 5, maxLength: 60 });
  fc.assert(
    fc.property(dice, fc.constantFrom(0.2, 1, 5, 60), (thrown, gapS) => {
      const list = Array.from({ length: 800 }, (_, index) => {
        const [a = 0, b = 0] = [thrown[index % thrown.length], thrown[(index * 7 + 3) % thrown.length]];
        const [ageS, tookS] = [(index + a) * gapS, 2 + b * 38];
        const sender = senderOf(Math.floor(((a + b) % 1) * 12));
        return row(9000 - index, { ageS, sender, ...(tookS <= ageS ? { tookS } : {}) });
      });
      const pending = list.filter((request) => !isFinished(request));
      const pieces = {
        newest: knownPiece(list[0] ?? null),
        lastDay: knownPiece(Math.round(86_400 / gapS)),
        finished: finishedRows(list.filter(isFinished)),
      };
      const ages = list.filter(isFinished).map(({ createdAt }) => (NOW - createdAt.ms) / 1000);
      expect(run(pending, pieces, ages)).toMatchObject({ incidents: [], singles: [], slow: 0 });
      const window = allRows(list.filter((request) => request.createdAt.ms >= NOW - 900_000));
      for (const request of pending.slice(0, 5)) {
        const whole = evidence({ ...pieces, pending: allRows(pending), window });
        const diagnosed = diagnose(
          ruleInput(request, whole, DEFAULT_PENDING_SETTINGS, NOW),
          NO_GROUP_VERDICTS,
        );
        expect(diagnosed.topRule).toBe(RULE.withinNormal);
        const holding = diagnosed.verdicts.filter(({ holds }) => holds === 'yes').map(({ rule }) => rule);
        expect(holding.filter((rule) => /^R([3-9]|10)$/.test(rule))).toEqual([]);
      }
    }),
    { numRuns: 20 },
  );
});

it.each([3, 60, 200, 5000])('ten thousand requests of %d senders are grouped in linear time', (senders) => {
  let reads = 0;
  const get = (target: LoggedRow, name: string | symbol, self: unknown): unknown => {
    reads += 1;
    return Reflect.get(target, name, self);
  };
  const list = rows(10_000, 0, (step) => ({
    ageS: 430 + ((step * 37) % 40_000),
    sender: senderOf(step % senders),
    requestTxHash: hashOf(step >> 1),
  })).map((row) => new Proxy(row, { get }));
  const done = rows(1000, 50_000, (step) => ({ ageS: step * 60, tookS: 4, sender: senderOf(90_000 + step) }));
  run(list, { finished: finishedRows(done, NOW - 60_000_000) }, MANY);
  expect(reads).toBeLessThan(10_000 * 60);
});

const triageOf = (list: LoggedRow[], change: Partial<Triage> = {}): Triage => {
  const { incidents } = run(list);
  const counts = {
    unexamined: 0,
    missing: 0,
    unreadable: 0,
    unknownState: 0,
    unchecked: [],
    checkedAtMs: NOW,
    pending: list.length,
  };
  return { incidents, slow: 0, withinNormal: 0, others: new Map(), singles: [], ...counts, ...change };
};

describe('the wording of an incident', () => {
  it.each<[string, Partial<Triage>]>([
    ['a keeper did not answer', { unchecked: ['timeout'] }],
    ['it did not, and gave no reason', { unchecked: [''] }],
    ['rows are missing', { missing: 3 }],
    ['a row could not be read', { unreadable: 1 }],
    ['states are unknown', { unknownState: 500 }],
    ['no keeper was read', { checkedAtMs: undefined }],
  ])('calm only where all is known: not when %s', (_, change) => {
    expect(triageStatus(triageOf([]))).toEqual({ kind: 'nothing-stuck', checkedAtMs: NOW });
    expect(triageStatus(triageOf([], change)).kind).toBe('not-known');
    const stuck = triageStatus(triageOf(rows(3, 1, { ageS: 500 }), change));
    expect(stuck).toEqual({ kind: 'stuck', incidents: 1, singles: 0, requests: 3 });
  });

  it('the most severe incident comes first, and ids stay while requests come and go', () => {
    const list = rows(20, 400, (step) => ({ ageS: 900 - step }));
    const [rest] = run(list.slice(0, 15), {}, MANY).incidents as [KeyedIncident];
    const [later] = run(list.slice(5), {}, MANY, { before: [rest] }).incidents as [KeyedIncident];
    const [whole] = run(outage()).incidents as [KeyedIncident];
    expect([later.id, later.size]).toEqual([rest.id, 15]);
    expect([rest, whole].sort(byWeight)).toEqual([whole, rest]);
  });

  it('has a headline with names and times as the reader wants them', () => {
    const text = { network: () => 'Base', moment: () => '11:51' };
    const shape = { networkId: BASE, sinceMs: 0 };
    const headline = (size: number, senders: number) => incidentHeadline({ ...shape, size, senders }, text);
    expect(headline(1234, 1001)).toBe('Base: 1,234 stuck, 1,001 senders, since 11:51');
    expect(headline(0, 0)).toBe('Base: nothing logged since 11:51');
  });
});

describe('the activity of networks', () => {
  const finished = finishedRows(
    rows(4, 50, (step) => ({ ageS: 600, tookS: step + 1 })),
    NOW - 7_200_000,
  );

  it('has last request, interval, pending, stuck and the last hour, with quiet networks first', () => {
    const list = outage();
    const evidence = {
      ...network({ lastDay: knownPiece(864), finished }),
      newest: knownPiece(row(1, { ageS: 20 })),
    };
    const quiet = {
      ...network({ newest: knownPiece(row(1, { ageS: 7000 })), finished: missing('not synced') }),
    };
    const networks = [evidence, { ...quiet, networkId: '10' }];
    const unexamined = new Map<string, number>();
    const keepers = [{ keeper: 'main', nowMs: NOW, pending: allRows(list), networks, unexamined }];
    const [first, second] = networkActivity(keepers, triageOf(list));
    const unsynced = ['Last hour: not synced'];
    expect(first).toMatchObject({ networkId: '10', quiet: { holds: 'yes' }, missing: unsynced });
    const counts = { completed: 4, callbackFailed: 0, failed: 0 };
    const lastHour = { ...counts, p50Ms: 2500, p95Ms: 3850, isWhole: true };
    const figures = { lastRequestMs: NOW - 20_000, usualGapMs: 100_000, pending: 12, stuck: 12, lastHour };
    expect(second).toMatchObject({ networkId: BASE, ...figures, missing: [] });
    const [silent] = networkActivity([{ ...keepers[0], pending: missing('timeout') } as never], triageOf([]));
    expect(silent).toMatchObject({ pending: undefined, stuck: undefined });
  });

  it('counts the requests created in the last hour as the overview does, and says when rows don’t reach back', () => {
    const failed = row(1, { ageS: 3599, tookS: 100, state: { kind: 'failed' } });
    const reverted = rows(2, 2, { ageS: 3000, tookS: 9, state: { kind: 'completed', callback: 'failed' } });
    const early = row(4, { ageS: 3601, tookS: 3600 });
    const list = [failed, ...reverted, row(5, { ageS: 60, tookS: 3 }), early];
    const networks = [network({ finished: finishedRows(list, NOW - 3_599_999) })];
    const keeper = { keeper: 'main', nowMs: NOW, pending: allRows([]), networks, unexamined: new Map() };
    const [line] = networkActivity([keeper], triageOf([]));
    // Its duration is not a time to callback.
    const times = { p50Ms: 9000, p95Ms: 9000 };
    expect(line?.lastHour).toEqual({ completed: 1, callbackFailed: 2, failed: 1, ...times, isWhole: false });
  });
});
