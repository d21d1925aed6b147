/** Rows and evidence for tests of the diagnosis. Times are given as ages in seconds before `NOW`. */
import type { RequestState } from '@/lib/domain/request-record';
import { type DiagnosisSettings, USUAL_SETTINGS } from './diagnosis-settings';
import { type Evidence, type FinishedRows, type LoggedRow, noEvidence, type Piece } from './evidence';
import type { KeeperEvidence, NetworkEvidence } from './incident';
import type { Rule } from './rule';

export const NOW = Date.UTC(2026, 10, 20, 12);
export const PROVIDER = `0x${'cd'.repeat(20)}`;
export const BASE = '8453';
export const settingsOf = (): DiagnosisSettings => USUAL_SETTINGS;

export const COMPLETED: RequestState = { kind: 'completed', callback: 'ok' };
export const PENDING: RequestState = { kind: 'pending' };

const at = (ms: number) => ({ text: new Date(ms).toISOString(), ms });

export const senderOf = (index: number) => `0x${index.toString(16).padStart(40, '0')}`;
export const hashOf = (index: number) => `0x${index.toString(16).padStart(64, '0')}`;

type Change = Partial<Omit<LoggedRow, 'key'>> & { ageS?: number; tookS?: number };

/** A pending row of 10 s; with `tookS` a completed one. Number, sender and transaction come from `index`. */
export function row(index: number, change: Change = {}): LoggedRow {
  const { ageS = 10, tookS, ...given } = change;
  const createdMs = NOW - ageS * 1000;
  const full = {
    keeper: 'main',
    networkId: BASE,
    sequence: String(index),
    createdAt: at(createdMs),
    updatedAt: at(createdMs + (tookS ?? 0) * 1000),
    gasLimit: '500000',
    provider: PROVIDER,
    sender: senderOf(index),
    requestBlock: '1000',
    requestTxHash: hashOf(index),
    state: tookS === undefined ? PENDING : COMPLETED,
    ...given,
  };
  const { keeper, networkId, provider, sequence, requestTxHash } = full;
  return { ...full, key: `${keeper}/${networkId}/${provider}/${sequence}/${requestTxHash}` };
}

/** `count` rows, the first with the number `from`. */
export function rows(
  count: number,
  from: number,
  change: Change | ((index: number) => Change) = {},
): LoggedRow[] {
  return Array.from({ length: count }, (_, step) =>
    row(from + step, typeof change === 'function' ? change(step) : change),
  );
}

export function known<T>(value: T, query = 'limit=1', atMs = NOW): Piece<T> & { kind: 'known' } {
  return { kind: 'known', value, query, atMs };
}

export const all = (list: LoggedRow[], missing = 0, unreadable = 0) =>
  known({ rows: list, missing, unreadable });

export const around = (list: LoggedRow[], missing = 0) =>
  known({ rows: list, missing, unreadable: 0, fromMs: NOW - 900_000, toMs: NOW });

export const finishedRows = (list: LoggedRow[], completeSinceMs = 0): Piece<FinishedRows> =>
  known({ rows: list, completeSinceMs });

/** Finished rows that say nothing but how long requests take: old ones, of senders and numbers of their own. */
export const durations = (seconds: number[]): Piece<FinishedRows> =>
  finishedRows(
    seconds.map((tookS, index) => row(1_000_000 + index, { ageS: 50_000, tookS, provider: '0x01' })),
  );

export function evidence(given: Partial<Evidence> = {}): Evidence {
  return { ...noEvidence('not asked'), ...given };
}

/** Asks a rule at `NOW` with the usual settings. */
export function ask(rule: Rule, request: LoggedRow, given: Partial<Evidence> = {}) {
  return rule(request, evidence(given), USUAL_SETTINGS, NOW);
}

export function network(networkId = BASE, given: Partial<NetworkEvidence> = {}): NetworkEvidence {
  const missing = { kind: 'missing', why: 'not asked' } as const;
  return { networkId, newest: missing, lastDay: missing, finished: missing, counts: [], ...given };
}

export function keeper(list: LoggedRow[], networks: NetworkEvidence[] = [network()]): KeeperEvidence {
  return { keeper: 'main', pending: all(list), networks };
}

/** The same rows, and how often anything of any of them has been read. */
export function countingReads(list: LoggedRow[]): { list: LoggedRow[]; reads: () => number } {
  let reads = 0;
  const get = (target: LoggedRow, name: string | symbol, self: unknown): unknown => {
    reads += 1;
    return Reflect.get(target, name, self);
  };
  return { list: list.map((one) => new Proxy(one, { get })), reads: () => reads };
}
