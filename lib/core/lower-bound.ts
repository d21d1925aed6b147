/** Index of the first value of at least `min`, or the length. @param items ascending by `numberOf` */
export function lowerBound<T>(items: readonly T[], min: number, numberOf: (item: T) => number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numberOf(items[middle] as T) < min) low = middle + 1;
    else high = middle;
  }
  return low;
}
