'use client';
import { ChoiceSelect } from '@/components/ui/choice-select';
import { LiveControls } from '@/components/ui/live-controls';
import { clipped } from '@/lib/client/foreign-text';
import { type RequestsView, withFilter } from '@/lib/contract/codec/requests-url';
import type { Network } from '@/lib/domain/network';
import { isStateWord } from '@/lib/domain/request-record';
import classes from './filters.module.css';
import { NetworkFilter } from './network-filter';
import { SearchField } from './search-field';
import { STATE_LABELS } from './state-words';
import { TimeFilter } from './time-filter';
import type { ShowView } from './use-requests-view';

function stateOptions(chosen: string | undefined) {
  const foreign = chosen === undefined || isStateWord(chosen) ? [] : [chosen];
  return [
    { value: '', label: 'All states' },
    ...Object.entries(STATE_LABELS).map(([value, label]) => ({ value, label })),
    ...foreign.map((value) => ({ value, label: clipped(value, 40) })),
  ];
}

/** Every filter of the table; each change goes back to the first page. */
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
  // A keeper of the link that does not exist stands there too, so that the field never names another one.
  const offeredKeepers = [...new Set([...keepers, ...view.keepers.slice(0, 1)])];
  const change = (filter: Partial<RequestsView>) => show(withFilter(view, filter), 'push');
  return (
    <LiveControls>
      <search className={classes.filters} aria-label="Filters">
        {offeredKeepers.length < 2 ? null : (
          <ChoiceSelect
            label="Keeper"
            className={classes.keeper}
            data={offeredKeepers}
            value={view.keepers[0] ?? keepers[0] ?? ''}
            onChoose={(keeper) => change({ keepers: keeper === keepers[0] ? [] : [keeper], networks: [] })}
          />
        )}
        <NetworkFilter
          networks={networks}
          chosenId={view.networks[0]}
          onChoose={(networkId) => change({ networks: networkId === undefined ? [] : [networkId] })}
        />
        <ChoiceSelect
          label="State"
          className={classes.select}
          data={stateOptions(view.states[0])}
          value={view.states[0] ?? ''}
          onChoose={(state) => change({ states: state === '' ? [] : [state] })}
        />
        <TimeFilter time={view.time} onChange={(time) => change({ time })} />
        <SearchField
          q={view.q}
          // Back leaves the search as a whole, and not the filter that was chosen before it.
          onSearch={(q) => show(withFilter(view, { q }), (view.q === '') === (q === '') ? 'replace' : 'push')}
        />
      </search>
    </LiveControls>
  );
}
