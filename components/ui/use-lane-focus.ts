import { type KeyboardEvent, type RefObject, useState } from 'react';
import { type LaneItem, type LaneLayout, nextStandingOut, scrollTo } from './lane-layout';

/** Indexes of the first and the last item that was chosen, in the order of choosing. */
export type LaneSelection = [anchor: number, end: number];

type Place = {
  items: readonly LaneItem[];
  layout: LaneLayout;
  /** The request that the page is about. */
  current: number | undefined;
  viewport: RefObject<HTMLElement | null>;
  onOpen: (key: string) => void;
};

/** Items by which Page Up and Page Down go. */
const PAGE = 25;

/** Which item the keyboard is at, and what is selected. Both stay where they are when rows come or go. */
export function useLaneFocus({ items, layout, current, viewport, onOpen }: Place) {
  const [moved, setMoved] = useState<number>();
  const [chosen, setChosen] = useState<LaneSelection>();
  const last = Math.max(0, items.length - 1);
  const active = Math.min(moved ?? current ?? 0, last);
  const selected = chosen?.map((index) => Math.min(index, last)) as LaneSelection | undefined;

  function moveTo(index: number, extend: 'extend' | 'alone') {
    setMoved(index);
    setChosen(extend === 'extend' ? [selected?.[0] ?? active, index] : undefined);
    const element = viewport.current;
    if (element === null) return;
    element.scrollLeft = scrollTo(layout, index, element.scrollLeft, element.clientWidth);
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const item = items[active];
    const to = targetOf(event.key, active, items);
    if (to !== undefined) moveTo(to, event.shiftKey ? 'extend' : 'alone');
    else if (event.key === 'Enter' && item?.kind === 'request') onOpen(item.key);
    else if (event.key === 'Escape' && selected !== undefined) setChosen(undefined);
    else return;
    // Escape and the arrows also mean something to what is around.
    event.preventDefault();
    event.stopPropagation();
  }

  return { active, selected, onKeyDown, setActive: setMoved, select: setChosen };
}

/** Where a key leads: along the strip, or up and down to what stands out. */
function targetOf(key: string, from: number, items: readonly LaneItem[]): number | undefined {
  const last = items.length - 1;
  const within = (index: number) => Math.min(Math.max(0, index), last);
  switch (key) {
    case 'ArrowRight':
      return within(from + 1);
    case 'ArrowLeft':
      return within(from - 1);
    case 'ArrowDown':
      return nextStandingOut(items, from, 1);
    case 'ArrowUp':
      return nextStandingOut(items, from, -1);
    case 'PageDown':
      return within(from + PAGE);
    case 'PageUp':
      return within(from - PAGE);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}
