import { MARK_LINES } from '@/lib/requests/export-mark';
import type { ExportFormat } from '@/lib/requests/export-url';

const [LINE_FEED, QUOTE] = [0x0a, 0x22];
/** Lines before the first row has ended: the header of a CSV. */
const BEFORE_ROWS: Record<ExportFormat, number> = { csv: 1, ndjson: 0, json: 0, parquet: 0 };
/** More than the longest mark: an address of 8 kB, names and figures. */
const TAIL_BYTES = 32_000;

/** Counts the rows of an export as its bytes come, and keeps its end. */
export class ExportCounter {
  bytes = 0;
  #lines = 0;
  #quoted = false;
  #tail = new Uint8Array(0);

  constructor(readonly format: ExportFormat) {}

  add(chunk: Uint8Array): void {
    this.bytes += chunk.length;
    // A quote within a quoted cell is doubled, so it changes nothing; JSON has no line feed inside its texts.
    if (this.format === 'csv') this.#countCsv(chunk);
    else this.#countLines(chunk);
    this.#tail = joined(this.#tail, chunk).slice(-TAIL_BYTES);
  }

  /** Rows that are here so far. */
  get rows(): number {
    return Math.max(0, this.#lines - BEFORE_ROWS[this.format]);
  }

  /** Rows of a file that came to its end. */
  get rowsOfWhole(): number {
    return Math.max(0, this.#lines - MARK_LINES[this.format]);
  }

  get tail(): string {
    return new TextDecoder().decode(this.#tail);
  }

  #countCsv(chunk: Uint8Array): void {
    for (const byte of chunk) {
      if (byte === QUOTE) this.#quoted = !this.#quoted;
      else if (byte === LINE_FEED && !this.#quoted) this.#lines += 1;
    }
  }

  #countLines(chunk: Uint8Array): void {
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) this.#lines += 1;
  }
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const last = b.subarray(-TAIL_BYTES);
  const both = new Uint8Array(a.length + last.length);
  both.set(a);
  both.set(last, a.length);
  return both;
}
