import 'server-only';
import { isoOfMicros, readRowText, withFirstFinish } from '@/lib/core/request-record';
import { escapeFormula } from '@/lib/core/text';
import { COLUMN_SCHEMA } from '@/lib/requests/column-schema';
import { COLUMN_IDS, type ColumnId } from '@/lib/requests/columns';
import type { ExportFormat } from '@/lib/requests/export-url';
import type { ListedRecord } from '@/lib/requests/requests-response';

export type ExportMeta = {
  /** The view as an address of this dashboard, pinned to `asof`. */
  query: string;
  asof: string;
  /** ISO time up to which every keeper was read; null if one never was. Rows served later may be missing. */
  readUpTo: string | null;
  started: string;
  order: 'created_at, newest first';
  keepers: string[];
  expected: number;
};

/** A file without this was cut off. */
export type ExportEnd = {
  finished: string;
  expected: number;
  written: number;
  /** Written as the service's JSON. */
  unreadable: number;
  /** The file has every match, and the index every row of the keepers in the requested time. */
  complete: boolean;
  problem: string | null;
};

/** Trailing lines of a CSV, one member each. The last one says whether the file is complete. */
const CSV_MARK_LINES = [
  ...(['query', 'asof', 'readUpTo', 'started', 'finished', 'order', 'keepers', 'expected'] as const),
  ...(['written', 'unreadable', 'problem', 'complete'] as const),
];

function markText(value: string | number | boolean | string[] | null): string {
  if (value === null) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  // CSV readers that know comments skip such a line only without comma, quote and line break.
  return [value]
    .flat()
    .join(' ')
    .replace(/[",;\s\p{Cc}]+/gu, ' ')
    .trim();
}

function cellsOf(id: ColumnId) {
  const { text, exports } = COLUMN_SCHEMA[id];
  return Object.entries(exports).map(([header, exported]) => {
    return { header, cell: exported.text ?? ((record: ListedRecord) => text(record)) };
  });
}

/** `problem`: why the row is unreadable. */
export type FileRow = { keeper: string; wire: string; finishedUs?: number | null; problem: string | null };

/** Made piece by piece. Each row ends with a line break. */
type ExportText = {
  begin: (meta: ExportMeta) => string;
  rows: (rows: readonly FileRow[], networkName: (networkId: string) => string) => string;
  end: (meta: ExportMeta, end: ExportEnd) => string;
};

export function exportText(
  format: Exclude<ExportFormat, 'parquet'>,
  columns: readonly ColumnId[] = COLUMN_IDS,
): ExportText {
  if (format === 'csv') return csvText(columns);
  if (format === 'json') return jsonText();
  return {
    begin: () => '',
    rows: (rows) => rows.map((row) => `${rowJson(row)}\n`).join(''),
    end: (meta, end) => `${JSON.stringify({ meta: { ...meta, ...end } })}\n`,
  };
}

function jsonText(): ExportText {
  let written = 0;
  return {
    begin: (meta) => `{"meta":${JSON.stringify(meta)},"requests":[`,
    rows: (rows) => rows.map((row) => `${written++ === 0 ? '' : ','}\n${rowJson(row)}`).join(''),
    end: (_meta, end) => `\n],"end":${JSON.stringify(end)}}\n`,
  };
}

/** Edited as text, so that numbers are not rewritten. Of two members `keeper`, parsers use the last. */
function rowJson({ keeper, wire, finishedUs = null, problem }: FileRow): string {
  const name = JSON.stringify(keeper);
  const finished = finishedUs === null ? '' : `,"first_finished_at":"${isoOfMicros(finishedUs)}"`;
  if (problem === null) return `${wire.slice(0, -1)},"keeper":${name}${finished}}`;
  return `{"unreadable":${wire},"problem":${JSON.stringify(problem)},"keeper":${name}}`;
}

/** A lone surrogate, which UTF-8 can't contain, from an escape in the JSON. */
const HALF_CHARACTER = /\p{Surrogate}/u;
const ESCAPE = '\\u';
const INEXACT = 'A text has characters that a cell can’t hold.';

/** Needs neither quotes nor an apostrophe, like most cells. */
const PLAIN_CELL = /^[0-9A-Za-z][0-9A-Za-z .:_-]*$/;
const NEEDS_QUOTES = /[",\r\n]/;

function csvField(cell: string): string {
  if (cell === '' || PLAIN_CELL.test(cell)) return cell;
  const safe = escapeFormula(cell);
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const csvLine = (cells: readonly string[]) => `${cells.map(csvField).join(',')}\n`;

/** CSV without a byte order mark, which scripts would read as part of the first header. The keeper comes first. */
function csvText(columns: readonly ColumnId[]): ExportText {
  const chosen = columns.flatMap(cellsOf);
  const blanks = chosen.map(() => '');
  const line = ({ keeper, wire, finishedUs, problem }: FileRow, networkName: (id: string) => string) => {
    const row = withFirstFinish(readRowText(wire), finishedUs);
    if (row.kind === 'unreadable') return csvLine([keeper, ...blanks, problem ?? row.problem, wire]);
    const name = networkName(row.networkId);
    const record: ListedRecord = { ...row, keeper };
    const cells = chosen.map(({ cell }) => cell(record, name) ?? '');
    const isExact = !wire.includes(ESCAPE) || !cells.some((cell) => HALF_CHARACTER.test(cell));
    return csvLine([keeper, ...cells, ...(isExact ? ['', ''] : [INEXACT, wire])]);
  };
  return {
    begin: () => csvLine(['keeper', ...chosen.map(({ header }) => header), 'problem', 'raw']),
    rows: (rows, networkName) => rows.map((row) => line(row, networkName)).join(''),
    end: (meta, end) => {
      const values = { ...meta, ...end };
      const marks = CSV_MARK_LINES.map((name) =>
        csvLine([`# ${name}: ${markText(values[name])}`, ...blanks, '', '']),
      );
      return marks.join('');
    },
  };
}
