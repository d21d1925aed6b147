/**
 * Which moments of the past are asked for. The at-time route costs a call for each, so there are as many as the pixels can
 * show; they lie on round seconds, so that a chart that is moved, and the charts of others, ask for the same ones again.
 */

/** Each divides the next: the moments of a coarse step are also moments of every finer one. Seconds. */
const STEPS_S = [1, 5, 10, 30, 60, 300, 600, 1_800, 3_600, 7_200, 21_600, 86_400] as const;

/** A sample for about so many pixels: a line between two of them still looks like a line. */
const PIXELS_PER_SAMPLE = 8;

/** The first, coarsest round has at least so many moments, so that it looks like the chart that it will become. */
const FIRST_ROUND = 6;

export type SampledWindow = {
  readonly fromMs: number;
  readonly toMs: number;
  /** Pixel columns of the plot. */
  readonly columns: number;
  /** By the clock of the service: nothing beyond is asked for. */
  readonly nowMs: number;
};

/** The distance of the moments that fit a window, seconds. */
export function sampleStepS({ fromMs, toMs, columns }: SampledWindow): number {
  const wantedS = ((toMs - fromMs) / 1000 / Math.max(1, columns)) * PIXELS_PER_SAMPLE;
  return STEPS_S.find((step) => step >= wantedS) ?? STEPS_S[STEPS_S.length - 1] ?? 1;
}

/**
 * The moments of a window (unix seconds), the one at or before the left edge first, so that the line enters from
 * there; then coarse ones first, the newest of each round first. Never in the future, never before 1970.
 */
export function sampledMoments(window: SampledWindow): number[] {
  const stepS = sampleStepS(window);
  const firstS = Math.max(0, Math.floor(window.fromMs / 1000 / stepS) * stepS);
  const lastS = Math.floor(Math.min(window.toMs, window.nowMs) / 1000);
  const spanS = lastS - firstS;
  const rounds = STEPS_S.filter((step) => step > stepS && spanS / step >= FIRST_ROUND).toReversed();
  // The left edge comes first, or the chart would begin late until the end.
  const seen = new Set<number>(firstS <= lastS ? [firstS] : []);
  for (const step of [...rounds, stepS]) {
    for (let at = Math.floor(lastS / step) * step; at >= firstS; at -= step) seen.add(at);
  }
  return [...seen];
}
