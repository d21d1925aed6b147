import { persistentCookie } from '@/lib/core/time-text';

/** Columns in the order of their menu. */
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

/** Filters of these suggest their most frequent values. */
export const VALUE_COLUMNS = ['sender', 'provider', 'failure'] as const satisfies ColumnId[];

type LaidOutColumn = { id: ColumnId; width?: number; pinned?: true };

/** Columns from left to right; pinned columns come first. */
export type ColumnLayout = { columns: LaidOutColumn[]; density: 'normal' | 'roomy' };

export const DENSITIES: readonly ColumnLayout['density'][] = ['normal', 'roomy'];

/** Accepts `compact`, an old name of `normal`. */
export function readDensity(text: string): ColumnLayout['density'] | undefined {
  const name = text === 'compact' ? 'normal' : text;
  return DENSITIES.find((density) => density === name);
}

export const DEFAULT_LAYOUT: ColumnLayout = {
  columns: [
    { id: 'network', pinned: true },
    ...(
      ['sequence', 'created', 'state', 'failure', 'duration', 'sender', 'request-tx', 'reveal-tx'] as const
    ).map((id) => ({ id })),
  ],
  density: 'normal',
};

export const MIN_COLUMN_PX = 40;
export const MAX_COLUMN_PX = 2000;

export function boundedWidth(width: number): number {
  return Math.min(MAX_COLUMN_PX, Math.max(MIN_COLUMN_PX, Math.round(width)));
}

/** Columns as links and the cookie write them: `network*,sequence~180,created`. */
export function formatColumns(columns: ColumnLayout['columns']): string {
  return columns
    .map(({ id, width, pinned }) => `${id}${pinned ? '*' : ''}${width === undefined ? '' : `~${width}`}`)
    .join(',');
}

/** Unknown or repeated columns and widths out of bounds go to `onProblem`. */
export function readColumns(
  text: string,
  onProblem: (part: string, message: string) => void,
): ColumnLayout['columns'] {
  const columns: LaidOutColumn[] = [];
  for (const part of text.split(',')) {
    const [, name, star, digits] = /^([a-z-]{1,40})(\*?)(?:~(\d{1,4}))?$/.exec(part) ?? [];
    const id = COLUMN_IDS.find((columnId) => columnId === name);
    const width = digits === undefined ? {} : { width: Number(digits) };
    if (id === undefined) onProblem(part, 'No such column.');
    else if (columns.some((column) => column.id === id)) onProblem(part, 'This column is named twice.');
    else if (width.width !== undefined && width.width !== boundedWidth(width.width)) {
      onProblem(part, `A column is ${MIN_COLUMN_PX} to ${MAX_COLUMN_PX} pixels wide.`);
    } else columns.push({ id, ...width, ...(star === '*' ? { pinned: true } : {}) });
  }
  return pinnedFirst(columns);
}

function pinnedFirst(columns: readonly LaidOutColumn[]): LaidOutColumn[] {
  return columns.toSorted((a, b) => Number(b.pinned ?? false) - Number(a.pinned ?? false));
}

const withColumns = (layout: ColumnLayout, columns: LaidOutColumn[]): ColumnLayout => ({
  ...layout,
  columns: pinnedFirst(columns),
});

/**
 * Shows or hides a column. It is put after the nearest visible column before it in the menu. The last visible column is
 * never hidden.
 */
export function toggleColumn(layout: ColumnLayout, id: ColumnId): ColumnLayout {
  const { columns } = layout;
  const others = columns.filter((column) => column.id !== id);
  if (others.length < columns.length) return others.length === 0 ? layout : { ...layout, columns: others };
  const idsBefore: readonly ColumnId[] = COLUMN_IDS.slice(0, COLUMN_IDS.indexOf(id));
  const place = columns.findLastIndex((column) => idsBefore.includes(column.id)) + 1;
  return withColumns(layout, columns.toSpliced(place, 0, { id }));
}

/** @param place index from the left; pinned columns stay to the left of all others */
export function moveColumn(layout: ColumnLayout, id: ColumnId, place: number): ColumnLayout {
  const { columns } = layout;
  const moved = columns.find((column) => column.id === id);
  if (moved === undefined) return layout;
  const others = columns.filter((column) => column !== moved);
  return withColumns(layout, others.toSpliced(Math.max(0, place), 0, moved));
}

/** Moves the failure column right after the state in a view of failures only. */
export function withFailures(
  layout: ColumnLayout,
  { states, failures }: { states: readonly string[]; failures: readonly string[] },
): ColumnLayout {
  const isFailure = (state: string) => state === 'failed' || state === 'callback-failed';
  if (failures.length === 0 && !(states.length > 0 && states.every(isFailure))) return layout;
  const others = layout.columns.filter(({ id }) => id !== 'failure');
  const failure = layout.columns.find(({ id }) => id === 'failure') ?? { id: 'failure' };
  const place = others.findIndex(({ id }) => id === 'state') + 1 || others.length;
  return { ...layout, columns: others.toSpliced(place, 0, failure) };
}

export function pinColumn(layout: ColumnLayout, id: ColumnId): ColumnLayout {
  const columns = layout.columns.map((column): LaidOutColumn => {
    if (column.id !== id) return column;
    const { pinned, ...loose } = column;
    return pinned ? loose : { ...column, pinned: true };
  });
  return withColumns(layout, columns);
}

/** @param px CSS pixels, clamped; without it, the default applies again */
export function withWidth(layout: ColumnLayout, id: ColumnId, px?: number): ColumnLayout {
  const columns = layout.columns.map((column): LaidOutColumn => {
    if (column.id !== id) return column;
    const { width: _, ...unsized } = column;
    return px === undefined ? unsized : { ...unsized, width: boundedWidth(px) };
  });
  return { ...layout, columns };
}

/** The server reads this cookie, so that the first HTML has the right columns. */
export const LAYOUT_COOKIE = 'ks-table';

/** `normal:network*.sequence~180`: dots, because a cookie can't contain commas. Unreadable text gives the default. */
export function readLayoutCookie(text: string | undefined): ColumnLayout {
  // All columns with widths and pins are far shorter.
  if (text === undefined || text.length > 2000) return DEFAULT_LAYOUT;
  const [name = '', list = ''] = text.split(':');
  const density = readDensity(name);
  let isWhole = density !== undefined;
  const columns = readColumns(list.replaceAll('.', ','), () => {
    isWhole = false;
  });
  return isWhole && density !== undefined ? { columns, density } : DEFAULT_LAYOUT;
}

export function layoutCookie({ columns, density }: ColumnLayout): string {
  return persistentCookie(LAYOUT_COOKIE, `${density}:${formatColumns(columns).replaceAll(',', '.')}`);
}
