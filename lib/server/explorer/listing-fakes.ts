/** A log service of rows in memory, for tests: filters, order and paging as the real one's, and its faults. */

import { type Failure, failed, type Outcome, ok } from '@/lib/domain/outcome';
import type { LogPage, LogRow } from '@/lib/domain/request-record';
import { parseIsoTime } from '@/lib/domain/units';
import { defaultRequestsView, type RequestsView } from '@/lib/requests/view';
import type { CallPriority } from '@/lib/upstream/call-budget';
import type { ListingSources } from './listing';
import { createLogSource } from './log-source';
import { createPagingMemory } from './paging-memory';
import { momentOf } from './time-order';

export type FakeRow = {
  id: number;
  networkId: string;
  /** As in a record; `Pending` and so on as the parameter. */
  state: string;
  createdAt: string;
  /** A row that has a place in the order but can't be read. */
  unreadable?: true;
};

export class FakeKeeper {
  readonly name: string;
  rows: FakeRow[];
  networks: string[] | undefined;
  /** Rows of one answer at most. */
  mostRows = 1000;
  givesTotals = true;
  /** What it answers to everything, while it is set. */
  failure: Failure | undefined;
  #sorted: { row: FakeRow; moment: string }[] = [];
  readonly calls: { query: URLSearchParams; priority: CallPriority }[] = [];
  /** Runs before every answer: the world moves on. */
  beforeAnswer: () => void = () => {};

  constructor(name: string, rows: FakeRow[]) {
    this.name = name;
    this.rows = rows;
  }

  readonly client = {
    logs: async (text: string, priority: CallPriority): Promise<Outcome<LogPage>> => {
      const query = new URLSearchParams(text);
      this.calls.push({ query, priority });
      this.beforeAnswer();
      return this.#answer(query);
    },
  };

  /** The rows of a query in the service's order. */
  matching(query: URLSearchParams): FakeRow[] {
    const [network, state] = [query.get('network_id'), query.get('state')];
    const [min, max] = [query.get('min_timestamp'), query.get('max_timestamp')];
    const [from, to] = [momentOf(min ?? '0000-01-01'), max === null ? '~' : momentOf(max)];
    return this.#inOrder().flatMap(({ row, moment }) => {
      const isWanted =
        (network === null || row.networkId === network) && (state === null || row.state === state);
      return isWanted && moment >= from && moment <= to ? [row] : [];
    });
  }

  #inOrder(): { row: FakeRow; moment: string }[] {
    if (this.#sorted.length !== this.rows.length) {
      this.#sorted = this.rows
        .map((row) => ({ row, moment: momentOf(row.createdAt) }))
        .sort((a, b) => compareText(b.moment, a.moment));
    }
    return this.#sorted;
  }

  #answer(query: URLSearchParams): Outcome<LogPage> {
    const network = query.get('network_id');
    if (network !== null && this.networks?.includes(network) === false) {
      const detail = 'The chain id is not supported';
      return failed({ kind: 'rejected', service: 'logs', upstreamStatus: 400, detail });
    }
    if (this.failure) return failed(this.failure);
    const all = this.matching(query);
    const [limit, offset] = [Number(query.get('limit')), Number(query.get('offset'))];
    if (!(limit >= 1 && limit <= 1000)) throw new RangeError(`limit ${limit}`);
    const rows = all.slice(offset, offset + Math.min(limit, this.mostRows)).map(rowOf);
    return ok({ rows, total: this.givesTotals ? String(all.length) : undefined });
  }
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function rowOf({ id, networkId, createdAt, unreadable }: FakeRow): LogRow {
  const rawJson = `{"id":${id}}`;
  if (unreadable) return { kind: 'unreadable', key: `unreadable/${id}`, rawJson, problem: 'odd' };
  const ms = parseIsoTime(createdAt);
  if (ms === undefined) throw new RangeError(createdAt);
  return {
    kind: 'record',
    key: `${networkId}//${id}/`,
    chainName: '',
    networkId,
    sequence: String(id),
    createdAt: { text: createdAt, ms },
    state: { kind: 'pending' },
    extra: {},
    rawJson,
  };
}

export const NOW_MS = Date.UTC(2026, 10, 20, 8);

export function listingSources(
  keepers: readonly FakeKeeper[],
  nowMs = NOW_MS,
  elapsedMs = () => 0,
): ListingSources {
  const sources = new Map(keepers.map(({ name, client }) => [name, createLogSource(name, client)]));
  return { sources, memory: createPagingMemory(), nowMs, elapsedMs };
}

export function viewOf(change: Partial<RequestsView>): RequestsView {
  return { ...defaultRequestsView(), time: { kind: 'all' }, ...change };
}

/** The ids of the fake rows, by the JSON that they carry. */
export function idsOf(rows: readonly { rawJson: string }[]): number[] {
  return rows.map(({ rawJson }) => Number(/\d+/.exec(rawJson)?.[0]));
}

/**
 * The whole list of a view, made the plain way: all rows of all its queries, sorted by time, then part, then place. A row
 * that can't be read goes with the row before it.
 */
export function wholeList(keepers: readonly FakeKeeper[], view: RequestsView, max?: string): FakeRow[] {
  const chosen = view.keepers.length === 0 ? keepers.slice(0, 1) : view.keepers;
  const all: { row: FakeRow; moment: string; part: number }[] = [];
  let part = 0;
  for (const one of chosen) {
    const keeper = typeof one === 'string' ? keepers.find(({ name }) => name === one) : one;
    for (const network of view.networks.length === 0 ? [undefined] : view.networks) {
      for (const state of view.states.length === 0 ? [undefined] : view.states) {
        const query = new URLSearchParams({
          ...(network === undefined ? {} : { network_id: network }),
          ...(state === undefined ? {} : { state }),
          ...(max === undefined ? {} : { max_timestamp: max }),
        });
        let moment = '~';
        for (const row of keeper?.matching(query) ?? []) {
          if (!row.unreadable) moment = momentOf(row.createdAt);
          all.push({ row, moment, part });
        }
        part += 1;
      }
    }
  }
  // Sorting is stable: places within a part stay.
  return all.sort((a, b) => compareText(b.moment, a.moment) || a.part - b.part).map(({ row }) => row);
}

/** Numbers from 0 to 1 that a seed decides (mulberry32). */
export function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
