/** Rows and cells of the table as elements of the page. `data-index` is the place of a row among all rows. */

/** What a press or a click on it already has a meaning of its own. */
export const OWN_MEANING = 'a,button,input,label,select,summary,details';

/** Undefined for a row that is not drawn. */
export function rowElement(scroller: HTMLElement | null, index: number): HTMLTableRowElement | undefined {
  return scroller?.querySelector<HTMLTableRowElement>(`tr[data-index="${index}"]`) ?? undefined;
}

/** Focus on a row, or on one of its cells, scrolled into sight by as little as that takes. */
export function focusOn(row: HTMLTableRowElement | undefined, cell: number | undefined): void {
  const target = cell === undefined ? row : (row?.cells[cell] ?? row);
  if (target === undefined) return;
  // Cells are no stops of the Tab key.
  if (target !== row) target.tabIndex = -1;
  target.focus({ preventScroll: true });
  bringIntoSight(target);
}

/** By as little as that takes. */
export function bringIntoSight(element: Element | undefined): void {
  element?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

/** The place of the row that holds this element. */
export function rowIndexOf(target: EventTarget): number | undefined {
  const row = target instanceof Element ? target.closest<HTMLElement>('tr[data-index]') : null;
  return row === null ? undefined : Number(row.dataset.index);
}

/** The place of the cell within its row; undefined on the row itself. */
export function cellIndexOf(target: EventTarget): number | undefined {
  return target instanceof Element ? target.closest('td')?.cellIndex : undefined;
}

/** Opens the JSON of a row that can't be read, or folds it away. */
export function toggleDetails(row: HTMLTableRowElement | undefined): void {
  const details = row?.querySelector('details');
  if (details) details.open = !details.open;
}
