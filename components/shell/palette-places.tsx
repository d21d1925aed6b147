'use client';
import {
  type KeyboardEvent,
  type Ref,
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
} from 'react';
import type { PaletteEntry, PaletteSection } from '@/lib/client/palette-entries';
import classes from './command-palette.module.css';
import { usePalette } from './use-palette';

export type PalettePlacesProps = {
  /** What was typed. */
  text: string;
  /** Enter was pressed on it before this was here. */
  entered: 'yes' | 'no';
  listId: string;
  /** What a key that is pressed in the field does here. */
  press: Ref<(event: KeyboardEvent) => void>;
  /** Tells the id of the marked option's element; undefined where there is none. */
  onMarked: (optionId: string | undefined) => void;
  close: () => void;
  onHelp: () => void;
};

function optionIdOf(listId: string, entry: PaletteEntry): string {
  return `${listId} ${entry.id}`.replaceAll(' ', '-');
}

/** The places that a text finds, one of them marked. */
export default function PalettePlaces(props: PalettePlacesProps) {
  const { text, entered, listId, press, onMarked, close, onHelp } = props;
  const list = useRef<HTMLDivElement>(null);
  const { sections, marked, take, press: pressed } = usePalette(text, close, onHelp);
  const markedId = marked === undefined ? undefined : optionIdOf(listId, marked);
  useImperativeHandle(press, () => pressed);
  useLayoutEffect(() => onMarked(markedId), [onMarked, markedId]);
  const takeEntered = useEffectEvent(() => (entered === 'yes' ? take(marked) : undefined));
  useEffect(() => takeEntered(), []);
  useEffect(() => {
    if (markedId !== undefined)
      list.current?.querySelector('[data-marked]')?.scrollIntoView({ block: 'nearest' });
  }, [markedId]);

  return (
    <>
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
    </>
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
          id={optionIdOf(listId, entry)}
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
