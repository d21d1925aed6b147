'use client';
import dynamic from 'next/dynamic';
import { type ReactNode, type RefObject, useRef, useState } from 'react';
import { Icon } from '@/components/ui/icons';
import { orNotice } from '@/components/ui/part-not-loaded';
import { useAnnounce } from '@/lib/client/announce';
import { cellText } from '@/lib/client/cell-text';
import type { ListedRow } from '@/lib/contract/codec/listing';
import type { Cell } from '@/lib/requests/view';
import { type PointedCell, useCellPointing } from './cell-pointing';
import classes from './cell-tools.module.css';
import { COLUMNS } from './columns';

const CellMenu = dynamic(() => orNotice(import('./cell-menu').then((part) => part.CellMenu)), { ssr: false });

const RESULT_MS = 1500;

type Props = {
  scroller: RefObject<HTMLElement | null>;
  /** By its key. */
  rowOf: (key: string) => ListedRow | undefined;
  onOnly: (cell: Cell) => void;
  onNot: (cell: Cell) => void;
};

type OpenMenu = { cell: PointedCell; x: number; y: number };

/** What a cell shows as a box of the window, wider than the cell where it is cut. */
function textBox(cell: HTMLElement): DOMRect {
  const range = document.createRange();
  range.selectNodeContents(cell);
  return range.getBoundingClientRect();
}

/**
 * Where tools of this width begin, as pixels of the window, so that they cover no text that can be read: at the end of
 * the cell, or before figures that stand at the end themselves. Where the text leaves no room they reach into the cell
 * beside it, unless the text is cut anyway. On a card they stand after the text, or before it at the end of a line.
 */
function startOfTools(cell: HTMLElement, width: number, areaEnd: number): number {
  const box = cell.getBoundingClientRect();
  const text = textBox(cell);
  if (getComputedStyle(cell).display !== 'table-cell')
    return text.right + width <= areaEnd ? text.right : text.left - width;
  const isCut = text.right > box.right;
  if (cell.dataset.figure !== undefined) return isCut ? box.left : Math.min(box.left, text.left - width);
  return isCut ? box.right - width : Math.max(box.right - width, text.right);
}

function place(tools: HTMLElement, cell: HTMLElement, area: HTMLElement): void {
  const outer = area.getBoundingClientRect();
  const box = cell.getBoundingClientRect();
  const width = tools.offsetWidth;
  const areaEnd = outer.left + area.clientWidth;
  const left = Math.min(Math.max(startOfTools(cell, width, areaEnd), outer.left), areaEnd - width);
  const top = box.top + (box.height - tools.offsetHeight) / 2;
  tools.style.insetBlockStart = `${top - outer.top + area.scrollTop}px`;
  tools.style.insetInlineStart = `${left - outer.left + area.scrollLeft}px`;
}

/** Copies, and says how it went; over plain HTTP from another machine browsers have no clipboard. */
function useCopying() {
  const [result, setResult] = useState<'copied' | 'refused'>();
  const announce = useAnnounce();
  async function copy({ record, column }: PointedCell) {
    const text = cellText(record, column, Date.now());
    if (text === undefined) return;
    try {
      await navigator.clipboard.writeText(text);
      setResult('copied');
      announce(`Copied the ${COLUMNS[column].what}`);
    } catch {
      setResult('refused');
      announce('The browser refused to copy');
    }
    setTimeout(() => setResult(undefined), RESULT_MS);
  }
  return { result, copy };
}

/**
 * One pair of buttons for all cells, which stands in the cell that is pointed at. With the keyboard the menu key and
 * Ctrl C do the same in the focused cell, so Tab passes them by.
 */
export function CellTools({ scroller, rowOf, onOnly, onNot }: Props) {
  const tools = useRef<HTMLDivElement>(null);
  const pointed = useRef<PointedCell>(undefined);
  const [menu, setMenu] = useState<OpenMenu>();
  const { result, copy } = useCopying();

  function point(cell: PointedCell | undefined) {
    const area = scroller.current;
    if (tools.current === null || area === null) return;
    pointed.current?.element.parentElement?.removeAttribute('data-pointed');
    const hasText = cell !== undefined && cellText(cell.record, cell.column, 0) !== undefined;
    pointed.current = hasText ? cell : undefined;
    tools.current.hidden = !hasText;
    if (cell === undefined || !hasText) return;
    // The tools are no part of the row, and a pointer on them would else seem to have left it.
    cell.element.parentElement?.setAttribute('data-pointed', 'yes');
    place(tools.current, cell.element, area);
  }

  useCellPointing(scroller, rowOf, {
    onPoint: point,
    onMenu: (cell, x, y) => setMenu({ cell, x, y }),
    onCopy: (cell) => void copy(cell),
  });

  return (
    <>
      <div ref={tools} className={classes.tools} data-cell-tools="" hidden>
        <Tool
          label="Copy the value of this cell"
          title={result === 'refused' ? 'The browser refused to copy' : 'Copy'}
          result={result}
          onUse={() => pointed.current !== undefined && void copy(pointed.current)}
        >
          <Icon name={result === undefined ? 'copy' : result === 'copied' ? 'check' : 'cross'} size={13} />
        </Tool>
        <Tool
          label="More for this cell"
          title="Copy, only this, not this"
          result={undefined}
          onUse={({ left, bottom }) =>
            pointed.current !== undefined && setMenu({ cell: pointed.current, x: left, y: bottom })
          }
        >
          ⋯
        </Tool>
      </div>
      {menu === undefined ? null : (
        <CellMenu
          {...menu}
          onCopy={() => void copy(menu.cell)}
          onOnly={onOnly}
          onNot={onNot}
          onClose={() => setMenu(undefined)}
        />
      )}
    </>
  );
}

type ToolProps = {
  label: string;
  title: string;
  result: string | undefined;
  /** Gets the place of the button in the window. */
  onUse: (place: DOMRect) => void;
  children: ReactNode;
};

function Tool({ label, title, result, onUse, children }: ToolProps) {
  return (
    <button
      type="button"
      tabIndex={-1}
      className="icon-button"
      data-result={result}
      aria-label={label}
      title={title}
      onClick={(event) => onUse(event.currentTarget.getBoundingClientRect())}
    >
      {children}
    </button>
  );
}
