/**
 * Layered value noise: a curve that looks like a random walk, and of which any moment can be computed by
 * itself. Only additions, multiplications and integer hashing, so that every machine gets the same digits.
 */
const FIRST_PERIOD_MS = 800;
const PERIOD_FACTOR = 4;
/** 800 ms up to 39 days. */
const LAYERS = 12;
const DAY_MS = 86_400_000;

type Layer = { index: number; periodMs: number; weight: number };

// Like a random walk: the swing of a layer grows with the square root of its period.
const layers: readonly Layer[] = Array.from({ length: LAYERS }, (_, index) => {
  const periodMs = FIRST_PERIOD_MS * PERIOD_FACTOR ** index;
  return { index, periodMs, weight: 0.5 * Math.sqrt(periodMs / DAY_MS) };
});

/** The layers that a moving average over about an hour lets through: periods of 14 min and more. */
const FIRST_SLOW_LAYER = 5;
/** What the average lags behind by. */
const AVERAGE_LAG_MS = 1_800_000;

/** Mixes 32-bit integers to a number in [-1, 1). */
function lattice(seed: number, layer: number, cell: number): number {
  let h = (seed ^ Math.imul(layer + 1, 0x9e3779b1)) | 0;
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b) ^ (cell >>> 0);
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  h ^= h >>> 16;
  return (h | 0) / 0x8000_0000;
}

/** Smooth noise in [-1, 1] with one value per period. */
function smooth(seed: number, layer: number, periodMs: number, ms: number): number {
  const position = ms / periodMs;
  const cell = Math.floor(position);
  const part = position - cell;
  const from = lattice(seed, layer, cell);
  const to = lattice(seed, layer, cell + 1);
  return from + (to - from) * part * part * (3 - 2 * part);
}

function sum(seed: number, ms: number, from: number): number {
  let total = 0;
  for (let i = from; i < layers.length; i += 1) {
    const layer = layers[i];
    if (layer) total += layer.weight * smooth(seed, layer.index, layer.periodMs, ms);
  }
  return total;
}

/** Where the walk of a seed stands at a time (unix ms), in daily volatilities; stays within about ±6.3. */
export function walk(seed: number, ms: number): number {
  return sum(seed, ms, 0);
}

/** The same walk smoothed as by a moving average of about an hour. */
export function averagedWalk(seed: number, ms: number): number {
  return sum(seed, ms - AVERAGE_LAG_MS, FIRST_SLOW_LAYER);
}

/** A slow wobble in [-1, 1] with a period of about `periodMs`. */
export function wobble(seed: number, periodMs: number, ms: number): number {
  return smooth(seed, LAYERS, periodMs, ms);
}
