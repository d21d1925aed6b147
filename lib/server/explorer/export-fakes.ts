import type { ListedRow } from '@/lib/contract/codec/listing';
import { type Outcome, ok } from '@/lib/domain/outcome';
import { readLogPage } from '@/lib/domain/request-record';
import { parseIsoTime } from '@/lib/domain/units';
import type { LogFilter, LogSource } from './log-source';

/** A row of the fake log: what its filters look at. */
export type FakeRow = { sequence: number; ms: number; network: string; state: string };

const RECORD_STATE: Record<string, string> = {
  Pending: '{"state":"pending"}',
  Failed: '{"state":"failed","reason":"Reverted"}',
  Completed: '{"state":"completed","callback_failed":false,"gas_used":"123"}',
  CallbackErrored: '{"state":"completed","callback_failed":true}',
};

/** A row as the service writes it; `written` turns its time into text. */
export function fakeRowText(row: FakeRow, written: (ms: number) => string = isoOf): string {
  return `{"network_id":"${row.network}","sequence":${row.sequence},"created_at":"${written(row.ms)}","provider":"0xaa","request_tx_hash":"0x${row.sequence}","state":${RECORD_STATE[row.state] ?? `{"state":"${row.state}"}`}}`;
}

const isoOf = (ms: number) => new Date(ms).toISOString();

/** A log in memory that answers like the service, and may change before any answer. */
export class FakeLog implements LogSource {
  rows: FakeRow[] = [];
  calls = 0;
  /** Called before each answer with its number, from 1. */
  beforeAnswer: (call: number) => void = () => {};
  /** An outcome in place of the answer. */
  failWith: (call: number) => Outcome<never> | undefined = () => undefined;
  /** Rows in front of every list. */
  odd: string[] = [];
  written: (ms: number) => string = isoOf;

  constructor(readonly keeper = 'main') {}

  async page(filter: LogFilter, limit: number, offset: number) {
    this.calls += 1;
    this.beforeAnswer(this.calls);
    const failure = this.failWith(this.calls);
    if (failure !== undefined) return failure;
    const texts = [
      ...this.odd,
      ...this.matching(filter).map((row) => fakeRowText(row, (ms) => this.written(ms))),
    ];
    const page = readLogPage(
      `{"requests":[${texts.slice(offset, offset + limit).join(',')}],"total_results":${texts.length}}`,
    );
    if (!page.ok) return page;
    const rows = page.value.rows.map((row): ListedRow => {
      return { ...row, keeper: this.keeper, key: `${this.keeper}/${row.key.replace(/#\d+$/, '')}` };
    });
    return ok({ rows, total: page.value.total });
  }

  async count(filter: LogFilter) {
    const page = await this.page(filter, 1, 0);
    return page.ok ? ok(page.value.total ?? '0') : page;
  }

  /** Newest first; of the same moment the higher sequence. */
  matching({ networkId, state, min, max }: LogFilter): FakeRow[] {
    const [from, to] = [parseIsoTime(min ?? '') ?? -Infinity, parseIsoTime(max ?? '') ?? Infinity];
    return this.rows
      .filter((row) => networkId === undefined || row.network === networkId)
      .filter((row) => state === undefined || row.state === state)
      .filter((row) => row.ms >= from && row.ms <= to)
      .sort((a, b) => b.ms - a.ms || b.sequence - a.sequence);
  }
}
