'use client';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { matchingChoices } from './matching-choices';
import type { Tick } from './tick-list';
import { stepTarget } from './tick-step';

export type TickInput = {
  ticks: readonly Tick[];
  chosen: readonly string[];
  /** A tick for text that none of them fits, or undefined when the text can't be one. */
  tickOf?: (text: string) => Tick | undefined;
  onChoose: (values: string[]) => void;
  /** Whether the list takes the focus when it appears. */
  focus: 'taken' | 'left';
};

const noTick = () => undefined;

/** The list's own state: what narrows it, and where Tab stops in it. */
export function useTickList({ ticks, chosen, tickOf = noTick, onChoose, focus }: TickInput) {
  const [typed, setTyped] = useState('');
  const [kept, setStop] = useState<string>();
  const root = useRef<HTMLFieldSetElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const shown = matchingChoices(ticks, typed, tickOf);
  const enabled = shown.filter(({ value, standing }) => standing !== 'barred' || chosen.includes(value));
  const stop = enabled.some(({ value }) => value === kept) ? kept : enabled[0]?.value;

  useEffect(() => {
    if (focus === 'taken') stepTarget(root.current, undefined, 'first')?.focus({ preventScroll: true });
  }, [focus]);

  const only = (value: string) => onChoose([value]);
  const toggle = (value: string) =>
    onChoose(chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value]);

  function tickShown() {
    const tickable = shown.filter(({ standing }) => standing !== 'barred').map(({ value }) => value);
    onChoose([...new Set([...chosen, ...tickable])]);
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    const target = event.target;
    if (!(target instanceof HTMLInputElement)) return;
    const isField = target === field.current;
    const step = STEPS[event.key];
    if (step !== undefined && !(isField && (step === 'first' || step === 'last'))) {
      event.preventDefault();
      stepTarget(root.current, target, step)?.focus();
    } else if (event.key === 'Enter') {
      event.preventDefault();
      if (isField && enabled[0] !== undefined) toggle(enabled[0].value);
      else if (!isField) only(target.value);
    } else if (!isField && isLetter(event)) {
      // The letter itself arrives in the field, since that has the focus by then.
      field.current?.focus();
    }
  }

  return { shown, typed, setTyped, stop, setStop, root, field, only, toggle, tickShown, onKeyDown };
}

const STEPS: Record<string, 'next' | 'previous' | 'first' | 'last'> = {
  ArrowDown: 'next',
  ArrowUp: 'previous',
  Home: 'first',
  End: 'last',
};

function isLetter({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return key.length === 1 && key !== ' ' && !ctrlKey && !metaKey && !altKey;
}
