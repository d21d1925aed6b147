'use client';
import { TextInput } from '@mantine/core';
import { useId, useRef } from 'react';
import classes from './combobox.module.css';
import { Icon } from './icons';
import { type ComboboxInput, useCombobox } from './use-combobox';

/** A searchable choice of one. Written here because the library's costs 29 kB in the browser, and this one 2. */
export function Combobox({
  label,
  placeholder,
  ...input
}: ComboboxInput & { label: string; placeholder: string }) {
  const listId = useId();
  const list = useRef<HTMLDivElement>(null);
  const { text, offered, marked, isOpen, open, take, type, leave, press } = useCombobox(input, list);
  const optionId = (index: number) => `${listId}-${index}`;
  return (
    <div className={classes.combobox}>
      <TextInput
        label={label}
        placeholder={placeholder}
        value={text}
        role="combobox"
        aria-expanded={isOpen}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && offered.length > 0 ? optionId(marked) : undefined}
        autoComplete="off"
        spellCheck={false}
        rightSection={<Icon name="down" size={12} />}
        rightSectionPointerEvents="none"
        onFocus={(event) => event.currentTarget.select()}
        onClick={() => (isOpen ? undefined : open())}
        onBlur={leave}
        onKeyDown={press}
        onChange={(event) => type(event.currentTarget.value)}
      />
      <div
        ref={list}
        id={listId}
        role="listbox"
        aria-label="Choices"
        className={classes.list}
        hidden={!isOpen}
      >
        {isOpen
          ? offered.map((choice, index) => (
              <div
                key={choice.value}
                id={optionId(index)}
                role="option"
                tabIndex={-1}
                aria-selected={choice.value === input.chosen?.value}
                data-marked={index === marked ? 'yes' : undefined}
                className={classes.option}
                // The press would take the focus from the field, and leaving it closes the list before the click.
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => take(choice)}
                onKeyDown={press}
              >
                <bdi className={classes.label}>{choice.label}</bdi>
                {choice.hint === undefined ? null : <span className={classes.hint}>{choice.hint}</span>}
              </div>
            ))
          : null}
      </div>
      {isOpen && offered.length === 0 ? <p className={classes.none}>Nothing of that name or id</p> : null}
    </div>
  );
}
