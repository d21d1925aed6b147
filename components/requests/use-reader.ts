'use client';
import { type RefObject, useEffect, useRef, useState } from 'react';

/** Whether the pointer rests on the area, and whether somebody goes through it by keyboard. */
type Reader = { pointer: 'over' | 'away'; focus: 'within' | 'away' };

function useSigns(area: RefObject<HTMLElement | null>): Reader {
  const [reader, setReader] = useState<Reader>({ pointer: 'away', focus: 'away' });
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
    return abort;
  }, [area]);
  return reader;
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
  const { pointer, focus } = useSigns(area);
  return { area, attention: pointer === 'over' || focus === 'within' ? 'reading' : 'away' };
}
