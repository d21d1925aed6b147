import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HourCounts } from '@/lib/core/span-figures';
import {
  anomaliesOf,
  byAnomaly,
  isComparedNow,
  isSlow,
  type NetworkPast,
  networkBaseline,
  problemStart,
  startLimits,
  weekP95Us,
} from './baseline';

const HOUR_US = 3_600_000_000;
const DAY_US = 24 * HOUR_US;
const SECOND_US = 1_000_000;
const NOW_US = Date.parse('2026-11-20T12:00:00Z') * 1000;

type History = {
  /** Requests in the hour that ended this many hours ago. */
  requests: (hoursAgo: number) => number;
  failed?: (hoursAgo: number) => number;
  callbackFailed?: (hoursAgo: number) => number;
  days?: number;
  nowP95S?: number;
  baselineP95S?: number;
  /** p95 of the days before, if it differs. */
  hourP95S?: number;
  lastMinutesAgo?: number;
  coveredDays?: number;
};

/** All requests finish. */
function network(history: History): NetworkPast {
  const { requests, failed = () => 0, callbackFailed = () => 0, days = 30, coveredDays } = history;
  const { nowP95S = 4, baselineP95S = 4, hourP95S = baselineP95S } = history;
  const hoursBack = 192 + Math.floor((history.lastMinutesAgo ?? 0) / 60);
  const hours = Array.from(
    { length: Math.min(hoursBack, Math.floor(days * 24)) },
    (_, hour): HourCounts[] => {
      const count = requests(hour);
      if (count === 0) return [];
      const finished = count;
      return [
        { hour, requests: count, finished, failed: failed(hour), callbackFailed: callbackFailed(hour) },
      ];
    },
  ).flat();
  const called = (of: (hour: number) => boolean) =>
    hours.filter(({ hour }) => of(hour)).reduce((sum, counts) => sum + counts.finished - counts.failed, 0);
  const p95 = (count: number, seconds: number) => (count === 0 ? null : seconds * SECOND_US);
  const now = called((at) => at === 0);
  const hour = called((at) => at > 0 && at <= 168 && at % 24 === 0);
  const week = called((at) => at > 0 && at <= 168);
  const lastHour = hours[0]?.hour ?? 0;
  return {
    hours,
    latency: {
      nowCalled: now,
      nowP95Us: p95(now, nowP95S),
      hourCalled: hour,
      hourP95Us: p95(hour, hourP95S),
      weekCalled: week,
      weekP95Us: p95(week, baselineP95S),
    },
    firstUs: NOW_US - days * DAY_US,
    lastUs: NOW_US - (history.lastMinutesAgo ?? lastHour * 60) * 60 * SECOND_US,
    nowUs: NOW_US,
    coveredFromUs: coveredDays === undefined ? null : NOW_US - coveredDays * DAY_US,
  };
}

const steady = () => 60;
const lastHourElse = (last: number, before: number) => (hour: number) => (hour === 0 ? last : before);
const inLastHour = (count: number) => lastHourElse(count, 0);
const nightThenSilence = (hour: number) => (hour === 0 || (hour % 24 > 0 && hour % 24 < 12) ? 0 : 200);
const fewUntilRecently = (hour: number) => (hour < 20 ? 0 : 2);
const burstThenSilence = (hour: number) => (hour === 24 ? 5000 : hour < 12 ? 0 : 1);
const quietLately = (hour: number) => (hour % 24 < 12 ? 0 : 200);

const UNUSUAL: [string, History, string[]][] = [
  ['as ever', { requests: steady }, []],
  ['one failure in 179', { requests: () => 179, failed: inLastHour(1) }, []],
  ['one failure in 3', { requests: () => 3, failed: inLastHour(1) }, []],
  ['four failures, and nothing else', { requests: () => 4, failed: inLastHour(4) }, []],
  ['five failures of 60', { requests: steady, failed: inLastHour(5) }, ['failing bad']],
  ['five failures of 179, less than a twentieth', { requests: () => 179, failed: inLastHour(5) }, []],
  ['a tenth fails, as ever', { requests: steady, failed: () => 6 }, []],
  ['half fails, a tenth as ever', { requests: steady, failed: lastHourElse(30, 6) }, ['failing bad']],
  [
    'every callback fails',
    { requests: steady, callbackFailed: inLastHour(60) },
    ['callbacks-failing warning'],
  ],
  [
    'half of the requests fail, and one callback in six of the others',
    { requests: () => 100, failed: () => 50, callbackFailed: inLastHour(8) },
    ['callbacks-failing warning'],
  ],
  ['one callback in twenty fails', { requests: () => 100, callbackFailed: inLastHour(5) }, []],
  ['a third of the callbacks fails, as ever', { requests: steady, callbackFailed: () => 20 }, []],
  [
    'half of the requests fail, as at this hour on all days',
    { requests: steady, failed: (hour) => (hour % 24 === 0 ? 30 : 0) },
    [],
  ],
  ['three times as slow', { requests: steady, nowP95S: 12 }, ['slow warning']],
  ['three times as slow, and still fast', { requests: steady, nowP95S: 9, baselineP95S: 3 }, []],
  ['slow as ever', { requests: steady, nowP95S: 80, baselineP95S: 70 }, []],
  [
    'slow, of an hour that holds little, and an outage on one of the days',
    { requests: lastHourElse(60, 14), nowP95S: 40, hourP95S: 300 },
    ['slow warning'],
  ],
  ['slow, of 19 callbacks', { requests: lastHourElse(19, 60), nowP95S: 40 }, []],
  ['a quiet night', { requests: quietLately, lastMinutesAgo: 12 * 60 }, []],
  ['one that was over an hour ago', { requests: nightThenSilence, lastMinutesAgo: 12 * 60 }, ['silent bad']],
  ['a silent hour, of two requests an hour', { requests: lastHourElse(0, 2), lastMinutesAgo: 65 }, []],
  ['a silent day, of the same', { requests: fewUntilRecently, lastMinutesAgo: 20 * 60 }, ['silent bad']],
  [
    'an outage of twenty minutes, of a request a minute',
    { requests: steady, lastMinutesAgo: 20 },
    ['silent bad'],
  ],
  ['nothing for ten minutes, of a request a minute', { requests: steady, lastMinutesAgo: 10 }, []],
  ['after an outage of a day at this hour', { requests: (hour) => (hour === 24 ? 0 : 60) }, []],
  ['a burst', { requests: lastHourElse(600, 60) }, ['busy notice']],
  ['a burst, as yesterday', { requests: (hour) => (hour === 0 || hour === 24 ? 600 : 60) }, []],
  ['a burst of a quiet network, too small to matter', { requests: lastHourElse(60, 3) }, []],
  ['silence after a single burst', { requests: burstThenSilence, lastMinutesAgo: 12 * 60 }, []],
  ['a new network, nothing finished before', { requests: inLastHour(500), days: 0.04 }, []],
  [
    'a new one that fails on its first day',
    { requests: steady, days: 1, failed: inLastHour(40) },
    ['failing bad'],
  ],
  ['a new network, silent on its second day', { requests: steady, days: 2, lastMinutesAgo: 50 }, []],
  [
    'silent, while the days before are not read',
    { requests: steady, coveredDays: 2, lastMinutesAgo: 50 },
    [],
  ],
  ['nothing for months', { requests: () => 0, lastMinutesAgo: 90 * 24 * 60 }, []],
  [
    'silent, failing before it fell silent, and slow',
    { requests: steady, lastMinutesAgo: 30, failed: inLastHour(20), nowP95S: 40 },
    ['silent bad', 'failing bad', 'slow warning'],
  ],
];

describe('the last hour of a network', () => {
  it.each(UNUSUAL)('%s', (_name, history, expected) => {
    expect(anomaliesOf(network(history)).map(({ kind, level }) => `${kind} ${level}`)).toEqual(expected);
  });

  it.each([25, 72, 100, 120, 168, 700])(
    'silence of %d h is measured by the days before it',
    (silentHours) => {
      const requests = (hour: number) => (hour < silentHours ? 0 : 10);
      const past = network({ requests, days: 60, lastMinutesAgo: silentHours * 60 });
      expect(networkBaseline(past)).toMatchObject({ basis: 'week', requests: 10 });
      expect(anomaliesOf(past)).toMatchObject([{ kind: 'silent', level: 'bad', usual: 10 * silentHours }]);
    },
  );

  it('a network silent for over 30 days counts as retired', () => {
    const requests = (hour: number) => (hour < 721 ? 0 : 10);
    expect(anomaliesOf(network({ requests, days: 60, lastMinutesAgo: 721 * 60 }))).toEqual([]);
  });

  it('is reported with its figures', () => {
    const [silent] = anomaliesOf(network({ requests: steady, lastMinutesAgo: 30 }));
    const sinceUs = NOW_US - 1800 * SECOND_US;
    expect(silent).toEqual({ kind: 'silent', level: 'bad', value: 0, usual: 30, sinceUs, sender: null });
    const [failing] = anomaliesOf(network({ requests: steady, failed: lastHourElse(30, 3) }));
    expect(failing).toMatchObject({ value: 0.5, usual: 0.05 });
    const [slow] = anomaliesOf(network({ requests: steady, nowP95S: 20, baselineP95S: 5 }));
    expect(slow).toMatchObject({ value: 20 * SECOND_US, usual: 5 * SECOND_US });
  });
});

describe('typical figures', () => {
  const baselineFrom = (history: History) => networkBaseline(network(history));

  it('use this hour of the days before, given enough data, but all hours for the outcomes', () => {
    expect(baselineFrom({ requests: (hour) => (hour % 24 === 0 ? 30 : 500), failed: () => 1 })).toEqual({
      hourFinished: 30,
      basis: 'week',
      p95Basis: 'hour',
      days: 7,
      requests: 30,
      called: 7 * 29,
      p95Us: 4 * SECOND_US,
      finished: 7 * (30 + 23 * 500),
      failed: 7 * 24,
      callbackFailed: 0,
    });
  });

  it('use this hour except for the p95, with a few dozen callbacks', () => {
    const few = baselineFrom({ requests: (hour) => (hour % 24 === 0 ? 10 : 50), hourP95S: 300 });
    expect(few).toMatchObject({ requests: 10, p95Basis: 'week', p95Us: 4 * SECOND_US });
  });

  it('leave out the last day, which may belong to a lasting problem', () => {
    const failed = (hour: number) => (hour < 20 ? 50 : 1);
    expect(baselineFrom({ requests: steady, failed })).toMatchObject({ finished: 168 * 60, failed: 168 });
  });

  it('use all hours of these days, with too little data in this one', () => {
    const week = { basis: 'week', requests: 2, finished: 7 * (23 * 10 + 2) };
    expect(baselineFrom({ requests: (hour) => (hour % 24 === 0 ? 2 : 10) })).toMatchObject(week);
  });

  it('use all data of a network of two days, without a typical hour', () => {
    expect(baselineFrom({ requests: () => 10, days: 2 })).toMatchObject({
      basis: 'week',
      days: 1,
      requests: null,
    });
  });

  it('are compared only with an hour of enough requests', () => {
    const isCompared = (lastHour: number) =>
      isComparedNow(baselineFrom({ requests: (hour) => (hour === 0 ? lastHour : 10) }));
    expect([isCompared(4), isCompared(5)]).toEqual([false, true]);
  });

  it('are unknown for a new network', () => {
    expect(baselineFrom({ requests: inLastHour(50), days: 0.04 })).toMatchObject({
      basis: 'none',
      p95Us: null,
    });
  });
});

it.each([
  [20_000_000, 10_000_000, true],
  [19_999_999, 10_000_000, false],
  [10_000_000, 1_000_000, false],
  [10_000_001, 1_000_000, true],
  [null, 1_000_000, false],
  [20_000_000, null, false],
])('a p95 of %s against %s µs is slow: %s', (p95Us, baselineUs, expected) => {
  expect(isSlow(p95Us, baselineUs)).toBe(expected);
});

it('include the p95 of a week only from 20 callbacks on', () => {
  const { latency } = network({ requests: steady });
  expect(weekP95Us(latency)).toBe(4 * SECOND_US);
  expect(weekP95Us({ ...latency, weekCalled: 19 })).toBeNull();
});

it('networks with something unusual come first, the worst of them before the others', () => {
  const withAnomalies = (history: History) => ({ unusual: anomaliesOf(network(history)) });
  const normal = withAnomalies({ requests: steady });
  const busy = withAnomalies({ requests: (hour) => (hour === 0 ? 600 : 60) });
  const silent = withAnomalies({ requests: steady, lastMinutesAgo: 30 });
  expect([normal, busy, silent].sort(byAnomaly)).toEqual([silent, busy, normal]);
});

it('no four failures in an hour are ever unusual, however many or few the requests', () => {
  const count = fc.nat(5000);
  fc.assert(
    fc.property(fc.nat(4), fc.nat(4), count, count, (failed, callbackFailed, now, before) => {
      const history = network({
        requests: (hour) => (hour === 0 ? now + failed + callbackFailed : before),
        failed: inLastHour(failed),
        callbackFailed: inLastHour(callbackFailed),
      });
      const kinds = anomaliesOf(history).map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind.endsWith('failing'))).toEqual([]);
    }),
  );
});

describe('the start of a problem', () => {
  type Row = { us: number; isProblem: boolean };
  const rowsOf = (isProblemAt: (at: number) => boolean, count = 200): Row[] =>
    Array.from({ length: count }, (_, index) => ({ us: index * SECOND_US, isProblem: isProblemAt(index) }));
  const problemRowsOf = (rows: readonly Row[]) =>
    rows.flatMap(({ us, isProblem }, index) => (isProblem ? [{ us, place: index + 1 }] : []));
  /** Number of the row at which a problem of a share of 0.1 or more began. */
  const startOf = (rows: readonly Row[], nowUs = rows.at(-1)?.us ?? 0) => {
    const us = problemStart(problemRowsOf(rows), 0.1, nowUs);
    return us === undefined ? undefined : us / SECOND_US;
  };

  it('is its first problem row, not an outlier before it', () => {
    expect(startOf(rowsOf((at) => at === 20 || (at >= 130 && at % 3 === 0)))).toBe(132);
  });

  it('is found if all rows after it show the problem, and if one in eight does', () => {
    expect(startOf(rowsOf((at) => at >= 90))).toBe(90);
    expect(startOf(rowsOf((at) => at >= 96 && at % 8 === 0))).toBe(96);
  });

  it('is undefined if no row, or a single one, shows a problem', () => {
    expect(startOf(rowsOf(() => false))).toBeUndefined();
    expect(startOf(rowsOf((at) => at === 100))).toBeUndefined();
    expect(startOf([])).toBeUndefined();
  });

  it('is not an outlier shortly before a problem that came late', () => {
    expect(startOf(rowsOf((at) => (at < 252 ? at % 40 === 1 : at % 2 === 0), 312))).toBe(252);
  });

  it('is that of the last problem if another one has been over for an hour', () => {
    const rows = rowsOf((at) => at < 100 || at >= 4000, 4100);
    expect(startOf(rows)).toBe(4000);
    expect(startOf(rows.slice(0, 3000))).toBe(0);
    expect(startOf(rows.slice(0, 3990))).toBeUndefined();
  });

  it('is found even if the last alarm of an earlier problem was less than an hour before the first failure', () => {
    // Position among the rows, and minutes ago.
    const earlier = [105, 104, 103, 102, 101, 99.5].map((minutes, index) => [index + 1, minutes] as const);
    const later = [
      [47, 58.7],
      [59, 47.2],
      [67, 42.1],
      [73, 38.4],
      [92, 16.9],
      [101, 0.6],
    ] as const;
    const rows = [...earlier, ...later].map(([place, minutes]) => ({
      place,
      us: NOW_US - minutes * 60 * SECOND_US,
    }));
    expect(problemStart(rows, 0.1, NOW_US)).toBe(NOW_US - 58.7 * 60 * SECOND_US);
  });

  it('never lies far before the change, whatever share of problem rows is normal', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 60, max: 300 }),
        fc.integer({ min: 60, max: 300 }),
        fc.integer({ min: 0, max: 39 }),
        (before, after, first) => {
          const rows = rowsOf((at) => (at < before ? at % 40 === first : at % 2 === 0), before + after);
          const startUs = startOf(rows) ?? Number.NaN;
          expect(startUs).toBeGreaterThanOrEqual(before - 10);
          expect(startUs).toBeLessThanOrEqual(before + 2);
        },
      ),
    );
  });

  function dice(seed: number) {
    let state = seed;
    return () => {
      state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
      return state / 4_294_967_296;
    };
  }

  function pastAt(rows: readonly Row[], nowUs: number): NetworkPast {
    const hours = Array.from({ length: 192 }, (_, hour): HourCounts => {
      return { hour, requests: 0, finished: 0, failed: 0, callbackFailed: 0 };
    });
    for (const { us, isProblem } of rows) {
      const counts = us > nowUs ? undefined : hours[Math.floor((nowUs - us) / HOUR_US)];
      if (counts === undefined) continue;
      counts.requests += 1;
      counts.finished += 1;
      counts.callbackFailed += Number(isProblem);
    }
    const past = network({ requests: steady });
    return { ...past, nowUs, hours, firstUs: rows[0]?.us ?? 0, lastUs: nowUs };
  }

  it('stays while the problem is reported, however often it is searched for', () => {
    const shares = {
      shareBefore: fc.double({ min: 0, max: 0.012, noNaN: true }),
      shareAfter: fc.double({ min: 0.08, max: 1, noNaN: true }),
    };
    const history = fc.record({
      seed: fc.nat(1e6),
      perHour: fc.integer({ min: 8, max: 60 }),
      minutes: fc.integer({ min: 20, max: 200 }),
      ...shares,
    });
    fc.assert(
      fc.property(history, ({ seed, perHour, minutes, shareBefore, shareAfter }) => {
        const roll = dice(seed);
        const endUs = NOW_US + minutes * 60 * SECOND_US;
        const rows: Row[] = [];
        for (let us = NOW_US - 10 * DAY_US; us < endUs + 2 * HOUR_US; ) {
          us += (-Math.log(1 - roll()) * HOUR_US) / perHour;
          rows.push({ us, isProblem: roll() < (us >= NOW_US && us < endUs ? shareAfter : shareBefore) });
        }
        const counts = { failed: 0, completed: 990, callbackFailed: 10, p95Us: null };
        const { share } = startLimits({ kind: 'callbacks-failing', baseline: shareBefore }, counts);
        const allProblems = problemRowsOf(rows);
        let before: number | undefined;
        for (let nowUs = NOW_US; nowUs < endUs + 2 * HOUR_US; nowUs += 60 * SECOND_US) {
          const isReported = anomaliesOf(pastAt(rows, nowUs)).some(
            ({ kind }) => kind === 'callbacks-failing',
          );
          const startUs = problemStart(
            allProblems.filter(({ us }) => us <= nowUs),
            share,
            nowUs,
          );
          if (isReported) expect(startUs).toBeDefined();
          if (isReported && before !== undefined) expect(startUs).toBe(before);
          before = isReported ? startUs : undefined;
        }
      }),
      { numRuns: 30 },
    );
  });
});

describe('the value against which the start of a problem is judged', () => {
  const week = { completed: 880, callbackFailed: 20, failed: 100, p95Us: 8_000_000 };
  it.each([
    ['failing', week, { share: 0.3, slowUs: 0 }],
    ['callbacks-failing', week, { share: 0.1, slowUs: 0 }],
    ['slow', week, { share: 0.05, slowUs: 16_000_000 }],
    ['slow', { ...week, p95Us: 2_000_000 }, { share: 0.05, slowUs: 10_000_000 }],
  ] as const)('%s, by the week before the search', (kind, totals, limits) => {
    const actual = startLimits({ kind, baseline: 0.5 }, totals);
    expect({ ...actual, share: Number(actual.share.toFixed(6)) }).toEqual(limits);
  });

  it('is the usual value of the problem if that week has too few rows', () => {
    const few = { completed: 19, callbackFailed: 0, failed: 0, p95Us: 1 };
    expect(startLimits({ kind: 'failing', baseline: 0.2 }, few).share).toBeCloseTo(0.6);
    expect(startLimits({ kind: 'slow', baseline: 20_000_000 }, few).slowUs).toBe(40_000_000);
  });
});
