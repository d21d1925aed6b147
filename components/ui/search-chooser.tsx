'use client';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import { Icon } from './icons';
import { LiveControls } from './live-controls';
import classes from './search-chooser.module.css';
import search from './search-field.module.css';

/** What the field holds and lists, and what can be done with it. */
export type Chooser<T> = {
  readonly text: string;
  readonly open: boolean;
  readonly listed: readonly T[];
  /** The place in the list that the arrows stand on. */
  readonly active: number;
  /** The line under the list: how many match, or why there are none. */
  readonly foot: string;
  readonly show: () => void;
  readonly hide: () => void;
  readonly type: (text: string) => void;
  /** Empties the field and closes the list. */
  readonly dismiss: () => void;
  readonly point: (index: number) => void;
  /** Takes what the arrows stand on. */
  readonly choose: () => void;
};

/** Where an option stands in the list. The focus stays in the field; `pointer` says where the arrows are. */
export type OptionPlace = { id: string; pointer: 'active' | 'elsewhere'; onPoint: () => void };

/**
 * A search field for feeds with a list under it (combobox of the ARIA patterns): arrows move, Enter takes, Escape closes.
 * @param className how wide it is
 * @param option draws one of the list as a `ChooserOption`, with a key
 */
export function SearchChooser<T>({
  chooser,
  className,
  placeholder,
  option,
}: {
  chooser: Chooser<T>;
  className: string | undefined;
  placeholder: string;
  option: (item: T, place: OptionPlace) => ReactNode;
}) {
  const listId = useId();
  const { open, active, listed } = chooser;
  const place = (index: number): OptionPlace => ({
    id: optionId(listId, index),
    pointer: index === active ? 'active' : 'elsewhere',
    onPoint: () => chooser.point(index),
  });
  return (
    <search
      aria-label="Choose feeds"
      className={`${classes.chooser} ${className ?? ''}`}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) chooser.hide();
      }}
    >
      <LiveControls>
        <Field listId={listId} chooser={chooser} placeholder={placeholder} />
      </LiveControls>
      <div className={classes.popover} hidden={!open}>
        <div
          id={listId}
          role="listbox"
          aria-label="Feeds"
          aria-multiselectable="true"
          className={classes.list}
        >
          {open ? listed.map((item, index) => option(item, place(index))) : null}
        </div>
        <p className={classes.foot}>{chooser.foot}</p>
      </div>
    </search>
  );
}

function Field<T>({
  listId,
  chooser,
  placeholder,
}: {
  listId: string;
  chooser: Chooser<T>;
  placeholder: string;
}) {
  const { open, active, listed } = chooser;
  const onKeyDown = (event: KeyboardEvent) => {
    const action = keyAction(event.key, chooser);
    if (action === undefined) return;
    event.preventDefault();
    action();
  };
  return (
    <label className={`${search.field} ${classes.field}`}>
      <Icon name="search" size={14} />
      <span className="sr-only">Add a feed</span>
      <input
        type="text"
        role="combobox"
        className={search.input}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        aria-expanded={open}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={open && active < listed.length ? optionId(listId, active) : undefined}
        value={chooser.text}
        onChange={(event) => chooser.type(event.currentTarget.value)}
        onClick={chooser.show}
        onKeyDown={onKeyDown}
      />
    </label>
  );
}

function optionId(listId: string, index: number): string {
  return `${listId}-${index}`;
}

/** What a key does in the field; undefined leaves it to the browser. */
function keyAction<T>(key: string, chooser: Chooser<T>): (() => void) | undefined {
  const { open, active, listed } = chooser;
  if (!open) return ['ArrowDown', 'ArrowUp', 'Enter'].includes(key) ? chooser.show : undefined;
  switch (key) {
    case 'ArrowDown':
      return () => chooser.point(Math.max(0, Math.min(active + 1, listed.length - 1)));
    case 'ArrowUp':
      return () => chooser.point(Math.max(0, active - 1));
    case 'Enter':
      return chooser.choose;
    case 'Escape':
      return chooser.dismiss;
    default:
      return undefined;
  }
}

/** One of the list: what `children` say, a sign where it is chosen, and a short hint at the end. */
export function ChooserOption({
  place: { id, pointer, onPoint },
  standing,
  hint,
  onToggle,
  children,
}: {
  place: OptionPlace;
  standing: 'chosen' | 'offered';
  hint: ReactNode;
  onToggle: () => void;
  children: ReactNode;
}) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (pointer === 'active') element.current?.scrollIntoView({ block: 'nearest' });
  }, [pointer]);
  return (
    <div
      ref={element}
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={standing === 'chosen'}
      data-pointer={pointer}
      className={classes.option}
      // The press would take the focus out of the field.
      onMouseDown={(event) => event.preventDefault()}
      onMouseMove={onPoint}
      onClick={onToggle}
      onKeyDown={() => undefined}
    >
      <span className={classes.mark}>{standing === 'chosen' ? <Icon name="check" size={14} /> : null}</span>
      {children}
      <span className={classes.hint}>{hint}</span>
    </div>
  );
}
