'use client';
import { Button, CloseButton, Toolbar } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import { Icon } from '@/components/ui/icons';
import { orNotice } from '@/components/ui/part-not-loaded';
import type { HistoryStep } from '@/components/ui/use-query-text';
import type { Network } from '@/lib/core/network';
import { groupDigits } from '@/lib/core/numbers';
import { clipped, shortened } from '@/lib/core/text';
import type { FacetValue, Summary } from '@/lib/requests/answers';
import {
  type Bounds,
  type Cell,
  columnFilterCount,
  defaultRequestsView,
  isSameCell,
  keeperFilter,
  LIST_FILTERS,
  RANGE_FILTERS,
  type RequestsView,
  type TimeFilter,
  withFilter,
  withoutColumnFilters,
} from '@/lib/requests/view';
import { STATE_LABELS, stateLabel } from '@/lib/requests/view-labels';
import { COLUMNS, hueOf } from './columns';
import { type Choice, FilterSelect, TimeRange } from './filter-fields';
import classes from './requests.module.css';
import { type ShowView, useNetworks } from './requests-context';
import { SearchField } from './search-field';

const MoreFilters = dynamic(() => orNotice(import('./more-filters').then((part) => part.MoreFilters)), {
  ssr: false,
});
const FilterDrawer = dynamic(() => orNotice(import('./more-filters').then((part) => part.FilterDrawer)), {
  ssr: false,
});

function isUsualTime({ time }: RequestsView): boolean {
  const usual = defaultRequestsView().time;
  return time.kind === 'last' && usual.kind === 'last' && time.range === usual.range;
}

/** How many filters beside the search differ from what a link without any means. */
function filterCount(view: RequestsView): number {
  const chosen = [view.networks, view.states, view.keepers].filter((values) => values.length > 0).length;
  return chosen + (isUsualTime(view) ? 0 : 1) + columnFilterCount(view);
}

/** Every filter as a link without any has it; order, columns and size stay. */
export function withoutFilters(view: RequestsView): RequestsView {
  const { networks, states, keepers, q, time } = defaultRequestsView();
  return withFilter(withoutColumnFilters(view), { networks, states, keepers, q, time });
}

type FilterProps = {
  view: RequestsView;
  keepers: readonly string[];
  networks: readonly Network[];
  facets: Summary['facets'] | undefined;
  show: ShowView;
  onSearch: (q: string, as: 'typing' | 'whole') => void;
};

/**
 * Every filter of the table in one line: search first, what is set besides as chips. On a phone all but the search stand
 * in a drawer.
 */
export function FilterBar(props: FilterProps) {
  const { view, show, onSearch } = props;
  const isNarrow = useMediaQuery('(max-width: 48em)', false) === true;
  const [more, setMore] = useState<'closed' | 'open' | 'never'>('never');
  const count = filterCount(view);
  const fields = <FilterFields {...props} />;
  const moreCount = isNarrow ? count : columnFilterCount(view);
  return (
    <search className={classes.filters} aria-label="Filters">
      <SearchField q={view.q} onSearch={onSearch} />
      {/* In the page once: the drawer has them on a phone. */}
      {isNarrow ? null : <div className={classes.fields}>{fields}</div>}
      <Button
        aria-haspopup="dialog"
        aria-expanded={more === 'open'}
        leftSection={<Icon name="filter" size={14} />}
        onClick={() => setMore('open')}
      >
        {isNarrow ? 'Filters' : 'More filters'}
        {moreCount > 0 ? ` (${moreCount})` : ''}
      </Button>
      <Chips {...props} />
      {count === 0 && view.q === '' ? null : (
        <Button px={8} variant="subtle" onClick={() => show(withoutFilters, 'push')}>
          Clear
        </Button>
      )}
      {more === 'never' ? null : isNarrow ? (
        <FilterDrawer view={view} show={show} opened={more === 'open'} onClose={() => setMore('closed')}>
          {fields}
        </FilterDrawer>
      ) : (
        <MoreFilters view={view} show={show} opened={more === 'open'} onClose={() => setMore('closed')} />
      )}
    </search>
  );
}

/** Digits that name no offered network are an id all the same: keepers serve networks that nobody listed. */
function idChoice(text: string): Choice | undefined {
  if (!/^\d{1,19}$/.test(text)) return undefined;
  return { value: BigInt(text).toString(), label: `Network ${BigInt(text)}`, count: undefined };
}

function counted(values: readonly FacetValue[] | undefined, value: string): number | undefined {
  return values === undefined ? undefined : (values.find((one) => one.value === value)?.count ?? 0);
}

function networkChoices({ view, networks, facets }: FilterProps, nameOf: (id: string) => string): Choice[] {
  const values = facets?.network;
  const ids = new Set([
    ...networks.map(({ networkId }) => networkId),
    ...view.networks,
    ...(values ?? []).map(({ value }) => value),
  ]);
  return [...ids]
    .map((value) => ({ value, label: nameOf(value), count: counted(values, value), hue: hueOf(value) }))
    .sort(
      (a, b) =>
        Number((b.count ?? 0) > 0) - Number((a.count ?? 0) > 0) || a.label.localeCompare(b.label, 'en'),
    );
}

function stateChoices({ view, facets }: FilterProps): Choice[] {
  const values = facets?.state;
  const states = new Set([
    ...Object.keys(STATE_LABELS),
    ...view.states,
    ...(values ?? []).map(({ value }) => value),
  ]);
  return [...states].map((value) => ({ value, label: stateLabel(value), count: counted(values, value) }));
}

function FilterFields(props: FilterProps) {
  const { view, keepers, facets, show } = props;
  const known = useNetworks();
  const nameOf = (id: string) => known.get(id)?.name ?? `Network ${id}`;
  const choose = (filter: 'networks' | 'states' | 'keepers') => (values: string[], as: HistoryStep) =>
    show((now) => withFilter(now, { [filter]: values }), as);
  // A keeper of the link that does not exist stands there too, so that the field never names another one.
  const allKeepers = [...new Set([...keepers, ...view.keepers])];
  return (
    <>
      <FilterSelect
        label="Network"
        all="All networks"
        choices={networkChoices(props, nameOf)}
        chosen={view.networks}
        choiceOf={idChoice}
        onChoose={choose('networks')}
      />
      <FilterSelect
        label="State"
        all="All states"
        choices={stateChoices(props)}
        chosen={view.states}
        onChoose={choose('states')}
      />
      {allKeepers.length < 2 ? null : (
        <FilterSelect
          label="Keeper"
          all="All keepers"
          choices={allKeepers.map((value) => ({
            value,
            label: clipped(value, 40),
            count: counted(facets?.keeper, value),
          }))}
          chosen={view.keepers.length === 0 ? keepers.slice(0, 1) : view.keepers}
          allValues={allKeepers}
          isUsual={view.keepers.length === 0}
          onChoose={(values, as) => choose('keepers')(keeperFilter(values, keepers), as)}
        />
      )}
      <TimeRange
        time={view.time}
        onChange={(time: TimeFilter) => show((now) => withFilter(now, { time }), 'push')}
      />
    </>
  );
}

type Chip = { words: string; value: string; without: RequestsView };

function boundsText({ min, max }: Bounds, unit: string): string {
  if (max === undefined) return `≥ ${groupDigits(min ?? '')}${unit}`;
  if (min === max) return `${groupDigits(max)}${unit}`;
  return min === undefined
    ? `≤ ${groupDigits(max)}${unit}`
    : `${groupDigits(min)}–${groupDigits(max)}${unit}`;
}

function chipsOf(view: RequestsView, nameOf: (cell: Cell) => string): Chip[] {
  const lists = (['sender', 'provider', 'failure'] as const).flatMap((column) => {
    const list = LIST_FILTERS[column];
    if (list === undefined) return [];
    return view[list].map((value) => {
      const without = withFilter(view, { [list]: view[list].filter((other) => other !== value) });
      return { words: COLUMNS[column].label, value: nameOf({ column, value }), without };
    });
  });
  const ranges = RANGE_FILTERS.flatMap(({ column, filter }) => {
    const { [filter]: bounds, ...without } = view;
    if (bounds === undefined) return [];
    const [words, unit] = column === 'duration' ? ['Latency', ' s'] : [COLUMNS[column].label, ''];
    return [{ words, value: boundsText(bounds, unit), without: withFilter(without, {}) }];
  });
  const nots = view.not.map((cell) => {
    const without = withFilter(view, { not: view.not.filter((other) => !isSameCell(other, cell)) });
    return { words: `${COLUMNS[cell.column].label} not`, value: nameOf(cell), without };
  });
  return [...lists, ...ranges, ...nots];
}

function Chips({ view, show }: FilterProps) {
  const known = useNetworks();
  const chips = chipsOf(view, ({ column, value }) => {
    if (column === 'state') return stateLabel(value);
    if (column === 'network') return known.get(value)?.name ?? value;
    return column === 'failure' ? clipped(value, 40) : shortened(value);
  });
  if (chips.length === 0) return null;
  return (
    <Toolbar withBorder={false} className={classes.chips} aria-label="Filters on columns">
      {chips.map(({ words, value, without }) => (
        <span key={`${words} ${value}`} className={classes.chip}>
          {words} <bdi className="num">{value}</bdi>
          <CloseButton
            data-toolbar-toggle=""
            size="xs"
            aria-label={`Remove: ${words} ${value}`}
            onClick={() => show(() => without, 'push')}
          />
        </span>
      ))}
    </Toolbar>
  );
}
