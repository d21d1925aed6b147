'use client';
import { Button, Pill, Toolbar } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { replaceEqualDeep } from '@tanstack/react-query';
import dynamic from 'next/dynamic';
import { memo, useState } from 'react';
import type { FilterChoice } from '@/components/ui/filter-button';
import { FilterSelect } from '@/components/ui/filter-select';
import { Icon } from '@/components/ui/icons';
import { useNetworkName, useNetworks } from '@/components/ui/networks';
import { noticeOnFailure } from '@/components/ui/part-not-loaded';
import type { HistoryStep } from '@/components/ui/use-query-text';
import { groupDigits } from '@/lib/core/numbers';
import { clipped, shortenHex } from '@/lib/core/text';
import { COLUMN_SCHEMA } from '@/lib/requests/column-schema';
import { asNewList, filteredColumns, MORE_LISTS, withoutFilters } from '@/lib/requests/filters';
import { unsignedDigits } from '@/lib/requests/request-address';
import type { FacetValue, Summary } from '@/lib/requests/requests-response';
import { STATE_WORDS, stateLabel } from '@/lib/requests/state-looks';
import {
  type Bounds,
  type Cell,
  defaultRequestsView,
  RANGE_FILTERS,
  type RequestsView,
} from '@/lib/requests/view';
import { pendingText } from '@/lib/requests/view-labels';
import { TimeRangeField } from './filter-fields';
import classes from './requests.module.css';
import { useRequests } from './requests-context';
import { SearchField } from './search-field';

const MoreFilters = dynamic(
  () => noticeOnFailure(import('./more-filters').then((part) => part.MoreFilters)),
  {
    ssr: false,
  },
);

/** Counts the filters of a view, without its search. */
function filterCount(view: RequestsView): number {
  const defaults = defaultRequestsView();
  const activeFilters = (['networks', 'states', 'keepers', 'time'] as const).filter(
    (field) => replaceEqualDeep(defaults[field], view[field]) !== defaults[field],
  );
  return activeFilters.length + filteredColumns(view).length;
}

type Facets = { facets: Summary['facets'] | undefined };

/** Filters that are set but have no field are chips. On a phone, all but the search are in a drawer. */
export const FilterBar = memo(function FilterBar({ facets }: Facets) {
  const { view, show } = useRequests();
  const isPhone = useMediaQuery('(max-width: 48em)', false) === true;
  // Undefined until the drawer is first opened, which loads it.
  const [more, setMore] = useState<boolean>();
  const count = filterCount(view);
  const fields = <FilterFields facets={facets} />;
  // A phone's label is chosen by CSS, so that the button keeps its width when the scripts have loaded.
  const label = (text: string, filters: number) => (filters > 0 ? `${text} (${filters})` : text);
  return (
    <search className={classes.filters} aria-label="Filters">
      <SearchField />
      {/* On a phone the drawer renders these fields. */}
      {isPhone ? null : <div className={classes.fields}>{fields}</div>}
      <Button
        className={classes.opener}
        aria-haspopup="dialog"
        aria-expanded={more === true}
        leftSection={<Icon name="filter" size={14} />}
        onClick={() => setMore(true)}
      >
        <span className={classes.wide}>{label('More filters', filteredColumns(view).length)}</span>
        <span className={classes.phone}>{label('Filters', count)}</span>
      </Button>
      <Chips />
      {count === 0 && view.q === '' ? null : (
        <Button px={8} variant="subtle" onClick={() => show(withoutFilters, 'push')}>
          Clear
        </Button>
      )}
      {more === undefined ? null : (
        <MoreFilters opened={more} onClose={() => setMore(false)}>
          {isPhone ? fields : undefined}
        </MoreFilters>
      )}
    </search>
  );
});

/** Keepers may serve networks that no list has. */
function idChoice(text: string): FilterChoice | undefined {
  const value = unsignedDigits(text, 63n);
  return value === undefined ? undefined : { value, label: `Network ${value}`, count: undefined };
}

/** The offered values, those of the answer and those of the view. */
function choicesOf(
  offered: readonly string[],
  chosen: readonly string[],
  facet: readonly FacetValue[] | undefined,
  labelOf: (value: string) => string,
): FilterChoice[] {
  const counts = new Map(facet?.map((counted) => [counted.value, counted]));
  return [...new Set([...offered, ...chosen, ...counts.keys()])].map((value) => {
    const { count = 0, gone } = counts.get(value) ?? {};
    const text = gone === undefined ? undefined : pendingText(count - gone, 0, gone);
    return { value, label: labelOf(value), count: facet && count, text };
  });
}

function FilterFields({ facets }: Facets) {
  const { view, keepers, networks, show } = useRequests();
  const nameOf = useNetworkName();
  const choose = (filter: 'networks' | 'states' | 'keepers') => (values: string[], as: HistoryStep) =>
    show((now) => asNewList(now, { [filter]: values }), as);
  const ids = networks.map(({ networkId }) => networkId);
  const hasRows = ({ count }: FilterChoice) => (count ?? 0) > 0;
  const ofKeepers = choicesOf(keepers, view.keepers, facets?.keeper, (value) => clipped(value, 40));
  return (
    <>
      <FilterSelect
        label="Network"
        all="All networks"
        choices={choicesOf(ids, view.networks, facets?.network, nameOf).sort(
          (a, b) => Number(hasRows(b)) - Number(hasRows(a)) || a.label.localeCompare(b.label, 'en'),
        )}
        chosen={view.networks}
        choiceOf={idChoice}
        onChoose={choose('networks')}
      />
      <FilterSelect
        label="State"
        all="All states"
        choices={choicesOf(STATE_WORDS, view.states, facets?.state, stateLabel)}
        chosen={view.states}
        onChoose={choose('states')}
      />
      {ofKeepers.length < 2 ? null : (
        <FilterSelect
          label="Keeper"
          all="All keepers"
          choices={ofKeepers}
          chosen={view.keepers}
          onChoose={choose('keepers')}
        />
      )}
      <TimeRangeField />
    </>
  );
}

type Chip = { words: string; value: string; without: RequestsView };

function boundsText({ min, max }: Bounds): string {
  const [from, to] = [groupDigits(min ?? ''), groupDigits(max ?? '')];
  if (max === undefined) return `≥ ${from}`;
  if (min === undefined) return `≤ ${to}`;
  return min === max ? to : `${from}–${to}`;
}

function chipsOf(view: RequestsView, nameOf: (cell: Cell) => string): Chip[] {
  const lists = MORE_LISTS.flatMap(({ column, list }) =>
    view[list].map((value) => ({
      words: COLUMN_SCHEMA[column].label,
      value: nameOf({ column, value }),
      without: asNewList(view, { [list]: view[list].filter((other) => other !== value) }),
    })),
  );
  const ranges = RANGE_FILTERS.flatMap(({ column, member, unit }) => {
    const { [member]: bounds, ...without } = view;
    return bounds === undefined
      ? []
      : [
          {
            words: COLUMN_SCHEMA[column].label,
            value: `${boundsText(bounds)}${unit === 'seconds' ? ' s' : ''}`,
            without: asNewList(without),
          },
        ];
  });
  const nots = view.not.map((cell) => ({
    words: `${COLUMN_SCHEMA[cell.column].label} not`,
    value: nameOf(cell),
    without: asNewList(view, { not: view.not.filter((other) => other !== cell) }),
  }));
  return [...lists, ...ranges, ...nots];
}

/** Mantine offers a chip's remove button only to the pointer; this makes it reachable by Tab. */
const REMOVE_BUTTON = { 'aria-hidden': false, tabIndex: 0, 'data-toolbar-toggle': '' };

function Chips() {
  const { view, show } = useRequests();
  const networks = useNetworks();
  const chips = chipsOf(view, ({ column, value }) => {
    if (column === 'state') return stateLabel(value);
    if (column === 'network') return networks.get(value)?.name ?? value;
    return column === 'failure' ? clipped(value, 40) : shortenHex(value);
  });
  if (chips.length === 0) return null;
  return (
    <Toolbar withBorder={false} className={classes.chips} aria-label="Filters on columns">
      {chips.map(({ words, value, without }) => (
        <Pill
          key={`${words} ${value}`}
          size="md"
          withRemoveButton
          onRemove={() => show(() => without, 'push')}
          removeButtonProps={{
            'aria-label': `Remove: ${words} ${value}`,
            ...REMOVE_BUTTON,
          }}
        >
          {words} <bdi className="num">{value}</bdi>
        </Pill>
      ))}
    </Toolbar>
  );
}
