/** Stable sort into a copy; items without a value come last in both directions. */
export function sortedBy<T>(
  items: readonly T[],
  value: (item: T) => number | null,
  order: 'ascending' | 'descending',
): T[] {
  const sign = order === 'ascending' ? 1 : -1;
  return [...items].sort((a, b) => {
    const [one, other] = [value(a), value(b)];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return sign * (one - other);
  });
}
