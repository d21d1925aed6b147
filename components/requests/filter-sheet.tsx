'use client';
import { Button } from '@mantine/core';
import { type MouseEvent, type ReactNode, useEffect, useRef } from 'react';
import type { RequestsView } from '@/lib/requests/view';
import { isFiltered, withoutFilters } from './filter-count';
import classes from './filter-sheet.module.css';
import type { ShowView } from './use-requests-view';

/** The filters of a narrow screen: a modal window over the page, closed by its button, Escape or a press beside it. */
export function FilterSheet({
  view,
  show,
  onClose,
  children,
}: {
  view: RequestsView;
  show: ShowView;
  onClose: () => void;
  children: ReactNode;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    // The window is taken out of the page when it closes, before the browser could give the focus back.
    return () => (opener instanceof HTMLElement ? opener.focus() : undefined);
  }, []);

  function pressBeside(event: MouseEvent) {
    if (event.target === dialog.current) dialog.current?.close();
  }

  return (
    // Escape does what a press beside it does, so that no key has to be handled here.
    <dialog
      ref={dialog}
      className={classes.sheet}
      aria-label="Filters"
      onClose={onClose}
      onMouseDown={pressBeside}
    >
      <div className={classes.inside}>
        <h2 className={classes.title}>Filters</h2>
        <div className={classes.fields}>{children}</div>
        <div className={classes.foot}>
          <Button variant="subtle" disabled={!isFiltered(view)} onClick={() => show(withoutFilters, 'push')}>
            Clear filters
          </Button>
          <Button variant="filled" onClick={() => dialog.current?.close()}>
            Done
          </Button>
        </div>
      </div>
    </dialog>
  );
}
