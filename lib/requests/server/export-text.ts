import 'server-only';
import { stringify } from 'csv-stringify/sync';
import { decodeFailure } from '@/lib/core/failure';
import { type RequestRecord, type RequestState, readLogPage, stateWord } from '@/lib/core/request-record';
import { disarmed } from '@/lib/core/text';
import { cellText } from '@/lib/requests/cell-text';
import { COLUMN_IDS, type ColumnId } from '@/lib/requests/columns';
import type { ExportFormat } from '@/lib/requests/export-url';

/** What an export says of itself before its rows: which question it answers, and when. */
export type ExportMeta = {
  /** The view as an address of this dashboard, pinned to `asof`: it shows the same rows. */
  query: string;
  /** ISO time: rows made later are not part of it. */
  asof: string;
  /** ISO time, our clock. */
  started: string;
  order: 'created_at, newest first';
  /** Names of the keepers that were asked. */
  keepers: string[];
  /** How many rows matched when it began. */
  expected: number;
};

/** What it says of itself after its rows. Without it a file was cut off. */
export type ExportEnd = {
  /** ISO time, our clock. */
  finished: string;
  expected: number;
  /** Rows in the file, unreadable ones included. */
  written: number;
  /** Rows among them that could not be read, and stand there as the service's JSON. */
  unreadable: number;
  /** True when every match is in the file, and the index holds every row of the keepers in the time that was asked for. */
  complete: boolean;
  /** Why it is not complete; null when it is. */
  problem: string | null;
};

/** Lines of a CSV after its rows, one member each, in this order. The last one says whether it is complete. */
export const CSV_MARK_LINES = [
  'query',
  'asof',
  'started',
  'finished',
  'order',
  'keepers',
  'expected',
  'written',
  'unreadable',
  'problem',
  'complete',
] as const;

/**
 * The end of a CSV as texts `# name: value`, for the first cell of a line each. They hold no comma, quote or line break,
 * so that readers with a comment sign skip them.
 */
export function csvMarkLines(meta: ExportMeta, end: ExportEnd): string[] {
  const values: Record<(typeof CSV_MARK_LINES)[number], string> = {
    query: meta.query,
    asof: meta.asof,
    started: meta.started,
    finished: end.finished,
    order: meta.order,
    keepers: meta.keepers.join(' '),
    expected: String(end.expected),
    written: String(end.written),
    unreadable: String(end.unreadable),
    problem: end.problem ?? 'none',
    complete: end.complete ? 'yes' : 'no',
  };
  return CSV_MARK_LINES.map((name) => `# ${name}: ${values[name].replace(/[",;\s\p{Cc}]+/gu, ' ').trim()}`);
}

/** A column of the CSV: its header, and its cell, empty where the service wrote nothing. */
type CsvColumn = { header: string; cell: (record: RequestRecord, networkName: string) => string | undefined };

type Completed = Extract<RequestState, { kind: 'completed' }>;

function ofCompleted(read: (state: Completed) => string | undefined) {
  return ({ state }: RequestRecord) => (state.kind === 'completed' ? read(state) : undefined);
}

const textOf = (id: ColumnId) => (record: RequestRecord) => cellText({ ...record, keeper: '' }, id);

/**
 * What stands for each column of the table. Times, hex and figures are the service's own text, every digit of it;
 * `duration_ms` is whole milliseconds from creation to the last update of finished requests, `gas_share_percent` the
 * gas used in percent of the gas limit, two decimals, rounded down as in the table.
 */
const COLUMNS: Record<ColumnId, CsvColumn[]> = {
  keeper: [],
  network: [
    { header: 'network', cell: (_record, networkName) => networkName },
    { header: 'network_id', cell: (record) => record.networkId },
    { header: 'chain_id', cell: (record) => record.chainName },
  ],
  sequence: [{ header: 'sequence', cell: (record) => record.sequence }],
  created: [{ header: 'created_at', cell: (record) => record.createdAt.text }],
  updated: [{ header: 'last_updated_at', cell: (record) => record.updatedAt?.text }],
  duration: [{ header: 'duration_ms', cell: textOf('duration') }],
  state: [{ header: 'state', cell: (record) => stateWord(record.state) }],
  sender: [{ header: 'sender', cell: (record) => record.sender }],
  provider: [{ header: 'provider', cell: (record) => record.provider }],
  'request-tx': [{ header: 'request_tx_hash', cell: (record) => record.requestTxHash }],
  'reveal-tx': [
    { header: 'reveal_tx_hash', cell: ofCompleted((state) => state.revealTxHash) },
    { header: 'reveal_block_number', cell: ofCompleted((state) => state.revealBlock) },
  ],
  block: [{ header: 'request_block_number', cell: (record) => record.requestBlock }],
  'gas-limit': [{ header: 'gas_limit', cell: (record) => record.gasLimit }],
  'gas-used': [
    { header: 'gas_used', cell: ofCompleted((state) => state.gasUsed) },
    { header: 'callback_gas_used', cell: ofCompleted((state) => state.callbackGasUsed) },
  ],
  'gas-share': [{ header: 'gas_share_percent', cell: textOf('gas-share') }],
  failure: [
    { header: 'failure', cell: (record) => decodeFailure(record)?.text },
    { header: 'failure_raw', cell: (record) => decodeFailure(record)?.raw },
  ],
  'user-random': [{ header: 'user_random_number', cell: (record) => record.userRandomNumber }],
  'provider-random': [{ header: 'provider_random_number', cell: textOf('provider-random') }],
  'random-number': [
    { header: 'combined_random_number', cell: ofCompleted((state) => state.combinedRandomNumber) },
  ],
};

/** One row of the CSV, its header too: always the keeper first, and what could not be read last. */
export type CsvCells = {
  header: string[];
  record: (keeper: string, record: RequestRecord, networkName: string) => string[];
  unreadable: (keeper: string, problem: string, rawJson: string) => string[];
};

/** @param columns in the order wanted; undefined for all */
export function csvCells(columns: readonly ColumnId[] = COLUMN_IDS): CsvCells {
  const chosen = columns.flatMap((id) => COLUMNS[id]);
  return {
    header: ['keeper', ...chosen.map(({ header }) => header), 'problem', 'raw'],
    record: (keeper, record, networkName) => [
      keeper,
      ...chosen.map(({ cell }) => cell(record, networkName) ?? ''),
      '',
      '',
    ],
    unreadable: (keeper, problem, rawJson) => [keeper, ...chosen.map(() => ''), problem, rawJson],
  };
}

/** A row and the keeper that logged it. `problem`: why it can't be read, where it can't. */
export type FileRow = { keeper: string; wire: string; problem: string | null };

/** The text of an export, piece by piece. Pieces of rows follow each other; each row ends with the line it stands on. */
export type ExportText = {
  begin: (meta: ExportMeta) => string;
  /** @param networkName by network id */
  rows: (rows: readonly FileRow[], networkName: (networkId: string) => string) => string;
  end: (meta: ExportMeta, end: ExportEnd) => string;
};

/** @param columns of a CSV; undefined for all */
export function exportText(
  format: Exclude<ExportFormat, 'parquet'>,
  columns?: readonly ColumnId[],
): ExportText {
  switch (format) {
    case 'csv':
      return csvText(csvCells(columns));
    case 'ndjson':
      return {
        begin: () => '',
        rows: (rows) => rows.map((row) => `${rowJson(row)}\n`).join(''),
        end: (meta, end) => `${JSON.stringify({ meta: { ...meta, ...end } })}\n`,
      };
    case 'json':
      return jsonText();
  }
}

function jsonText(): ExportText {
  let separator = '\n';
  return {
    begin: (meta) => `{"meta":${JSON.stringify(meta)},"requests":[`,
    rows: (rows) =>
      rows
        .map((row) => {
          const text = separator + rowJson(row);
          separator = ',\n';
          return text;
        })
        .join(''),
    end: (_meta, end) => `\n],"end":${JSON.stringify(end)}}\n`,
  };
}

/**
 * The service's own JSON of a row with the member `keeper` added at its end, as text, so that no number is written anew. If
 * the service should ever write a `keeper` itself, both stand there, and parsers take the last.
 */
function rowJson({ keeper, wire, problem }: FileRow): string {
  const name = JSON.stringify(keeper);
  if (problem === null) return `${wire.slice(0, -1)},"keeper":${name}}`;
  return `{"unreadable":${wire},"problem":${JSON.stringify(problem)},"keeper":${name}}`;
}

/**
 * Comma, double quotes, line feeds, UTF-8. No byte order mark: a script would find it in the name of the first column,
 * and all but free texts of contracts is ASCII.
 */
function csvText(cells: CsvCells): ExportText {
  const blanks = cells.header.slice(1).map(() => '');
  const lines = (records: string[][]) =>
    stringify(
      records.map((record) => record.map(disarmed)),
      // Naming the line feed, which is the default, would leave carriage returns without quotes.
      { escape_formulas: true },
    );
  return {
    begin: () => lines([cells.header]),
    rows: (rows, networkName) => {
      const records = recordsOf(rows);
      const cellsOf = ({ keeper, wire, problem }: FileRow, at: number) => {
        const row = records[at];
        return row?.kind === 'record'
          ? cells.record(keeper, row, networkName(row.networkId))
          : cells.unreadable(keeper, problem ?? row?.problem ?? '', wire);
      };
      return rows.length === 0 ? '' : lines(rows.map(cellsOf));
    },
    end: (meta, end) => lines(csvMarkLines(meta, end).map((line) => [line, ...blanks])),
  };
}

function recordsOf(rows: readonly FileRow[]) {
  const page = readLogPage(`{"requests":[${rows.map(({ wire }) => wire).join(',')}],"total_results":0}`);
  return page.ok ? page.value.rows : [];
}
