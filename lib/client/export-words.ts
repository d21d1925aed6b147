import type { ExportProgress, ExportResult } from './export-download';
import { countOf, groupDigits } from './human-number';

const KB = 1000;

/** `812 kB`, `18.3 MB`, `1.25 GB`. */
export function sizeWords(bytes: number): string {
  if (bytes < KB * KB) return `${Math.ceil(bytes / KB)} kB`;
  if (bytes < KB ** 3) return `${(bytes / KB ** 2).toFixed(1)} MB`;
  return `${(bytes / KB ** 3).toFixed(2)} GB`;
}

const rowsWords = (rows: number) => groupDigits(String(rows));

/** `12,000 of 200,000 rows, 4,100 rows/s, 11.2 MB`; instead of a rate that is none: `…, waiting for the service`. */
export function progressWords({ rows, bytes, expected, pace }: ExportProgress): string {
  const of = expected === undefined ? '' : ` of ${rowsWords(expected)}`;
  const rate = typeof pace === 'number' ? `, ${rowsWords(pace)} rows/s` : '';
  const waits = pace === 'waiting' ? ', waiting for the service' : '';
  return `${rowsWords(rows)}${of} rows${rate}, ${sizeWords(bytes)}${waits}`;
}

/** Whole percent, rounded down; undefined where the end is not known. */
export function percentOf({ rows, expected }: ExportProgress): number | undefined {
  if (expected === undefined) return undefined;
  return expected === 0 ? 100 : Math.min(100, Math.floor((rows / expected) * 100));
}

/** How an export ended, in a sentence: what is there, and if it is not everything, why. */
export function resultWords(result: Extract<ExportResult, { kind: 'complete' | 'incomplete' }>): string {
  const { rows, bytes, fileName } = result;
  const place = `${sizeWords(bytes)} in ${fileName}`;
  if (result.kind === 'incomplete') {
    const { expected, problem } = result;
    const of = expected === undefined ? '' : ` of ${rowsWords(expected)}`;
    return `Incomplete: ${rowsWords(rows)}${of} rows, ${place}. ${problem}`;
  }
  const expected = rows + result.left - result.entered;
  return `Complete: ${rowsWords(rows)} of ${rowsWords(expected)} rows, ${place}.${movedWords(result.left, result.entered)}`;
}

function movedWords(left: number, entered: number): string {
  if (left + entered === 0) return '';
  const [count, how] = left > 0 ? [left, 'left'] : [entered, 'entered'];
  return ` ${countOf(String(count), 'row', 'rows')} ${how} the result meanwhile, as the service’s own counts show.`;
}
