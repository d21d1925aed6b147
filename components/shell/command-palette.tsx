'use client';
import { useEffect, useEffectEvent, useId, useRef } from 'react';
import { Icon } from '@/components/ui/icons';
import { ModalDialog } from '@/components/ui/modal-dialog';
import type { PaletteEntry, PaletteSection } from '@/lib/client/palette-entries';
import classes from './command-palette.module.css';
import { usePalette } from './use-palette';

type Props = {
  onClose: () => void;
  onHelp: () => void;
  /** What was typed before the field was there; asked for when it has the focus. */
  takeTyped: () => string;
};

/** Goes to pages, networks, states, recent requests and whatever was pasted. */
export default function CommandPalette({ onClose, onHelp, takeTyped }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const listId = useId();
  const palette = usePalette(() => dialog.current?.close(), onHelp);
  const { sections, marked, take } = palette;
  const beginWith = useEffectEvent((typed: string) => {
    if (typed !== '') palette.type(typed);
  });
  useEffect(() => beginWith(takeTyped()), [takeTyped]);
  useEffect(() => {
    if (marked !== undefined)
      list.current?.querySelector('[data-marked]')?.scrollIntoView({ block: 'nearest' });
  }, [marked]);

  return (
    <ModalDialog label="Command palette" dialog={dialog} onClose={onClose}>
      <div className={classes.field}>
        <Icon name="search" size={16} />
        <input
          type="text"
          role="combobox"
          className={classes.input}
          aria-label="Go to"
          aria-expanded={sections.length > 0}
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={
            marked === undefined ? undefined : `${listId} ${marked.id}`.replaceAll(' ', '-')
          }
          placeholder="Page, network, state, or a pasted hash, address, number, explorer link"
          autoComplete="off"
          spellCheck={false}
          value={palette.text}
          onChange={(event) => palette.type(event.currentTarget.value)}
          onKeyDown={palette.press}
        />
      </div>
      <div ref={list} id={listId} role="listbox" aria-label="Places" className={classes.list}>
        {sections.map((section) => (
          <Section key={section.title} section={section} listId={listId} marked={marked} onTake={take} />
        ))}
      </div>
      {sections.length > 0 ? null : (
        <p className={classes.nothing} role="status">
          Nothing is called that, and it is no hash, address or number.
        </p>
      )}
      <p className={classes.foot}>↑ ↓ to choose, Enter to go, Esc to close</p>
    </ModalDialog>
  );
}

function Section({
  section,
  listId,
  marked,
  onTake,
}: {
  section: PaletteSection;
  listId: string;
  marked: PaletteEntry | undefined;
  onTake: (entry: PaletteEntry) => void;
}) {
  return (
    <fieldset className={classes.section} aria-label={section.title}>
      <p className={classes.title} aria-hidden="true">
        {section.title}
      </p>
      {section.entries.map((entry) => (
        <div
          key={entry.id}
          id={`${listId} ${entry.id}`.replaceAll(' ', '-')}
          role="option"
          tabIndex={-1}
          aria-selected={entry.id === marked?.id}
          data-marked={entry.id === marked?.id ? 'yes' : undefined}
          className={classes.entry}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onTake(entry)}
          onKeyDown={(event) => (event.key === 'Enter' ? onTake(entry) : undefined)}
        >
          <bdi className={classes.label}>{entry.label}</bdi>
          {entry.hint === undefined ? null : <span className={classes.hint}>{entry.hint}</span>}
        </div>
      ))}
    </fieldset>
  );
}
