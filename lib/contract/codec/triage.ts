import type { DiagnosisSettings } from '@/lib/domain/diagnosis/diagnosis-settings';
import type { Incident, SingleStuck, Standing } from '@/lib/domain/diagnosis/incident';
import type { SilenceRow } from '@/lib/domain/diagnosis/silence-table';
import { type Failure, failed, type Outcome, ok } from '@/lib/domain/outcome';
import { failureMember } from './facets-line';
import type { ClockOff } from './listing';
import {
  byName,
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
import { incidentMember, settingsMember, silenceMember, singleMember } from './triage-verdicts';

/**
 * What an answer stands on. `gathering`: the first look is under way and more fills in. `complete`: all was looked at.
 * `partial`: the last look ended with troubles. `failed`: it brought nothing.
 */
export type GatherState = 'gathering' | 'complete' | 'partial' | 'failed';

export const GATHER_STATES = ['gathering', 'complete', 'partial', 'failed'] as const;

/** How far a look is: `done` of about `of` steps, and the step it is at, a few words without full stop. */
export type GatherProgress = { done: number; of: number; what: string };

/** Something that could not be looked at. */
export type GatherTrouble = {
  keeper: string;
  networkId?: string;
  /** A few words, such as `Pending requests`. */
  what: string;
  failure: Failure;
  /** Unix ms: what stands in the answer instead is from then; absent when nothing does. */
  keptFromMs?: number;
};

/** Pending requests by where they stand, and how many incidents and single cases that makes. */
export type TriageCounts = {
  pending: number;
  /** In incidents, their young ones included, and single cases. */
  stuck: number;
  slow: number;
  withinNormal: number;
  incidents: number;
  singles: number;
  /** Counted by the services and not seen. */
  missing: number;
  unreadable: number;
};

/** Answer of `GET /api/view/pending`. All times are unix ms. */
export type TriageAnswer = {
  /** When the answer was written, by the server's clock: ages are to be counted from it. */
  atMs: number;
  state: GatherState;
  /** When a look was last complete; undefined while none was. */
  checkedAtMs?: number;
  /** Of the look that is under way; undefined while none is. */
  progress?: GatherProgress;
  troubles: GatherTrouble[];
  /** Those of the keepers that are not ours: ages are off by as much. */
  clocks: ClockOff[];
  standing: Standing;
  counts: TriageCounts;
  /** The gravest first, `MOST_INCIDENTS` at most (`counts` says how many there are), with `MOST_INCIDENT_KEYS` keys in `rows` at most. */
  incidents: Incident[];
  /** Oldest first, `MOST_SINGLES` at most. */
  singles: SingleStuck[];
  /** Those gone quiet first. */
  silence: SilenceRow[];
  /** The thresholds of networks that have their own, and of all others. */
  settings: { others: DiagnosisSettings; networks: Record<string, DiagnosisSettings> };
};

export const MOST_INCIDENTS = 200;
export const MOST_SINGLES = 200;
export const MOST_INCIDENT_KEYS = 200;
/** Keys of proof that a verdict of an overview carries; its figures say how many there are. */
export const MOST_PROOF_KEYS = 20;

/** Where the state is asked for. `most`: that many incidents and singles, and no silence table. */
export function triageAddress(most?: number): string {
  return most === undefined ? '/api/view/pending' : `/api/view/pending?most=${most}`;
}

/** The thresholds of a network. */
export function settingsFor(
  { settings }: Pick<TriageAnswer, 'settings'>,
  networkId: string,
): DiagnosisSettings {
  return Object.hasOwn(settings.networks, networkId)
    ? (settings.networks[networkId] ?? settings.others)
    : settings.others;
}

/** The page that shows an incident. */
export function incidentPath(id: string): `/pending?incident=${string}` {
  return `/pending?incident=${encodeURIComponent(id)}`;
}

/** What a row's key says about it. */
export type KeyedRequest = {
  keeper: string;
  networkId: string;
  provider: string | undefined;
  sequence: string;
  tx: string | undefined;
};

/** The request of a key such as `main/8453/0x…/17/0x…`; undefined for rows that can't be read. */
export function requestOfKey(key: string): KeyedRequest | undefined {
  const match = /^([^/]+)\/(\d+)\/(.*)\/(-?\d+)\/([^/#]*)(?:#\d+)?$/s.exec(key);
  if (match === null) return undefined;
  const [, keeper = '', networkId = '', provider, sequence = '', tx] = match;
  return { keeper, networkId, provider: provider || undefined, sequence, tx: tx || undefined };
}

export const progressMember: Read<GatherProgress> = shape<GatherProgress>({
  done: count,
  of: count,
  what: text,
});

export const failureRead: Read<Failure> = (value) => failureMember(value) ?? refuse('failure');

const troubleMember = shape<GatherTrouble>({
  keeper: text,
  networkId: optional(text),
  what: text,
  failure: failureRead,
  keptFromMs: optional(finite),
});

const standingMember: Read<Standing> = (value) => {
  const { kind } = objectOf(value);
  if (kind === 'stuck') {
    const stuck = shape<Extract<Standing, { kind: 'stuck' }>>({
      kind: oneOf(['stuck']),
      incidents: count,
      singles: count,
      requests: count,
    });
    return stuck(value);
  }
  return kind === 'nothing-stuck'
    ? { kind, checkedAtMs: finite(objectOf(value).checkedAtMs) }
    : { kind: 'not-known', why: text(objectOf(value).why) };
};

const answerMember = shape<TriageAnswer>({
  atMs: finite,
  state: oneOf(GATHER_STATES),
  checkedAtMs: optional(finite),
  progress: optional(progressMember),
  troubles: list(troubleMember),
  clocks: list(shape<ClockOff>({ keeper: text, offByMs: finite })),
  standing: standingMember,
  counts: shape<TriageCounts>({
    pending: count,
    stuck: count,
    slow: count,
    withinNormal: count,
    incidents: count,
    singles: count,
    missing: count,
    unreadable: count,
  }),
  incidents: list(incidentMember),
  singles: list(singleMember),
  silence: list(silenceMember),
  settings: shape<TriageAnswer['settings']>({ others: settingsMember, networks: byName(settingsMember) }),
});

/** Reads the answer's text. Fails with `malformed` when it is none of ours. */
export function readTriage(answer: string): Outcome<TriageAnswer> {
  return outcomeOf(readAnswer(answer, answerMember), 'state of pending requests');
}

export function outcomeOf<T>(value: T | undefined, what: string): Outcome<T> {
  return value === undefined
    ? failed({ kind: 'malformed', detail: `The ${what} cannot be read.` })
    : ok(value);
}
