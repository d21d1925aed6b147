'use client';
import { type KeyboardEvent, type RefObject, useEffect, useState } from 'react';
import { type Choice, matchingChoices, namedChoice } from './matching-choices';

export type ComboboxInput = {
  choices: readonly Choice[];
  /** The choice that is in force; its label stands in the field. */
  chosen: Choice | undefined;
  /** A choice for text that none of them fits, or undefined when the text can't be one. */
  choiceOf: (text: string) => Choice | undefined;
  onChoose: (choice: Choice) => void;
};

type Places = { field: RefObject<HTMLInputElement | null>; list: RefObject<HTMLElement | null> };

/**
 * What an ARIA combobox with a list does. Enter takes the marked choice, Escape leaves everything as it was, and
 * leaving the field takes what was typed only when that names one choice in full (an emptied field: the first one).
 */
export function useCombobox({ choices, chosen, choiceOf, onChoose }: ComboboxInput, { field, list }: Places) {
  const [typed, setTyped] = useState<string>();
  const [marked, setMarked] = useState(0);
  const [isOpen, setOpen] = useState(false);
  const offered = matchingChoices(choices, typed ?? '', choiceOf);
  useSelectedLabel(field, typed === undefined ? chosen?.label : undefined);

  function open() {
    const current = choices.findIndex((choice) => choice.value === chosen?.value);
    setMarked(Math.max(0, current));
    setOpen(true);
  }

  function close() {
    setOpen(false);
    setTyped(undefined);
  }

  function take(choice: Choice | undefined) {
    close();
    if (choice !== undefined && choice.value !== chosen?.value) onChoose(choice);
  }

  function type(text: string) {
    setTyped(text);
    setMarked(0);
    setOpen(true);
  }

  function leave() {
    if (typed === undefined) close();
    else take(typed.trim() === '' ? choices[0] : namedChoice(choices, typed, choiceOf));
  }

  function mark(index: number) {
    const bounded = Math.max(0, Math.min(offered.length - 1, index));
    setMarked(bounded);
    list.current?.children[bounded]?.scrollIntoView({ block: 'nearest' });
  }

  const shown = { text: typed ?? chosen?.label ?? '', offered, marked, isOpen };
  return { ...shown, open, close, take, type, leave, mark };
}

/** While a choice's label stands in the focused field it is selected, so that typing replaces it. */
function useSelectedLabel(field: Places['field'], label: string | undefined): void {
  useEffect(() => {
    if (label !== undefined && field.current === document.activeElement) field.current?.select();
  }, [field, label]);
}

/** What a key does in the field. Where nothing fits the text Enter leaves it there, to be changed. */
export function pressKey(event: KeyboardEvent, combobox: ReturnType<typeof useCombobox>): void {
  const { isOpen, offered, marked } = combobox;
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  const isHandled = step !== 0 || (isOpen && (event.key === 'Enter' || event.key === 'Escape'));
  if (!isHandled) return;
  event.preventDefault();
  if (event.key === 'Escape') combobox.close();
  else if (event.key === 'Enter' && offered.length > 0) combobox.take(offered[marked]);
  else if (step === 0) return;
  else if (isOpen) combobox.mark(marked + step);
  else combobox.open();
}
