import { isStateWord, WIRE_STATE } from '@/lib/core/request-record';
import { parseIsoTime } from '@/lib/core/time';
import type { Zone } from '@/lib/core/time-text';
import { COLUMN_IDS, type ColumnLayout, DENSITIES, formatColumns, readColumns } from './columns';
import type { Sort, TimeFilter } from './view-shape';

/** How far back the table looks, where the URL does not say. */
export const DEFAULT_RANGE = '24h';
/** Rows on a page, where the URL does not say. */
export const DEFAULT_SIZE = 50;
/** What the control offers; the service takes up to 1000. */
export const PAGE_SIZES = [25, 50, 100, 250, 500, 1000];

/** The order of the service: newest first. */
export const DEFAULT_SORT: Sort = 'created.desc';
/** Slowest pace at which new rows are followed, in seconds; the fastest is 1. */
export const MAX_LIVE_S = 30;

const SORTS = COLUMN_IDS.flatMap((id): Sort[] => [`${id}.asc`, `${id}.desc`]);
const ZONES: readonly Zone[] = ['utc', 'local', 'relative'];

/** Longest range that can be asked for: 100 years, far inside what ISO text can name. */
const MAX_RANGE_MS = 36_500 * 86_400_000;
const UNIT_MS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** Keeps the offset of the last page within what the service's int64 and our numbers hold. */
const MAX_PAGE = 999_999_999;
/** `network_id` is an int64. */
const MAX_NETWORK_ID = 2n ** 63n - 1n;

/** Milliseconds of `30s`, `45m`, `1h`, `2d`; undefined for anything else, for 0, and for more than 100 years. */
export function rangeMs(range: string): number | undefined {
  const match = /^(\d{1,10})([smhd])$/.exec(range);
  if (match === null) return undefined;
  const ms = Number(match[1]) * (UNIT_MS[match[2] ?? ''] ?? Number.NaN);
  return ms > 0 && ms <= MAX_RANGE_MS ? ms : undefined;
}

/** Where a reader says what it could not read. */
export type Report = (param: string, value: string, message: string, used?: true) => void;

export type Read = { value: string } | { problem: string };

/** Every readable value of a repeatable parameter, each once; the others are reported. */
export function several(
  params: URLSearchParams,
  name: string,
  read: (text: string) => Read,
  report: Report,
): string[] {
  const values: string[] = [];
  for (const text of params.getAll(name)) {
    if (text === '') continue;
    const result = read(text);
    if ('problem' in result) report(name, text, result.problem);
    else if (!values.includes(result.value)) values.push(result.value);
  }
  return values;
}

/** Canonical digits of a network id. */
export function networkOf(text: string): Read {
  const id = /^\d{1,40}$/.test(text) ? BigInt(text) : undefined;
  if (id === undefined || id > MAX_NETWORK_ID) {
    return { problem: 'A network is given by its numeric id, such as 42161.' };
  }
  return { value: id.toString() };
}

/** The wire names we have a word for become that word; others are the service's to answer. */
export function stateOf(text: string): Read {
  const word = Object.keys(WIRE_STATE).find((key) => isStateWord(key) && WIRE_STATE[key] === text);
  return { value: word ?? text };
}

/** The first value of a parameter that may stand once; empty ones do not count. */
export function single(params: URLSearchParams, name: string, report: Report): string | undefined {
  const [first, ...more] = params.getAll(name).filter((value) => value !== '');
  for (const value of more) report(name, value, `${name} can be given only once: the first one is used.`);
  return first;
}

/** A time as it was written, when it is one. */
export function isoOf(params: URLSearchParams, name: string, report: Report): string | undefined {
  const text = single(params, name, report);
  if (text === undefined || parseIsoTime(text) !== undefined) return text;
  report(name, text, 'This is not an ISO 8601 time, such as 2026-11-20T08:00:00Z.');
  return undefined;
}

/** `from` and `to`, else `range`, else the default range. */
export function timeOf(params: URLSearchParams, report: Report): TimeFilter {
  const from = isoOf(params, 'from', report);
  const to = isoOf(params, 'to', report);
  const range = single(params, 'range', report);
  if (from === undefined && to === undefined) return rangeOf(range, report);
  if (range !== undefined) report('range', range, 'A range has no effect beside from or to.');
  if (from !== undefined && to !== undefined && (parseIsoTime(from) ?? 0) > (parseIsoTime(to) ?? 0)) {
    report('to', to, 'The end lies before the beginning, so nothing can be found.', true);
  }
  return { kind: 'between', ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}

function rangeOf(text: string | undefined, report: Report): TimeFilter {
  if (text === 'all') return { kind: 'all' };
  if (text !== undefined && rangeMs(text) === undefined) {
    report(
      'range',
      text,
      `A range is a number and s, m, h or d, such as 45m, or all: this shows ${DEFAULT_RANGE}.`,
    );
  } else if (text !== undefined) {
    return { kind: 'last', range: text.replace(/^0+/, '') };
  }
  return { kind: 'last', range: DEFAULT_RANGE };
}

/** The page number, 1 when it is absent or none. */
export function pageOf(text: string | undefined, report: Report): number {
  if (text === undefined) return 1;
  if (/^\d{1,9}$/.test(text) && Number(text) >= 1) return Number(text);
  report('page', text, `A page is a number from 1 to ${MAX_PAGE}: this shows the first.`);
  return 1;
}

/** One of the offered page sizes. */
export function sizeOf(text: string | undefined, report: Report): number {
  const size = PAGE_SIZES.find((offered) => String(offered) === text);
  if (text !== undefined && size === undefined) {
    report('size', text, `Rows per page are one of ${PAGE_SIZES.join(', ')}: this shows ${DEFAULT_SIZE}.`);
  }
  return size ?? DEFAULT_SIZE;
}

/** A column (`gas-limit`, or as its filter is called: `gas_limit`) and a direction; newest first when there is none. */
export function sortOf(text: string | undefined, report: Report): Sort {
  const sort = text === undefined ? DEFAULT_SORT : SORTS.find((known) => known === text.replaceAll('_', '-'));
  if (sort === undefined) {
    report(
      'sort',
      text ?? '',
      'An order is a column and asc or desc, such as state.asc: this shows newest first.',
    );
  }
  return sort ?? DEFAULT_SORT;
}

/** Seconds between two questions while new rows are followed. */
export function liveOf(text: string | undefined, report: Report): number | undefined {
  if (text === undefined) return undefined;
  const seconds = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  if (seconds >= 1 && seconds <= MAX_LIVE_S) return seconds;
  report('live', text, `New rows are followed every 1 to ${MAX_LIVE_S} seconds: they are not followed now.`);
  return undefined;
}

/** How times are shown. */
export function zoneOf(text: string | undefined, report: Report): Zone | undefined {
  const zone = ZONES.find((known) => known === text);
  if (text !== undefined && zone === undefined) {
    report(
      'zone',
      text,
      'Times are shown in one of utc, local and relative: this shows them as you last did.',
    );
  }
  return zone;
}

/** Canonical digits of a total. */
export function expectedOf(text: string | undefined, report: Report): string | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,40}$/.test(text)) return BigInt(text).toString();
  report('expected', text, 'The total that the sender saw is given by its digits: it cannot be compared.');
  return undefined;
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
