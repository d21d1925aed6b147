import { compareScaled } from '@/lib/domain/scaled-number';
import { type PastUpdate, priceOf } from './feed-past';

/**
 * At most `points` updates of many, in their order: of each equal part of the time the one with the least and the one with
 * the greatest price, so that no spike is lost, and the first and the last of all. Fewer than four points can't be asked for.
 * @param updates by publish time
 */
export function thinned(updates: readonly PastUpdate[], points: number): PastUpdate[] {
  const first = updates[0];
  const last = updates.at(-1);
  if (updates.length <= points || !first || !last) return [...updates];
  const parts = Math.max(1, Math.floor((points - 2) / 2));
  // Times are whole seconds: a part shorter than that would hold either several updates or none.
  const span = last.publishS - first.publishS;
  const partOf = (at: number, publishS: number) =>
    span >= parts
      ? Math.floor(((publishS - first.publishS) * parts) / (span + 1))
      : Math.floor((at * parts) / updates.length);
  const extremes = new Map<number, { least: number; most: number }>();
  for (const [at, update] of updates.entries()) {
    const part = partOf(at, update.publishS);
    const known = extremes.get(part);
    if (!known) extremes.set(part, { least: at, most: at });
    else {
      if (isBelow(update, updates[known.least])) known.least = at;
      if (isBelow(updates[known.most], update)) known.most = at;
    }
  }
  const kept = new Set([0, updates.length - 1]);
  for (const { least, most } of extremes.values()) kept.add(least).add(most);
  return updates.filter((_, at) => kept.has(at));
}

function isBelow(a: PastUpdate | undefined, b: PastUpdate | undefined): boolean {
  return a !== undefined && b !== undefined && compareScaled(priceOf(a), priceOf(b)) < 0;
}
