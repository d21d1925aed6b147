import { compareScaled, type ScaledInteger } from '@/lib/domain/scaled-number';
import type { KeptUpdate } from './history-buffer';

/**
 * At most `points` updates of many, in their order: of each equal part of the time the one with the least and the one with
 * the greatest price, so that no spike is lost, and the first and the last of all. Fewer than four points can't be asked for.
 * @param updates by publish time; their texts are those of `compactFeedText`
 */
export function thinned(updates: readonly KeptUpdate[], points: number): KeptUpdate[] {
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
  type Extreme = { readonly at: number; readonly price: ScaledInteger };
  const extremes = new Map<number, { least: Extreme; most: Extreme }>();
  for (const [at, update] of updates.entries()) {
    const part = partOf(at, update.publishS);
    const known = extremes.get(part);
    const one = { at, price: priceOf(update) };
    if (!known) extremes.set(part, { least: one, most: one });
    else {
      if (compareScaled(one.price, known.least.price) < 0) known.least = one;
      if (compareScaled(one.price, known.most.price) > 0) known.most = one;
    }
  }
  const kept = new Set([0, updates.length - 1]);
  for (const { least, most } of extremes.values()) kept.add(least.at).add(most.at);
  return updates.filter((_, at) => kept.has(at));
}

/** The exact price of a remembered update. */
function priceOf({ text }: KeptUpdate): ScaledInteger {
  const { p, e }: { p: string; e: number } = JSON.parse(text);
  return { mantissa: BigInt(p), expo: e };
}
