'use client';
import { FindField } from '@/components/ui/find-field';
import { Icon } from '@/components/ui/icons';
import { PopoverButton } from '@/components/ui/popover-button';
import { SortField } from '@/components/ui/sort-field';
import { TickList } from '@/components/ui/tick-list';
import { clipped } from '@/lib/client/foreign-text';
import { groupDigits } from '@/lib/client/human-number';
import type { FacetCount, ShownSymbols } from '@/lib/client/symbol-view';
import {
  SYMBOL_FACETS,
  SYMBOL_SORTS,
  type SymbolFacet,
  type SymbolSort,
  type SymbolsView,
  searchText,
} from '@/lib/contract/codec/symbols-url';
import classes from './symbol-tools.module.css';
import type { ShowSymbols } from './use-symbols-view';

const SORT_WORDS: Record<SymbolSort, string> = {
  best: 'Best match',
  symbol: 'Symbol, A to Z',
  class: 'Asset class',
  state: 'State',
  channel: 'Minimum channel, fastest first',
  router: 'Router id',
};

const FACET_WORDS: Record<SymbolFacet, string> = {
  class: 'Asset class',
  state: 'State',
  channel: 'Minimum channel',
};

/** A value that no service tells. */
export const NOT_TOLD = 'not told';

/** Which symbols are shown, and in which order. */
export function SymbolTools({
  view,
  counts,
  show,
}: {
  view: SymbolsView;
  counts: ShownSymbols['counts'];
  show: ShowSymbols;
}) {
  return (
    <search className={classes.tools} aria-label="Symbols">
      <FindField
        label="Find a symbol"
        placeholder="Symbol, name, router id or feed id"
        icon="search"
        className={classes.find}
        text={view.find}
        read={searchText}
        onFind={(find) => show((now) => ({ ...now, find }), 'replace')}
      />
      {SYMBOL_FACETS.map((facet) => (
        <FacetButton
          key={facet}
          facet={facet}
          counts={counts[facet]}
          chosen={view.chosen[facet]}
          onChoose={(values) =>
            show((now) => ({ ...now, chosen: { ...now.chosen, [facet]: values } }), 'push')
          }
        />
      ))}
      <SortField
        className={classes.sort}
        sorts={SYMBOL_SORTS}
        words={SORT_WORDS}
        sort={view.sort}
        onSort={(sort) => show((now) => ({ ...now, sort }), 'push')}
      />
    </search>
  );
}

/** Longer lists get a field that narrows them. */
const SHORT_LIST = 8;

function FacetButton({
  facet,
  counts,
  chosen,
  onChoose,
}: {
  facet: SymbolFacet;
  counts: readonly FacetCount[];
  chosen: readonly string[];
  onChoose: (values: string[]) => void;
}) {
  const name = FACET_WORDS[facet];
  const only = chosen.length === 1 ? clipped(chosen[0] || NOT_TOLD, 24) : `${chosen.length}`;
  return (
    <PopoverButton
      name={name}
      look="words"
      mark={chosen.length > 0 ? 'active' : 'idle'}
      face={
        <>
          <span>
            {name}
            {chosen.length === 0 ? null : (
              <>
                : <bdi>{only}</bdi>
              </>
            )}
          </span>
          <Icon name="down" size={12} />
        </>
      }
    >
      <TickList
        name={name}
        title={name}
        filterName={counts.length > SHORT_LIST ? `Find in ${name.toLowerCase()}` : undefined}
        ticks={counts.map(({ value, count }) => ({
          value,
          label: value === '' ? NOT_TOLD : clipped(value, 40),
          figure: groupDigits(String(count)),
        }))}
        chosen={chosen}
        onChoose={onChoose}
        focus="taken"
      />
    </PopoverButton>
  );
}
