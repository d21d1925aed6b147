import { COLUMN_IDS, type ColumnLayout, DENSITIES, formatColumns, readColumns } from './requests-columns';
import { type Report, single } from './requests-params';
import type { Cell, Within } from './requests-url';

/** Nothing is filtered within the loaded rows. */
export function noWithin(): Within {
  return { only: [], not: [] };
}

/** Whether two cells name the same value of the same column. */
export function isSameCell(a: Cell, b: Cell): boolean {
  return a.column === b.column && a.value === b.value;
}

/** `only=column:value`, `not=column:value` (each repeatable) and `gas=MIN-MAX`. */
export function withinOf(params: URLSearchParams, report: Report): Within {
  return {
    only: cellsOf(params, 'only', report),
    not: cellsOf(params, 'not', report),
    ...gasOf(single(params, 'gas', report), report),
  };
}

function cellsOf(params: URLSearchParams, name: 'only' | 'not', report: Report): Cell[] {
  const cells: Cell[] = [];
  for (const text of params.getAll(name)) {
    if (text === '') continue;
    const cell = readCell(text);
    if (cell === undefined) report(name, text, 'This is a column and a value, such as sender:0x….');
    else if (!cells.some((known) => isSameCell(known, cell))) cells.push(cell);
  }
  return cells;
}

function readCell(text: string): Cell | undefined {
  const colon = text.indexOf(':');
  const column = COLUMN_IDS.find((id) => id === text.slice(0, Math.max(0, colon)));
  const value = text.slice(colon + 1);
  return column === undefined || value === '' ? undefined : { column, value };
}

/** Digits are bounded, so that no pasted megabyte reaches BigInt. */
const GAS = /^(\d{0,40})-(\d{0,40})$/;

function gasOf(text: string | undefined, report: Report): Pick<Within, 'gasMin' | 'gasMax'> {
  if (text === undefined) return {};
  const [, low = '', high = ''] = GAS.exec(text) ?? [];
  if (low === '' && high === '') {
    report('gas', text, 'Gas limits are given as 100000-500000, 100000- or -500000.');
    return {};
  }
  if (low !== '' && high !== '' && BigInt(low) > BigInt(high)) {
    report('gas', text, 'The highest gas limit is below the lowest, so nothing can be found.', true);
  }
  return {
    ...(low === '' ? {} : { gasMin: BigInt(low).toString() }),
    ...(high === '' ? {} : { gasMax: BigInt(high).toString() }),
  };
}

/** Writes what `withinOf` reads. */
export function appendWithin(params: URLSearchParams, { only, not, gasMin, gasMax }: Within): void {
  for (const { column, value } of only) params.append('only', `${column}:${value}`);
  for (const { column, value } of not) params.append('not', `${column}:${value}`);
  if (gasMin !== undefined || gasMax !== undefined) params.append('gas', `${gasMin ?? ''}-${gasMax ?? ''}`);
}

/** `cols` and `density`; undefined when no column is named. */
export function columnsOf(params: URLSearchParams, report: Report): ColumnLayout | undefined {
  const text = single(params, 'cols', report);
  const wanted = single(params, 'density', report);
  const density = DENSITIES.find((known) => known === wanted);
  const columns =
    text === undefined ? [] : readColumns(text, (part, message) => report('cols', part, message));
  if (wanted !== undefined && density === undefined) {
    report('density', wanted, `Rows are ${DENSITIES.join(', ')}.`);
  } else if (wanted !== undefined && columns.length === 0) {
    report('density', wanted, 'A density has no effect without columns (cols).');
  }
  return columns.length === 0 ? undefined : { columns, density: density ?? 'normal' };
}

/** Writes what `columnsOf` reads. A layout without columns says nothing. */
export function appendColumns(params: URLSearchParams, layout: ColumnLayout | undefined): void {
  if (layout === undefined || layout.columns.length === 0) return;
  params.append('cols', formatColumns(layout.columns));
  if (layout.density !== 'normal') params.append('density', layout.density);
}
