import { badRequest, type Outcome, ok } from '@/lib/core/outcome';
import { defaultRequestsView, formatRequestsUrl, omit, parseRequestsUrl, type RequestsView } from './view';

/** `csv`: a table for spreadsheets. `ndjson`: a JSON record per line. `json`: one JSON object. `parquet`: typed columns. */
export const EXPORT_FORMATS = ['csv', 'ndjson', 'json', 'parquet'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const EXPORT_PATH = '/api/view/requests/export';

/** Response header: how many rows the export expects to write, decimal digits. */
export const EXPECTED_HEADER = 'x-export-expected';

/** Parameters of a page of the table that say nothing about which rows match, so an export leaves them out. */
const OF_THE_PAGE = ['page', 'size', 'sort', 'open', 'live', 'zone', 'expected'];

export type ExportAsk = {
  /** Only its rows count: first page, newest first. `columns` are those of a CSV or Parquet file; absent for all. */
  view: RequestsView;
  format: ExportFormat;
};

export function exportedView(view: RequestsView): RequestsView {
  const { page, size, sort } = defaultRequestsView();
  return { ...omit(view, 'open', 'live', 'zone', 'expected'), page, size, sort };
}

export function exportUrl(view: RequestsView, format: ExportFormat): string {
  const query = new URLSearchParams(formatRequestsUrl(exportedView(view)).split('?')[1]);
  query.set('format', format);
  return `${EXPORT_PATH}?${query}`;
}

/** What cannot be read is refused (`bad-request`): a file would not show that it answers another question. */
export function readExportUrl(params: URLSearchParams): Outcome<ExportAsk> {
  const own = new URLSearchParams(params);
  const format = EXPORT_FORMATS.find((known) => known === (own.get('format') ?? 'csv'));
  if (format === undefined) return badRequest('format is one of csv, ndjson, json and parquet.');
  for (const name of ['format', ...OF_THE_PAGE]) own.delete(name);
  const { view, problems } = parseRequestsUrl(own);
  const unread = problems.find((problem) => problem.used === undefined);
  if (unread !== undefined) return badRequest(`${unread.param}: ${unread.message}`);
  return ok({ view: exportedView(view), format });
}
