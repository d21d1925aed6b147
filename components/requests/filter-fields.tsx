'use client';
import type { Network } from '@/lib/domain/network';
import { type RequestsView, withFilter } from '@/lib/requests/view';
import { KeeperFilter } from './keeper-filter';
import { NetworkFilter } from './network-filter';
import { StateFilter } from './state-filter';
import { TimeFilter } from './time-filter';
import type { ShowView } from './use-requests-view';

/** Every filter but the search, in the bar or in the sheet. */
export function FilterFields({
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
  const change = (filter: Partial<RequestsView>, as: 'push' | 'replace' = 'push') =>
    show((now) => withFilter(now, filter), as);
  return (
    <>
      <KeeperFilter
        view={view}
        keepers={keepers}
        onChoose={(chosen, as) => change({ keepers: chosen }, as)}
        onSwitch={(chosen) => change({ keepers: chosen, networks: [] })}
      />
      <NetworkFilter
        view={view}
        networks={networks}
        onChoose={(chosen, as) => change({ networks: chosen }, as)}
      />
      <StateFilter view={view} onChoose={(chosen, as) => change({ states: chosen }, as)} />
      <TimeFilter time={view.time} onChange={(time) => change({ time })} />
    </>
  );
}
