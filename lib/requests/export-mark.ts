import type { ExportFormat } from '@/lib/requests/export-url';

/** What an export says of itself before its rows: which question it answers, and when. */
export type ExportMeta = {
  /** The view as an address of this dashboard, pinned to `asof`: it shows the same rows. */
  query: string;
  /** ISO time: rows made later are not part of it. */
  asof: string;
  /** ISO time, our clock. */
  started: string;
  order: 'created_at, newest first';
  /** Names of the keepers that were asked. */
  keepers: string[];
  /** How many rows matched when it began. */
  expected: number;
};

/** What it says of itself after its rows. Without it a file was cut off. */
export type ExportEnd = {
  /** ISO time, our clock. */
  finished: string;
  expected: number;
  /** Rows in the file, unreadable ones included. */
  written: number;
  /** Rows among them that could not be read, and stand there as the service's JSON. */
  unreadable: number;
  /** True when every match is in the file, and the index holds every row of the keepers in the time that was asked for. */
  complete: boolean;
  /** Why it is not complete; null when it is. */
  problem: string | null;
};

/** Lines of a CSV after its rows, one member each, in this order. The last one says whether it is complete. */
export const CSV_MARK_LINES = [
  'query',
  'asof',
  'started',
  'finished',
  'order',
  'keepers',
  'expected',
  'written',
  'unreadable',
  'problem',
  'complete',
] as const;

/** How many line breaks of a whole file are not the end of a row. (A break inside a quoted cell is none at all.) */
export const MARK_LINES: Record<ExportFormat, number> = {
  csv: 1 + CSV_MARK_LINES.length,
  ndjson: 1,
  json: 2,
  parquet: 0,
};

/**
 * The end of a CSV as texts `# name: value`, for the first cell of a line each. They hold no comma, quote or line break,
 * so that readers with a comment sign skip them.
 */
export function csvMarkLines(meta: ExportMeta, end: ExportEnd): string[] {
  const values: Record<(typeof CSV_MARK_LINES)[number], string> = {
    query: meta.query,
    asof: meta.asof,
    started: meta.started,
    finished: end.finished,
    order: meta.order,
    keepers: meta.keepers.join(' '),
    expected: String(end.expected),
    written: String(end.written),
    unreadable: String(end.unreadable),
    problem: end.problem ?? 'none',
    complete: end.complete ? 'yes' : 'no',
  };
  return CSV_MARK_LINES.map((name) => `# ${name}: ${values[name].replace(/[",;\s\p{Cc}]+/gu, ' ').trim()}`);
}

/**
 * The end of an export out of the last characters of its file (16,000 are enough); undefined when it has none, because
 * it was cut off. A Parquet file has none: cut off, it can't be read at all.
 */
export function readExportEnd(format: ExportFormat, tail: string): ExportEnd | undefined {
  if (!tail.endsWith('\n')) return undefined;
  const text = tail.slice(0, -1);
  switch (format) {
    case 'parquet':
      return undefined;
    case 'csv':
      return csvEnd(text);
    case 'ndjson':
      return endOf(parsed(text.slice(text.lastIndexOf('\n') + 1)), 'meta');
    case 'json': {
      const last = text.slice(text.lastIndexOf('\n') + 1);
      return last.startsWith('],') ? endOf(parsed(`{${last.slice(2)}`), 'end') : undefined;
    }
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function endOf(value: unknown, member: string): ExportEnd | undefined {
  const end = (value as Record<string, unknown> | undefined)?.[member] as ExportEnd | undefined;
  return typeof end?.complete === 'boolean' && typeof end.written === 'number' ? end : undefined;
}

function csvEnd(text: string): ExportEnd | undefined {
  const lines = text.split('\n').slice(-CSV_MARK_LINES.length);
  const values = new Map<string, string>();
  for (const [index, name] of CSV_MARK_LINES.entries()) {
    const [, value] = /^# [a-z ]+: ?(.*?),*$/.exec(lines[index] ?? '') ?? [];
    if (value === undefined || !lines[index]?.startsWith(`# ${name}:`)) return undefined;
    values.set(name, value);
  }
  const count = (name: string) => Number(values.get(name));
  const problem = values.get('problem');
  return {
    finished: values.get('finished') ?? '',
    expected: count('expected'),
    written: count('written'),
    unreadable: count('unreadable'),
    complete: values.get('complete') === 'yes',
    problem: problem === 'none' || problem === undefined ? null : problem,
  };
}
