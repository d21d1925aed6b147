'use client';
import { useLive } from '@/components/ui/live-controls';
import { useZoneSwitch } from '@/lib/client/time-style';
import type { Zone } from '@/lib/requests/view';
import classes from './zone-switch.module.css';

const CHOICES: { value: Zone; label: string; title: string }[] = [
  { value: 'utc', label: 'UTC', title: 'Times in UTC' },
  { value: 'local', label: 'Local', title: 'Times by the clock of this computer' },
  { value: 'relative', label: 'Relative', title: 'Times as ages: 3 min ago' },
];

/** How times are shown on every page. The server knows the choice from a cookie, so its markup is right already. */
export function ZoneSwitch() {
  const { zone, setZone } = useZoneSwitch();
  const live = useLive();
  return (
    <fieldset className={classes.switch} aria-label="Times" disabled={!live}>
      {CHOICES.map((choice) => (
        <button
          key={choice.value}
          type="button"
          className={classes.choice}
          aria-pressed={zone === choice.value}
          title={choice.title}
          onClick={() => setZone(choice.value)}
        >
          {choice.label}
        </button>
      ))}
    </fieldset>
  );
}
