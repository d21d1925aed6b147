/** A span longer than all others together, so many times, is drawn broken: the others would be one dot. */
const DWARFS = 4;
/** Share of the scale that a broken span takes. */
const BROKEN_SHARE = 0.6;

export type StepScale = {
  /** Between 0 and 1. */
  shareOf: (ms: number) => number;
  /** Shares of the broken span; undefined if the whole scale is in proportion. */
  broken: { from: number; to: number } | undefined;
};

/** The scale from the first of the moments to the last, unix ms or any other unit. */
export function stepScale(moments: readonly number[]): StepScale {
  const points = moments.toSorted((a, b) => a - b);
  const [begin = 0] = points;
  const whole = (points.at(-1) ?? begin) - begin;
  let longest = { from: begin, length: 0 };
  for (const [at, from] of points.entries()) {
    const length = (points[at + 1] ?? from) - from;
    if (length > longest.length) longest = { from, length };
  }
  const others = whole - longest.length;
  const isBroken = others > 0 && longest.length > DWARFS * others;
  const share = isBroken ? (1 - BROKEN_SHARE) / others : 1 / Math.max(1, whole);
  const shareOf = (ms: number) => {
    const bounded = Math.max(0, Math.min(whole, ms - begin));
    if (!isBroken) return bounded * share;
    const within = Math.max(0, Math.min(longest.length, bounded - (longest.from - begin)));
    return (bounded - within) * share + (within / longest.length) * BROKEN_SHARE;
  };
  const broken = { from: shareOf(longest.from), to: shareOf(longest.from + longest.length) };
  return { shareOf, broken: isBroken ? broken : undefined };
}
