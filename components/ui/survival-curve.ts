import type { Survival } from '@/lib/domain/diagnosis/finished-durations';

/** Ages from here on; anything faster stands at the left edge of the logarithmic scale. */
const FIRST_MS = 500;

/**
 * The curve as steps in a drawing, logarithmic in time so that seconds and hours fit, and where the age lies in it.
 * @param curve `ms` rises, `share` falls
 */
export function curvePath(
  curve: Survival['curve'],
  ageMs: number,
  { width, height }: { width: number; height: number },
): { line: string; age: number } {
  const lastMs = Math.max(curve.at(-1)?.ms ?? 0, ageMs, FIRST_MS * 10) * 1.1;
  const span = Math.log(lastMs / FIRST_MS);
  const x = (ms: number) => rounded((Math.log(Math.max(ms, FIRST_MS) / FIRST_MS) / span) * width);
  // Half a unit at both ends, so that the line itself is not cut.
  const y = (share: number) => rounded(1 + (1 - share) * (height - 2));
  const steps = curve.map(({ ms, share }) => `H${x(ms)}V${y(share)}`);
  return { line: `M0 ${y(1)}${steps.join('')}H${width}`, age: x(ageMs) };
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
