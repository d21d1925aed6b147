'use client';
import { type RefObject, useLayoutEffect, useRef } from 'react';

/** An element that keeps the focus within itself, and whether it is there. */
export type FocusFrame = { element: RefObject<HTMLElement | null>; holds: RefObject<'yes' | 'no'> };

/** For an element whose parts come and go; `props` are its own. `useKeptFocus` does the rest where the parts are drawn. */
export function useFocusFrame() {
  const element = useRef<HTMLElement>(null);
  const holds = useRef<'yes' | 'no'>('no');
  const props = {
    ref: element,
    tabIndex: -1,
    onFocus: () => {
      holds.current = 'yes';
    },
    // Not called for what React takes away, which is the point.
    onBlur: () => {
      holds.current = 'no';
    },
  };
  return { frame: { element, holds } satisfies FocusFrame, props };
}

/** When the part that had the focus was taken away, the frame takes it: the keyboard goes on from there, not from the top. */
export function useKeptFocus({ element, holds }: FocusFrame): void {
  useLayoutEffect(() => {
    if (holds.current === 'yes' && document.activeElement === document.body) {
      element.current?.focus({ preventScroll: true });
    }
  });
}
