'use client';
import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import { boundedWidth, MAX_COLUMN_PX, MIN_COLUMN_PX } from '@/lib/requests/columns';
import classes from './column-resizer.module.css';

/** CSS pixels per press of an arrow key; with Shift the larger one. */
const STEP_PX = 10;
const LEAP_PX = 50;

type Props = {
  /** Of the column. */
  label: string;
  /** CSS pixels, before any room that is left over. */
  width: number;
  onPreview: (width: number | undefined) => void;
  onResize: (width: number) => void;
  /** Back to the usual width. */
  onReset: () => void;
};

type Drag = { fromX: number; fromWidth: number; width: number };

/** The keyboard must be able to reach it: it is a control, though its role is that of a line. */
const REACHABLE = { tabIndex: 0 };

function stepOf({ key, shiftKey }: KeyboardEvent): number | undefined {
  const step = shiftKey ? LEAP_PX : STEP_PX;
  if (key === 'ArrowRight') return step;
  return key === 'ArrowLeft' ? -step : undefined;
}

/** The edge of a column: dragged, moved by arrow keys, set back by a double click or Delete. */
export function ColumnResizer({ label, width, onPreview, onResize, onReset }: Props) {
  const drag = useRef<Drag>(undefined);

  function begin(event: PointerEvent<HTMLHRElement>) {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const fromWidth = event.currentTarget.parentElement?.getBoundingClientRect().width ?? width;
    drag.current = { fromX: event.clientX, fromWidth, width: fromWidth };
  }

  function move(event: PointerEvent<HTMLHRElement>) {
    if (drag.current === undefined) return;
    drag.current.width = boundedWidth(drag.current.fromWidth + event.clientX - drag.current.fromX);
    onPreview(drag.current.width);
  }

  function finish() {
    const ended = drag.current;
    drag.current = undefined;
    onPreview(undefined);
    if (ended !== undefined && ended.width !== ended.fromWidth) onResize(ended.width);
  }

  function press(event: KeyboardEvent<HTMLHRElement>) {
    const step = stepOf(event);
    if (step === undefined && event.key !== 'Delete') return;
    event.preventDefault();
    if (step === undefined) onReset();
    else onResize(boundedWidth(width + step));
  }

  return (
    <hr
      {...REACHABLE}
      className={classes.edge}
      aria-orientation="vertical"
      aria-label={`Width of ${label}`}
      aria-valuemin={MIN_COLUMN_PX}
      aria-valuemax={MAX_COLUMN_PX}
      aria-valuenow={width}
      aria-valuetext={`${width} pixels`}
      onPointerDown={begin}
      onPointerMove={move}
      onPointerUp={finish}
      onPointerCancel={finish}
      onDoubleClick={onReset}
      onKeyDown={press}
    />
  );
}
