import { formatIsoMillis } from '@/lib/core/time';
import { defaultRequestsView } from '@/lib/requests/view';
import { formatRequestsUrl } from '@/lib/requests/view-url';
import type { Incident } from './pending-response';

/** Path of the table with the rows of an incident, as precisely as the table's filters allow. */
export function incidentRowsPath({ keeper, networkId, subject }: Incident) {
  const sender = subject.kind === 'sender' ? subject.sender : '';
  return formatRequestsUrl({
    ...defaultRequestsView(),
    networks: [networkId],
    keepers: [keeper],
    states: ['pending'],
    time: { kind: 'all' },
    q: subject.kind === 'transaction' ? subject.transaction : sender,
  });
}

/** Pending requests too old to be examined. @param toMs unix ms */
export function unexaminedPath(toMs: number) {
  return formatRequestsUrl({
    ...defaultRequestsView(),
    states: ['pending'],
    time: { kind: 'between', to: formatIsoMillis(toMs) },
  });
}
