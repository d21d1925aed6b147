'use client';
import Link from 'next/link';
import { useId, useMemo, useRef } from 'react';
import { LANE_HEIGHT, type LaneItem, type LaneRange, laneLayout, middleOf, rangeOf } from './lane-layout';
import { LaneLegend } from './lane-legend';
import { OVERVIEW_HEIGHT } from './lane-paint';
import classes from './lane-strip.module.css';
import { itemWords, type LaneText, laneSummary } from './lane-words';
import { useLaneDrawing } from './use-lane-drawing';
import { type LaneSelection, useLaneFocus } from './use-lane-focus';
import { type Hovered, overviewHandlers, useLanePointer } from './use-lane-pointer';

export type LaneStripProps = {
  /** In order of sequence. */
  items: readonly LaneItem[];
  figures: { missingNumbers: string; overtaken: number; twins: number };
  text: LaneText;
  /** Names the strip for assistive technology. */
  label: string;
  /** Key of the request that the page is about. */
  currentKey?: string;
  onOpen: (key: string) => void;
  /** The rows of a selection in the request table. */
  linkOfRange: (range: LaneRange) => '/requests' | `/requests?${string}`;
};

/** A mark for each sequence number in order and gaps between them, with a summary in words. */
export function LaneStrip(props: LaneStripProps) {
  const { items, figures, text } = props;
  return (
    <div className={classes.lane} data-lane={items.length}>
      <p className={classes.summary}>{laneSummary(items, figures, text)}</p>
      {items.length === 0 ? null : (
        <>
          <LaneLegend items={items} text={text} figures={figures} />
          <Strip {...props} />
        </>
      )}
    </div>
  );
}

/**
 * Drawn on a canvas as wide as what is seen, so that thousands of marks cost what a hundred do; the one that the keyboard
 * is at is an element of its own, for assistive technology.
 */
function Strip(props: LaneStripProps) {
  const { items, text, label, currentKey } = props;
  const viewport = useRef<HTMLDivElement>(null);
  const layout = useMemo(() => laneLayout(items), [items]);
  const current = useMemo(() => placeOf(items, currentKey), [items, currentKey]);
  const focus = useLaneFocus({ ...props, layout, current, viewport });
  const { active, selected, select } = focus;
  const { strip, overview, frame, fits } = useLaneDrawing({ items, layout, selected, current, viewport });
  const pointer = useLanePointer({ ...props, ...focus, layout, viewport });
  const [optionId, hintId] = [useId(), useId()];
  return (
    <>
      <div className={classes.frame}>
        <div
          className={classes.overview}
          hidden={fits === 'yes'}
          aria-hidden="true"
          {...overviewHandlers(viewport, layout)}
        >
          <canvas ref={overview} style={{ height: OVERVIEW_HEIGHT }} />
          <div ref={frame} className={classes.seen} />
        </div>
        <div
          ref={viewport}
          className={classes.viewport}
          role="listbox"
          tabIndex={0}
          aria-label={label}
          aria-describedby={hintId}
          aria-orientation="horizontal"
          aria-activedescendant={optionId}
          onKeyDown={focus.onKeyDown}
          {...pointer.handlers}
        >
          <div className={classes.content} role="presentation" style={{ width: layout.width }}>
            <div className={classes.drawing} aria-hidden="true">
              <canvas ref={strip} style={{ height: LANE_HEIGHT }} />
            </div>
            <ActiveItem
              id={optionId}
              items={items}
              active={active}
              left={middleOf(layout, active)}
              text={text}
            />
          </div>
        </div>
        <Tip hovered={pointer.hovered} items={items} text={text} />
      </div>
      <p id={hintId} className={classes.hint}>
        Arrow keys go along it, up and down to what stands out; Enter opens, Shift selects. A drag selects,
        too.
      </p>
      <Selection {...props} selected={selected} onClear={() => select(undefined)} />
    </>
  );
}

/** The item that the keyboard is at: nothing to see, the canvas shows it. */
function ActiveItem({
  id,
  items,
  active,
  left,
  text,
}: {
  id: string;
  items: readonly LaneItem[];
  active: number;
  left: number;
  text: LaneText;
}) {
  const item = items[active];
  return (
    <div
      id={id}
      className={classes.active}
      role="option"
      tabIndex={-1}
      aria-selected="true"
      aria-posinset={active + 1}
      aria-setsize={items.length}
      aria-label={item && itemWords(item, text)}
      data-key={item?.kind === 'request' ? item.key : undefined}
      data-state={item?.kind === 'request' ? item.state : 'gap'}
      style={{ left }}
    />
  );
}

/** What is selected, and a link to it. */
function Selection({
  items,
  selected,
  text,
  linkOfRange,
  onClear,
}: Pick<LaneStripProps, 'items' | 'text' | 'linkOfRange'> & {
  selected: LaneSelection | undefined;
  onClear: () => void;
}) {
  const range = selected && rangeOf(items, ...selected);
  return (
    <p className={classes.selection} role="status">
      {range === undefined ? null : (
        <>
          Selected: {text.number(range.first)} to {text.number(range.last)},{' '}
          {text.number(String(range.requests))} {range.requests === 1 ? 'request' : 'requests'}.{' '}
          <Link href={linkOfRange(range)} prefetch={false}>
            Show them in the table
          </Link>{' '}
          <button type="button" className={classes.clear} onClick={onClear}>
            Clear
          </button>
        </>
      )}
    </p>
  );
}

function placeOf(items: readonly LaneItem[], key: string | undefined): number | undefined {
  const place = items.findIndex((item) => item.kind === 'request' && item.key === key);
  return place < 0 ? undefined : place;
}

/** What is under the pointer, in words; those who can't point hear the same. */
function Tip({
  hovered,
  items,
  text,
}: {
  hovered: Hovered | undefined;
  items: readonly LaneItem[];
  text: LaneText;
}) {
  const item = hovered && items[hovered.index];
  if (hovered === undefined || item === undefined) return null;
  return (
    <div className={classes.tip} aria-hidden="true" style={{ left: hovered.left }}>
      {/* At its mark in the middle, at its own edge where the strip ends. */}
      <span style={{ transform: `translateX(${-100 * hovered.share}%)` }}>{itemWords(item, text)}</span>
    </div>
  );
}
