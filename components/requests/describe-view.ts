import { clipped, shortened } from '@/lib/client/foreign-text';
import { countOf } from '@/lib/client/human-number';
import type { RequestsView } from '@/lib/contract/codec/requests-url';
import { recogniseQuery } from '@/lib/domain/log-query';
import { stateWords } from './state-words';
import { timeWords } from './time-words';

type Names = { network: (networkId: string) => string; keeper: string | undefined };

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

/**
 * What is counted: `1,234 requests on Base in the last 24 hours, state pending`.
 * @param total decimal digits; undefined when the service gave no total
 */
export function describeTotal(total: string | undefined, view: RequestsView, names: Names): string {
  const [network, state] = [view.networks[0], view.states[0]];
  const parts = [
    total === undefined ? 'Requests (the service gave no total)' : countOf(total, 'request', 'requests'),
    names.keeper === undefined ? undefined : `of keeper ${clipped(names.keeper, 40)}`,
    network === undefined ? undefined : `on ${names.network(network)}`,
    timeWords(view.time),
  ];
  const filters = [state === undefined ? undefined : `state ${stateWords(state)}`, searchWords(view.q)];
  return [parts.filter(Boolean).join(' '), ...filters].filter(Boolean).join(', ');
}
