const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A length of time in words, rounded down to what a reader needs: `850 ms`, `3.4 s`, `119 s`, `12 min`, `3 h`, `2 d`. */
export function spanText(ms: number): string {
  if (ms < 1000) return `${Math.floor(ms)} ms`;
  if (ms < 10_000 && ms % 1000 !== 0) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  if (ms < 10 * MINUTE) return `${Math.floor(ms / 1000)} s`;
  if (ms < 2 * HOUR) return `${Math.floor(ms / MINUTE)} min`;
  return ms < 2 * DAY ? `${Math.floor(ms / HOUR)} h` : `${Math.floor(ms / DAY)} d`;
}

/** A count with its digits in groups: `1,234`. */
export function numberText(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `1 row`, `1,234 rows`. */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${numberText(count)} ${count === 1 ? one : many}`;
}
