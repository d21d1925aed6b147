'use client';
import Link from 'next/link';
import { groupDigits } from '@/lib/client/human-number';
import { lookupUrl } from '@/lib/client/symbol-view';
import { MOST_LOOKED_UP } from '@/lib/contract/codec/prices-url';
import type { FeedSymbol } from '@/lib/contract/codec/symbols';
import { AddToBoard } from './add-to-board';
import classes from './symbol-directory.module.css';

/** How many symbols are shown, and what can be done with those that were ticked. */
export function SymbolPicks({
  picked,
  count,
  onClear,
}: {
  picked: readonly FeedSymbol[];
  count: { shown: number; all: number };
  onClear: () => void;
}) {
  const all = `${groupDigits(String(count.all))} symbols`;
  return (
    <div className={classes.bar}>
      <p role="status" className={classes.count}>
        {count.shown === count.all ? all : `${groupDigits(String(count.shown))} of ${all}`}
      </p>
      {picked.length === 0 ? (
        <p className={classes.hint}>Tick symbols to look them up or to add them to a board together.</p>
      ) : (
        <fieldset className={classes.picks} aria-label="Ticked symbols">
          <span className={classes.ticked}>{groupDigits(String(picked.length))} ticked</span>
          {picked.length > MOST_LOOKED_UP ? (
            <span className={classes.hint}>At most {MOST_LOOKED_UP} are looked up at once.</span>
          ) : (
            <Link className={classes.action} href={lookupUrl(picked)}>
              Look up
            </Link>
          )}
          <AddToBoard symbols={picked} of="ticked symbols" />
          <button type="button" className="small-button" onClick={onClear}>
            Clear
          </button>
        </fieldset>
      )}
    </div>
  );
}
