/** One row of a hex view: up to sixteen bytes from `offset`. */
export type HexRow = { readonly offset: number; readonly cells: readonly HexCell[] };

export type HexCell = {
  /** Two lower-case digits. */
  readonly hex: string;
  /** The character that the byte is in ASCII, `.` where it is none that can be seen. */
  readonly text: string;
  readonly marked?: 'yes';
};

const ROW = 16;

/**
 * The bytes around a place, a row before and two behind it, on rows that begin at multiples of sixteen. Where the place is the
 * end of the bytes, the last rows; nothing is marked then.
 */
export function hexAround(bytes: Uint8Array, offset: number): HexRow[] {
  const at = Math.max(0, Math.min(offset, bytes.length - 1));
  const first = Math.max(0, at - (at % ROW) - ROW);
  const rows: HexRow[] = [];
  for (let start = first; start < Math.min(first + 4 * ROW, bytes.length); start += ROW) {
    const cells = Array.from(bytes.subarray(start, start + ROW), (byte, within) =>
      cellOf(byte, start + within === offset),
    );
    rows.push({ offset: start, cells });
  }
  return rows;
}

function cellOf(byte: number, isMarked: boolean): HexCell {
  const hex = byte.toString(16).padStart(2, '0');
  const text = byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.';
  return isMarked ? { hex, text, marked: 'yes' } : { hex, text };
}
