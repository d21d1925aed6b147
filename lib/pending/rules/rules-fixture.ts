/** Times are ages in seconds before `NOW`. */
import { DEFAULT_PENDING_SETTINGS } from '@/lib/core/pending-settings';
import type { RequestState } from '@/lib/core/request-record';
import type { NetworkEvidence } from '@/lib/pending/network';
import type { GroupVerdicts } from './diagnose';
import { type Evidence, type FinishedRows, type LoggedRow, missing, type Piece } from './evidence';
import { type RuleOfMany, type RuleOfOne, ruleInput } from './rule';
import { RULE } from './rule-ids';
import { judge } from './rules';
import { doesNotHold } from './verdict';

export const NOW = Date.UTC(2026, 10, 20, 12);
export const BASE = '8453';
export const COMPLETED: RequestState = { kind: 'completed', callback: 'ok' };

const momentOf = (ms: number) => ({ text: new Date(ms).toISOString(), ms });

export const senderOf = (index: number) => `0x${index.toString(16).padStart(40, '0')}`;
export const hashOf = (index: number) => `0x${index.toString(16).padStart(64, '0')}`;

type Change = Partial<Omit<LoggedRow, 'key'>> & { ageS?: number; tookS?: number };

/** Pending for 10 s; completed with `tookS`. Sequence, sender and transaction follow from `index`. */
export function row(index: number, change: Change = {}): LoggedRow {
  const { ageS = 10, tookS, ...rest } = change;
  const createdMs = NOW - ageS * 1000;
  const full = {
    keeper: 'main',
    networkId: BASE,
    sequence: String(index),
    createdAt: momentOf(createdMs),
    updatedAt: momentOf(createdMs + (tookS ?? 0) * 1000),
    gasLimit: '500000',
    provider: `0x${'cd'.repeat(20)}`,
    sender: senderOf(index),
    requestBlock: '1000',
    requestTxHash: hashOf(index),
    state: tookS === undefined ? ({ kind: 'pending' } as const) : COMPLETED,
    ...rest,
  };
  const { keeper, networkId, provider, sequence, requestTxHash } = full;
  return { ...full, key: `${keeper}/${networkId}/${provider}/${sequence}/${requestTxHash}` };
}

/** The first row has the sequence `from`. */
export function rows(
  count: number,
  from: number,
  change: Change | ((index: number) => Change) = {},
): LoggedRow[] {
  return Array.from({ length: count }, (_, step) =>
    row(from + step, typeof change === 'function' ? change(step) : change),
  );
}

export function knownPiece<T>(value: T, query = 'limit=1', atMs = NOW): Piece<T> & { kind: 'known' } {
  return { kind: 'known', value, query, atMs };
}

export const allRows = (list: LoggedRow[], unseen = 0) => knownPiece({ rows: list, unseen });

export const finishedRows = (list: LoggedRow[], completeSinceMs = 0): Piece<FinishedRows> =>
  knownPiece({ rows: list, completeSinceMs });

/** Rows that only show how long requests take: old, with senders and sequences of their own. */
export const durations = (seconds: number[]): Piece<FinishedRows> =>
  finishedRows(
    seconds.map((tookS, index) => row(1_000_000 + index, { ageS: 50_000, tookS, provider: '0x01' })),
  );

export function evidence(pieces: Partial<Evidence> = {}): Evidence {
  const nothing = missing('not asked');
  return {
    pending: nothing,
    window: nothing,
    sender: nothing,
    sameSequence: nothing,
    sameTransaction: nothing,
    newest: nothing,
    lastDay: nothing,
    finished: nothing,
    ...pieces,
  };
}

export function judgeRule(
  rule: RuleOfOne,
  request: LoggedRow,
  pieces: Partial<Evidence> = {},
  settings = DEFAULT_PENDING_SETTINGS,
) {
  return judge(rule, ruleInput(request, evidence(pieces), settings, NOW));
}

export function network(pieces: Partial<NetworkEvidence> = {}): NetworkEvidence {
  const quick = {
    newest: knownPiece(row(9, { ageS: 5 })),
    lastDay: knownPiece(5000),
    finished: finishedRows([]),
  };
  return { networkId: BASE, ...quick, ...pieces };
}

const unknown = (rule: RuleOfMany) => doesNotHold(rule, 'In no incident of it');

export const NO_GROUP_VERDICTS: GroupVerdicts = {
  others: {
    [RULE.wholeNetwork]: unknown(RULE.wholeNetwork),
    [RULE.oneSender]: unknown(RULE.oneSender),
    [RULE.replicaDown]: unknown(RULE.replicaDown),
  },
};
