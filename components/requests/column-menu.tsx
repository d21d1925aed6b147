'use client';
import { Button } from '@mantine/core';
import dynamic from 'next/dynamic';
import { type ToggleEvent, useId, useRef, useState } from 'react';
import { orNotice } from '@/components/ui/part-not-loaded';
import type { ColumnLayout } from '@/lib/requests/columns';
import type { Sort } from '@/lib/requests/view';
import classes from './column-menu.module.css';

const ColumnChooser = dynamic(() => orNotice(import('./column-chooser').then((part) => part.ColumnChooser)), {
  ssr: false,
});

type Props = {
  layout: ColumnLayout;
  onLayout: (layout: ColumnLayout) => void;
  /** With these it also offers the order of the rows, for small screens, where no header does. */
  sort?: Sort;
  onSort?: (sort: Sort) => void;
};

/** Room between the panel and the edges of the window, CSS pixels. */
const MARGIN_PX = 8;

/** Under its button, within the window. */
function place(panel: HTMLElement, button: HTMLElement): void {
  const { left, bottom } = button.getBoundingClientRect();
  const room = window.innerWidth - panel.offsetWidth - MARGIN_PX;
  panel.style.left = `${Math.max(MARGIN_PX, Math.min(left, room))}px`;
  panel.style.top = `${bottom + 4}px`;
  panel.style.maxHeight = `${window.innerHeight - bottom - MARGIN_PX - 4}px`;
}

/** The button and the panel in which columns are chosen; what is in the panel is loaded when it first opens. */
export function ColumnsMenu({ layout, onLayout, sort, onSort }: Props) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [isNeeded, setNeeded] = useState(false);

  function toggle(event: ToggleEvent<HTMLElement>) {
    if (event.newState !== 'open') return;
    setNeeded(true);
    if (button.current !== null) place(event.currentTarget, button.current);
  }

  return (
    <>
      <Button
        ref={button}
        size="compact-xs"
        popoverTarget={id}
        onPointerEnter={() => void import('./column-chooser')}
      >
        Columns
      </Button>
      <section id={id} popover="auto" className={classes.panel} aria-label="Columns" onToggle={toggle}>
        {isNeeded ? <ColumnChooser layout={layout} onLayout={onLayout} sort={sort} onSort={onSort} /> : null}
      </section>
    </>
  );
}
