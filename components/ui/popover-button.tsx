'use client';
import { type ReactNode, useEffect, useEffectEvent, useId, useRef, useState } from 'react';
import classes from './popover-button.module.css';
import { placePopover } from './popover-place';

/**
 * A button that opens a small window beside it. The browser's own popover: a press elsewhere or Escape closes it and
 * gives the focus back, and it stands above everything, an open dialog too. The content is made when it opens.
 */
export function PopoverButton({
  name,
  look,
  face,
  mark,
  children,
}: {
  /** Names the button and the window. */
  name: string;
  /** `icon`: a square beside an input. `words`: as wide as its face. */
  look: 'icon' | 'words';
  face: ReactNode;
  /** `active` while what is chosen inside is in force. */
  mark: 'active' | 'idle';
  children: ReactNode;
}) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  usePlaceWhile(isOpen, button, panel);
  return (
    <>
      <button
        ref={button}
        type="button"
        className={classes.button}
        data-look={look}
        data-mark={mark}
        aria-label={look === 'icon' ? name : undefined}
        title={look === 'icon' ? name : undefined}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        popoverTarget={id}
      >
        {face}
      </button>
      <div
        ref={panel}
        id={id}
        popover="auto"
        role="dialog"
        aria-label={name}
        className={classes.panel}
        onBeforeToggle={() => placePopover(button.current, panel.current)}
        onToggle={(event) => setOpen(event.newState === 'open')}
      >
        {isOpen ? children : null}
      </div>
    </>
  );
}

type Place = { readonly current: HTMLElement | null };

/** The window follows its button when the page is scrolled or the browser's window changes. */
function usePlaceWhile(isOpen: boolean, button: Place, panel: Place): void {
  const place = useEffectEvent(() => placePopover(button.current, panel.current));
  useEffect(() => {
    if (!isOpen) return;
    const follow = () => place();
    window.addEventListener('resize', follow);
    window.addEventListener('scroll', follow, true);
    return () => {
      window.removeEventListener('resize', follow);
      window.removeEventListener('scroll', follow, true);
    };
  }, [isOpen]);
}
