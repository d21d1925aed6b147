/** A log in memory, for tests: it compares times to the nanosecond, by its own reading of them. */
import type { ListedRow } from '@/lib/contract/codec/listing';
import { type Failure, failed, type Outcome, ok } from '@/lib/domain/outcome';
import type { RequestState } from '@/lib/domain/request-record';
import type { RequestsView } from '@/lib/requests/view';
import { defaultRequestsView } from '@/lib/requests/view';
import type { LogFilter, LogSource, SourcePage } from './log-source';

export type FakeRow = { at: string; state: string; networkId?: string };

const STATES: Record<string, RequestState> = {
  Pending: { kind: 'pending' },
  Completed: { kind: 'completed', callback: 'ok' },
  CallbackErrored: { kind: 'completed', callback: 'failed' },
  Failed: { kind: 'failed' },
};

const known = new Map<string, bigint>();

/** Nanoseconds of `2026-11-20T08:00:00Z` with a fraction of up to nine digits. */
export function nanosOf(iso: string): bigint {
  const seen = known.get(iso);
  if (seen !== undefined) return seen;
  const [, second = '', fraction = ''] = /^(.{19})(?:\.(\d+))?Z$/.exec(iso) ?? [];
  const nanos = BigInt(Date.parse(`${second}Z`)) * 1_000_000n + BigInt(fraction.slice(0, 9).padEnd(9, '0'));
  known.set(iso, nanos);
  return nanos;
}

export class FakeLog implements LogSource {
  readonly keeper: string;
  rows: FakeRow[];
  /** Every count that was asked for. */
  asked: LogFilter[] = [];
  pages = 0;
  underWay = 0;
  mostUnderWay = 0;
  /** What the next counts come to, instead of the rows; and a way to hold them back. */
  answer: (filter: LogFilter) => Promise<Outcome<string> | undefined> = async () => undefined;

  constructor(rows: FakeRow[] = [], keeper = 'main') {
    this.rows = rows;
    this.keeper = keeper;
  }

  /** Newest first. */
  matches(filter: LogFilter): FakeRow[] {
    return this.#matching(filter).sort((a, b) => Number(nanosOf(b.at) - nanosOf(a.at)));
  }

  #matching({ networkId, state, min, max }: LogFilter): FakeRow[] {
    const from = min === undefined ? undefined : nanosOf(min);
    const to = max === undefined ? undefined : nanosOf(max);
    return this.rows.filter(
      (row) =>
        (networkId === undefined || (row.networkId ?? '1') === networkId) &&
        (state === undefined || row.state === state) &&
        (from === undefined || nanosOf(row.at) >= from) &&
        (to === undefined || nanosOf(row.at) <= to),
    );
  }

  async count(filter: LogFilter): Promise<Outcome<string>> {
    this.asked.push(filter);
    this.underWay += 1;
    this.mostUnderWay = Math.max(this.mostUnderWay, this.underWay);
    const answer = (await this.answer(filter)) ?? ok(String(this.#matching(filter).length));
    this.underWay -= 1;
    return answer;
  }

  async page(filter: LogFilter, limit: number, offset: number): Promise<Outcome<SourcePage>> {
    this.pages += 1;
    const rows = this.matches(filter);
    const places = new Map(this.rows.map((row, place) => [row, place]));
    const listed = rows
      .slice(offset, offset + limit)
      .map((row) => this.#listed(row, `${this.keeper}/${places.get(row)}`));
    return ok({ rows: listed, total: String(rows.length) });
  }

  #listed(row: FakeRow, key: string): ListedRow {
    if (row.state === 'unreadable') {
      return { kind: 'unreadable', key, keeper: this.keeper, rawJson: '{}', problem: 'no time' };
    }
    return {
      kind: 'record',
      key,
      keeper: this.keeper,
      chainName: '',
      networkId: row.networkId ?? '1',
      sequence: '1',
      createdAt: { text: row.at, ms: Number(nanosOf(row.at) / 1_000_000n) },
      state: STATES[row.state] ?? { kind: 'unknown', wireName: row.state },
      extra: {},
      rawJson: '{}',
    };
  }
}

export function tooMany(retryAfterS: number): Outcome<never> {
  return failed({ kind: 'too-many', detail: 'Too many calls are waiting here.', retryAfterS });
}

export const UNSUPPORTED: Failure = {
  kind: 'rejected',
  service: 'logs',
  detail: 'The chain id is not supported',
};

/** A view of the time between two ISO texts. */
export function viewBetween(from: string, to: string, change: Partial<RequestsView> = {}): RequestsView {
  return { ...defaultRequestsView(), time: { kind: 'between', from, to }, ...change };
}

/** Lets everything happen that needs no time. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

export async function listOf<T>(lines: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const line of lines) list.push(line);
  return list;
}
