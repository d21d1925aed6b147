'use client';
import dynamic from 'next/dynamic';
import { Icon } from '@/components/ui/icons';
import { orNotice } from '@/components/ui/part-not-loaded';
import { PopoverButton } from '@/components/ui/popover-button';
import { withinCount, withWithin } from '@/lib/client/cell-filters';
import type { ListedRow } from '@/lib/contract/codec/listing';
import type { RequestsView } from '@/lib/contract/codec/requests-url';
import type { ShowView } from './use-requests-view';

const WithinChoices = dynamic(
  () => orNotice(import('./within-choices').then((module) => module.WithinChoices)),
  {
    ssr: false,
    loading: () => null,
  },
);

/** Filters that no service has. They hold within the loaded rows only, and say so. */
export function WithinFilter({
  view,
  rows,
  show,
}: {
  view: RequestsView;
  /** All that are loaded, also those that such a filter hides. */
  rows: readonly ListedRow[];
  show: ShowView;
}) {
  return (
    <PopoverButton
      name="Filter loaded rows"
      look="words"
      mark={withinCount(view.within) > 0 ? 'active' : 'idle'}
      face={
        <>
          <Icon name="filter" size={14} />
          Filter loaded rows
        </>
      }
    >
      <WithinChoices
        within={view.within}
        rows={rows}
        onChange={(within, as) => show((now) => withWithin(now, within), as)}
      />
    </PopoverButton>
  );
}
