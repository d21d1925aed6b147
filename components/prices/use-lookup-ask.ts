'use client';
import { useEffect, useMemo, useState } from 'react';
import { type DirectoryStanding, type LookupAsk, resolveFeeds } from '@/lib/client/price-lookup';
import type { SymbolsStanding } from '@/lib/client/symbol-directory';
import type { PricesView } from '@/lib/contract/codec/prices-url';
import type { FeedSymbol } from '@/lib/contract/codec/symbols';
import type { UrlProblem } from '@/lib/domain/url-problem';

/** A directory that takes longer is done without; ids are enough. */
const DIRECTORY_PATIENCE_MS = 3_000;

const NO_SYMBOLS: readonly FeedSymbol[] = [];

/** What is asked, and what of the address can't be. `ask` is undefined while there is nothing to ask yet. */
export type AskedView = {
  readonly ask: LookupAsk | undefined;
  readonly symbols: readonly FeedSymbol[];
  readonly directory: DirectoryStanding | 'waiting';
  readonly problems: readonly UrlProblem[];
};

/** The question of a view, as soon as it is known which feeds are meant; the same object until one of them changes. */
export function useLookupAsk(view: PricesView, standing: SymbolsStanding): AskedView {
  const isLate = useLate(standing.state === 'loading');
  const symbols = standing.state === 'loaded' ? standing.answer.symbols : NO_SYMBOLS;
  const directory = standing.state === 'loading' && !isLate ? 'waiting' : directoryOf(standing);
  // Every answer of a lookup draws the page anew, and one of a hundred feeds has hundreds of cells to plan.
  return useMemo(() => askedView(view, symbols, directory), [view, symbols, directory]);
}

function askedView(
  view: PricesView,
  symbols: readonly FeedSymbol[],
  directory: AskedView['directory'],
): AskedView {
  if (directory === 'waiting' || view.feeds.length === 0) {
    return { ask: undefined, symbols, directory, problems: [] };
  }
  const { feeds, unknown } = resolveFeeds(view.feeds, symbols);
  const { feeds: _feeds, at, mode: _mode, ...options } = view;
  const ask = { feeds, ...(at === undefined ? {} : { at }), options, directory };
  return {
    ask: feeds.length === 0 ? undefined : ask,
    symbols,
    directory,
    problems: unknown.map((text) => unknownProblem(text, directory)),
  };
}

/** Whether something has been so for longer than anybody should wait. */
function useLate(isGoingOn: boolean): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    if (!isGoingOn) return;
    const timer = setTimeout(() => setLate(true), DIRECTORY_PATIENCE_MS);
    return () => {
      clearTimeout(timer);
      setLate(false);
    };
  }, [isGoingOn]);
  return isLate;
}

/** Only the router's list says which ids belong together. */
function directoryOf(standing: SymbolsStanding): DirectoryStanding {
  if (standing.state !== 'loaded') return 'missing';
  const { router } = standing.answer.sources;
  return router.state === 'ok' || (router.state === 'failed' && router.asOfMs !== undefined)
    ? 'known'
    : 'missing';
}

function unknownProblem(text: string, directory: DirectoryStanding): UrlProblem {
  const message =
    directory === 'known'
      ? 'No feed is called that, or several are.'
      : 'Without the symbol directory nobody knows it. Give its id.';
  return { param: 'ids', value: text, message };
}
