import type { ExportFormat } from '@/lib/requests/export-url';
import type { ExportEnd } from '@/lib/requests/server/export-text';

export const CSV_MARK_LINES = [
  ...(['query', 'asof', 'readUpTo', 'started', 'finished', 'order', 'keepers', 'expected'] as const),
  ...(['written', 'unreadable', 'problem', 'complete'] as const),
];

/**
 * Undefined for a file that was cut off. A Parquet file needs no end mark: cut off, it can't be read.
 * @param tail at least the last 16,000 characters
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
    const [, value] = /^# [A-Za-z ]+: ?(.*?),*$/.exec(lines[index] ?? '') ?? [];
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
