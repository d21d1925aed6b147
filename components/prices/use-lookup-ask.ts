'use client';
import { useEffect, useMemo, useState } from 'react';
import { type DirectoryStanding, type LookupAsk, resolveFeeds } from '@/lib/client/price-lookup';
import type { SymbolsStanding } from '@/lib/client/symbol-directory';
import { momentsOf } from '@/lib/contract/codec/prices-moments';
import type { PricesView } from '@/lib/contract/codec/prices-url';
import type { FeedSymbol } from '@/lib/contract/codec/symbols';
import type { UrlProblem } from '@/lib/domain/url-problem';

/** Rows of one lookup at most: feeds times moments. */
const MOST_ROWS = 5_000;
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
  // Every answer of a lookup draws the page anew, and a long one has thousands of cells to plan.
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
  const { moments, left } = momentsOf(view.at);
  const most = Math.max(1, Math.floor(MOST_ROWS / Math.max(1, feeds.length)));
  const { feeds: _feeds, at: _at, mode: _mode, ...options } = view;
  const ask = { feeds, moments: moments.slice(0, most), options, directory };
  const dropped = left + BigInt(Math.max(0, moments.length - most));
  return {
    ask: feeds.length === 0 ? undefined : ask,
    symbols,
    directory,
    problems: [...unknown.map((text) => unknownProblem(text, directory)), ...droppedProblem(dropped)],
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

function droppedProblem(dropped: bigint): UrlProblem[] {
  if (dropped === 0n) return [];
  const message = `At most 500 moments and ${MOST_ROWS} rows are looked up at once; ${dropped} moments are left out.`;
  return [{ param: 'at', value: '…', message }];
}
