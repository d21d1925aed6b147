import { defaultRequestsView, formatRequestsUrl } from '@/lib/contract/codec/requests-url';
import { formatIsoMillis, unixMillis } from '@/lib/domain/units';

/**
 * The requests of a stretch of a sequence lane in the table: the service knows no filter by number, so it is the time in
 * which they were created, both ends included, and of those loaded the ones of the provider.
 */
export function laneRangePath(
  { keeper, networkId, provider }: { keeper: string; networkId: string; provider: string },
  { fromMs, toMs }: { fromMs: number; toMs: number },
) {
  const view = defaultRequestsView();
  const iso = (ms: number) => formatIsoMillis(unixMillis(ms));
  return formatRequestsUrl({
    ...view,
    keepers: [keeper],
    networks: [networkId],
    within: { ...view.within, only: [{ column: 'provider', value: provider }] },
    // Rows have parts of a millisecond, which a mark has lost.
    time: { kind: 'between', from: iso(Math.floor(fromMs)), to: iso(Math.floor(toMs) + 1) },
  });
}
