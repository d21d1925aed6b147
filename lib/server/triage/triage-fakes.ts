/** A log service in memory and a gatherer over it, for tests: filters, order and paging as the real one's, and its faults. */
import { settingsWith } from '@/lib/domain/diagnosis/diagnosis-settings';
import { type Failure, failed, type Outcome, ok } from '@/lib/domain/outcome';
import type { LogPage, LogRow, RequestState } from '@/lib/domain/request-record';
import { parseIsoTime } from '@/lib/domain/units';
import { createLogSource } from '@/lib/server/explorer/log-source';
import type { CallPriority } from '@/lib/upstream/call-budget';
import { ManualTimers } from '@/lib/upstream/manual-timers';
import { type GatherEdges, Gatherer } from './gatherer';
import { TriageView } from './triage-view';

export const START_MS = Date.UTC(2026, 10, 20, 12);
export const PROVIDER = `0x${'cd'.repeat(20)}`;

export type FakeRequest = {
  networkId: string;
  sequence: number;
  createdMs: number;
  /** Unset: pending. */
  finishedMs?: number;
  sender?: number;
  tx?: number;
  unreadable?: true;
};

export const hex = (number: number, bytes: number) => `0x${number.toString(16).padStart(bytes * 2, '0')}`;

export class FakeLog {
  readonly keeper: string;
  rows: FakeRequest[];
  #sorted: { of?: FakeRequest[]; length: number; list: readonly FakeRequest[] } = { length: 0, list: [] };
  readonly calls: { query: URLSearchParams; priority: CallPriority }[] = [];
  /** What a call is answered with instead, if anything. */
  fault: (query: URLSearchParams, call: number) => Failure | undefined = () => undefined;
  /** Runs before each answer; what it returns is waited for. */
  beforeAnswer: (call: number) => Promise<void> | void = () => {};

  constructor(keeper: string, rows: FakeRequest[]) {
    this.keeper = keeper;
    this.rows = rows;
  }

  readonly client = {
    logs: async (text: string, priority: CallPriority): Promise<Outcome<LogPage>> => {
      const query = new URLSearchParams(text);
      this.calls.push({ query, priority });
      const call = this.calls.length;
      await this.beforeAnswer(call);
      const fault = this.fault(query, call);
      return fault === undefined ? this.#answer(query) : failed(fault);
    },
  };

  #inOrder(): readonly FakeRequest[] {
    if (this.#sorted.of !== this.rows || this.#sorted.length !== this.rows.length) {
      const list = this.rows.toSorted(
        (one, other) => other.createdMs - one.createdMs || other.sequence - one.sequence,
      );
      this.#sorted = { of: this.rows, length: this.rows.length, list };
    }
    return this.#sorted.list;
  }

  #answer(query: URLSearchParams): Outcome<LogPage> {
    const all = this.#inOrder().filter(filterOf(query));
    const [limit, offset] = [Number(query.get('limit')), Number(query.get('offset'))];
    if (!(limit >= 1 && limit <= 1000)) throw new RangeError(`limit ${limit}`);
    return ok({ rows: all.slice(offset, offset + limit).map(rowOf), total: String(all.length) });
  }
}

function stateOf({ finishedMs }: FakeRequest): RequestState {
  return finishedMs === undefined ? { kind: 'pending' } : { kind: 'completed', callback: 'ok' };
}

function filterOf(query: URLSearchParams): (row: FakeRequest) => boolean {
  const [network, state, search] = [query.get('network_id'), query.get('state'), query.get('query')];
  const min = parseIsoTime(query.get('min_timestamp') ?? '') ?? 0;
  const max = parseIsoTime(query.get('max_timestamp') ?? '') ?? Number.MAX_SAFE_INTEGER;
  const isFound = ({ sequence, sender = 1, tx = sequence }: FakeRequest) =>
    search === String(sequence) || search === hex(sender, 20) || search === hex(tx, 32);
  return (row) =>
    (network === null || row.networkId === network) &&
    (state === null || state === (row.finishedMs === undefined ? 'Pending' : 'Completed')) &&
    row.createdMs >= min &&
    row.createdMs <= max &&
    (search === null || isFound(row));
}

export function rowOf(request: FakeRequest): LogRow {
  const { networkId, sequence, createdMs, finishedMs, sender = 1, tx = sequence, unreadable } = request;
  const rawJson = JSON.stringify({ networkId, sequence });
  if (unreadable) return { kind: 'unreadable', key: `unreadable/${sequence}`, rawJson, problem: 'odd' };
  const at = (ms: number) => ({ text: new Date(ms).toISOString(), ms });
  return {
    kind: 'record',
    key: `${networkId}/${PROVIDER}/${sequence}/${hex(tx, 32)}`,
    chainName: '',
    networkId,
    sequence: String(sequence),
    createdAt: at(createdMs),
    updatedAt: at(finishedMs ?? createdMs),
    gasLimit: '500000',
    provider: PROVIDER,
    sender: hex(sender, 20),
    requestBlock: '1000',
    requestTxHash: hex(tx, 32),
    state: stateOf(request),
    extra: {},
    rawJson,
  };
}

/** `count` requests of a network, one every `everyMs` up to `untilMs`, the first of them the oldest. */
export function requests(
  networkId: string,
  count: number,
  untilMs: number,
  everyMs: number,
  change: (index: number) => Partial<FakeRequest> = () => ({}),
): FakeRequest[] {
  return Array.from({ length: count }, (_, index) => ({
    networkId,
    sequence: index,
    createdMs: untilMs - (count - 1 - index) * everyMs,
    ...change(index),
  }));
}

/** Requests that were answered after 4 seconds. */
export function finished(networkId: string, count: number, untilMs: number, everyMs: number): FakeRequest[] {
  return requests(networkId, count, untilMs, everyMs, (index) => ({
    sequence: 1_000_000 + index,
    createdMs: untilMs - (count - 1 - index) * everyMs,
    finishedMs: untilMs - (count - 1 - index) * everyMs + 4000,
    sender: 100 + (index % 7),
  }));
}

export const FAILING: Failure = { kind: 'failing', service: 'logs', detail: 'The service failed.' };
export const LIMITED: Failure = {
  kind: 'rate-limited',
  service: 'logs',
  detail: 'The service limits our calls.',
  retryAfterS: 30,
};

/** A gatherer over fake logs, with a clock of its own. */
export function world(logs: readonly FakeLog[], change: Partial<GatherEdges> = {}) {
  const timers = new ManualTimers();
  const now = () => START_MS + timers.elapsed();
  const settingsOf = () => settingsWith({});
  const sources = new Map(logs.map((log) => [log.keeper, createLogSource(log.keeper, log.client)]));
  const networkIds = () => Promise.resolve(failed<string[]>({ ...FAILING, kind: 'missing' }));
  const nextTurn = () => Promise.resolve();
  const gatherer = new Gatherer({ sources, networkIds, settingsOf, now, timers, nextTurn, ...change });
  const view = new TriageView({ gathered: () => gatherer.gathered, settingsOf, now, timers });
  const calls = () => logs.reduce((sum, log) => sum + log.calls.length, 0);
  return { timers, gatherer, view, now, calls };
}

/** Lets everything run that waits for nothing but the manual timers, which pass by `ms` at each step. */
export async function settle<T>(work: Promise<T> | undefined, timers: ManualTimers, ms = 100): Promise<T> {
  if (work === undefined) throw new Error('nothing was begun');
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  over.catch(() => {});
  for (let step = 0; step < 10_000 && !isOver; step += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    if (!isOver && timers.pending > 0) timers.advance(ms);
  }
  return over;
}
