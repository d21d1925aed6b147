'use client';
import { TextInput } from '@mantine/core';
import { useId, useRef } from 'react';
import classes from './combobox.module.css';
import { Icon } from './icons';
import type { Choice } from './matching-choices';
import { type ComboboxInput, pressKey, useCombobox } from './use-combobox';

/** A searchable choice of one. Written here because the library's costs 29 kB in the browser, and this one 2. */
export function Combobox({
  label,
  placeholder,
  ...input
}: ComboboxInput & { label: string; placeholder: string }) {
  const listId = useId();
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const combobox = useCombobox(input, { field, list });
  const { text, offered, marked, isOpen, open, type, leave } = combobox;
  return (
    <div className={classes.combobox}>
      <TextInput
        ref={field}
        label={label}
        placeholder={placeholder}
        value={text}
        role="combobox"
        aria-expanded={isOpen}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && offered.length > 0 ? optionId(listId, marked) : undefined}
        autoComplete="off"
        spellCheck={false}
        rightSection={<Icon name="down" size={12} />}
        rightSectionPointerEvents="none"
        onFocus={(event) => event.currentTarget.select()}
        onClick={() => (isOpen ? undefined : open())}
        onBlur={leave}
        onKeyDown={(event) => pressKey(event, combobox)}
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
        {isOpen ? <Options listId={listId} chosen={input.chosen} combobox={combobox} /> : null}
      </div>
      {isOpen && offered.length === 0 ? <p className={classes.none}>Nothing of that name or id</p> : null}
    </div>
  );
}

function optionId(listId: string, index: number): string {
  return `${listId}-${index}`;
}

function Options({
  listId,
  chosen,
  combobox,
}: {
  listId: string;
  chosen: Choice | undefined;
  combobox: ReturnType<typeof useCombobox>;
}) {
  const { offered, marked, take } = combobox;
  return offered.map((choice, index) => (
    <div
      key={choice.value}
      id={optionId(listId, index)}
      role="option"
      tabIndex={-1}
      aria-selected={choice.value === chosen?.value}
      data-marked={index === marked ? 'yes' : undefined}
      className={classes.option}
      // The press would take the focus from the field, and leaving it closes the list before the click.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => take(choice)}
      onKeyDown={(event) => pressKey(event, combobox)}
    >
      <bdi className={classes.label}>{choice.label}</bdi>
      {choice.hint === undefined ? null : <span className={classes.hint}>{choice.hint}</span>}
    </div>
  ));
}
