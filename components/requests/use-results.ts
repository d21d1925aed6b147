'use client';
import { askAgain } from '@/lib/client/ask-again';
import { useNetworksOf } from '@/lib/client/networks';
import type { ListedRow } from '@/lib/contract/codec/listing';
import type { Network } from '@/lib/domain/network';
import type { RequestsView } from '@/lib/requests/view';
import { useFollowed } from './use-followed';
import { useNewRows } from './use-new-rows';
import { useOpenRow } from './use-one-request';
import { useReader } from './use-reader';
import { type RequestsSeed, useRequests } from './use-requests';

const NO_ROWS: ListedRow[] = [];

/** All that is known of a view's rows, from the server's first answer to what came just now. */
export function useResults(view: RequestsView, seed: RequestsSeed, networks: readonly Network[]) {
  const { area, attention } = useReader();
  const { data, isPlaceholderData, isFetching, refetch } = useRequests(view, seed);
  const reading = view.live !== undefined && (view.open !== undefined || attention === 'reading');
  const followed = useFollowed(data?.page, reading ? 'held' : 'free');
  const page = followed.shown;
  const rows = page?.rows ?? NO_ROWS;
  return {
    /** Undefined before anything came. */
    answer: data === undefined ? undefined : { page, trouble: data.trouble },
    page,
    rows,
    /** Of this very view: what is shown of another one while this is on its way has its own. */
    trouble: isPlaceholderData ? undefined : data?.trouble,
    followed,
    newRows: useNewRows(page),
    open: useOpenRow(view.open, rows),
    /** Those that were offered, and those of the rows. */
    networks: useNetworksOf(networks, rows),
    activity: isFetching ? ('fetching' as const) : ('idle' as const),
    refresh: () => askAgain(refetch),
    /** Where the rows stand: whoever reads there is not disturbed. */
    area,
  };
}

export type Results = ReturnType<typeof useResults>;
