'use client';
import { type CSSProperties, type ReactNode, type RefObject, useEffect, useRef } from 'react';
import classes from './modal-dialog.module.css';

/** Closes the dialog that an element stands in, as Escape would: the focus goes back to where it was. */
export function closeDialogOf(element: Element | null): void {
  element?.closest('dialog')?.close();
}

/**
 * The browser's own modal dialog: it keeps the focus inside, closes on Escape and on a press beside it, and gives the
 * focus back. It is open as long as it is rendered; `onClose` has to take it away. To close it from inside, close the
 * element (`closeDialogOf`), or the focus is lost.
 */
export function ModalDialog({
  label,
  width,
  onClose,
  dialog,
  children,
}: {
  label: string;
  /** CSS length; it never exceeds the screen. */
  width?: string;
  onClose: () => void;
  dialog?: RefObject<HTMLDialogElement | null>;
  children: ReactNode;
}) {
  const own = useRef<HTMLDialogElement>(null);
  const element = dialog ?? own;
  useEffect(() => {
    if (element.current?.open === false) element.current.showModal();
  }, [element]);
  return (
    <dialog
      ref={element}
      closedby="any"
      className={classes.dialog}
      aria-label={label}
      style={width === undefined ? undefined : ({ '--dialog-width': width } as CSSProperties)}
      onClose={onClose}
    >
      {children}
    </dialog>
  );
}
