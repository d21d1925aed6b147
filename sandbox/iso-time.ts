const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,18}))?)?(?:([Zz])|([+-])(\d{2}):?(\d{2}))?)?$/;

/**
 * An ISO 8601 time as unix milliseconds, rounded down, and whether anything was cut off by that. A date
 * alone is its first moment; no zone means UTC. Undefined for other texts and for days that don't exist.
 */
export function parseIsoTime(text: string): { ms: number; cut: boolean } | undefined {
  const parts = ISO.exec(text);
  if (!parts) return undefined;
  const at = (index: number) => Number(parts[index] ?? 0);
  const [year, month, day, hour, minute, second] = [at(1), at(2), at(3), at(4), at(5), at(6)];
  if (hour > 23 || minute > 59 || second > 59 || at(10) > 23 || at(11) > 59) return undefined;
  const fraction = parts[7] ?? '';
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  // A day that the month does not have rolls over into the next one.
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  date.setUTCHours(hour, minute, second, Number(fraction.slice(0, 3).padEnd(3, '0')));
  const offsetMs = (at(10) * 60 + at(11)) * 60_000 * (parts[9] === '-' ? -1 : 1);
  return { ms: date.getTime() - offsetMs, cut: /[1-9]/.test(fraction.slice(3)) };
}
