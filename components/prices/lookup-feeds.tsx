'use client';
import { Icon } from '@/components/ui/icons';
import { clipped } from '@/lib/client/foreign-text';
import { resolveFeeds } from '@/lib/client/price-lookup';
import {
  MOST_LOOKED_UP,
  type PriceReference,
  type PricesView,
  priceReferenceText,
} from '@/lib/contract/codec/prices-url';
import type { FeedSymbol } from '@/lib/contract/codec/symbols';
import classes from './lookup-feeds.module.css';
import { SymbolPicker } from './symbol-picker';
import type { AskedView } from './use-lookup-ask';
import type { ShowPrices } from './use-prices-view';

/** The feeds of a lookup: found by symbol, or given by an id of either service. */
export function LookupFeeds({
  view,
  show,
  symbols,
  directory,
}: {
  view: PricesView;
  show: ShowPrices;
  symbols: readonly FeedSymbol[];
  directory: AskedView['directory'];
}) {
  const { feeds } = view;
  const add = (more: readonly PriceReference[]) =>
    show((now) => {
      const all = new Map([...now.feeds, ...more].map((one) => [priceReferenceText(one).toLowerCase(), one]));
      return { ...now, feeds: [...all.values()].slice(0, MOST_LOOKED_UP) };
    });
  const remove = (gone: PriceReference) =>
    show((now) => ({
      ...now,
      feeds: now.feeds.filter((one) => priceReferenceText(one) !== priceReferenceText(gone)),
    }));
  return (
    <div className={classes.feeds}>
      <SymbolPicker chosen={feeds} symbols={symbols} directory={directory} onAdd={add} onRemove={remove} />
      {feeds.length === 0 ? null : (
        <ul className={classes.chips} aria-label="Chosen feeds">
          {feeds.map((feed) => (
            <Chip key={priceReferenceText(feed)} name={nameOf(feed, symbols)} onRemove={() => remove(feed)} />
          ))}
        </ul>
      )}
      {feeds.length < 2 ? null : (
        <button
          type="button"
          className={classes.clear}
          onClick={() => show((now) => ({ ...now, feeds: [] }))}
        >
          Clear {feeds.length} feeds
        </button>
      )}
    </div>
  );
}

function nameOf(reference: PriceReference, symbols: readonly FeedSymbol[]): string {
  return resolveFeeds([reference], symbols).feeds[0]?.symbol ?? priceReferenceText(reference);
}

function Chip({ name, onRemove }: { name: string; onRemove: () => void }) {
  const shown = name.length > 40 ? `${name.slice(0, 10)}…${name.slice(-6)}` : name;
  return (
    <li className={classes.chip} title={clipped(name, 90)}>
      <bdi>{clipped(shown, 40)}</bdi>
      <button
        type="button"
        className={classes.remove}
        aria-label={`Remove ${clipped(shown, 40)}`}
        onClick={onRemove}
      >
        <Icon name="close" size={12} />
      </button>
    </li>
  );
}
