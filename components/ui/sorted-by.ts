/** Stable. Items without a value come last in both directions. */
export function sortedBy<T>(
  items: readonly T[],
  value: (item: T) => number | null,
  order: 'ascending' | 'descending',
): T[] {
  const sign = order === 'ascending' ? 1 : -1;
  return [...items].sort((a, b) => {
    const [first, second] = [value(a), value(b)];
    if (first === null || second === null) return Number(first === null) - Number(second === null);
    return sign * (first - second);
  });
}
