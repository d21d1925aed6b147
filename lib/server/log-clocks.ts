import 'server-only';
import { type ClockOff, isClockOff } from '@/lib/core/service-clock';
import { services } from './services';

/** Of these keepers, or of all, those by the dates of whose answers the clock of their service is far off ours. */
export function clocksOff(keepers: readonly string[] = services().keepers): ClockOff[] {
  const { logs, sandbox } = services();
  return keepers.flatMap((keeper) => {
    const dated = logs.get(keeper)?.http.standing().clock?.offByMs ?? 0;
    // The clock of a sandbox in this process is known; it may have been set since its last answer.
    const offByMs = sandbox === undefined ? dated : sandbox.now() - Date.now();
    return isClockOff(offByMs) ? [{ keeper, offByMs: Math.round(offByMs) }] : [];
  });
}
