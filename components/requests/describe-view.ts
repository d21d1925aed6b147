import { clipped, shortened } from '@/lib/client/foreign-text';
import { countOf } from '@/lib/client/human-number';
import { recogniseQuery } from '@/lib/domain/log-query';
import type { RequestsView } from '@/lib/requests/view';
import { stateWords } from './state-words';
import { timeWords } from './time-words';

/** `keeper`: the one that is asked where the view names none; undefined where there is only one. */
type Names = {
  network: (networkId: string) => string;
  keeper: string | undefined;
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

function keeperWords(view: RequestsView, names: Names): string | undefined {
  if (names.keeper === undefined) return undefined;
  const keepers = view.keepers.length > 1 ? view.keepers : [names.keeper];
  const noun = keepers.length === 2 ? 'keepers ' : keepers.length === 1 ? 'keeper ' : '';
  const words = keepers.map((keeper) => clipped(keeper, 40));
  return `of ${noun}${listed(words, 'keepers')}`;
}

/** At most four have a word of ours, so they are named; a link may hold any number of others. */
function statesWords(states: readonly string[]): string | undefined {
  const words = states.map(stateWords);
  if (words.length < 2) return words[0] === undefined ? undefined : `state ${words[0]}`;
  return words.length > 4
    ? `${words.length} states`
    : `state ${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/**
 * What is counted: `1,234 requests on Base in the last 24 hours, state pending`.
 * @param total decimal digits; undefined when the service gave no total
 */
export function describeTotal(total: string | undefined, view: RequestsView, names: Names): string {
  const parts = [
    total === undefined ? 'Requests (the service gave no total)' : countOf(total, 'request', 'requests'),
    keeperWords(view, names),
    view.networks.length === 0 ? undefined : `on ${listed(view.networks.map(names.network), 'networks')}`,
    timeWords(view.time, view.asof, names.moment),
  ];
  return [parts.filter(Boolean).join(' '), statesWords(view.states), searchWords(view.q)]
    .filter(Boolean)
    .join(', ');
}
