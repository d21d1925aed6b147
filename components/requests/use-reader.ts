'use client';
import { type RefObject, useEffect, useRef, useState } from 'react';

/** Whether the pointer rests on the area, somebody goes through it by keyboard, or has selected text in it. */
type Reader = { pointer: 'over' | 'away'; focus: 'within' | 'away'; selection: 'within' | 'away' };

function selectionIn(area: HTMLElement): Reader['selection'] {
  const selection = document.getSelection();
  return selection?.isCollapsed === false && selection.containsNode(area, true) ? 'within' : 'away';
}

function useSigns(area: RefObject<HTMLElement | null>): Reader {
  const [reader, setReader] = useState<Reader>({ pointer: 'away', focus: 'away', selection: 'away' });
  useEffect(() => {
    const element = area.current;
    if (element === null) return;
    const { signal, abort } = stoppable();
    const listen = (name: string, sign: (event: Event) => Partial<Reader>) =>
      element.addEventListener(name, (event) => setReader((before) => ({ ...before, ...sign(event) })), {
        signal,
      });
    listen('pointerenter', () => ({ pointer: 'over' }));
    listen('pointerleave', () => ({ pointer: 'away' }));
    listen('focusout', () => ({ focus: 'away' }));
    listen('focusin', ({ target }) => ({
      focus: target instanceof Element && target.matches(':focus-visible') ? 'within' : 'away',
    }));
    document.addEventListener('selectionchange', () => setReader(withSelection(selectionIn(element))), {
      signal,
    });
    return abort;
  }, [area]);
  // Rows that go take their selection with them, and browsers tell nobody.
  useEffect(() => {
    if (area.current !== null) setReader(withSelection(selectionIn(area.current)));
  });
  return reader;
}

/** It changes all the time, elsewhere on the page as well. */
function withSelection(selection: Reader['selection']): (before: Reader) => Reader {
  return (before) => (before.selection === selection ? before : { ...before, selection });
}

function stoppable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

/** An area, and whether somebody reads in it right now. */
export function useReader(): {
  area: RefObject<HTMLDivElement | null>;
  attention: 'reading' | 'away';
} {
  const area = useRef<HTMLDivElement>(null);
  const { pointer, focus, selection } = useSigns(area);
  const isRead = pointer === 'over' || focus === 'within' || selection === 'within';
  return { area, attention: isRead ? 'reading' : 'away' };
}
