import 'server-only';
import { stringify } from 'csv-stringify/sync';
import { disarmed } from '@/lib/domain/csv-disarm';
import type { ColumnId } from '@/lib/requests/columns';
import { csvMarkLines, type ExportEnd, type ExportMeta } from '@/lib/requests/export-mark';
import type { ExportFormat } from '@/lib/requests/export-url';
import { type CsvCells, csvCells } from './export-cells';
import type { WalkRow } from './export-walk';

/** The text of an export, piece by piece. Pieces of rows follow each other; each row ends with the line it stands on. */
export type ExportText = {
  contentType: string;
  begin: (meta: ExportMeta) => string;
  /** @param networkName by network id */
  rows: (rows: readonly WalkRow[], networkName: (networkId: string) => string) => string;
  end: (meta: ExportMeta, end: ExportEnd) => string;
};

/** @param columns of a CSV; undefined for all */
export function exportText(format: ExportFormat, columns?: readonly ColumnId[]): ExportText {
  switch (format) {
    case 'csv':
      return csvText(csvCells(columns));
    case 'ndjson':
      return {
        contentType: 'application/x-ndjson; charset=utf-8',
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
    contentType: 'application/json; charset=utf-8',
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
function rowJson({ row, keeper }: WalkRow): string {
  const name = JSON.stringify(keeper);
  if (row.kind === 'record') return `${row.rawJson.slice(0, -1)},"keeper":${name}}`;
  return `{"unreadable":${row.rawJson},"problem":${JSON.stringify(row.problem)},"keeper":${name}}`;
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
    contentType: 'text/csv; charset=utf-8',
    begin: () => lines([cells.header]),
    rows: (rows, networkName) =>
      rows.length === 0
        ? ''
        : lines(
            rows.map(({ row, keeper }) =>
              row.kind === 'record'
                ? cells.record(keeper, row, networkName(row.networkId))
                : cells.unreadable(keeper, row.problem, row.rawJson),
            ),
          ),
    end: (meta, end) => lines(csvMarkLines(meta, end).map((line) => [line, ...blanks])),
  };
}
