import { describe, expect, it } from 'vitest';
import type { ListedRow } from './listing';
import { incidentPath, readTriage, requestOfKey, settingsFor, type TriageAnswer } from './triage';
import {
  diagnosisAddress,
  readDiagnosis,
  readIncident,
  writeDiagnosis,
  writeListedRow,
} from './triage-detail';

const USUAL = {
  slowAfterS: 60,
  retryBudgetS: 300,
  stuckAfterS: 420,
  backlogBlocks: 1000,
  origin: 'usual',
} as const;

const VERDICT = {
  rule: 'R6',
  holds: 'yes',
  severity: 'critical',
  headline: 'The whole network',
  figures: [
    { label: 'Pending', value: 41, unit: 'rows' },
    { label: 'Lowest number', value: '18446744073709551615', unit: 'text' },
  ],
  proof: ['main/8453/0xaa/17/0xbb'],
  evidence: [{ id: 'E1', query: 'state=Pending&limit=1000&offset=0', atMs: 5 }],
  covers: 41,
  basis: 'evidence',
} as const;

const ANSWER = {
  revision: 7,
  atMs: 1000,
  state: 'stale',
  clocks: [{ keeper: 'main', offByMs: -600_000 }],
  index: [{ keeper: 'test', state: 'failing', failure: { kind: 'timeout', detail: 'Too slow.' } }],
  standing: { kind: 'stuck', incidents: 1, singles: 0, requests: 41 },
  counts: {
    pending: 50,
    stuck: 41,
    slow: 0,
    withinNormal: 9,
    incidents: 1,
    singles: 0,
    missing: 0,
    unreadable: 0,
    gone: 0,
  },
  incidents: [
    {
      id: 'main/8453/network',
      keeper: 'main',
      networkId: '8453',
      subject: { kind: 'network' },
      rule: 'R6',
      severity: 'critical',
      size: 41,
      senders: 12,
      sinceMs: 4,
      oldestKey: 'main/8453/0xaa/17/0xbb',
      rows: ['main/8453/0xaa/17/0xbb'],
      verdicts: [VERDICT],
    },
  ],
  singles: [],
  silence: [
    {
      keeper: 'main',
      networkId: '1',
      quiet: { ...VERDICT, rule: 'R9', holds: 'unknown', missing: 'why' },
      missing: [],
    },
  ],
  settings: { others: USUAL, networks: { '1': { ...USUAL, stuckAfterS: 900, origin: 'configured' } } },
} as unknown as TriageAnswer;

function read<T>(outcome: { ok: true; value: T } | { ok: false }): T | undefined {
  return outcome.ok ? outcome.value : undefined;
}

describe('the state of pending requests', () => {
  it('is read as it was written, absent members left out', () => {
    expect(read(readTriage(JSON.stringify(ANSWER)))).toEqual(ANSWER);
  });

  it('gives a network its own thresholds, and others the shared ones', () => {
    expect(settingsFor(ANSWER, '1').stuckAfterS).toBe(900);
    expect(settingsFor(ANSWER, 'constructor')).toEqual(USUAL);
  });

  it.each([
    ['nothing', ''],
    ['another answer', '{"status":"ok"}'],
    ['a rule that is not known', JSON.stringify(ANSWER).replaceAll('"R6"', '"R99"')],
    ['a standing that is not known', JSON.stringify(ANSWER).replace('"stuck"', '"calm"')],
    ['a count that is none', JSON.stringify(ANSWER).replace('"size":41', '"size":-1')],
    ['calm without when it was checked', JSON.stringify({ ...ANSWER, standing: { kind: 'nothing-stuck' } })],
  ])('is not read from %s', (_, text) => {
    expect(readTriage(text)).toMatchObject({ ok: false, failure: { kind: 'malformed' } });
  });
});

it.each([
  [
    'main/8453/0xaa/17/0xbb',
    { keeper: 'main', networkId: '8453', provider: '0xaa', sequence: '17', tx: '0xbb' },
  ],
  [
    'main/8453//17/',
    { keeper: 'main', networkId: '8453', provider: undefined, sequence: '17', tx: undefined },
  ],
  [
    'main/8453/0xaa/17/0xbb#2',
    { keeper: 'main', networkId: '8453', provider: '0xaa', sequence: '17', tx: '0xbb' },
  ],
  ['main/unreadable/1a2b', undefined],
  ['', undefined],
])('the key %s names its request', (key, request) => {
  expect(requestOfKey(key)).toEqual(request);
});

const RAW =
  '{"chain_id":"base","network_id":8453,"sequence":18446744073709551615,"created_at":"2026-11-20T08:00:00Z","state":{"state":"pending"},"gas_limit":340282366920938463463374607431768211455}';

function listed(): ListedRow {
  const text = JSON.stringify({
    revision: 1,
    atMs: 1,
    state: 'complete',
    rows: [{ keeper: 'main', row: RAW }],
  });
  const [row] = read(readIncident(text))?.rows ?? [];
  if (row === undefined) throw new Error('not read');
  return row;
}

it('a row goes both ways with all its digits', () => {
  expect(listed()).toMatchObject({
    key: 'main/8453//18446744073709551615/',
    keeper: 'main',
    sequence: '18446744073709551615',
    gasLimit: '340282366920938463463374607431768211455',
  });
  expect(writeListedRow(listed())).toEqual({ keeper: 'main', row: RAW });
});

it('a diagnosis goes both ways, and its top verdict is one of its verdicts', () => {
  const verdicts = [{ ...VERDICT, rule: 'R4' as const }, VERDICT].map((one) => ({
    ...one,
    figures: [],
    proof: [],
    evidence: [],
  }));
  const diagnosis = { verdicts, top: verdicts[1], ageMs: 700_000 };
  const normal = { ms: 60_000, from: 'setting', finished: 0 };
  const shared = {
    revision: 1,
    atMs: 1,
    state: 'partial',
    missing: [{ what: 'a', why: 'b' }],
    found: 'one',
    normal,
    settings: USUAL,
  };
  const text = JSON.stringify({
    ...shared,
    request: writeListedRow(listed()),
    diagnosis: writeDiagnosis(diagnosis),
  });
  const answer = read(readDiagnosis(text));
  expect(answer).toEqual({ ...shared, request: listed(), diagnosis });
  expect(answer?.diagnosis?.top).toBe(answer?.diagnosis?.verdicts[1]);
});

it('addresses carry strangers’ texts as values', () => {
  expect(incidentPath('main/1/sender/0xa%26b')).toBe('/pending?incident=main%2F1%2Fsender%2F0xa%2526b');
  expect(diagnosisAddress({ networkId: '1', sequence: '17', tx: '0xbb&keeper=x' })).toBe(
    '/api/view/pending/diagnosis?network=1&sequence=17&tx=0xbb%26keeper%3Dx',
  );
});
