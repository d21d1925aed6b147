import type { CSSProperties } from 'react';
import type { TableHeader } from './columns';
import { headersOf, type TableModel } from './use-table-model';

/** Lengths as CSS, from the widths in the layout and the room that the table has (`cqi`: the scrolling area's). */
export type ColumnGeometry = {
  /** For the table: its width, and the room that is left over. */
  table: CSSProperties;
  /** Of each column. */
  widths: string[];
  /** Of each column: how far from the left edge it stays; undefined for one that is not pinned. */
  edges: (string | undefined)[];
};

/** A length that grows with the room that is left over. */
function growing(px: number, share: number): string {
  return share === 0 ? `${px}px` : `calc(${px}px + var(--spare) * ${Number(share.toFixed(5))})`;
}

/** What counts for a share of the room that is left over: the width of a column that nobody has sized. */
function elasticPx({ column }: TableHeader): number {
  return column.id in column.table.atoms.columnSizing.get() ? 0 : column.getSize();
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/**
 * Room that is left over goes to the columns whose width nobody has chosen, by their widths; done by the style, so that
 * the first HTML is right on any screen and pinned columns know their edges.
 */
export function columnGeometry(table: TableModel): ColumnGeometry {
  const headers = headersOf(table);
  const isPinned = ({ column }: TableHeader) => column.getIsPinned() !== false;
  const elastic = sum(headers.map(elasticPx));
  const shares = headers.map((header) => (elastic === 0 ? 0 : elasticPx(header) / elastic));
  const shareBefore = (place: number) => sum(shares.slice(0, place));
  const totalPx = table.getTotalSize();
  return {
    table: {
      '--spare': elastic === 0 ? '0px' : `max(0px, 100cqi - ${totalPx}px)`,
      '--table-width': growing(totalPx, shareBefore(headers.length)),
      '--pinned-width': pinnedWidth(table, shareBefore(headers.filter(isPinned).length)),
    } as CSSProperties,
    widths: headers.map(({ column }, place) => growing(column.getSize(), shares[place] ?? 0)),
    edges: headers.map((header, place) =>
      isPinned(header) ? growing(header.getStart(), shareBefore(place)) : undefined,
    ),
  };
}

/** What is scrolled into sight must not come to lie under the pinned columns, unless all of them are. */
function pinnedWidth(table: TableModel, share: number): string {
  const px = table.getStartTotalSize();
  return px === table.getTotalSize() ? '0px' : growing(px, share);
}
