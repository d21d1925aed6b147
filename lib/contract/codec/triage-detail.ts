import type { Diagnosis } from '@/lib/domain/diagnosis/all-rules';
import type { DiagnosisSettings } from '@/lib/domain/diagnosis/diagnosis-settings';
import type { NormalAge, Survival } from '@/lib/domain/diagnosis/finished-durations';
import type { Incident } from '@/lib/domain/diagnosis/incident';
import type { KeeperActivity } from '@/lib/domain/diagnosis/keeper-activity';
import { readRow } from '@/lib/domain/log-row';
import type { Outcome } from '@/lib/domain/outcome';
import { readWireDocument } from '@/lib/domain/wire-json';
import type { ListedRow } from './listing';
import { outcomeOf, TRIAGE_STATES, type TriageState } from './triage';
import {
  count,
  finite,
  list,
  objectOf,
  oneOf,
  optional,
  type Read,
  readAnswer,
  refuse,
  shape,
  text,
} from './triage-members';
import { incidentMember, ruleMember, settingsMember, verdictMember } from './triage-verdicts';

/** Answer of `GET /api/view/pending/incident?id=…`. */
export type IncidentAnswer = {
  /** Of the index that it was worked out from. */
  revision: number;
  /** Unix ms. */
  atMs: number;
  /** Without an incident, only `complete` says that it is over. */
  state: TriageState;
  /** With all keys of its rows; undefined when there is none of this id. */
  incident?: Incident;
  /** Its requests as the service wrote them, oldest first, `MOST_INCIDENT_ROWS` at most. */
  rows: ListedRow[];
  /** Of the incident, to hand over. */
  markdown?: string;
};

export const MOST_INCIDENT_ROWS = 1000;

/** Which request to diagnose. Without a keeper the default one. */
export type DiagnosisAsked = {
  keeper?: string;
  /** Decimal digits. */
  networkId: string;
  sequence: string;
  provider?: string;
  tx?: string;
};

const FOUND = ['one', 'several', 'none', 'gone', 'not-known'] as const;

/** A piece of evidence that is not there (yet), and why. */
export type MissingPiece = { what: string; why: string };

/** Answer of `GET /api/view/pending/diagnosis?keeper=&network=&provider=&sequence=&tx=`. */
export type DiagnosisAnswer = {
  /** Of the index that it was worked out from. */
  revision: number;
  /** Unix ms: when the keeper was last read; the ages of the diagnosis are of then. */
  atMs: number;
  /** `partial`: what `missing` names is not there. */
  state: 'complete' | 'partial';
  missing: MissingPiece[];
  /**
   * `several`: more than one request fits what was asked for; name provider and transaction. `gone`: the keeper no longer
   * serves it. `not-known`: it is not there, and may be where the index does not reach.
   */
  found: (typeof FOUND)[number];
  /** As the service wrote it last. */
  request?: ListedRow;
  diagnosis?: Diagnosis;
  /** Up to which age a request of the network is within normal. */
  normal: NormalAge;
  settings: DiagnosisSettings;
  /** Of the diagnosis, to hand over. */
  markdown?: string;
};

export function incidentAddress(id: string): string {
  return `/api/view/pending/incident?id=${encodeURIComponent(id)}`;
}

export function diagnosisAddress({ keeper, networkId, sequence, provider, tx }: DiagnosisAsked): string {
  return address('diagnosis', { keeper, network: networkId, provider, sequence, tx });
}

function address(route: string, given: Record<string, string | undefined>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) if (value) query.set(name, value);
  return `/api/view/pending/${route}?${query}`;
}

/** A row on its way: its own JSON text, so that no digit goes through a float. */
export function writeListedRow({ keeper, rawJson }: ListedRow): { keeper: string; row: string } {
  return { keeper, row: rawJson };
}

const rowMember: Read<ListedRow> = (value) => {
  const { keeper, row } = objectOf(value);
  const document = readWireDocument(text(row)) ?? refuse('row');
  const read = readRow(document.value, document.textOf);
  return { ...read, keeper: text(keeper), key: `${text(keeper)}/${read.key}` };
};

const incidentAnswer = shape<IncidentAnswer>({
  revision: count,
  atMs: finite,
  state: oneOf(TRIAGE_STATES),
  incident: optional(incidentMember),
  rows: list(rowMember),
  markdown: optional(text),
});

export function readIncident(answer: string): Outcome<IncidentAnswer> {
  return outcomeOf(readAnswer(answer, incidentAnswer), 'incident');
}

/** A diagnosis on its way: the verdict that explains most is named by its rule. */
export function writeDiagnosis({ top, ...rest }: Diagnosis) {
  return { ...rest, topRule: top?.rule };
}

const survivalMember = shape<Survival>({
  finished: count,
  doneAfter: list(shape<{ percent: number; ms: number }>({ percent: finite, ms: finite })),
  longer: count,
  longerShare: finite,
  curve: list(shape<{ ms: number; share: number }>({ ms: finite, share: finite })),
  sentence: text,
});

const activityMember = shape<KeeperActivity>({
  kind: oneOf(['first-tries', 'retrying', 'last-look', 'given-up']),
  text,
  remainingMs: optional(finite),
});

const diagnosisMember: Read<Diagnosis> = (value) => {
  const { verdicts, topRule, ageMs, activity, survival } = objectOf(value);
  const read = list(verdictMember)(verdicts);
  const rule = optional(ruleMember)(topRule);
  const known = {
    activity: optional(activityMember)(activity),
    survival: optional(survivalMember)(survival),
  };
  return {
    verdicts: read,
    top: read.find((verdict) => verdict.rule === rule),
    ageMs: finite(ageMs),
    ...(known.activity === undefined ? {} : { activity: known.activity }),
    ...(known.survival === undefined ? {} : { survival: known.survival }),
  };
};

const diagnosisAnswer = shape<DiagnosisAnswer>({
  revision: count,
  atMs: finite,
  state: oneOf(['complete', 'partial']),
  missing: list(shape<MissingPiece>({ what: text, why: text })),
  found: oneOf(FOUND),
  request: optional(rowMember),
  diagnosis: optional(diagnosisMember),
  normal: shape<NormalAge>({
    ms: finite,
    from: oneOf(['percentile', 'setting']),
    p95Ms: optional(finite),
    finished: count,
    missing: optional(text),
  }),
  settings: settingsMember,
  markdown: optional(text),
});

export function readDiagnosis(answer: string): Outcome<DiagnosisAnswer> {
  return outcomeOf(readAnswer(answer, diagnosisAnswer), 'diagnosis');
}
