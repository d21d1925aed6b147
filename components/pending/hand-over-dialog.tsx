'use client';
import { Button } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { closeDialogOf, ModalDialog } from '@/components/ui/modal-dialog';
import classes from './hand-over.module.css';

/** The paper to be copied by hand, selected already, where the browser lets no page write to the clipboard. */
export function HandOverDialog({ text, onClose }: { text: string; onClose: () => void }) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  return (
    <ModalDialog label="Hand over" width="44rem" onClose={onClose}>
      <div className={classes.paper}>
        <h2 className={classes.paperTitle}>Hand over</h2>
        <label>
          The browser does not let this page copy. Copy the text yourself (Ctrl C):
          <textarea ref={field} className={classes.paperText} readOnly value={text} />
        </label>
        <Button onClick={(event) => closeDialogOf(event.currentTarget)}>Close</Button>
      </div>
    </ModalDialog>
  );
}
