'use client';
import { type RefObject, useEffect, useState } from 'react';

/** What says that somebody reads in an area. */
type Signs = { pointer: boolean; focus: boolean; selection: boolean; scrolled: boolean };

const NONE: Signs = { pointer: false, focus: false, selection: false, scrolled: false };

function isSelectedIn(area: HTMLElement): boolean {
  const selection = document.getSelection();
  return selection?.isCollapsed === false && selection.containsNode(area, true);
}

/**
 * Whether somebody reads in the area: the pointer is over its rows, a row has the focus by keyboard, text in it is selected,
 * or it is scrolled down. Then nothing may move there.
 */
export function useReading(area: RefObject<HTMLElement | null>): boolean {
  const [signs, setSigns] = useState(NONE);
  useEffect(() => {
    const element = area.current;
    if (element === null) return;
    const listeners = new AbortController();
    const { signal } = listeners;
    const set = (change: Partial<Signs>) =>
      setSigns((before) =>
        Object.entries(change).every(([name, value]) => before[name as keyof Signs] === value)
          ? before
          : { ...before, ...change },
      );
    element.addEventListener(
      'pointerover',
      ({ target, pointerType }) =>
        set({
          pointer: pointerType === 'mouse' && target instanceof Element && target.closest('tbody') !== null,
        }),
      { signal },
    );
    element.addEventListener('pointerleave', () => set({ pointer: false }), { signal });
    element.addEventListener('focusout', () => set({ focus: false }), { signal });
    element.addEventListener(
      'focusin',
      ({ target }) =>
        set({
          focus:
            target instanceof Element && target.closest('tbody') !== null && target.matches(':focus-visible'),
        }),
      { signal },
    );
    // Where rows are cards the page scrolls, and not the area.
    const scroll = () => set({ scrolled: element.scrollTop > 4 || element.getBoundingClientRect().top < -4 });
    for (const scrolling of [element, window]) scrolling.addEventListener('scroll', scroll, { signal });
    document.addEventListener('selectionchange', () => set({ selection: isSelectedIn(element) }), { signal });
    return () => listeners.abort();
  }, [area]);
  // Rows that go take their selection with them, and browsers tell nobody.
  useEffect(() => {
    const element = area.current;
    if (element !== null && signs.selection && !isSelectedIn(element)) {
      setSigns((before) => ({ ...before, selection: false }));
    }
  });
  return signs.pointer || signs.focus || signs.selection || signs.scrolled;
}
