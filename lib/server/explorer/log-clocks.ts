import 'server-only';
import type { ClockOff } from '@/lib/contract/codec/listing';
import type { RequestsView } from '@/lib/contract/codec/requests-url';
import { isClockOff } from '@/lib/domain/service-clock';
import { services } from '@/lib/server/services';

/** Of the keepers that a view asks, those by the dates of whose answers the clock of their service is far off ours. */
export function clocksOff(view: RequestsView): ClockOff[] {
  const { keepers, logs } = services();
  const asked = view.keepers.length === 0 ? keepers.slice(0, 1) : view.keepers;
  return asked.flatMap((keeper) => {
    const { offByMs = 0 } = logs.get(keeper)?.http.standing().clock ?? {};
    return isClockOff(offByMs) ? [{ keeper, offByMs: Math.round(offByMs) }] : [];
  });
}
