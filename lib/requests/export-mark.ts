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
