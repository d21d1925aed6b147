'use client';
import { useMemo } from 'react';
import { applyNot, applyOnly } from '@/lib/client/cell-filters';
import type { Network } from '@/lib/domain/network';
import type { Cell, RequestsView, Sort } from '@/lib/requests/view';
import { withFilter } from '@/lib/requests/view';
import type { ShowView } from './use-requests-view';

function opened(view: RequestsView, key: string | undefined): RequestsView {
  const { open: _open, ...closed } = view;
  return key === undefined ? closed : { ...closed, open: key };
}

/** What the table does to the view: a first row that is opened is a step back, the ones after it are not. */
export function useTableActions(
  view: RequestsView,
  networks: readonly Network[],
  keepers: readonly string[],
  show: ShowView,
) {
  return useMemo(
    () => ({
      sort: view.sort,
      onSort: (sort: Sort) => show((now) => withFilter(now, { sort }), 'push'),
      onOpen: (key: string | undefined) => {
        if (key === view.open) return;
        show(
          (now) => opened(now, key),
          (now) => (now.open === undefined ? 'push' : 'replace'),
        );
      },
      onOnly: (cell: Cell) => show((now) => applyOnly(now, cell, networks, keepers), 'push'),
      onNot: (cell: Cell) => show((now) => applyNot(now, cell, networks, keepers), 'push'),
    }),
    [view, networks, keepers, show],
  );
}

export type TableActions = ReturnType<typeof useTableActions>;
