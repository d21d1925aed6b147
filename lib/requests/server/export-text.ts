import 'server-only';
import { stringify } from 'csv-stringify/sync';
import { readLogPage } from '@/lib/core/request-record';
import { disarmed } from '@/lib/core/text';
import type { ColumnId } from '@/lib/requests/columns';
import { csvMarkLines, type ExportEnd, type ExportMeta } from '@/lib/requests/export-mark';
import type { ExportFormat } from '@/lib/requests/export-url';
import { type CsvCells, csvCells } from './export-cells';

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

/** The rows as the domain reads them, in their order. */
function recordsOf(rows: readonly FileRow[]) {
  const page = readLogPage(`{"requests":[${rows.map(({ wire }) => wire).join(',')}],"total_results":0}`);
  return page.ok ? page.value.rows : [];
}
