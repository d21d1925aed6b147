import type { DiagnosisSettings } from '@/lib/domain/diagnosis/diagnosis-settings';
import type { Incident, SingleStuck, Standing } from '@/lib/domain/diagnosis/incident';
import type { SilenceRow } from '@/lib/domain/diagnosis/silence-table';
import { failed, type Outcome, ok } from '@/lib/domain/outcome';
import type { KeeperStatus } from '@/lib/requests/keeper-status';
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
 * What an answer stands on. `syncing`: the pending rows of some keeper have not been read yet. `complete`: those of all
 * keepers are known as of a moment ago.
 * `stale`: some keeper was last read a while ago, or could not be read.
 */
export type TriageState = (typeof TRIAGE_STATES)[number];

export const TRIAGE_STATES = ['syncing', 'complete', 'stale'] as const;

/** Pending requests by where they stand, and how many incidents and single cases that makes. */
export type TriageCounts = {
  pending: number;
  /** In incidents, their young ones included, and single cases. */
  stuck: number;
  slow: number;
  withinNormal: number;
  incidents: number;
  singles: number;
  /** More than can be looked at. */
  missing: number;
  unreadable: number;
  /** Pending in the index, and no longer served by their keeper: in none of the other counts. */
  gone: number;
};

/** Answer of `GET /api/view/pending`. All times are unix ms. */
export type TriageAnswer = {
  /** Of the index that it was worked out from. */
  revision: number;
  /** When the answer was worked out, by the services' clock: ages are to be counted from it. */
  atMs: number;
  state: TriageState;
  /** When the keeper that was read longest ago was read; undefined while one never was. */
  checkedAtMs?: number;
  /** How far the index of each keeper reaches, and how old it is. */
  index: KeeperStatus[];
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

/** How far an index reaches: our own words, which came with the same answer. */
const statusMember: Read<KeeperStatus> = (value) => {
  const { keeper } = objectOf(value);
  return typeof keeper === 'string' ? (value as KeeperStatus) : refuse('status');
};

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
  revision: count,
  atMs: finite,
  state: oneOf(TRIAGE_STATES),
  checkedAtMs: optional(finite),
  index: list(statusMember),
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
    gone: count,
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
