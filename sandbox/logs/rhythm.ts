const DAY_MS = 86_400_000;
/** Busiest at this time of day (UTC), quietest half a day away. */
const PEAK_MS = 15 * 3_600_000;
/** At the peak 1.6 times the mean, at the quietest time 0.4 times. */
const SWING = 0.6;

const TURN = (2 * Math.PI) / DAY_MS;
/** Keeps the start of a day where it is. */
const SHIFT = (SWING / TURN) * Math.sin(-TURN * PEAK_MS);

/** How much has happened until a time, in mean milliseconds: it runs fast by day and slowly at night. */
export function activityUntil(ms: number): number {
  return ms + (SWING / TURN) * Math.sin(TURN * ((ms % DAY_MS) - PEAK_MS)) - SHIFT;
}

/** The time at which this much has happened: the inverse of `activityUntil`, by Newton's method. */
export function timeOfActivity(activity: number): number {
  const day = Math.floor(activity / DAY_MS) * DAY_MS;
  const wanted = activity - day;
  let guess = wanted;
  for (let step = 0; step < 50; step++) {
    const change = (activityUntil(guess) - wanted) / (1 + SWING * Math.cos(TURN * (guess - PEAK_MS)));
    guess -= change;
    if (Math.abs(change) < 1e-4) break;
  }
  return day + guess;
}
