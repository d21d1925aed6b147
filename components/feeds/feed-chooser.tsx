'use client';
import { type KeyboardEvent, useId } from 'react';
import { Icon } from '@/components/ui/icons';
import { LiveControls } from '@/components/ui/live-controls';
import classes from './feed-chooser.module.css';
import { FeedOption } from './feed-option';
import { type ChooserActions, useFeedChooser } from './use-feed-chooser';

/**
 * A search field with a list under it (combobox of the ARIA patterns): arrows move, Enter adds or removes, Escape
 * closes. It stays open after a choice, since one rarely wants a single feed. Ids can be pasted, several at once.
 */
export function FeedChooser(actions: ChooserActions) {
  const listId = useId();
  const chooser = useFeedChooser(actions);
  const { open, active, listed } = chooser;
  return (
    <search
      aria-label="Choose feeds"
      className={classes.chooser}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) {
          chooser.hide();
        }
      }}
    >
      <LiveControls>
        <ChooserField listId={listId} chooser={chooser} />
      </LiveControls>
      <div className={classes.popover} hidden={!open}>
        <div
          id={listId}
          role="listbox"
          aria-label="Feeds"
          aria-multiselectable="true"
          className={classes.list}
        >
          {listed.map((feed, index) => (
            <FeedOption
              key={feed.id}
              id={optionId(listId, index)}
              feed={feed}
              standing={actions.chosenIds.has(feed.id) ? 'chosen' : 'offered'}
              pointer={index === active ? 'active' : 'elsewhere'}
              onPoint={() => chooser.point(index)}
              onToggle={() => chooser.toggle(feed)}
            />
          ))}
        </div>
        <p className={classes.foot}>{chooser.foot}</p>
      </div>
    </search>
  );
}

function ChooserField({ listId, chooser }: { listId: string; chooser: ReturnType<typeof useFeedChooser> }) {
  const { open, active, listed } = chooser;
  const onKeyDown = (event: KeyboardEvent) => {
    const action = keyAction(event.key, chooser);
    if (action !== undefined) {
      event.preventDefault();
      action();
    }
  };
  return (
    <label className={classes.field}>
      <Icon name="search" size={14} />
      <span className="sr-only">Add a feed</span>
      <input
        type="text"
        role="combobox"
        className={classes.input}
        placeholder="Add a feed: symbol, name or id"
        autoComplete="off"
        spellCheck={false}
        aria-expanded={open}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={open && listed[active] !== undefined ? optionId(listId, active) : undefined}
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
function keyAction(key: string, chooser: ReturnType<typeof useFeedChooser>): (() => void) | undefined {
  const { open, active, listed } = chooser;
  if (!open) {
    return key === 'ArrowDown' || key === 'ArrowUp' || key === 'Enter' ? chooser.show : undefined;
  }
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
