/** A row that is drawn: its place among all of them, and where it stands, in CSS pixels below the first row's top. */
export type DrawnRow = { index: number; start: number; end: number };

/** What the table body holds: rows, and gaps as high as the rows that are not drawn there. */
export type RowSlot = { kind: 'row'; index: number } | { kind: 'gap'; heightPx: number; after: number };

/** Rows in their order, with gaps between, before and after them, so that the whole stays `totalPx` high. */
export function rowSlots(drawn: readonly DrawnRow[], totalPx: number): RowSlot[] {
  const slots: RowSlot[] = [];
  let reached = 0;
  let after = -1;
  const gapTo = (start: number) => {
    if (start > reached) slots.push({ kind: 'gap', heightPx: start - reached, after });
  };
  for (const { index, start, end } of drawn) {
    gapTo(start);
    slots.push({ kind: 'row', index });
    [reached, after] = [end, index];
  }
  gapTo(totalPx);
  return slots;
}

/** The indexes of a stretch of rows and of single ones beside it, in order, each once, none beyond `count`. */
export function drawnIndexes(
  from: number,
  to: number,
  kept: readonly (number | undefined)[],
  count: number,
): number[] {
  const first = Math.max(0, from);
  const last = Math.min(count - 1, to);
  const stretch = Array.from({ length: Math.max(0, last - first + 1) }, (_, place) => first + place);
  const beside = kept.filter(
    (index): index is number =>
      index !== undefined && index >= 0 && index < count && (index < first || index > last),
  );
  return [...new Set([...stretch, ...beside])].sort((a, b) => a - b);
}
