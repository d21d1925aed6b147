import type { TriageView } from '@/lib/client/triage-standing';
import type { GatherTrouble, TriageAnswer } from '@/lib/contract/codec/triage';
import { USUAL_SETTINGS } from '@/lib/domain/diagnosis/diagnosis-settings';
import type { EvidenceUsed } from '@/lib/domain/diagnosis/evidence';
import type { Incident, IncidentSubject, SingleStuck } from '@/lib/domain/diagnosis/incident';
import type { SilenceRow } from '@/lib/domain/diagnosis/silence-table';
import { cannotTell, doesNotHold, holds, type Verdict } from '@/lib/domain/diagnosis/verdict';
import { galleryRecord } from './request-fixtures';

const MINUTE_MS = 60_000;
const QUIET = 'No request for 1 h 35 min; the usual gap is 12 s';
const HEX = `0x${'5e'.repeat(20)}`;

/** Keys of pending requests, the oldest first. */
export function pendingKeys(nowMs: number, count: number): string[] {
  return pendingRecords(nowMs, count).map(({ key }) => key);
}

/** Pending requests of the last quarter of an hour, the oldest first. */
export function pendingRecords(nowMs: number, count: number) {
  return Array.from({ length: count }, (_, at) =>
    galleryRecord(nowMs, { sequence: String(90_001 + at), ageS: 900 - at * 4, tx: (16 + at).toString(16) }),
  );
}

const evidenceAt = (atMs: number): EvidenceUsed[] => [
  { id: 'E1', query: 'keeper=main&state=Pending&limit=1000', atMs },
  { id: 'E2', query: 'network_id=42161&min_timestamp=2026-11-20T08:00:00Z&limit=1000', atMs },
];

/** Verdicts that hold: grave and mild ones, and an estimate. */
function heldAt(nowMs: number, evidence: EvidenceUsed[]): [Verdict, Verdict, Verdict] {
  return [
    holds('R6', 'critical', {
      headline: 'Nothing has finished on this network for 11 minutes, though 41 requests are old enough',
      figures: [
        { label: 'Pending', value: 41, unit: 'rows' },
        { label: 'Senders', value: 12, unit: 'senders' },
        { label: 'Last finished', value: nowMs - 11 * MINUTE_MS, unit: 'moment' },
        { label: 'Usual duration', value: 2300, unit: 'ms' },
        { label: 'Share of the last 15 minutes', value: 96, unit: 'percent' },
      ],
      proof: pendingKeys(nowMs, 9),
      evidence,
    }),
    holds('R7', 'warning', {
      headline: 'All of this sender’s last 8 requests are stuck, those of others are not',
      figures: [
        { label: 'Sender', value: HEX, unit: 'hex' },
        { label: 'What it sent', value: '<b>a text of a stranger</b> \u202Egnirts', unit: 'text' },
      ],
      basis: 'estimate',
      missing: 'other networks of this sender have not been asked',
      evidence: evidence.slice(0, 1),
    }),
    holds('R4', 'notice', {
      headline: 'It is older than the time for which a keeper retries',
      figures: [{ label: 'Age', value: 15 * MINUTE_MS, unit: 'ms' }],
      evidence: [],
    }),
  ];
}

/** Verdicts of every kind: those that hold, one that more evidence refines, two not told, two that don’t hold. */
export function verdictsAt(nowMs: number): Verdict[] {
  const evidence = evidenceAt(nowMs - 4000);
  return [
    ...heldAt(nowMs, evidence),
    cannotTell('R9', 'The request log service limits our calls'),
    cannotTell('R10', 'the newest block of the network is not known', { evidence }),
    doesNotHold('R5', { headline: 'No other request has its number', evidence }),
    doesNotHold('R11', {
      headline: 'Its gas limit is usual for this network',
      figures: [{ label: 'Gas limit', value: '500000', unit: 'gas' }],
    }),
  ];
}

type Sketch = Pick<Incident, 'id' | 'severity' | 'size' | 'rule'> & {
  networkId?: string;
  subject?: IncidentSubject;
  sinceMin: number;
  besides?: Verdict[];
};

function incidentOf(nowMs: number, sketch: Sketch, lead: Verdict): Incident {
  const { sinceMin, besides = [], networkId = '42161', subject = { kind: 'network' }, ...given } = sketch;
  const rows = pendingKeys(nowMs, Math.min(given.size, 40));
  return {
    ...given,
    keeper: 'main',
    networkId,
    subject,
    senders: Math.ceil(given.size / 4),
    sinceMs: nowMs - sinceMin * MINUTE_MS,
    oldestKey: rows[0],
    rows,
    verdicts: [lead, ...besides],
  };
}

/** Sketches that need no evidence, each with what its rule says. */
const PLAIN: readonly (Sketch & { says: string })[] = [
  {
    id: 'batch',
    rule: 'R15',
    severity: 'notice',
    size: 5,
    sinceMin: 8,
    subject: { kind: 'transaction', transaction: `0x${'7a'.repeat(32)}` },
    says: 'All 5 were requested by one transaction',
  },
  {
    id: 'replica',
    rule: 'R13',
    severity: 'notice',
    size: 10,
    sinceMin: 30,
    networkId: '777000777',
    subject: { kind: 'replica', provider: HEX, modulus: 4, remainder: 3 },
    says: 'Every fourth number is stuck, as if one of 4 replicas were down',
  },
  {
    id: 'quiet',
    rule: 'R9',
    severity: 'warning',
    size: 0,
    sinceMin: 95,
    networkId: '8453',
    subject: { kind: 'silence' },
    says: QUIET,
  },
];

const SENDER_INCIDENT: Sketch = {
  id: 'sender',
  rule: 'R7',
  severity: 'warning',
  size: 1234,
  sinceMin: 200,
  networkId: '8453',
  subject: { kind: 'sender', sender: HEX },
};

/** An incident of each severity, and of each kind of subject. */
export function incidentsAt(nowMs: number): Incident[] {
  const [network, sender, age] = heldAt(nowMs, evidenceAt(nowMs - 4000));
  const critical = { id: 'net', rule: 'R6', severity: 'critical', size: 41, sinceMin: 15 } as const;
  return [
    incidentOf(nowMs, { ...critical, besides: [age] }, network),
    incidentOf(nowMs, SENDER_INCIDENT, sender),
    ...PLAIN.map(({ says, ...sketch }) =>
      incidentOf(nowMs, sketch, holds(sketch.rule, sketch.severity, { headline: says })),
    ),
  ];
}

export function singlesAt(nowMs: number): SingleStuck[] {
  return (['critical', 'warning', 'notice'] as const).map((severity, at) => {
    const record = galleryRecord(nowMs, { sequence: `77000${at}`, ageS: 700 + at * 5000 });
    const { key, sender, sequence, createdAt } = record;
    const verdicts = verdictsAt(nowMs).slice(at, 3);
    const [lead] = verdicts;
    return {
      key,
      keeper: 'main',
      networkId: '42161',
      sequence,
      sender: at === 2 ? undefined : sender,
      sinceMs: createdAt.ms,
      rule: lead?.rule ?? 'R4',
      severity,
      verdicts,
    };
  });
}

/** Networks gone quiet, busy, without anything finished, half known and not known. */
export function silenceAt(nowMs: number): SilenceRow[] {
  const quiet = holds('R9', 'warning', { headline: QUIET });
  const loud = doesNotHold('R9', { headline: 'The last request is no older than usual' });
  const row = (networkId: string, change: Partial<SilenceRow>): SilenceRow => ({
    keeper: 'main',
    networkId,
    lastRequestMs: nowMs - 4000,
    usualGapMs: 2400,
    pending: 3,
    stuck: 0,
    lastHour: { finished: 1412, failed: 2, medianMs: 1900, p95Ms: 7300, extent: 'whole' },
    quiet: loud,
    missing: [],
    ...change,
  });
  const nothing = { finished: 0, failed: 0, medianMs: undefined, p95Ms: undefined, extent: 'whole' } as const;
  const unknown = { usualGapMs: undefined, pending: undefined, stuck: undefined, lastHour: undefined };
  return [
    row('8453', { quiet, lastRequestMs: nowMs - 95 * MINUTE_MS, usualGapMs: 12_000, lastHour: nothing }),
    row('42161', {
      pending: 12_345,
      stuck: 1234,
      lastHour: { finished: 1000, failed: 12, medianMs: 900, p95Ms: 61_000, extent: 'part' },
    }),
    row('777000777', { keeper: 'test' }),
    row('1', {
      ...unknown,
      lastRequestMs: undefined,
      quiet: cannotTell('R9', 'no answer'),
      missing: ['Last request: no answer within 20 seconds', 'Pending: no answer within 20 seconds'],
    }),
  ];
}

/** What one line says of each of them. */
export function troublesAt(nowMs: number): GatherTrouble[] {
  return [
    {
      keeper: 'main',
      what: 'Pending requests',
      failure: {
        kind: 'unauthorized',
        service: 'logs',
        detail: 'The request log service rejected our key (401)',
      },
      keptFromMs: nowMs - 90_000,
    },
    ...['8453', '42161', '1', '10', '137', '56'].map((networkId) => ({
      keeper: 'test',
      networkId,
      what: 'Newest request',
      failure: { kind: 'rejected' as const, service: 'logs' as const, detail: 'Invalid <b>limit</b>' },
    })),
  ];
}

export function answerAt(nowMs: number, change: Partial<TriageAnswer> = {}): TriageAnswer {
  const counts = {
    pending: 1310,
    stuck: 1293,
    slow: 5,
    withinNormal: 12,
    incidents: 5,
    singles: 3,
    missing: 0,
    unreadable: 0,
  };
  return {
    atMs: nowMs,
    state: 'complete',
    checkedAtMs: nowMs - 3000,
    troubles: [],
    clocks: [],
    standing: { kind: 'stuck', incidents: 4, singles: 3, requests: 1293 },
    counts,
    incidents: incidentsAt(nowMs),
    singles: singlesAt(nowMs),
    silence: silenceAt(nowMs),
    settings: { others: USUAL_SETTINGS, networks: {} },
    ...change,
  };
}

/** Every standing that the first line of the page can have. */
export function standingsAt(nowMs: number): { name: string; view: TriageView }[] {
  const trouble = { title: 'This dashboard’s server can’t be reached', todo: 'Is it still running?' };
  const of = (name: string, change: Partial<TriageAnswer>) => ({
    name,
    view: { answer: answerAt(nowMs, change), trouble: undefined },
  });
  const none = { incidents: [], singles: [] };
  const calm = { kind: 'nothing-stuck', checkedAtMs: nowMs - 3000 } as const;
  const unknown = { kind: 'not-known', why: 'the first look is under way' } as const;
  const first = { state: 'gathering', checkedAtMs: undefined, standing: unknown, ...none } as const;
  const calmCounts = { ...answerAt(nowMs).counts, pending: 17, stuck: 0, incidents: 0, singles: 0 };
  return [
    { name: 'Before anything is known', view: { answer: undefined, trouble: undefined } },
    of('The first look, end not known', { ...first, progress: { done: 3, of: 0, what: 'Pending requests' } }),
    of('The first look, half-way', { ...first, progress: { done: 12, of: 31, what: 'Newest requests' } }),
    of('Stuck', {}),
    of('Stuck, seen in part', { state: 'partial', troubles: troublesAt(nowMs) }),
    { name: 'Stuck, our server fails', view: { answer: answerAt(nowMs), trouble } },
    of('Nothing is stuck', { ...none, standing: calm, counts: calmCounts }),
    of('Nothing is pending', { ...none, standing: calm, counts: { ...calmCounts, pending: 0, slow: 0 } }),
    of('Not known', {
      ...none,
      state: 'partial',
      checkedAtMs: nowMs - 600_000,
      standing: { kind: 'not-known', why: '12 pending requests not seen' },
    }),
    { name: 'Our server fails', view: { answer: undefined, trouble } },
  ];
}
