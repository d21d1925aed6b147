/** A length of time in its two largest units, for example `7 s`, `2 min 5 s`, `3 h 2 min`, `4 d 1 h`. Never negative. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  if (minutes === 0) {
    return `${seconds} s`;
  }
  if (hours === 0) {
    return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  }
  return days === 0 ? `${hours} h ${minutes % 60} min` : `${days} d ${hours % 24} h`;
}

/** Time of day in UTC, `12:03:07`; with the date in front when it is another day than `nowMs`. */
export function utcTimeText(ms: number, nowMs: number): string {
  const date = new Date(ms);
  if (Number.isNaN(date.getTime())) {
    return 'unknown';
  }
  const iso = date.toISOString();
  const sameDay = Math.floor(ms / 86_400_000) === Math.floor(nowMs / 86_400_000);
  const time = iso.slice(-13, -5);
  return sameDay ? time : `${iso.slice(0, -14)} ${time}`;
}
