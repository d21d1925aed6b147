import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lastHourOf, networkActivity } from './activity';
import {
  byWeight,
  type FoundIncident,
  incidentHeadline,
  type NetworkEvidence,
  pendingNetwork,
  statusOf,
  stretchesToCheck,
  type Triage,
  triageNetwork,
} from './incidents';
import { diagnose } from './rules/diagnose';
import { isFinished, type LoggedRow, missing, type Piece } from './rules/evidence';
import {
  all,
  around,
  BASE,
  evidence,
  finishedRows,
  hashOf,
  known,
  NOW,
  network,
  row,
  rows,
  senderOf,
} from './rules/rules-fixture';
import { USUAL_SETTINGS } from './rules/thresholds';

/** @param others creation times (ages in seconds) of rows that are not pending, or why they are not known */
function run(
  list: LoggedRow[],
  given: Partial<NetworkEvidence> = {},
  others: number[] | Piece<never> = [],
  keeper = 'main',
) {
  const known4 = { settings: USUAL_SETTINGS, evidence: network(given), pending: all(list), nowMs: NOW };
  const found = pendingNetwork({ keeper, networkId: BASE, ...known4 }, list);
  const times = Array.isArray(others) ? known(others.map((ageS) => NOW - ageS * 1000)) : others;
  return triageNetwork(
    found,
    stretchesToCheck(found).map((stretch) => ({ stretch, others: times })),
  );
}

/** Nothing else can be told of the network, and nothing is an estimate for it. */
const MANY = Array.from({ length: 40 }, () => 1);
const outage = (count = 12, ageS = 200) => rows(count, 100, (step) => ({ ageS, sender: senderOf(step % 4) }));
const finishedOthers = (count: number) => ({
  finished: finishedRows(rows(count, 900, { ageS: 150, tookS: 2 })),
});
const subjects = (incidents: FoundIncident[]) => incidents.map(({ subject }) => subject.kind);

describe('a network that is stuck as a whole', () => {
  it('is one incident by what else there was in the stretch', () => {
    const { incidents } = run(outage(), {}, [150, 150, 150]);
    expect(incidents).toMatchObject([
      { rule: 'R6', severity: 'critical', size: 12, senders: 4, id: 'main/8453/network' },
    ]);
    expect(incidents[0]?.verdicts[0]).toMatchObject({ basis: 'evidence', covers: 12 });
    expect(run(outage(), {}, [150, 150, 150, 150]).incidents).toEqual([]);
  });

  it('is found whole, whatever more there was before: so few of the newest others are asked for', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 61, max: 299 }), { minLength: 5, maxLength: 40 }),
        fc.array(fc.integer({ min: 1, max: 299 }), { maxLength: 60 }),
        (pending, others) => {
          const list = pending.map((ageS, index) => row(index, { ageS, sender: senderOf(index % 5) }));
          const newest = others.toSorted((one, other) => one - other);
          const most = Math.floor(list.length / 4) + 1;
          const size = (ages: number[]) => run(list, {}, ages).incidents[0]?.size;
          expect(size(newest.slice(0, most))).toBe(size(newest));
        },
      ),
    );
  });

  it('is judged without what is within normal, and then counts what came since', () => {
    const young = rows(30, 800, { ageS: 5 });
    const found = run([...outage(), ...young]);
    expect(found).toMatchObject({
      withinNormal: 0,
      incidents: [{ size: 42, senders: 34, sinceMs: NOW - 200_000 }],
    });
    const figures = found.incidents[0]?.verdicts[0]?.figures;
    expect(figures).toContainEqual({ label: 'Pending past normal', value: 12, unit: 'rows' });
  });

  it('names the stretches to look at: only those that might be one', () => {
    const list = [...outage(), ...rows(9, 400, { ageS: 7000, sender: senderOf(1) })];
    const shape = { keeper: 'main', networkId: BASE, settings: USUAL_SETTINGS, nowMs: NOW };
    const found = pendingNetwork({ ...shape, evidence: network(), pending: all(list) }, list);
    expect(stretchesToCheck(found)).toMatchObject([{ fromMs: NOW - 200_000, mostOthers: 4 }]);
  });

  it('leaves all else an estimate while it is not known', () => {
    const unknown = missing('not synced before 08:00');
    expect(run(outage(12, 500), {}, unknown).incidents[0]?.verdicts[0]).toMatchObject({
      rule: 'R4',
      basis: 'estimate',
    });
    const [rest] = run(rows(3, 100, { ageS: 500 }), { lastDay: unknown }).incidents;
    expect(rest?.verdicts[0]).toMatchObject({ basis: 'estimate', missing: expect.stringContaining('08:00') });
    expect(run(rows(3, 100, { ageS: 500 })).incidents[0]?.verdicts[0]?.basis).toBe('evidence');
  });
});

describe('other groups', () => {
  it('one sender, with its young ones and nobody else’s, by finished rows of others', () => {
    const own = rows(5, 100, { ageS: 200, sender: senderOf(1) });
    const young = [row(300, { sender: senderOf(1) }), row(301, { sender: senderOf(2) })];
    const found = run([...own, ...young], finishedOthers(10));
    const subject = { kind: 'sender', sender: senderOf(1) };
    expect(found).toMatchObject({
      withinNormal: 1,
      incidents: [{ rule: 'R7', size: 6, senders: 1, subject }],
    });
    expect(found.incidents[0]?.verdicts[0]?.basis).toBe('evidence');
    expect(run(own, finishedOthers(9)).incidents).toEqual([]);
  });

  it('one sender, as an estimate of stuck ones where finished rows don’t reach back', () => {
    const finished = finishedRows(rows(10, 900, { ageS: 100, tookS: 2 }), NOW - 120_000);
    const own = (ageS: number) => rows(4, 100, { ageS, sender: senderOf(1) });
    expect(run(own(500), { finished }).incidents[0]?.verdicts[0]).toMatchObject({
      rule: 'R7',
      basis: 'estimate',
    });
    expect(run(own(300), { finished }).incidents).toEqual([]);
  });

  it.each([
    ['one batch', rows(3, 100, { ageS: 500, sender: senderOf(1), requestTxHash: hashOf(1) }), 'R15', 3],
    ['a batch of two', rows(2, 100, { ageS: 301, requestTxHash: hashOf(1) }), 'R15', 2],
    ['one replica', rows(9, 0, (step) => ({ ageS: 500, sequence: String(100 + 2 * step) })), 'R13', 9],
    ['three stuck', rows(3, 100, (step) => ({ ageS: 500 + 50 * step })), 'R4', 3],
    ['three at the end of retries', rows(3, 100, (step) => ({ ageS: 310 + 50 * step })), 'R3', 3],
  ])('%s', (_, list, rule, size) => {
    expect(run(list, {}, MANY).incidents).toMatchObject([{ rule, size }]);
  });

  it('a batch that is not past the retry budget is none', () => {
    expect(run(rows(2, 100, { ageS: 300, requestTxHash: hashOf(1) })).incidents).toEqual([]);
  });

  it('silence takes what is stuck with it, and stands alone as a notice', () => {
    const quiet = { newest: known(row(9, { ageS: 900 })), lastDay: known(5000) };
    expect(run([row(1, { ageS: 950 })], quiet).incidents).toMatchObject([
      { rule: 'R9', size: 1, severity: 'warning' },
    ]);
    expect(run([], quiet).incidents).toMatchObject([
      { rule: 'R9', size: 0, severity: 'notice', oldestKey: undefined, sinceMs: NOW - 900_000 },
    ]);
  });

  it('what has no common cause is one group by age or backlog from three on, else single', () => {
    const far = { newest: known(row(9, { ageS: 5, requestBlock: '9000' })) };
    expect(run(rows(3, 100, { ageS: 500 }), far).incidents).toMatchObject([{ rule: 'R10', size: 3 }]);
    const two = run(rows(2, 100, { ageS: 500 }));
    expect(two.incidents).toEqual([]);
    expect(two.singles.map(({ sequence }) => sequence)).toEqual(['100', '101']);
  });

  it('slow and normal ones are counted, and no incident', () => {
    const found = run([...rows(9, 100, { ageS: 120 }), ...rows(4, 300)], {}, MANY);
    expect(found).toEqual({ incidents: [], singles: [], slow: 9, withinNormal: 4 });
  });

  it('the larger group takes a request that two could have, and the smaller one must still hold', () => {
    const mine = rows(6, 100, { ageS: 500, sender: senderOf(1) });
    const batch = mine.map((one, index) => (index < 3 ? { ...one, requestTxHash: hashOf(1) } : one));
    expect(run(batch, finishedOthers(10)).incidents).toMatchObject([{ rule: 'R7', size: 6 }]);
    expect(subjects(run(batch).incidents)).toEqual(['transaction', 'rest']);
  });
});

it('of a keeper that works nothing is said but that it is within normal', () => {
  const dice = fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 5, maxLength: 60 });
  fc.assert(
    fc.property(dice, fc.constantFrom(0.2, 1, 5, 60), (thrown, gapS) => {
      const list = Array.from({ length: 800 }, (_, index) => {
        const [a = 0, b = 0] = [thrown[index % thrown.length], thrown[(index * 7 + 3) % thrown.length]];
        const [ageS, tookS] = [(index + a) * gapS, 2 + b * 38];
        const sender = senderOf(Math.floor(((a + b) % 1) * 12));
        return row(9000 - index, { ageS, sender, ...(tookS <= ageS ? { tookS } : {}) });
      });
      const pending = list.filter((one) => !isFinished(one));
      const given = {
        newest: known(list[0] ?? null),
        lastDay: known(Math.round(86_400 / gapS)),
        finished: finishedRows(list.filter(isFinished)),
      };
      const ages = list.filter(isFinished).map(({ createdAt }) => (NOW - createdAt.ms) / 1000);
      expect(run(pending, given, ages)).toMatchObject({ incidents: [], singles: [], slow: 0 });
      const window = around(list.filter((one) => one.createdAt.ms >= NOW - 900_000));
      for (const request of pending.slice(0, 5)) {
        const found = diagnose(
          request,
          evidence({ ...given, pending: all(pending), window }),
          USUAL_SETTINGS,
          NOW,
        );
        expect(found.topRule).toBe('R1');
        const held = found.verdicts.filter(({ holds }) => holds === 'yes').map(({ rule }) => rule);
        expect(held.filter((rule) => /^R([3-9]|10)$/.test(rule))).toEqual([]);
      }
    }),
    { numRuns: 20 },
  );
});

it.each([3, 60, 200, 5000])('ten thousand of %d senders are grouped with work in proportion', (senders) => {
  let reads = 0;
  const get = (target: LoggedRow, name: string | symbol, self: unknown): unknown => {
    reads += 1;
    return Reflect.get(target, name, self);
  };
  const list = rows(10_000, 0, (step) => ({
    ageS: 430 + ((step * 37) % 40_000),
    sender: senderOf(step % senders),
    requestTxHash: hashOf(step >> 1),
  })).map((one) => new Proxy(one, { get }));
  const done = rows(1000, 50_000, (step) => ({ ageS: step * 60, tookS: 4, sender: senderOf(90_000 + step) }));
  run(list, { finished: finishedRows(done, NOW - 60_000_000) }, MANY);
  expect(reads).toBeLessThan(10_000 * 60);
});

const triageOf = (list: LoggedRow[], change: Partial<Triage> = {}): Triage => ({
  ...run(list),
  singles: [],
  pending: list.length,
  missing: 0,
  unreadable: 0,
  unchecked: [],
  checkedAtMs: NOW,
  ...change,
});

describe('what may be said', () => {
  it.each<[string, Partial<Triage>]>([
    ['a keeper did not answer', { unchecked: [{ keeper: 'test', why: 'timeout' }] }],
    ['rows are missing', { missing: 3 }],
    ['a row could not be read', { unreadable: 1 }],
    ['nobody was asked', { checkedAtMs: undefined }],
  ])('calm only where all is known: not when %s', (_, change) => {
    expect(statusOf(triageOf([]))).toEqual({ kind: 'nothing-stuck', checkedAtMs: NOW });
    expect(statusOf(triageOf([], change)).kind).toBe('not-known');
    const stuck = statusOf(triageOf(rows(3, 1, { ageS: 500 }), change));
    expect(stuck).toEqual({ kind: 'stuck', incidents: 1, singles: 0, requests: 3 });
  });

  it('the gravest first, and ids stay while requests come and go', () => {
    const [rest] = run(rows(20, 400, { ageS: 500 }), {}, MANY).incidents as [FoundIncident];
    const [later] = run(rows(5, 410, { ageS: 900 }), {}, MANY).incidents as [FoundIncident];
    const [whole] = run(outage()).incidents as [FoundIncident];
    expect(later.id).toBe(rest.id);
    expect([rest, whole].sort(byWeight)).toEqual([whole, rest]);
  });

  it('has a headline with names and times as the reader wants them', () => {
    const text = { network: () => 'Base', moment: () => '11:51' };
    const shape = { networkId: BASE, sinceMs: 0 };
    expect(incidentHeadline({ ...shape, size: 1234, senders: 1001 }, text)).toBe(
      'Base: 1,234 pending, 1,001 senders, since 11:51',
    );
    expect(incidentHeadline({ ...shape, size: 0, senders: 0 }, text)).toBe(
      'Base: nothing logged since 11:51',
    );
  });
});

describe('the activity of networks', () => {
  const finished = finishedRows(
    rows(4, 50, (step) => ({ ageS: 600, tookS: step + 1 })),
    NOW - 7_200_000,
  );

  it('has last request, interval, pending, stuck as everywhere, and the last hour; quiet ones first', () => {
    const list = outage();
    const given = { ...network({ lastDay: known(864), finished }), newest: known(row(1, { ageS: 20 })) };
    const quiet = { ...network({ newest: known(row(1, { ageS: 7000 })), finished: missing('not synced') }) };
    const networks = [given, { ...quiet, networkId: '10' }];
    const keepers = [{ keeper: 'main', nowMs: NOW, pending: all(list), networks }];
    const [first, second] = networkActivity(keepers, triageOf(list));
    expect(first).toMatchObject({
      networkId: '10',
      quiet: { holds: 'yes' },
      missing: ['Last hour: not synced'],
    });
    expect(second).toMatchObject({
      networkId: BASE,
      lastRequestMs: NOW - 20_000,
      usualGapMs: 100_000,
      pending: 12,
      stuck: 12,
      lastHour: { finished: 4, failed: 0, p50Ms: 2000, p95Ms: 4000, isWhole: true },
      missing: [],
    });
    const [silent] = networkActivity([{ ...keepers[0], pending: missing('timeout') } as never], triageOf([]));
    expect(silent).toMatchObject({ pending: undefined, stuck: undefined });
  });

  it('counts the last hour by the end of requests, and says when rows don’t reach back', () => {
    const failed = row(1, { ageS: 3700, tookS: 100, state: { kind: 'failed' } });
    const outside = row(2, { ageS: 3700, tookS: 99 });
    expect(lastHourOf({ rows: [failed, outside], completeSinceMs: NOW - 3_599_999 }, NOW)).toMatchObject({
      finished: 1,
      failed: 1,
      p50Ms: 100_000,
      isWhole: false,
    });
  });
});
