'use client';
import { type KeyboardEvent, type MouseEvent, useId, useState } from 'react';

/** The combobox of ARIA for a field that is there when the page loads: Mantine's Combobox brings 30 kB of script. */
export function useSuggestions(count: number, onChoose: (at: number) => void, label = 'Suggestions') {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [chosen, highlight] = useState(-1);
  const highlighted = isOpen && chosen < count ? chosen : -1;
  const optionId = (at: number) => `${id}-${at}`;

  function toggle(opens: boolean, at = -1) {
    setOpen(opens);
    highlight(at);
  }
  function choose(at: number) {
    toggle(false);
    onChoose(at);
  }
  /** Returns false for a key that the list does not use. */
  function takesKey(event: KeyboardEvent): boolean {
    const { key } = event;
    if (event.nativeEvent.isComposing) return false;
    if (key === 'Enter' && highlighted >= 0) choose(highlighted);
    else if (key === 'Escape' && isOpen) toggle(false);
    else if (key === 'ArrowDown' || key === 'ArrowUp') {
      const next = key === 'ArrowDown' ? highlighted + 1 : Math.max(highlighted, 0) - 1;
      if (!isOpen) toggle(true);
      else if (count > 0) {
        highlight((next + count) % count);
        document.getElementById(optionId((next + count) % count))?.scrollIntoView({ block: 'nearest' });
      }
    } else return false;
    event.preventDefault();
    return true;
  }
  return {
    isOpen,
    /** Highlights the option `at`, which Enter chooses; none by default. */
    open: (at?: number) => toggle(true, at),
    close: () => toggle(false),
    takesKey,
    field: {
      role: 'combobox',
      'aria-haspopup': 'listbox',
      'aria-expanded': isOpen,
      'aria-controls': isOpen ? id : undefined,
      'aria-activedescendant': highlighted < 0 ? undefined : optionId(highlighted),
    } as const,
    listbox: { id, role: 'listbox', 'aria-label': label } as const,
    option: (at: number) =>
      ({
        id: optionId(at),
        role: 'option',
        tabIndex: -1,
        'aria-selected': at === highlighted,
        // An option that is pressed must not take the focus from the field.
        onMouseDown: (event: MouseEvent) => event.preventDefault(),
        onClick: () => choose(at),
      }) as const,
  };
}
