'use client';
import { useState } from 'react';
import { findSymbols } from '@/lib/client/symbol-directory';
import {
  type PriceReference,
  parsePriceReference,
  priceReferenceText,
} from '@/lib/contract/codec/prices-url';
import type { FeedSymbol } from '@/lib/contract/codec/symbols';
import type { AskedView } from './use-lookup-ask';

/** So many matches are listed; who wants another one types on. */
const MOST_LISTED = 50;

export type PickerInput = {
  readonly chosen: readonly PriceReference[];
  readonly symbols: readonly FeedSymbol[];
  readonly directory: AskedView['directory'];
  readonly onAdd: (feeds: readonly PriceReference[]) => void;
  readonly onRemove: (feed: PriceReference) => void;
};

/** How a feed of the directory stands in an address: by the id that most sources take. */
export function referenceOf({ feedId, routerId = '' }: FeedSymbol): PriceReference {
  return feedId === undefined ? { kind: 'router', routerId } : { kind: 'id', id: feedId };
}

/** The references of a text that consists of ids and nothing else; a symbol among them is no id. */
export function pastedReferences(text: string): readonly PriceReference[] {
  const parts = text.split(/[\s,;]+/).filter(Boolean);
  const found = parts.flatMap((part) => parsePriceReference(part) ?? []);
  return found.length === parts.length && found.every(({ kind }) => kind !== 'symbol') ? found : [];
}

/** The texts by which an address may name a feed of the directory. */
function namesOf({ feedId, routerId, symbol }: FeedSymbol): readonly (string | undefined)[] {
  return [feedId, routerId, symbol.toLowerCase()];
}

/** The reference among the chosen ones that means this feed. */
function chosenReference(chosen: readonly PriceReference[], feed: FeedSymbol): PriceReference | undefined {
  const names = namesOf(feed);
  return chosen.find((one) => names.includes(priceReferenceText(one).toLowerCase()));
}

/** The feeds that a text finds, and the ids that it consists of. */
function foundBy(text: string, { symbols, directory }: PickerInput) {
  const found = findSymbols(symbols, text);
  const listed = found.slice(0, MOST_LISTED);
  const ids = pastedReferences(text);
  // A number may be a router id, or a part of a name: what the directory lists comes first.
  const pasted = ids.length > 1 || listed.length === 0 ? ids : [];
  return { listed, pasted, foot: footText(directory, { found: found.length, pasted: pasted.length }) };
}

/** What the field holds and lists, and what can be done with it. */
export function useSymbolPicker(input: PickerInput) {
  const { chosen, onAdd, onRemove } = input;
  const [text, setText] = useState('');
  const [standing, setStanding] = useState<'open' | 'closed'>('closed');
  const [active, setActive] = useState(0);
  const { listed, pasted, foot } = foundBy(text, input);
  const write = (next: string, then: 'open' | 'closed') => {
    setText(next);
    setActive(0);
    setStanding(then);
  };
  const toggle = (feed: FeedSymbol) => {
    const same = chosenReference(chosen, feed);
    if (same === undefined) onAdd([referenceOf(feed)]);
    else onRemove(same);
  };
  const choose = () => {
    const feed = listed[active];
    if (pasted.length > 0) {
      onAdd(pasted);
      write('', 'open');
    } else if (feed !== undefined) toggle(feed);
  };
  return {
    ...{ text, listed, active, foot, toggle, choose },
    open: standing === 'open',
    isChosen: (feed: FeedSymbol) => chosenReference(chosen, feed) !== undefined,
    point: setActive,
    show: () => setStanding('open'),
    hide: () => setStanding('closed'),
    type: (next: string) => write(next, 'open'),
    dismiss: () => write('', 'closed'),
  };
}

/** The line under the list: how many match, or why there are none. */
function footText(
  directory: AskedView['directory'],
  { found, pasted }: { found: number; pasted: number },
): string {
  if (pasted > 0) return pasted === 1 ? 'Enter adds this id.' : `Enter adds all ${pasted} ids.`;
  if (directory === 'waiting') return 'Loading the list of feeds…';
  if (found === 0 && directory === 'missing') {
    return 'There is no list of feeds now. Ids are enough: 64 hex digits, or the number of the router.';
  }
  if (found === 0) return 'No feed matches. An id has 64 hex digits; the router’s is a number.';
  return `${found === 1 ? '1 feed.' : `${found} feeds.`}${found > MOST_LISTED ? ' Type to narrow.' : ''}`;
}
