import type { Looked } from '@/lib/client/diagnosis';
import { type KeyedRequest, requestOfKey } from '@/lib/contract/codec/triage';
import {
  type DiagnosisAnswer,
  diagnosisAddress,
  type IncidentAnswer,
  type LaneAnswer,
} from '@/lib/contract/codec/triage-detail';
import type { Diagnosis } from '@/lib/domain/diagnosis/all-rules';
import { USUAL_SETTINGS } from '@/lib/domain/diagnosis/diagnosis-settings';
import type { Survival } from '@/lib/domain/diagnosis/finished-durations';
import { keeperActivity } from '@/lib/domain/diagnosis/keeper-activity';
import type { LaneGap, LaneMark, LaneState } from '@/lib/domain/diagnosis/sequence-lane';
import { ok } from '@/lib/domain/outcome';
import { galleryRecord } from './request-fixtures';
import { incidentsAt, pendingRecords, verdictsAt } from './triage-fixtures';

/** Most took two seconds, some a minute, one ten minutes. */
export const SURVIVAL: Survival = {
  finished: 1000,
  doneAfter: [
    { percent: 50, ms: 1900 },
    { percent: 90, ms: 4100 },
    { percent: 95, ms: 9000 },
    { percent: 99, ms: 34_000 },
  ],
  longer: 4,
  longerShare: 0.004,
  curve: [
    { ms: 0, share: 1 },
    { ms: 1500, share: 0.8 },
    { ms: 1900, share: 0.5 },
    { ms: 4100, share: 0.1 },
    { ms: 9000, share: 0.05 },
    { ms: 34_000, share: 0.01 },
    { ms: 600_000, share: 0 },
  ],
  sentence: '99 % were done after 34 s',
};

function diagnosisAt(nowMs: number, ageMs: number): Diagnosis {
  const verdicts = verdictsAt(nowMs);
  const activity = keeperActivity(ageMs, USUAL_SETTINGS);
  return { verdicts, top: verdicts[0], ageMs, activity, survival: SURVIVAL };
}

function answerOf(nowMs: number, change: Partial<DiagnosisAnswer>): DiagnosisAnswer {
  return {
    atMs: nowMs,
    state: 'complete',
    missing: [],
    found: 'one',
    diagnosis: diagnosisAt(nowMs, 700_000),
    normal: { ms: 60_000, from: 'setting', p95Ms: 9000, finished: 1000 },
    settings: USUAL_SETTINGS,
    ...change,
  };
}

export type DiagnosisCase = { name: string; looked: Looked<DiagnosisAnswer> | undefined; sinceMs: number };

/** How a diagnosis may stand: on its way, whole, in part, without a request, over, failed. */
export function diagnosesAt(nowMs: number): DiagnosisCase[] {
  const missing = [
    { what: 'The sender’s newest requests', why: 'the request log service limits our calls' },
    { what: 'Requests with the same number', why: 'not asked yet' },
  ];
  const progress = { done: 3, of: 7, what: 'The network around the request' };
  const nothing = { diagnosis: undefined };
  const failure = { kind: 'unreachable', detail: 'No connection.' } as const;
  const of = (name: string, change: Partial<DiagnosisAnswer>, ageS = 700) => ({
    name,
    looked: { answer: answerOf(nowMs, change), trouble: undefined },
    sinceMs: nowMs - ageS * 1000,
  });
  return [
    { name: 'On its way', looked: undefined, sinceMs: nowMs },
    of('Filling in', { state: 'gathering', progress, missing }),
    of('Complete', {}),
    of('In part', { state: 'partial', missing }),
    of('Several under this number', { ...nothing, found: 'several' }),
    of('Not in the log any more', { ...nothing, found: 'none' }),
    of('Over meanwhile', { request: galleryRecord(nowMs, { ageS: 700, tookS: 600 }) }),
    { name: 'Failing', looked: { answer: undefined, trouble: { failure, attempts: 1 } }, sinceMs: nowMs },
    {
      name: 'Failing, with an answer of before',
      looked: { answer: answerOf(nowMs, nothing), trouble: { failure, attempts: 1 } },
      sinceMs: nowMs,
    },
  ];
}

/** The key of the query that asks for the diagnosis of a request. */
export function diagnosisKey({ keeper, networkId, provider, sequence, tx }: KeyedRequest): string[] {
  return ['diagnosis', diagnosisAddress({ keeper, networkId, sequence, provider, tx })];
}

/** Details of the incidents by the keys of their queries. */
export function incidentDetailsAt(nowMs: number): (readonly [readonly string[], unknown])[] {
  const incidents = incidentsAt(nowMs);
  return incidents.flatMap((incident) => {
    const answer: IncidentAnswer = {
      atMs: nowMs,
      state: 'complete',
      incident,
      rows: pendingRecords(nowMs, Math.min(incident.size, 40)),
      markdown: '# An incident',
    };
    const oldest = requestOfKey(incident.oldestKey ?? '');
    const looked = { answer: answerOf(nowMs, {}), trouble: undefined };
    const details = [['incident', incident.id], ok(answer)] as const;
    return oldest === undefined ? [details] : [details, [diagnosisKey(oldest), looked] as const];
  });
}

const STATES: readonly LaneState[] = [
  ...(['completed', 'completed', 'completed', 'failed', 'completed', 'callback-failed'] as const),
  ...(['completed', 'pending', 'completed', 'stuck', 'unknown'] as const),
];

/** A strip of so many marks: every state, gaps of one number and of many, an overtaken one, twins. */
export function laneItems(nowMs: number, count: number): (LaneMark | LaneGap)[] {
  return Array.from({ length: count }, (_, at): LaneMark | LaneGap => {
    const sequence = String(90_000 + at);
    if (at % 17 === 9) return { kind: 'gap', from: sequence, to: sequence, count: '1' };
    if (at % 29 === 20) return { kind: 'gap', from: sequence, to: '18446744073709551615', count: '1840000' };
    const key = `main/42161/0xcd/${sequence}/0x${at.toString(16)}`;
    const state = STATES[at % STATES.length] ?? 'completed';
    const overtaken = state === 'stuck' ? { overtakenBy: 25 } : {};
    const twins = at % 31 === 4 ? [`${key}00`] : [];
    return {
      kind: 'request',
      key,
      sequence,
      createdMs: nowMs - (count - at) * 900,
      state,
      twins,
      ...overtaken,
    };
  });
}

export function laneAnswer(nowMs: number, items: LaneAnswer['items']): LaneAnswer {
  return {
    atMs: nowMs,
    provider: undefined,
    providers: [],
    fromMs: nowMs - 900_000,
    toMs: nowMs,
    items,
    missingNumbers: '1840007',
    overtaken: 3,
    twins: 2,
    unseen: 0,
    unreadable: 0,
  };
}
