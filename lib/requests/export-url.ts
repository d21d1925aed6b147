import { badRequest, type Outcome, ok } from '@/lib/core/outcome';
import { defaultRequestsView, omit, type RequestsView } from './view';
import { formatRequestsUrl, parseRequestsUrl } from './view-url';

/** `csv`: for spreadsheets. `ndjson`: one JSON record per line. `json`: one JSON object. `parquet`: typed columns. */
export const EXPORT_FORMATS = ['csv', 'ndjson', 'json', 'parquet'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

const EXPORT_PATH = '/api/view/requests/export';

/** Header with the number of rows that the export expects to write, decimal digits. */
export const EXPECTED_HEADER = 'x-export-expected';

/** Parameters that do not affect which rows match. */
const PAGE_PARAMS = ['page', 'size', 'sort', 'open', 'live', 'zone', 'expected'];

type ExportParams = {
  /** An export, always from the first page, newest first. `columns` applies to CSV and Parquet; all by default. */
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

/** Unreadable values are refused (`bad-request`): a file could not show that it answers a different query. */
export function readExportUrl(params: URLSearchParams): Outcome<ExportParams> {
  const viewParams = new URLSearchParams(params);
  const format = EXPORT_FORMATS.find((value) => value === (viewParams.get('format') ?? 'csv'));
  if (format === undefined) return badRequest('format is one of csv, ndjson, json and parquet.');
  for (const name of ['format', ...PAGE_PARAMS]) viewParams.delete(name);
  const { view, problems } = parseRequestsUrl(viewParams);
  const unread = problems.find((problem) => problem.used === undefined);
  if (unread !== undefined) return badRequest(`${unread.param}: ${unread.message}`);
  return ok({ view: exportedView(view), format });
}
