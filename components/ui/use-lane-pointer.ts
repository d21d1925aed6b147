import { type PointerEvent, type RefObject, useRef, useState } from 'react';
import { itemAt, type LaneItem, type LaneLayout, middleOf } from './lane-layout';
import type { LaneSelection } from './use-lane-focus';

type Place = {
  items: readonly LaneItem[];
  layout: LaneLayout;
  viewport: RefObject<HTMLElement | null>;
  active: number;
  setActive: (index: number) => void;
  select: (selection: LaneSelection | undefined) => void;
  onOpen: (key: string) => void;
};

/** A hand that trembles is no drag. Pixels. */
const DRAG_FROM = 4;

/** What the pointer is over: the item, and where in the window its middle is, in pixels and from 0 to 1. */
export type Hovered = { index: number; left: number; share: number };

/** A click opens, a drag selects, shift and click selects up to there. A finger scrolls, and opens with a tap. */
export function useLanePointer({ items, layout, viewport, active, setActive, select, onOpen }: Place) {
  const [hovered, setHovered] = useState<Hovered>();
  const press = useRef<{ x: number; index: number; drag: 'yes' | 'no' }>(undefined);

  const under = (event: PointerEvent): number | undefined => {
    const element = viewport.current;
    if (element === null) return undefined;
    return itemAt(layout, event.clientX - element.getBoundingClientRect().left + element.scrollLeft);
  };

  const placeOf = (index: number): Hovered => {
    const { scrollLeft = 0, clientWidth = 0 } = viewport.current ?? {};
    const left = middleOf(layout, index) - scrollLeft;
    return { index, left, share: Math.min(1, Math.max(0, left / Math.max(1, clientWidth))) };
  };

  function down(event: PointerEvent) {
    const index = under(event);
    if (event.button !== 0 || index === undefined) return;
    if (event.shiftKey) {
      select([active, index]);
      return;
    }
    press.current = { x: event.clientX, index, drag: 'no' };
    if (event.pointerType !== 'touch') event.currentTarget.setPointerCapture(event.pointerId);
  }

  function move(event: PointerEvent) {
    const index = under(event);
    if (index === undefined) return;
    if (event.pointerType !== 'touch') setHovered(placeOf(index));
    const pressed = press.current;
    if (pressed === undefined || event.pointerType === 'touch') return;
    if (pressed.drag === 'no' && Math.abs(event.clientX - pressed.x) < DRAG_FROM) return;
    pressed.drag = 'yes';
    select([pressed.index, index]);
  }

  function up(event: PointerEvent) {
    const pressed = press.current;
    press.current = undefined;
    const index = under(event);
    if (pressed === undefined || index === undefined) return;
    setActive(index);
    if (pressed.drag === 'yes') return;
    select(undefined);
    const item = items[index];
    if (item?.kind === 'request') onOpen(item.key);
  }

  const forget = () => {
    press.current = undefined;
    setHovered(undefined);
  };

  return {
    hovered,
    handlers: {
      onPointerDown: down,
      onPointerMove: move,
      onPointerUp: up,
      onPointerCancel: forget,
      onPointerLeave: () => setHovered(undefined),
      onScroll: () => setHovered(undefined),
    },
  };
}

/** A press on the overview brings that part of the strip into the middle of the window. */
export function overviewHandlers(viewport: Place['viewport'], layout: LaneLayout) {
  const jump = (event: PointerEvent) => {
    const element = viewport.current;
    if (element === null || (event.buttons & 1) === 0) return;
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const share = (event.clientX - left) / Math.max(1, width);
    element.scrollLeft = share * layout.width - element.clientWidth / 2;
  };
  return { onPointerDown: jump, onPointerMove: jump };
}
