/** Round steps, times a power of ten. */
const STEPS = [1, 2, 5, 10];

/** Ticks of counts from 0 up to `most` or above, integers of a round step. @param count most ticks, including 0 */
export function countTicks(most: number, count: number): number[] {
  const rough = most / (count - 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, (STEPS.find((one) => one * power >= rough) ?? 10) * power);
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, at) => Math.round(at * step));
}
