'use client';
import { useCallback, useMemo } from 'react';
import {
  type BoardChoice,
  type BoardLook,
  boardChoiceOf,
  boardUrl,
  type FeedChoice,
} from '@/lib/client/feed-choice';
import type { FeedName } from '@/lib/client/feed-directory';
import { type HistoryStep, queryNow, useAddress } from '@/lib/client/use-address';
import { type FeedReference, formatFeedsUrl } from '@/lib/contract/codec/feeds-url';
import { useFeedDirectory } from './use-feed-chooser';

/** What a board shows, as its address says it. */
export type BoardView = { readonly choices: readonly FeedChoice[]; readonly look: BoardLook };

/** Changes what is shown. */
export type ShowBoard = (change: (now: BoardView) => BoardView, how: HistoryStep) => void;

export type Board = BoardChoice & {
  readonly show: ShowBoard;
  /** Whether the names of the address may still be found. */
  readonly search: 'going on' | 'over';
};

/** The board of the address. The directory is asked for when a name of it is none that the server knew. */
export function useBoard(names: readonly FeedName[], defaults: readonly FeedReference[]): Board {
  const { query, show: showAddress } = useAddress();
  const first = useMemo(
    () => boardChoiceOf(new URLSearchParams(query), names, defaults),
    [query, names, defaults],
  );
  const isUnresolved = first.choices.some((one) => one.kind === 'unnamed' || one.feed.symbol === one.feed.id);
  const directory = useFeedDirectory(isUnresolved ? 'wanted' : 'not yet');
  const listed = directory.data?.feeds;
  const known = useMemo(() => (listed === undefined ? names : [...names, ...listed]), [names, listed]);
  const choice = useMemo(
    () => (known === names ? first : boardChoiceOf(new URLSearchParams(query), known, defaults)),
    [first, known, names, query, defaults],
  );
  const show: ShowBoard = useCallback(
    (change, how) => {
      const params = queryNow();
      const now = boardChoiceOf(params, known, defaults);
      const next = change(now);
      const isDefault = !params.has('ids') && next.choices === now.choices;
      const url = isDefault ? formatFeedsUrl({ ...next.look, feeds: [] }) : boardUrl(next.choices, next.look);
      showAddress(url, how);
    },
    [known, defaults, showAddress],
  );
  return { ...choice, show, search: isUnresolved && directory.isPending ? 'going on' : 'over' };
}
