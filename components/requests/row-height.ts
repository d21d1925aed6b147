'use client';
import { useSyncExternalStore } from 'react';
import type { ColumnLayout } from '@/lib/requests/columns';

/** Heights of rows, CSS pixels: the table's style gets them from here, so that both reckon with the same. */
const ROW_PX: Record<ColumnLayout['density'], number> = { compact: 28, normal: 36, roomy: 44 };

/** As in the styles: up to here rows are cards. */
export const CARDS_QUERY = '(max-width: 48em)';

/** Of a card, CSS pixels: room above and below with its border, its first line, and each further one. */
const CARD_ROOM_PX = 21;
const CARD_HEAD_PX = 28;
const CARD_LINE_PX: Record<ColumnLayout['density'], number> = { compact: 20, normal: 24, roomy: 30 };

/** What stands together in the first line of a card. */
const HEAD: readonly string[] = ['network', 'sequence', 'state'];

function subscribe(listener: () => void): () => void {
  const query = window.matchMedia(CARDS_QUERY);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}

function isNarrow(): boolean {
  return window.matchMedia(CARDS_QUERY).matches;
}

/** Heights of a row and of a card with these columns, and of the card's first line and each further one. */
export function rowHeights(
  columns: readonly { id: string }[],
  density: ColumnLayout['density'],
): { rowPx: number; cardPx: number; firstPx: number; linePx: number } {
  const lines = columns.filter((column) => !HEAD.includes(column.id)).length;
  const headPx = lines < columns.length ? CARD_HEAD_PX : 0;
  const linePx = CARD_LINE_PX[density];
  const cardPx = CARD_ROOM_PX + headPx + lines * linePx;
  return { rowPx: ROW_PX[density], cardPx, firstPx: headPx === 0 ? linePx : headPx, linePx };
}

/** Whether rows are cards now. The server does not know, and takes them for rows. */
export function useCards(): 'cards' | 'rows' {
  return useSyncExternalStore(subscribe, isNarrow, () => false) ? 'cards' : 'rows';
}
