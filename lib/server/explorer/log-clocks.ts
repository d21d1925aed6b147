import 'server-only';
import type { ClockOff } from '@/lib/contract/codec/listing';
import { isClockOff } from '@/lib/domain/service-clock';
import type { RequestsView } from '@/lib/requests/view';
import { services } from '@/lib/server/services';

/** The same of the keepers that a view asks. */
export function clocksOffFor(view: RequestsView): ClockOff[] {
  const asked = view.keepers.length === 0 ? services().keepers.slice(0, 1) : view.keepers;
  return clocksOff(asked);
}

/** Of these keepers, or of all, those by the dates of whose answers the clock of their service is far off ours. */
export function clocksOff(keepers: readonly string[] = services().keepers): ClockOff[] {
  const { logs } = services();
  return keepers.flatMap((keeper) => {
    const { offByMs = 0 } = logs.get(keeper)?.http.standing().clock ?? {};
    return isClockOff(offByMs) ? [{ keeper, offByMs: Math.round(offByMs) }] : [];
  });
}
