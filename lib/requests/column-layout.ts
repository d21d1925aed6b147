import {
  boundedWidth,
  COLUMN_IDS,
  type ColumnId,
  type ColumnLayout,
  DENSITIES,
  formatColumns,
  readColumns,
} from './columns';
import type { RequestsView } from './view';

/** How the log table is laid out, and what can be done to that. Nothing here changes the layout it is given. */
export type LaidOutColumn = ColumnLayout['columns'][number];

/** What is shown where nobody has chosen anything. */
export const DEFAULT_LAYOUT: ColumnLayout = {
  columns: [
    { id: 'network', pinned: true },
    { id: 'sequence' },
    { id: 'created' },
    { id: 'state' },
    { id: 'duration' },
    { id: 'sender' },
    { id: 'request-tx' },
    { id: 'reveal-tx' },
    { id: 'failure' },
  ],
  density: 'normal',
};

/** Where this browser remembers its layout; the server reads it, so that the first HTML has the right columns. */
export const LAYOUT_COOKIE = 'ks-table';

const YEAR_S = 365 * 24 * 3600;
/** Far more than every column with a width and a pin takes; anything longer is not ours. */
const LONGEST_COOKIE = 2000;

/** The columns from left to right: pinned ones first, each group in its order. */
export function shownColumns(layout: ColumnLayout): readonly LaidOutColumn[] {
  return pinnedFirst(layout.columns);
}

function pinnedFirst(columns: readonly LaidOutColumn[]): LaidOutColumn[] {
  return [
    ...columns.filter((column) => column.pinned !== undefined),
    ...columns.filter((column) => column.pinned === undefined),
  ];
}

/**
 * Hides a column, or shows it behind the nearest one that is offered before it. The last column stays: a table without
 * any says nothing.
 */
export function toggleColumn(layout: ColumnLayout, id: ColumnId): ColumnLayout {
  const { columns } = layout;
  const others = columns.filter((column) => column.id !== id);
  if (others.length < columns.length) return others.length === 0 ? layout : { ...layout, columns: others };
  const before = COLUMN_IDS.slice(0, COLUMN_IDS.indexOf(id));
  const ordered = pinnedFirst(columns);
  const place = ordered.reduce((after, column, index) => (before.includes(column.id) ? index + 1 : after), 0);
  return { ...layout, columns: pinnedFirst(ordered.toSpliced(place, 0, { id })) };
}

/** Puts a column at a place (0 is the left edge) among the shown ones; pinned ones stay left of all others. */
export function moveColumn(layout: ColumnLayout, id: ColumnId, place: number): ColumnLayout {
  const ordered = pinnedFirst(layout.columns);
  const moved = ordered.find((column) => column.id === id);
  if (moved === undefined) return layout;
  const others = ordered.filter((column) => column !== moved);
  const bounded = Math.max(0, Math.min(others.length, place));
  return { ...layout, columns: pinnedFirst(others.toSpliced(bounded, 0, moved)) };
}

/** The layout while only failures are asked for: why they failed stands right behind the state. */
export function withFailures(
  layout: ColumnLayout,
  { states, failures }: Pick<RequestsView, 'states' | 'failures'>,
): ColumnLayout {
  const isFailure = (state: string) => state === 'failed' || state === 'callback-failed';
  if (failures.length === 0 && !(states.length > 0 && states.every(isFailure))) return layout;
  const others = layout.columns.filter(({ id }) => id !== 'failure');
  const failure = layout.columns.find(({ id }) => id === 'failure') ?? { id: 'failure' };
  const place = others.findIndex(({ id }) => id === 'state') + 1 || others.length;
  return { ...layout, columns: others.toSpliced(place, 0, failure) };
}

/** Holds a column at the left edge, or lets it go. */
export function pinColumn(layout: ColumnLayout, id: ColumnId): ColumnLayout {
  const columns = layout.columns.map(({ pinned, ...column }): LaidOutColumn => {
    const isPinned = pinned !== undefined;
    return isPinned === (column.id !== id) ? { ...column, pinned: true } : column;
  });
  return { ...layout, columns: pinnedFirst(columns) };
}

/** Gives columns these widths (CSS pixels, within what a column can have), and all others the usual one. */
export function withWidths(layout: ColumnLayout, widths: Readonly<Record<string, number>>): ColumnLayout {
  const columns = layout.columns.map(({ width: _, ...column }): LaidOutColumn => {
    const width = widths[column.id];
    return width === undefined ? column : { ...column, width: boundedWidth(width) };
  });
  return { ...layout, columns };
}

/** `normal:network*.sequence~180`: a comma may not stand in a cookie. Anything that is not wholly readable is the default. */
export function readLayoutCookie(text: string | undefined): ColumnLayout {
  if (text === undefined || text.length > LONGEST_COOKIE) return DEFAULT_LAYOUT;
  const [name = '', list = ''] = text.split(':');
  const density = DENSITIES.find((known) => known === name);
  const problems: string[] = [];
  const columns = readColumns(list.replaceAll('.', ','), (part) => problems.push(part));
  const isWhole = density !== undefined && columns.length > 0 && problems.length === 0;
  return isWhole ? { columns, density } : DEFAULT_LAYOUT;
}

/** What goes into `document.cookie`. */
export function layoutCookie(layout: ColumnLayout): string {
  const list = formatColumns(layout.columns).replaceAll(',', '.');
  return `${LAYOUT_COOKIE}=${layout.density}:${list}; Path=/; Max-Age=${YEAR_S}; SameSite=Lax`;
}
