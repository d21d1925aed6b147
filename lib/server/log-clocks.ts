import 'server-only';
import type { ClockOff } from '@/lib/contract/codec/listing';
import { isClockOff } from '@/lib/domain/service-clock';
import { services } from './services';

/** Of these keepers, or of all, those by the dates of whose answers the clock of their service is far off ours. */
export function clocksOff(keepers: readonly string[] = services().keepers): ClockOff[] {
  const { logs } = services();
  return keepers.flatMap((keeper) => {
    const { offByMs = 0 } = logs.get(keeper)?.http.standing().clock ?? {};
    return isClockOff(offByMs) ? [{ keeper, offByMs: Math.round(offByMs) }] : [];
  });
}
