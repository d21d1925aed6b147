'use client';
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { type FocusEvent, useCallback, useEffect, useRef, useState } from 'react';
import type { FeedSymbol } from '@/lib/contract/codec/symbols';
import { SymbolRow, symbolKey } from './symbol-row';
import classes from './symbol-table.module.css';

/** CSS pixels, before a row is measured. */
const USUAL_ROW = 48;
/** Rows drawn above and below those in sight. */
const BEYOND_SIGHT = 8;
const COLUMNS = 8;
const UNSEEN = { 'aria-hidden': true };
/** Without a place for the focus, nobody could scroll it without a pointer. */
const SCROLLED_BY_KEYS = { tabIndex: 0 } as const;

/** The symbols as a table. Only the rows in sight are drawn, and the one that has the focus. */
export function SymbolTable({
  symbols,
  picked,
  onToggle,
  onShowAll,
}: {
  symbols: readonly FeedSymbol[];
  picked: ReadonlyMap<string, FeedSymbol>;
  onToggle: (feed: FeedSymbol) => void;
  onShowAll: () => void;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const { focused, handlers } = useFocusedRow();
  const { slots, measure } = useRows(symbols, scroller, focused);
  return (
    <div ref={scroller} className={classes.scroller} {...SCROLLED_BY_KEYS}>
      <table className={classes.table} aria-label="Symbols" aria-rowcount={symbols.length + 1}>
        <Head />
        <tbody {...handlers}>
          {slots.map((slot) => {
            if (slot.kind === 'gap')
              return <Gap key={`gap before ${slot.before}`} heightPx={slot.heightPx} />;
            const feed = symbols[slot.index];
            return feed === undefined ? null : (
              <SymbolRow
                key={symbolKey(feed)}
                feed={feed}
                index={slot.index}
                standing={picked.has(symbolKey(feed)) ? 'ticked' : 'offered'}
                measure={measure}
                onToggle={onToggle}
              />
            );
          })}
        </tbody>
      </table>
      {symbols.length > 0 ? null : (
        <div className={classes.empty}>
          <p>No symbol fits.</p>
          <button type="button" className="small-button" onClick={onShowAll}>
            Show all symbols
          </button>
        </div>
      )}
    </div>
  );
}

function Head() {
  return (
    <thead>
      <tr aria-rowindex={1}>
        <th scope="col" className={classes.tick}>
          <span className="sr-only">Ticked</span>
        </th>
        <th scope="col">Symbol</th>
        <th scope="col" data-column="class">
          Class
        </th>
        <th scope="col" data-column="state">
          State
        </th>
        <th scope="col" data-column="channel">
          Min. channel
        </th>
        <th scope="col" data-column="router">
          Router id
        </th>
        <th scope="col" data-column="feed">
          Feed id
        </th>
        <th scope="col" data-column="ways">
          <span className="sr-only">Ways to go on</span>
        </th>
      </tr>
    </thead>
  );
}

/** As high as the rows that are not drawn there. */
function Gap({ heightPx }: { heightPx: number }) {
  return (
    <tr className={classes.gap} {...UNSEEN}>
      <td colSpan={COLUMNS} style={{ height: heightPx }} />
    </tr>
  );
}

/** The row that has the focus: an element that goes takes it with it. */
function useFocusedRow() {
  const [focused, setFocused] = useState<number>();
  const onFocus = useCallback((event: FocusEvent<HTMLElement>) => {
    const index = event.target.closest<HTMLElement>('tr[data-index]')?.dataset.index;
    setFocused(index === undefined ? undefined : Number(index));
  }, []);
  const onBlur = useCallback((event: FocusEvent<HTMLElement>) => {
    if (!event.currentTarget.contains(event.relatedTarget)) setFocused(undefined);
  }, []);
  return { focused, handlers: { onFocus, onBlur } };
}

/** A drawn row, or the place of rows that are not drawn. */
type Slot = { kind: 'row'; index: number } | { kind: 'gap'; before: number | 'end'; heightPx: number };

function useRows(
  symbols: readonly FeedSymbol[],
  scroller: { readonly current: HTMLElement | null },
  focused: number | undefined,
) {
  const count = symbols.length;
  const virtualizer = useVirtualizer<HTMLElement, HTMLTableRowElement>({
    count,
    // Drawing, and the layout and paint of what was drawn, are then two tasks of half the length.
    useFlushSync: false,
    getScrollElement: () => scroller.current,
    estimateSize: () => USUAL_ROW,
    overscan: BEYOND_SIGHT,
    getItemKey: useCallback((index: number) => keyAt(symbols, index), [symbols]),
    rangeExtractor: (range) => {
      const inSight = defaultRangeExtractor(range);
      if (focused === undefined || focused >= count || inSight.includes(focused)) return inSight;
      return [...inSight, focused].sort((a, b) => a - b);
    },
  });
  // Another choice of rows is read from its beginning.
  useEffect(() => {
    if (symbols.length > 0) scroller.current?.scrollTo({ top: 0 });
  }, [symbols, scroller]);
  const slots = slotsOf(virtualizer.getVirtualItems(), virtualizer.getTotalSize());
  return { slots, measure: virtualizer.measureElement };
}

function keyAt(symbols: readonly FeedSymbol[], index: number): string | number {
  const feed = symbols[index];
  return feed === undefined ? index : symbolKey(feed);
}

function slotsOf(items: readonly { index: number; start: number; end: number }[], totalPx: number): Slot[] {
  const slots: Slot[] = [];
  let edge = 0;
  for (const { index, start, end } of items) {
    if (start > edge) slots.push({ kind: 'gap', before: index, heightPx: start - edge });
    slots.push({ kind: 'row', index });
    edge = end;
  }
  if (totalPx > edge) slots.push({ kind: 'gap', before: 'end', heightPx: totalPx - edge });
  return slots;
}
