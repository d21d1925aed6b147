'use client';
import { type KeyboardEvent, useId, useRef, useState } from 'react';
import { Icon } from '@/components/ui/icons';
import { ModalDialog } from '@/components/ui/modal-dialog';
import { PartNotLoaded } from '@/components/ui/part-not-loaded';
import classes from './command-palette.module.css';
import type { PalettePlacesProps } from './palette-places';
import type { Standing } from './use-on-demand';

type Props = {
  /** What there is to choose from. */
  places: Standing<PalettePlacesProps>;
  onClose: () => void;
  onHelp: () => void;
};

/** Goes to pages, networks, states, recent requests and whatever was pasted. Its field is there at once. */
export function CommandPalette({ places, onClose, onHelp }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const pressPlaces = useRef<(event: KeyboardEvent) => void>(null);
  const listId = useId();
  const [text, setText] = useState('');
  /** Enter was pressed before there was anything to choose from. */
  const [entered, setEntered] = useState<'yes' | 'no'>('no');
  const [markedId, setMarkedId] = useState<string>();
  const close = () => dialog.current?.close();

  function press(event: KeyboardEvent) {
    const isOpener = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
    if (isOpener) {
      event.preventDefault();
      close();
    } else if (places.kind === 'open') pressPlaces.current?.(event);
    else if (event.key === 'Enter') setEntered('yes');
  }

  function type(typed: string) {
    setText(typed);
    setEntered('no');
  }

  return (
    <ModalDialog label="Command palette" dialog={dialog} onClose={onClose}>
      <div className={classes.field}>
        <Icon name="search" size={16} />
        <input
          type="text"
          role="combobox"
          className={classes.input}
          aria-label="Go to"
          aria-expanded={markedId !== undefined}
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={markedId}
          placeholder="Page, network, state, or a pasted hash, address, number, explorer link"
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => type(event.currentTarget.value)}
          onKeyDown={press}
        />
      </div>
      {places.kind === 'open' ? (
        <places.Part
          text={text}
          entered={entered}
          listId={listId}
          press={pressPlaces}
          onMarked={setMarkedId}
          close={close}
          onHelp={onHelp}
        />
      ) : (
        <div className={classes.nothing}>
          {places.kind === 'missing' ? <PartNotLoaded /> : <p role="status">Loading…</p>}
        </div>
      )}
      <p className={classes.foot}>↑ ↓ to choose, Enter to go, Esc to close</p>
    </ModalDialog>
  );
}
