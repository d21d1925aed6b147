import { recogniseQuery } from '@/lib/core/log-query';
import { countOf } from '@/lib/core/numbers';
import { clipped, shortened } from '@/lib/core/text';
import type { RequestsView } from '@/lib/requests/view-shape';
import { stateWords } from './state-words';
import { shortTimeWords } from './time-words';

type Names = {
  network: (networkId: string) => string;
  /** How the page shows a moment (unix milliseconds); in UTC where nobody says. */
  moment?: (ms: number) => string;
};

function searchWords(q: string): string | undefined {
  const search = recogniseQuery(q);
  switch (search.kind) {
    case 'empty':
      return undefined;
    case 'none':
      return `search “${clipped(q, 40)}”`;
    case 'sequence':
      return `sequence ${search.canonical}`;
    case 'transaction':
    case 'address':
      return `${search.kind} ${shortened(search.canonical)}`;
  }
}

/** `Base`, `Base and Ethereum`; more than two are counted: `3 networks`. */
function listed(names: readonly string[], counted: string): string {
  return names.length > 2 ? `${names.length} ${counted}` : names.join(' and ');
}

/** What narrows the result besides its time, with commas. */
function filterWords(view: RequestsView, _names: Names): (string | undefined)[] {
  const { senders, providers, failures, not } = view;
  const columns =
    senders.length +
    providers.length +
    failures.length +
    not.length +
    [view.duration, view.gasLimit, view.gasUsed, view.block].filter((bounds) => bounds !== undefined).length;
  return [
    view.states.length === 0 ? undefined : listed(view.states.map(stateWords), 'states'),
    searchWords(view.q),
    columns === 0 ? undefined : `${columns} more ${columns === 1 ? 'filter' : 'filters'}`,
  ];
}

/**
 * What is counted: `1,234 requests on Base in the last 24 h, pending`.
 * @param total decimal digits
 */
export function describeTotal(total: string, view: RequestsView, names: Names): string {
  const keepers = view.keepers.map((keeper) => clipped(keeper, 40));
  const parts = [
    countOf(total, 'request', 'requests'),
    keepers.length === 0 ? undefined : `of ${listed(keepers, 'keepers')}`,
    view.networks.length === 0 ? undefined : `on ${listed(view.networks.map(names.network), 'networks')}`,
    shortTimeWords(view.time, view.asof, names.moment),
  ];
  return [parts.filter(Boolean).join(' '), ...filterWords(view, names)].filter(Boolean).join(', ');
}
