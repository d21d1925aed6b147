'use client';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import { Icon } from '@/components/ui/icons';
import { LiveControls } from '@/components/ui/live-controls';
import { orNotice } from '@/components/ui/part-not-loaded';
import { columnFilterCount } from '@/lib/client/cell-filters';
import type { Network } from '@/lib/domain/network';
import { type RequestsView, withFilter } from '@/lib/requests/view';
import { filterCount } from './filter-count';
import { FilterFields } from './filter-fields';
import classes from './filters.module.css';
import { SearchField } from './search-field';
import type { ShowView } from './use-requests-view';

const FilterChips = dynamic(() => orNotice(import('./filter-chips').then((part) => part.FilterChips)));

const FilterSheet = dynamic(() => orNotice(import('./filter-sheet').then((module) => module.FilterSheet)), {
  ssr: false,
  loading: () => null,
});

/**
 * Every filter of the table; each change goes back to the first page. On a narrow screen all but the search stand in a
 * sheet. They are in the page once: while the sheet is open, they are not in the bar.
 */
export function Filters({
  view,
  keepers,
  networks,
  show,
}: {
  view: RequestsView;
  keepers: readonly string[];
  networks: readonly Network[];
  show: ShowView;
}) {
  const [sheet, setSheet] = useState<'open' | 'closed'>('closed');
  const fields = <FilterFields view={view} keepers={keepers} networks={networks} show={show} />;
  const count = filterCount(view);
  return (
    <LiveControls>
      <search className={classes.filters} aria-label="Filters">
        {sheet === 'open' ? null : <div className={classes.fields}>{fields}</div>}
        <SearchField
          q={view.q}
          // Back leaves the search as a whole, and not the filter that was chosen before it.
          onSearch={(q) =>
            show(
              (now) => withFilter(now, { q }),
              (now) => ((now.q === '') === (q === '') ? 'replace' : 'push'),
            )
          }
        />
        <button
          type="button"
          className={classes.more}
          aria-haspopup="dialog"
          data-mark={count > 0 ? 'active' : 'idle'}
          onClick={() => setSheet('open')}
        >
          <Icon name="filter" size={14} />
          Filters{count > 0 ? ` (${count})` : ''}
        </button>
      </search>
      {columnFilterCount(view) === 0 ? null : <FilterChips view={view} networks={networks} show={show} />}
      {sheet === 'open' ? (
        <FilterSheet view={view} show={show} onClose={() => setSheet('closed')}>
          {fields}
        </FilterSheet>
      ) : null}
    </LiveControls>
  );
}
