/** Round steps, to be multiplied by a power of ten. */
const STEPS = [1, 2, 5, 10];
/** A single tick above 0 may be finer, because no other tick has to fit. */
const SINGLE_STEPS = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];

/** Integers with a round step, from 0 up to at least `most`. `count` is their maximum number, including 0. */
export function countTicks(most: number, count: number): number[] {
  const rough = most / (count - 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const steps = count === 2 ? SINGLE_STEPS : STEPS;
  const fits = (step: number) => step >= rough && Number.isInteger(step);
  const step = steps.map((factor) => factor * power).find(fits) ?? Math.max(1, 10 * power);
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, index) => Math.round(index * step));
}
