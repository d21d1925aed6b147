/** Rows that stay in sight when a page is turned by key. */
const OVERLAP = 1;

/**
 * The row that a key goes to, never beyond the first or the last; undefined for a key that moves nothing.
 * @param index of the row with the focus
 * @param pageRows how many rows are in sight
 */
export function rowAfterKey(key: string, index: number, count: number, pageRows: number): number | undefined {
  const to = place(key, index, count, Math.max(1, pageRows - OVERLAP));
  return to === undefined || count === 0 ? undefined : Math.max(0, Math.min(count - 1, to));
}

function place(key: string, index: number, count: number, leap: number): number | undefined {
  switch (key) {
    case 'j':
    case 'ArrowDown':
      return index + 1;
    case 'k':
    case 'ArrowUp':
      return index - 1;
    case 'PageDown':
      return index + leap;
    case 'PageUp':
      return index - leap;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}
