import { describe, expect, it } from 'vitest';
import type { IncidentEvent, IncidentRecord } from '@/lib/core/incident-record';
import type { Incident } from '@/lib/pending/pending-response';
import { RULE, type RuleId } from '@/lib/pending/rules/rule-ids';
import {
  acknowledgementTimes,
  axisOf,
  defaultRange,
  type HistoryRange,
  historyRows,
  incidentChanges,
  incidentPeriods,
  incidentSegments,
  isBackdated,
  leftAtClosing,
  longestOf,
  longestText,
  NO_DETAILS,
  rowsByIncident,
  stillStuck,
  timeSteps,
  unrecordedOnAxis,
  weekIncidents,
  weekNote,
} from './history';
import {
  holesIn,
  isExamined,
  readSpans,
  type Span,
  type Unrecorded,
  unrecordedTimes,
  withExamination,
} from './watched';

const CLOSE_AFTER_MS = 120_000;

const NOW = 1_795_000_000_000;

function seen(size: number, rule: RuleId = RULE.wholeNetwork, more: Partial<Incident> = {}): Incident {
  const verdicts = [{ headline: `because of ${rule}` }] as Incident['verdicts'];
  const ids = {
    id: 'main/8453/network',
    keeper: 'main',
    networkId: '8453',
    subject: { kind: 'network' } as const,
  };
  return { ...ids, rule, severity: 'warning', size, senders: 1, sinceMs: NOW - 500_000, verdicts, ...more };
}

it('the remaining requests of a closed incident are its own, not those of another one', () => {
  const place = { keeper: 'main', networkId: '8453' };
  const triage = {
    incidents: [{ ...place, rows: ['y1', 'y2', 'x3'] }],
    singles: [
      { ...place, key: 'x1', sinceMs: 2000 },
      { ...place, key: 'old', sinceMs: 500 },
      { ...place, networkId: '1', key: 'elsewhere', sinceMs: 2000 },
    ],
  };
  const record = { ...place, id: 'main/8453/network', sinceMs: 1000, peak: 3 };
  expect(stillStuck(record, ['x1', 'x2', 'x3'], triage)).toEqual({ size: 2, isAtMost: false });
  expect(stillStuck(record, ['x2'], triage)).toEqual({ size: 0, isAtMost: false });
});

it('after a restart, only requests of the sender in its id are the remainder of an incident, else their number is a bound', () => {
  const place = { keeper: 'main', networkId: '8453' };
  const singles = [
    { ...place, key: 'main/8453/0x01/1/0xAA', sinceMs: 2000, sender: '0xAB' },
    { ...place, key: 'main/8453/0x01/2/0xbb', sinceMs: 2000, sender: '0xcd' },
    { ...place, key: 'main/8453/0x01/3/0xcc', sinceMs: 2000, sender: undefined },
    { ...place, key: 'main/8453/0x01/4/0xdd', sinceMs: 500, sender: '0xab' },
  ];
  const left = (subject: string, rows: string[] = [], peak = 3) => {
    const record = { ...place, id: `main/8453/${subject}`, sinceMs: 1000, peak };
    return stillStuck(record, undefined, {
      incidents: rows.length === 0 ? [] : [{ ...place, rows }],
      singles,
    });
  };
  expect(left('sender/0xab')).toEqual({ size: 1, isAtMost: false });
  expect(left('transaction/0xbb')).toEqual({ size: 1, isAtMost: false });
  expect(left('network')).toEqual({ size: 3, isAtMost: true });
  expect(left('silence', [], 0)).toEqual({ size: 0, isAtMost: false });
  // Requests of another incident may be its own.
  expect(left('sender/0xab', ['y1', 'y2'])).toEqual({ size: 3, isAtMost: true });
  expect(leftAtClosing({ size: 2, isAtMost: true }, false)).toEqual({
    size: 0,
    headline: 'at most 2 of its requests still stuck',
  });
  expect(leftAtClosing({ size: 2, isAtMost: false }, true)).toEqual({
    size: 2,
    headline: 'keeper lost its log',
  });
  expect(leftAtClosing({ size: 0, isAtMost: true }, false)).toEqual({ size: 0, headline: null });
});

it('requests of an incident are kept until its closing is recorded, and no longer', () => {
  const [x, y] = [{ id: 'x' }, { id: 'y' }];
  const detected = [{ ...x, rows: ['x1', 'x2'] }];
  let rows = rowsByIncident(new Map([['y', ['y1']]]), detected, []);
  expect([...rows]).toEqual([['x', ['x1', 'x2']]]);
  // The closing of x could not be written: the next check counts the same requests again.
  rows = rowsByIncident(rows, [], [x, y]);
  expect([...rows]).toEqual([['x', ['x1', 'x2']]]);
  // Recorded, here or by the leader.
  expect([...rowsByIncident(rows, [], [y])]).toEqual([]);
});

class Past {
  open: IncidentRecord[] = [];
  readonly missing = new Map<string, number>();
  stuckBeside = 0;
  #keys = 0;

  #watched: Span[] = [];

  check(atMs: number, detected: Incident[], keepers = ['main']) {
    if (keepers.includes('main')) this.#watched = withExamination(this.#watched, NOW + atMs);
    const { incidents, events } = incidentChanges({
      open: this.open,
      detected,
      keepers: new Set(keepers),
      watched: new Map([['main', this.#watched]]),
      nowMs: NOW + atMs,
      missing: this.missing,
      newKey: () => `key ${++this.#keys}`,
      left: () => ({ size: this.stuckBeside, headline: null }),
    });
    const changed = new Map(incidents.map((incident) => [incident.key, incident]));
    this.open = [
      ...this.open.map((incident) => changed.get(incident.key) ?? incident),
      ...incidents.filter(({ key }) => this.open.every((incident) => incident.key !== key)),
    ].filter(({ closedMs }) => closedMs === null);
    return {
      incidents,
      reported: events.map(({ kind, size, atMs: at }) => `${kind} ${size} ${at - NOW}`),
      events,
    };
  }
}

const unrecordedBut = (
  recordedFromMs: number | null,
  nowMs: number,
  all: readonly Span[] = [],
): Unrecorded => ({
  all: [{ fromMs: 0, toMs: recordedFromMs ?? nowMs }, ...all],
  logged: [],
  degraded: [],
});

function threeDays(
  incidents: readonly IncidentRecord[],
  nowMs: number,
  recordedFromMs: number | null,
  holes: readonly Span[] = [],
) {
  const DAY_MS = 86_400_000;
  const axis = { fromMs: Math.floor(nowMs / DAY_MS) * DAY_MS - 2 * DAY_MS, stepMs: DAY_MS, count: 3 };
  return timeSteps(incidents, axis, nowMs, unrecordedBut(recordedFromMs, nowMs, holes));
}

it('an incident opens, is recorded when it doubles, keeps its first cause beside later ones, and closes at its last sighting', () => {
  const past = new Past();
  expect(past.check(0, [seen(5)]).reported).toEqual(['opened 5 0']);
  expect(past.check(15_000, [seen(5)])).toMatchObject({ incidents: [], reported: [] });
  expect(past.check(30_000, [seen(9)]).reported).toEqual([]);
  expect(past.check(45_000, [seen(11)]).reported).toEqual(['grew 11 45000']);
  expect(past.check(60_000, [seen(12, RULE.networkQuiet, { severity: 'critical' })]).reported).toEqual([
    'explained 12 60000',
  ]);
  expect(past.check(75_000, [seen(12)]).reported).toEqual([]);
  expect(past.check(90_000, [seen(12, RULE.networkQuiet)]).reported).toEqual([]);
  expect(past.open).toMatchObject([
    {
      rules: [RULE.wholeNetwork, RULE.networkQuiet],
      headline: 'because of R6',
      severity: 'critical',
      peak: 12,
      sinceMs: NOW - 500_000,
    },
  ]);
  expect(past.check(100_000, []).reported).toEqual([]);
  expect(past.check(100_000 + CLOSE_AFTER_MS, []).reported).toEqual(['closed 0 100000']);
  expect(past.open).toEqual([]);
});

it('an incident whose requests are stuck for another cause is closed with their number', () => {
  const past = new Past();
  past.check(0, [seen(3)]);
  past.check(10_000, []);
  past.stuckBeside = 2;
  expect(past.check(10_000 + CLOSE_AFTER_MS, []).reported).toEqual(['closed 2 10000']);
});

it('an incident at the edge of a rule, sometimes absent, stays one incident', () => {
  const past = new Past();
  past.check(0, [seen(5)]);
  past.check(60_000, []);
  expect(past.check(120_000, [seen(5)]).reported).toEqual([]);
  expect(past.check(200_000, []).reported).toEqual([]);
  expect(past.check(200_000 + CLOSE_AFTER_MS - 1, []).reported).toEqual([]);
});

it('while a keeper is not read, its open incidents stay open and no new one opens', () => {
  const past = new Past();
  past.check(0, [seen(5)]);
  past.check(60_000, [], []);
  expect(past.check(60_000 + 2 * CLOSE_AFTER_MS, [], []).reported).toEqual([]);
  expect(
    past.check(400_000, [seen(9, RULE.oneSender, { id: 'other/1/rest', keeper: 'other' })]).reported,
  ).toEqual([]);
  expect(past.open).toHaveLength(1);
});

it('after a pause in examination, an ended incident closes at its last sighting, and a lasting one continues', () => {
  const past = new Past();
  const [hour, other] = [3_600_000, seen(7, RULE.oneSender, { id: 'main/8453/sender' })];
  past.check(0, [seen(5), other]);
  past.check(15_000, [seen(5), other]);
  expect(past.check(50 * hour, [other]).reported).toEqual([]);
  expect(past.check(50 * hour + 130_000, [other]).reported).toEqual(['closed 0 15000']);
  expect(past.open).toMatchObject([{ id: 'main/8453/sender', closedMs: null }]);
});

it('after an incident has ended, its return opens a new one', () => {
  const past = new Past();
  past.check(0, [seen(5)]);
  past.check(10_000, []);
  past.check(10_000 + CLOSE_AFTER_MS, []);
  expect(past.check(200_000, [seen(3)]).reported).toEqual(['opened 3 200000']);
  expect(past.open).toMatchObject([{ key: 'key 2', rules: [RULE.wholeNetwork] }]);
});

describe('times in which anything was stuck', () => {
  const DAY_MS = 86_400_000;
  const HOUR_MS = 3_600_000;
  const NOON = Date.UTC(2026, 10, 20, 12);
  /** An incident with times in hours before noon; null if it is open. */
  const incident = (
    key: string,
    from: number,
    until: number | null,
    more: Partial<IncidentRecord> = {},
  ): IncidentRecord => ({
    key,
    id: `main/8453/${key}`,
    keeper: 'main',
    networkId: '8453',
    rules: [RULE.wholeNetwork],
    headline: '',
    severity: 'warning',
    sinceMs: NOON - from * HOUR_MS,
    openedMs: NOON - from * HOUR_MS + 60_000,
    closedMs: until === null ? null : NOON - until * HOUR_MS,
    peak: 5,
    reportedSize: 5,
    ...more,
  });

  it('are one period where incidents overlap, the newest first', () => {
    const list = [
      incident('c', 1, null, { peak: 7 }),
      incident('a', 30, 28),
      incident('b', 29, 26, { networkId: '10', severity: 'critical', peak: 41 }),
    ];
    expect(incidentPeriods(list)).toEqual([
      {
        fromMs: NOON - HOUR_MS,
        toMs: null,
        incidents: ['c'],
        severity: 'warning',
        networkIds: ['8453'],
        peak: 7,
      },
      {
        fromMs: NOON - 30 * HOUR_MS,
        toMs: NOON - 26 * HOUR_MS,
        incidents: ['a', 'b'],
        severity: 'critical',
        networkIds: ['8453', '10'],
        peak: 41,
      },
    ]);
  });

  it('are headings in the list if they contain several incidents', () => {
    const incidents = [incident('c', 1, null), incident('b', 29, 26), incident('a', 30, 27)].map(
      (incident) => ({
        ...incident,
        events: [],
      }),
    );
    const rows = historyRows({ periods: incidentPeriods(incidents), incidents });
    expect(rows.map((row) => ('period' in row ? row.period.incidents : row.incident.key))).toEqual([
      'c',
      ['a', 'b'],
      'b',
      'a',
    ]);
  });

  it('are counted once on each day, up to now', () => {
    // Twice from ten in the evening until four in the morning, and the last hour before noon.
    const list = [
      incident('a', 38, 32),
      incident('b', 37, 33, { severity: 'critical' }),
      incident('c', 1, null),
    ];
    const days = threeDays(list, NOON, NOON - 2 * DAY_MS);
    const dayTexts = days.map(({ affectedMs, calmMs, unknownMs, counts, severity }) => [
      [affectedMs, calmMs, unknownMs].map((ms) => ms / HOUR_MS),
      counts.incidents,
      severity,
    ]);
    expect(dayTexts).toEqual([
      [[2, 10, 12], 2, 'critical'],
      [[4, 20, 0], 2, 'critical'],
      [[1, 11, 0], 1, 'warning'],
    ]);
    expect(days.at(-1)?.fromMs).toBe(NOON - 12 * HOUR_MS);
  });

  it('are unknown before the first row was read', () => {
    expect(threeDays([], NOON, null).at(-1)).toMatchObject({
      affectedMs: 0,
      calmMs: 0,
      unknownMs: 12 * HOUR_MS,
    });
  });

  it('are not calm while the dashboard did not run, though an incident was open before', () => {
    const hole = { fromMs: NOON - 36 * HOUR_MS, toMs: NOON - 6 * HOUR_MS };
    const days = threeDays([incident('a', 38, 36)], NOON, NOON - 48 * HOUR_MS, [hole]);
    expect(
      days.map(({ affectedMs, calmMs, unknownMs }) =>
        [affectedMs, calmMs, unknownMs].map((ms) => ms / HOUR_MS),
      ),
    ).toEqual([
      [2, 10, 12],
      [0, 0, 24],
      [0, 6, 6],
    ]);
  });

  it('do not count a week as free of incidents if a part of it was not examined', () => {
    const WEEK_MS = 7 * DAY_MS;
    const begin = NOON - 2 * WEEK_MS;
    const of = (toMs: number) =>
      weekIncidents([], begin, NOON, unrecordedBut(begin - WEEK_MS, NOON, [{ fromMs: begin - 1, toMs }]))
        .incidents;
    expect([of(begin + WEEK_MS), of(begin + 1), of(begin)]).toEqual([null, null, 0]);
  });

  it('mark incomplete weeks', () => {
    const labelOf = (fromMs: number, indexedFromMs: number | null, isCovered = true) =>
      weekNote({ fromMs, isCovered }, { nowMs: NOON, indexedFromMs })?.label;
    const begin = NOON - 8 * DAY_MS;
    expect(labelOf(begin, begin)).toBeUndefined();
    expect(labelOf(begin, begin + 1)).toBe('Partial');
    expect(labelOf(begin, begin, false)).toBe('Partial');
    expect(labelOf(NOON - DAY_MS, begin)).toBe('So far');
  });

  it('stay included while degraded networks were not recorded, and lanes mark that time', () => {
    const stuck = [
      [
        { fromMs: NOON - 40 * HOUR_MS, toMs: NOON - 30 * HOUR_MS },
        { fromMs: NOON - 20 * HOUR_MS, toMs: NOON },
      ],
    ];
    const degraded = [[{ fromMs: NOON - 4 * HOUR_MS, toMs: NOON }]];
    const unrecorded = unrecordedTimes({ stuck, degraded }, NOON - 40 * HOUR_MS, NOON);
    const axis = { fromMs: NOON - 48 * HOUR_MS, stepMs: 24 * HOUR_MS, count: 3 };
    const steps = timeSteps([incident('a', 2, 1)], axis, NOON, unrecorded);
    expect(
      steps.map(({ affectedMs, calmMs, partialMs, unknownMs }) =>
        [affectedMs, calmMs, partialMs, unknownMs].map((ms) => ms / HOUR_MS),
      ),
    ).toEqual([
      [0, 0, 10, 14],
      [1, 3, 16, 4],
      [0, 0, 0, 0],
    ]);
    const hours = (spans: readonly Span[]) =>
      spans.map(({ fromMs, toMs }) => [(NOON - fromMs) / HOUR_MS, (NOON - toMs) / HOUR_MS]);
    const { nothing, stuckOnly } = unrecordedOnAxis(unrecorded, axis, NOON);
    expect([hours(nothing), hours(stuckOnly)]).toEqual([
      [
        [48, 40],
        [30, 20],
      ],
      [
        [40, 30],
        [20, 4],
      ],
    ]);
    const never = unrecordedTimes({ stuck, degraded: [[]] }, NOON - 40 * HOUR_MS, NOON);
    expect(hours(unrecordedOnAxis(never, axis, NOON).stuckOnly)).toEqual([
      [40, 30],
      [20, 0],
    ]);
    const week = weekIncidents([], NOON - 48 * HOUR_MS, NOON, never);
    expect(week.incidents).toBeNull();
  });

  it('are counted as on /pending: incidents, and networks that were degraded, however often', () => {
    const slow = (key: string, from: number, until: number, networkId = '8453') =>
      incident(key, from, until, { rules: ['slow'], networkId });
    const records = [incident('a', 9, 5), slow('b', 8, 7), slow('c', 6, 5), slow('d', 6, 5, '10')];
    const counts = { incidents: 1, degradedNetworks: 2, degradedTimes: 3 };
    expect(threeDays(records, NOON, NOON - 48 * HOUR_MS).at(-1)).toMatchObject({ counts });
    const incidents = records.map((record) => ({ ...record, events: [] }));
    expect(historyRows({ periods: incidentPeriods(records), incidents })[0]).toMatchObject({ counts });
  });

  it('are known from the start of an incident even if the recording began later that day, and marked as reconstructed', () => {
    const today = threeDays([incident('a', 2, null)], NOON, NOON - HOUR_MS / 2).at(-1);
    expect(today).toMatchObject({ affectedMs: 2 * HOUR_MS, calmMs: 0, unknownMs: 10 * HOUR_MS });
    expect(today?.reconstructedMs).toBe(1.5 * HOUR_MS);
    const over = threeDays([incident('a', 2, 1)], NOON, NOON - HOUR_MS / 2).at(-1);
    expect(over).toMatchObject({ affectedMs: HOUR_MS, calmMs: HOUR_MS / 2, unknownMs: 10.5 * HOUR_MS });
    expect(over?.reconstructedMs).toBe(HOUR_MS);
    // One incident recorded live is enough for the time not to count as reconstructed.
    const both = threeDays([incident('a', 2, null), incident('b', 0.25, null)], NOON, NOON - HOUR_MS / 2);
    expect(both.at(-1)?.reconstructedMs).toBe(1.5 * HOUR_MS);
  });

  it('of an incident are live or reconstructed, of a degraded network also while only the others were recorded', () => {
    const unrecorded = {
      nothing: [{ fromMs: NOON - 10 * HOUR_MS, toMs: NOON - 8 * HOUR_MS }],
      fromLog: [],
      stuckOnly: [{ fromMs: NOON - 8 * HOUR_MS, toMs: NOON - 6 * HOUR_MS }],
    };
    const parts = (record: IncidentRecord) =>
      incidentSegments(record, unrecorded, NOON).map(({ fromMs, toMs, isLive }) => [
        isLive ? 'live' : 'log',
        (NOON - fromMs) / HOUR_MS,
        (NOON - toMs) / HOUR_MS,
      ]);
    expect(parts(incident('a', 9, null))).toEqual([
      ['log', 9, 8],
      ['live', 8, 0],
    ]);
    expect(parts(incident('a', 12, 7))).toEqual([
      ['live', 12, 10],
      ['log', 10, 8],
      ['live', 8, 7],
    ]);
    expect(parts(incident('a', 9, 5, { rules: ['slow'] }))).toEqual([
      ['log', 9, 6],
      ['live', 6, 5],
    ]);
    const backdated = [9, 12, 3].map((from) =>
      isBackdated(incidentSegments(incident('a', from, null), unrecorded, NOON)),
    );
    expect(backdated).toEqual([true, false, false]);
  });

  it('until an acknowledgement count from the notice to the first one', () => {
    const event = (kind: IncidentEvent['kind'], atMs: number): IncidentEvent => {
      return { ...NO_DETAILS, incident: 'a', kind, atMs, size: 5 };
    };
    const openedMs = NOON;
    const acknowledged = [
      event('opened', NOON),
      event('acknowledged', NOON + 9),
      event('acknowledged', NOON + 20),
    ];
    expect(
      acknowledgementTimes([
        { openedMs, events: acknowledged },
        { openedMs, events: [event('opened', NOON), event('undone', NOON + 1)] },
        { openedMs: NOON + 2, events: acknowledged },
      ]),
    ).toEqual([7, 9]);
  });
});

describe('the time axis', () => {
  const HOUR_MS = 3_600_000;
  const DAY_MS = 24 * HOUR_MS;
  const steps = (range: HistoryRange) => {
    const { stepMs, count } = axisOf(range, NOW);
    return [stepMs / HOUR_MS, count];
  };

  it('has steps for its range', () => {
    expect(steps('24h')[0]).toBe(0.5);
    expect(steps('7d')[0]).toBe(4);
    expect(steps('30d')[0]).toBe(24);
    expect(steps('90d')[0]).toBe(24);
  });

  it.each(['24h', '7d', '30d', '90d'] as const)(
    'of %s is as long as its range, and holds the present',
    (range) => {
      const { fromMs, stepMs, count } = axisOf(range, NOW);
      expect(fromMs % stepMs).toBe(0);
      const endMs = fromMs + count * stepMs;
      expect(endMs).toBeGreaterThan(NOW);
      expect(endMs - NOW).toBeLessThanOrEqual(stepMs);
      const wanted = Number.parseInt(range, 10) * (range.endsWith('h') ? HOUR_MS : DAY_MS);
      expect(NOW - fromMs).toBeGreaterThanOrEqual(wanted);
      expect(NOW - fromMs - wanted).toBeLessThan(stepMs);
      expect(count).toBeLessThanOrEqual(92);
    },
  );

  it('is a week unless less than a day is recorded', () => {
    expect([null, NOW - HOUR_MS, NOW - DAY_MS].map((ms) => defaultRange(ms, NOW))).toEqual([
      '24h',
      '24h',
      '7d',
    ]);
  });
});

it('the longest of several is a lower bound where the start of one is not known', () => {
  const record = { rules: ['slow'], openedMs: NOW, closedMs: NOW + 600_000 } as unknown as IncidentRecord;
  const dated = { ...record, sinceMs: NOW - 60_000 };
  const undated = { ...record, sinceMs: NOW, closedMs: NOW + 60_000 };
  const text = (...incidents: IncidentRecord[]) => {
    const longest = longestOf(incidents, NOW);
    return longest && longestText(longest);
  };
  expect([text(), text(dated), text(dated, undated)]).toEqual([null, '11 min', '≥ 11 min']);
});

describe('incidents of a week', () => {
  const WEEK_MS = 604_800_000;
  const FROM = Date.UTC(2026, 10, 16);
  const of = (recordedFromMs: number | null) =>
    weekIncidents([], FROM, FROM + WEEK_MS, unrecordedBut(recordedFromMs, FROM + WEEK_MS));

  it('are reported as none only if the whole week was recorded', () => {
    expect(of(FROM)).toEqual({ incidents: 0, isRecorded: true, longest: null });
    expect(of(FROM + 1)).toEqual({ incidents: null, isRecorded: false, longest: null });
    expect(of(null)).toEqual({ incidents: null, isRecorded: false, longest: null });
  });
});

it('examination is recorded as spans that include pauses of up to five minutes', () => {
  const MINUTE = 60_000;
  const spans = [0, 1, 6, 11.1, 12].reduce<Span[]>((all, at) => withExamination(all, at * MINUTE), []);
  expect(spans).toEqual([
    { fromMs: 0, toMs: 6 * MINUTE },
    { fromMs: 11.1 * MINUTE, toMs: 12 * MINUTE },
  ]);
  // A clock that was set back ends no span.
  expect(withExamination(spans, 5 * MINUTE)).toEqual(spans);
  expect(readSpans(JSON.stringify(spans))).toEqual(spans);
  expect([0, 5, 5.1].map((later) => isExamined(spans, (12 + later) * MINUTE))).toEqual([true, true, false]);
  expect(isExamined([], 0)).toBe(false);
  expect([readSpans('{}'), readSpans(undefined), holesIn([], 99 * MINUTE)]).toEqual([[], [], []]);
  expect(holesIn(spans, 18 * MINUTE)).toEqual([
    { fromMs: 6 * MINUTE, toMs: 11.1 * MINUTE },
    { fromMs: 12 * MINUTE, toMs: 18 * MINUTE },
  ]);
});
