/** Every column of the log table, in the order in which they are offered. */
export const COLUMN_IDS = [
  'keeper',
  'network',
  'sequence',
  'created',
  'updated',
  'duration',
  'state',
  'sender',
  'provider',
  'request-tx',
  'reveal-tx',
  'block',
  'gas-limit',
  'gas-used',
  'gas-share',
  'failure',
  'user-random',
  'provider-random',
  'random-number',
] as const;

export type ColumnId = (typeof COLUMN_IDS)[number];

/** What is shown, in this order. `width` in CSS pixels where it was changed; pinned ones stay at the left edge. */
export type ColumnLayout = {
  columns: { id: ColumnId; width?: number; pinned?: true }[];
  density: 'compact' | 'normal' | 'roomy';
};

export const DENSITIES: readonly ColumnLayout['density'][] = ['compact', 'normal', 'roomy'];

/** Widths that a column can be given, in CSS pixels. */
export const MIN_COLUMN_PX = 40;
export const MAX_COLUMN_PX = 2000;

/** The columns as one text, as links and the browser's memory hold them: `network*,sequence~180,created`. */
export function formatColumns(columns: ColumnLayout['columns']): string {
  return columns
    .map(({ id, width, pinned }) => `${id}${pinned === undefined ? '' : '*'}${widthText(width)}`)
    .join(',');
}

function widthText(width: number | undefined): string {
  return width === undefined ? '' : `~${boundedWidth(width)}`;
}

/** A width in whole pixels within what a column can have. */
export function boundedWidth(width: number): number {
  return Math.min(MAX_COLUMN_PX, Math.max(MIN_COLUMN_PX, Math.round(width)));
}

const COLUMN = /^([a-z-]{1,40})(\*?)(?:~(\d{1,4}))?$/;

/**
 * Reads the text of `formatColumns`. A part that names no column, names one again or has a width out of bounds is left
 * out and handed to `onProblem` with a sentence; none may be left.
 */
export function readColumns(
  text: string,
  onProblem: (part: string, message: string) => void,
): ColumnLayout['columns'] {
  const columns: ColumnLayout['columns'] = [];
  for (const part of text.split(',')) {
    const [, name, star, digits] = COLUMN.exec(part) ?? [];
    const id = COLUMN_IDS.find((known) => known === name);
    const width = digits === undefined ? undefined : Number(digits);
    if (id === undefined) onProblem(part, 'There is no such column.');
    else if (columns.some((column) => column.id === id)) onProblem(part, 'This column is named twice.');
    else if (width !== undefined && width !== boundedWidth(width)) {
      onProblem(part, `A column is ${MIN_COLUMN_PX} to ${MAX_COLUMN_PX} pixels wide.`);
    } else
      columns.push({
        id,
        ...(width === undefined ? {} : { width }),
        ...(star === '*' ? { pinned: true } : {}),
      });
  }
  return columns;
}
