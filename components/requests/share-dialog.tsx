'use client';
import { Button } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { closeDialogOf, ModalDialog } from '@/components/ui/modal-dialog';
import classes from './export-dialog.module.css';

/** The link to be copied by hand, selected already, where the browser lets no page write to the clipboard. */
export function ShareDialog({ link, onClose }: { link: string; onClose: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  return (
    <ModalDialog label="Share these rows" width="32rem" onClose={onClose}>
      <div className={classes.content}>
        <h2 className={classes.title}>Share these rows</h2>
        <label>
          The browser does not let this page copy. Copy the link yourself (Ctrl C):
          <input
            ref={field}
            className={classes.field}
            readOnly
            value={link}
            onFocus={(event) => event.currentTarget.select()}
          />
        </label>
        <div className={classes.actions}>
          <Button onClick={(event) => closeDialogOf(event.currentTarget)}>Close</Button>
        </div>
      </div>
    </ModalDialog>
  );
}
