'use client';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { useAnnounce } from '@/lib/client/announce';
import { applyNot, applyOnly, needsServed } from '@/lib/client/cell-filters';
import { fetchServedNetworks } from '@/lib/client/networks';
import type { Cell, RequestsView, Sort } from '@/lib/contract/codec/requests-url';
import { withFilter } from '@/lib/contract/codec/requests-url';
import type { Network } from '@/lib/domain/network';
import { type ShowView, viewOfAddress } from './use-requests-view';

function isCreated(sort: Sort): boolean {
  return sort.startsWith('created.');
}

/** The other order of the whole result is another list; an order within the page is the same list. */
function sorted(view: RequestsView, sort: Sort): RequestsView {
  const isSameList = !isCreated(sort) && view.sort !== 'created.asc';
  return isSameList ? { ...view, sort } : withFilter(view, { sort });
}

function opened(view: RequestsView, key: string | undefined): RequestsView {
  const { open: _open, ...closed } = view;
  return key === undefined ? closed : { ...closed, open: key };
}

/** What keepers serve changes when they are started anew. */
const SERVED_FRESH_MS = 600_000;

type LeaveOut = (cell: Cell) => Promise<void>;

/** Leaves a value out. Which networks there are besides one is asked for when it is needed, and the view may move on meanwhile. */
function useLeaveOut(networks: readonly Network[], keepers: readonly string[], show: ShowView): LeaveOut {
  const client = useQueryClient();
  const announce = useAnnounce();
  return useCallback(
    async (cell) => {
      const before = viewOfAddress();
      const served = needsServed(before, cell)
        ? await client.fetchQuery({
            queryKey: ['networks', 'served', before.keepers],
            queryFn: async () => (await fetchServedNetworks(before.keepers)) ?? null,
            staleTime: ({ state }) => (state.data ? SERVED_FRESH_MS : 0),
          })
        : undefined;
      const now = viewOfAddress();
      // Another keeper's networks say nothing about this one's.
      const known = now.keepers.join() === before.keepers.join() ? (served ?? undefined) : undefined;
      const next = applyNot(now, cell, { networks, keepers, served: known });
      if (needsServed(before, cell) && next.networks.length === 0) {
        announce('What the keeper serves is not known, so this holds within the loaded rows only.');
      }
      show(() => next, 'push');
    },
    [client, announce, networks, keepers, show],
  );
}

/** What the table does to the view: a first row that is opened is a step back, the ones after it are not. */
export function useTableActions(
  view: RequestsView,
  networks: readonly Network[],
  keepers: readonly string[],
  show: ShowView,
) {
  const leaveOut = useLeaveOut(networks, keepers, show);
  return useMemo(
    () => ({
      sort: view.sort,
      onSort: (sort: Sort) => show((now) => sorted(now, sort), 'push'),
      onOpen: (key: string | undefined) => {
        if (key === view.open) return;
        show(
          (now) => opened(now, key),
          (now) => (now.open === undefined ? 'push' : 'replace'),
        );
      },
      onOnly: (cell: Cell) => show((now) => applyOnly(now, cell, networks, keepers), 'push'),
      onNot: (cell: Cell) => void leaveOut(cell),
    }),
    [view, networks, keepers, show, leaveOut],
  );
}

export type TableActions = ReturnType<typeof useTableActions>;
